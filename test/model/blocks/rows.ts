import type { ObjectDef, ObjectOf, StateObject } from '../../../src/state/define.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { accountBalanceObject } from '../../../src/state/objects/account-balance.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../../src/state/objects/asset-dynamic-data.js';
import { budgetRecordObject } from '../../../src/state/objects/budget-record.js';
import { committeeMemberObject } from '../../../src/state/objects/committee-member.js';
import { dynamicGlobalPropertyObject } from '../../../src/state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { lockBalanceObject } from '../../../src/state/objects/lock-balance.js';
import { signatureObject } from '../../../src/state/objects/signature.js';
import { stakingObject } from '../../../src/state/objects/staking.js';
import { trustNodePledgeObject } from '../../../src/state/objects/trust-node-pledge.js';
import { vestingBalanceObject } from '../../../src/state/objects/vesting-balance.js';
import { witnessObject } from '../../../src/state/objects/witness.js';
import { witnessScheduleObject } from '../../../src/state/objects/witness-schedule.js';
import type { ReadState } from '../../../src/state/views.js';
import { NETWORK } from '../../support/network.js';

/** Whatever a block reads or changes once its transactions are done. */
const TABLES = {
  accounts: accountObject,
  assets: assetObject,
  balances: accountBalanceObject,
  budgets: budgetRecordObject,
  committee: committeeMemberObject,
  dynamic: dynamicGlobalPropertyObject,
  dynamicData: assetDynamicDataObject,
  global: globalPropertyObject,
  locks: lockBalanceObject,
  pledges: trustNodePledgeObject,
  schedule: witnessScheduleObject,
  signatures: signatureObject,
  stakings: stakingObject,
  statistics: accountStatisticsObject,
  vestings: vestingBalanceObject,
  witnesses: witnessObject,
} as const;
type Tables = typeof TABLES;

/** Rows by number, the model's own to change. */
export type Rows = { readonly [N in keyof Tables]: Map<number, ObjectOf<Tables[N]>> };

export function readRows(state: ReadState): Rows {
  const copy = (definition: ObjectDef<StateObject>) =>
    new Map([...state.all(definition)].map((row) => [row.id, structuredClone(row)]));
  const entries = Object.entries(TABLES).map(([name, definition]) => [name, copy(definition as never)]);
  return Object.fromEntries(entries) as Rows;
}

/** Rows that are not the same, as one line each. */
export function differences(model: Rows, chain: Rows): string[] {
  return (Object.keys(TABLES) as (keyof Tables)[]).flatMap((name) => {
    const text = (row: object | undefined): string =>
      row === undefined ? 'none' : JSON.stringify(TABLES[name].schema.toJson(row as never, NETWORK));
    const ids = [...new Set([...model[name].keys(), ...chain[name].keys()])];
    return ids
      .map((id) => [id, text(model[name].get(id)), text(chain[name].get(id))] as const)
      .filter(([, mine, theirs]) => mine !== theirs)
      .map(([id, mine, theirs]) => `${name} ${id}: the model has ${mine}, the chain ${theirs}`);
  });
}
