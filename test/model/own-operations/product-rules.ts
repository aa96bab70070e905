import {
  dataMarketCategoryCreateOperation,
  dataMarketCategoryUpdateOperation,
  datasourceCopyrightClearOperation,
  freeDataProductCreateOperation,
  freeDataProductUpdateOperation,
  leagueCreateOperation,
  leagueDataProductCreateOperation,
  leagueDataProductUpdateOperation,
  leagueUpdateOperation,
} from '../../../src/protocol/operations/data-market.js';
import type { ObjectDef, StateObject } from '../../../src/state/define.js';
import {
  dataMarketCategoryObject,
  datasourceCopyrightObject,
  freeDataProductObject,
  leagueDataProductObject,
  leagueObject,
} from '../../../src/state/objects/data-market.js';
import { flat } from '../fee-rules.js';
import type { How } from '../model.js';
import { must } from '../tables.js';
import { created, hasFee, isMember } from './checks.js';
import { type AnyOwnRule, extension, type OwnModel, ownRule } from './model.js';

const issuer = (op: { issuer: number }): number => op.issuer;
const committee = (): number => 0;
const isProposed = ({ proposed }: How): void => must(proposed, 'not_inside_proposal');

/** What an object has that the operation brings: all but what is counted later. */
function fromCreate<T extends StateObject>(definition: ObjectDef<T>, op: object, more: Partial<T>): Partial<T> {
  const names = Object.keys(definition.schema.fields).filter((name) => name !== 'id' && name in op);
  return { ...Object.fromEntries(names.map((name) => [name, op[name as keyof object]])), ...more } as Partial<T>;
}

/** Members that are given under their name with `new_`; an issuer stays. */
function update<T extends StateObject>(m: OwnModel, definition: ObjectDef<T>, id: number, op: object): void {
  const given = Object.entries(op)
    .filter(([name, value]) => name.startsWith('new_') && name !== 'new_issuer' && value !== undefined)
    .map(([name, value]) => [name.slice('new_'.length), structuredClone(value)]);
  m.change(definition, id, (o) => Object.assign(o, Object.fromEntries(given)));
}

const categoryCreate = ownRule(dataMarketCategoryCreateOperation, {
  payer: issuer,
  fee: flat(1_000_000),
  check(m, op) {
    must(m.isLifetime(op.issuer), 'issuer_not_lifetime');
    return () => {
      const id = m.create(dataMarketCategoryObject, fromCreate(dataMarketCategoryObject, op, { status: 0 }));
      return created(16, id);
    };
  },
});

const categoryUpdate = ownRule(dataMarketCategoryUpdateOperation, {
  payer: committee,
  fee: flat(0),
  valid: hasFee,
  check(m, op, how) {
    isProposed(how);
    return () => {
      update(m, dataMarketCategoryObject, op.data_market_category, op);
      return undefined;
    };
  },
});

const freeCreate = ownRule(freeDataProductCreateOperation, {
  payer: issuer,
  fee: flat(1_000_000),
  check(m, op) {
    must(m.isLifetime(op.issuer), 'issuer_not_lifetime');
    must(isMember(m, op.datasource, 'datasource'), 'product_source_not_member');
    return () => {
      const id = m.create(freeDataProductObject, fromCreate(freeDataProductObject, op, { status: 0, total: 0n }));
      return created(17, id);
    };
  },
});

const freeUpdate = ownRule(freeDataProductUpdateOperation, {
  payer: committee,
  fee: flat(100_000),
  valid: hasFee,
  check(m, op, how) {
    isProposed(how);
    m.get(freeDataProductObject, op.free_data_product);
    return () => {
      update(m, freeDataProductObject, op.free_data_product, op);
      return undefined;
    };
  },
});

interface Threshold {
  readonly pocs_threshold: bigint;
}

function thresholdOf(op: { extensions: [number, object][] }): bigint | undefined {
  const given = extension<Threshold>(op.extensions as never, 5)?.pocs_threshold;
  must(given === undefined || given >= 1n, 'pocs_threshold_small');
  return given;
}

const leagueProductCreate = ownRule(leagueDataProductCreateOperation, {
  payer: issuer,
  fee: flat(1_000_000),
  check(m, op) {
    must(m.isLifetime(op.issuer), 'issuer_not_lifetime');
    const pocs_threshold = thresholdOf(op as never) ?? 0n;
    return () => {
      const given = fromCreate(leagueDataProductObject, op, { status: 0, total: 0n, pocs_threshold });
      return created(18, m.create(leagueDataProductObject, given));
    };
  },
});

const leagueProductUpdate = ownRule(leagueDataProductUpdateOperation, {
  payer: committee,
  fee: flat(100_000),
  valid: hasFee,
  check(m, op, how) {
    isProposed(how);
    const threshold = thresholdOf(op as never);
    m.get(leagueDataProductObject, op.league_data_product);
    return () => {
      update(m, leagueDataProductObject, op.league_data_product, op);
      if (threshold !== undefined) {
        m.change(leagueDataProductObject, op.league_data_product, (o) => {
          o.pocs_threshold = threshold;
        });
      }
      return undefined;
    };
  },
});

interface Shares {
  pocs_thresholds: bigint[];
  fee_bases: bigint[];
  product_pocs_weights: bigint[];
}

/** What belongs to each member and to each product of a league. */
function sharesOf(extensions: unknown, members: readonly number[], products: readonly number[]): Shares {
  const given = extension<Shares>(extensions as never, 4);
  if (given === undefined) {
    return {
      pocs_thresholds: members.map(() => 0n),
      fee_bases: members.map(() => 1n),
      product_pocs_weights: products.map(() => 1n),
    };
  }
  must(given.pocs_thresholds.length === members.length, 'league_thresholds_size');
  must(given.fee_bases.length === members.length, 'league_fee_bases_size');
  must(given.product_pocs_weights.length === products.length, 'league_weights_size');
  return given;
}

const leagueCreate = ownRule(leagueCreateOperation, {
  payer: issuer,
  fee: flat(1_000_000),
  check(m, op) {
    for (const member of op.members) must(isMember(m, member, 'datasource'), 'league_member_not_source');
    for (const product of op.data_products)
      must(m.find(leagueDataProductObject, product) !== undefined, 'league_product_missing');
    const shares = sharesOf(op.extensions, op.members, op.data_products);
    must(m.isLifetime(op.issuer), 'issuer_not_lifetime');
    must(m.find(dataMarketCategoryObject, op.category_id) !== undefined, 'league_category_missing');
    return () => {
      const id = m.create(leagueObject, fromCreate(leagueObject, op, { status: 0, total: 0n, ...shares }));
      return created(19, id);
    };
  },
});

const leagueUpdate = ownRule(leagueUpdateOperation, {
  payer: committee,
  fee: flat(100_000),
  valid: hasFee,
  check(m, op, how) {
    isProposed(how);
    const { new_members: members, new_data_products: products } = op;
    must(members !== undefined && products !== undefined, 'league_update_lists_missing');
    const shares = sharesOf(op.extensions, members, products);
    m.get(leagueObject, op.league);
    return () => {
      update(m, leagueObject, op.league, op);
      m.change(leagueObject, op.league, (o) => Object.assign(o, structuredClone(shares)));
      return undefined;
    };
  },
});

const copyrightClear = ownRule(datasourceCopyrightClearOperation, {
  payer: committee,
  fee: flat(100_000),
  valid: hasFee,
  check(m, op, how) {
    isProposed(how);
    return () => {
      for (const row of m.all(datasourceCopyrightObject)) {
        const isMeant = row.datasource_account_id === op.datasource_account && row.product_id === op.product_id;
        if (isMeant) m.remove(datasourceCopyrightObject, row.id);
      }
      return undefined;
    };
  },
});

export const PRODUCT_RULES: readonly AnyOwnRule[] = [
  categoryCreate,
  categoryUpdate,
  freeCreate,
  freeUpdate,
  leagueProductCreate,
  leagueProductUpdate,
  leagueCreate,
  leagueUpdate,
  copyrightClear,
];
