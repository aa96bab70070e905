import type { Fields, StructValue } from '../../src/codec/struct.js';
import type { Asset, AssetOptions, BitassetOptions, Price } from '../../src/protocol/asset.js';
import {
  assetClaimFeesOperation,
  assetCreateOperation,
  assetFundFeePoolOperation,
  assetGlobalSettleOperation,
  assetIssueOperation,
  assetPublishFeedOperation,
  assetReserveOperation,
  assetSettleCancelOperation,
  assetSettleOperation,
  assetUpdateBitassetOperation,
  assetUpdateFeedProducersOperation,
  assetUpdateOperation,
  callOrderUpdateOperation,
  fillOrderOperation,
  limitOrderCancelOperation,
  limitOrderCreateOperation,
} from '../../src/protocol/operations/assets.js';
import type { OperationDeclaration } from '../../src/protocol/operations/declare.js';
import { assetObject } from '../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../src/state/objects/asset-dynamic-data.js';
import { MAX_SUPPLY, share, times } from './amounts.js';
import { data, flat, none, withMemo, withSize } from './fee-rules.js';
import { type AnyRule, type Model, rule } from './model.js';
import { must } from './tables.js';

const BIG = 10_000_000_000;
const hasFee = ({ fee }: { fee: Asset }): void => must(fee.amount >= 0n, 'a fee below zero');

export const isSymbol = (symbol: string): boolean =>
  /^(?!BIT)[A-Z][A-Z0-9.]*[A-Z0-9]$/.test(symbol) &&
  symbol.length >= 3 &&
  symbol.length <= 16 &&
  symbol.split('.').length <= 2;

function validPrice({ base, quote }: Price): void {
  must(base.amount > 0n && quote.amount > 0n && base.asset_id !== quote.asset_id, 'a bad price');
}

function validOptions(o: AssetOptions, hasRate = true): void {
  must(o.max_supply > 0n && o.max_supply <= MAX_SUPPLY, 'a bad supply');
  must(o.market_fee_percent <= 10_000, 'a bad percentage');
  must(o.max_market_fee >= 0n && o.max_market_fee <= MAX_SUPPLY, 'a bad market fee');
  must((o.issuer_permissions & ~0x1ff) === 0, 'unknown permissions');
  must((o.flags & 0x20) === 0, 'settled globally');
  must((o.flags & 0x180) !== 0x180, 'fed by two');
  if (hasRate) validPrice(o.core_exchange_rate);
  const hasLists = o.whitelist_authorities.length + o.blacklist_authorities.length > 0;
  must(!hasLists || (o.flags & 2) !== 0, 'lists without their flag');
  must(!o.whitelist_markets.some((one) => o.blacklist_markets.includes(one)), 'a market on both lists');
}

function validBitasset(o: BitassetOptions): void {
  must(o.minimum_feeds > 0, 'no feeds');
  must(o.force_settlement_offset_percent <= 10_000 && o.maximum_force_settlement_volume <= 10_000, 'a percentage');
}

function checkList(m: Model, list: readonly number[]): void {
  must(list.length <= m.parameters.maximum_asset_whitelist_authorities, 'a list is too long');
  for (const id of list) m.account(id);
}

const inCore = (m: Model, { base, quote }: Price): boolean => base.asset_id === m.core || quote.asset_id === m.core;

const assetCreate = rule(assetCreateOperation, {
  payer: (op) => op.issuer,
  fee: {
    defaults: { symbol3: 100_000_000_000, symbol4: 80_000_000_000, long_symbol: 50_000_000_000, price_per_kbyte: 10 },
    price(values, { symbol }, size) {
      const name = symbol.length === 3 ? 'symbol3' : symbol.length === 4 ? 'symbol4' : 'long_symbol';
      return values(name) + data(size, values('price_per_kbyte'));
    },
  },
  valid(op) {
    hasFee(op);
    must(isSymbol(op.symbol), 'a bad symbol');
    validOptions(op.common_options);
    const { bitasset_opts } = op;
    const { issuer_permissions } = op.common_options;
    if ((issuer_permissions & 0x30) !== 0) must(bitasset_opts !== undefined, 'permissions of bitassets');
    if (op.is_prediction_market) must(bitasset_opts !== undefined && (issuer_permissions & 0x20) !== 0, 'predictions');
    if (bitasset_opts !== undefined) validBitasset(bitasset_opts);
    must(op.precision <= 12, 'too precise');
  },
  booked: (_, paid) => (paid + 1n) / 2n,
  run(m, op, _, paid) {
    const { common_options: options, symbol } = op;
    checkList(m, options.whitelist_authorities);
    checkList(m, options.blacklist_authorities);
    if (m.after('1008')) must(symbol !== 'GXS', 'a symbol of old');
    const prefix = symbol.split('.').slice(0, -1).join('.');
    if (symbol.includes('.')) {
      const parent = m.where(assetObject, (one) => one.symbol === prefix);
      must(parent !== undefined && parent.issuer === op.issuer, 'a prefix of somebody else');
    }
    must(inCore(m, options.core_exchange_rate), 'a rate without core');
    const placeholder = m.core + 1;
    const rated = times({ amount: 1n, asset_id: m.core }, options.core_exchange_rate);
    must(rated.asset_id === placeholder, 'a rate of something else');
    if (m.after('1008')) must(op.bitasset_opts === undefined, 'no bitassets any more');
    const isOdd = !m.after('1005') && paid % 2n === 1n;
    if (isOdd) {
      m.changeSupply(0, (o) => {
        o.current_supply = share(o.current_supply + 1n);
      });
    }
    const dynamic_asset_data_id = m.create(assetDynamicDataObject, { fee_pool: isOdd ? (paid + 1n) / 2n : paid / 2n });
    const id = m.next(assetObject);
    const rate = structuredClone(options.core_exchange_rate);
    if (rate.quote.asset_id === m.core) rate.base.asset_id = id;
    else rate.quote.asset_id = id;
    m.create(
      assetObject,
      {
        symbol,
        precision: op.precision,
        issuer: op.issuer,
        options: { ...options, core_exchange_rate: rate },
        dynamic_asset_data_id,
      },
      (other) => other.symbol === symbol,
    );
    return [1, (1n << 56n) | (3n << 48n) | BigInt(id)];
  },
});

const assetUpdate = rule(assetUpdateOperation, {
  payer: (op) => op.issuer,
  fee: withSize(BIG, 10),
  valid(op) {
    hasFee(op);
    must(op.new_issuer !== op.issuer, 'the same issuer');
    validOptions(op.new_options, op.asset_to_update > 1);
  },
  run(m, op) {
    const old = m.asset(op.asset_to_update);
    const { new_options: options } = op;
    if (old.bitasset_data_id === undefined) {
      must(((options.flags | options.issuer_permissions) & 0x30) === 0, 'flags of bitassets');
    }
    must(inCore(m, options.core_exchange_rate), 'a rate without core');
    if (op.new_issuer !== undefined) m.account(op.new_issuer);
    const renamed = op.extensions.find(([tag]) => tag === 8)?.[1] as { symbol: string } | undefined;
    if (renamed !== undefined) {
      must(isSymbol(renamed.symbol) && renamed.symbol !== 'GXS', 'a bad new symbol');
      must(m.where(assetObject, (one) => one.symbol === renamed.symbol) === undefined, 'the new symbol is taken');
    }
    const permissions = old.options.issuer_permissions;
    if (m.supply(old.id).current_supply !== 0n || !m.from('572')) {
      must((options.issuer_permissions & ~permissions) === 0, 'permissions come back');
    }
    must(((options.flags ^ old.options.flags) & ~permissions) === 0, 'a flag without permission');
    must((old.id === 0 && old.issuer === 3 ? 0 : old.issuer) === op.issuer, 'another issuer');
    checkList(m, options.whitelist_authorities);
    checkList(m, options.blacklist_authorities);
    must(times({ amount: 1n, asset_id: old.id }, options.core_exchange_rate).asset_id === m.core, 'a foreign rate');
    const { base, quote } = old.options.core_exchange_rate;
    const hadCore = base.asset_id === 1 || quote.asset_id === 1;
    if (m.after('1008') && (old.id === 1 || (old.id !== 0 && !hadCore))) {
      m.changeSupply(old.id, (o) => {
        o.fee_pool = 0n;
      });
    }
    m.change(assetObject, old.id, (o) => {
      if (op.new_issuer !== undefined) o.issuer = op.new_issuer;
      o.options = options;
      if (renamed !== undefined) o.symbol = renamed.symbol;
    });
    return undefined;
  },
});

const assetIssue = rule(assetIssueOperation, {
  payer: (op) => op.issuer,
  fee: withMemo(BIG, 100_000, true),
  valid(op) {
    hasFee(op);
    const { amount, asset_id } = op.asset_to_issue;
    must(amount > 0n && amount <= MAX_SUPPLY && asset_id !== 0, 'a bad amount');
  },
  run(m, op) {
    const { amount, asset_id } = op.asset_to_issue;
    const { issuer, bitasset_data_id, options } = m.asset(asset_id);
    must(issuer === op.issuer && bitasset_data_id === undefined, 'not to be issued by them');
    must(m.mayHold(op.issue_to_account, asset_id), 'the recipient may not hold it');
    must(share(m.supply(asset_id).current_supply + amount) <= options.max_supply, 'more than there may be');
    m.give(op.issue_to_account, op.asset_to_issue);
    m.changeSupply(asset_id, (o) => {
      o.current_supply += amount;
    });
    return undefined;
  },
});

const assetReserve = rule(assetReserveOperation, {
  payer: (op) => op.payer,
  fee: flat(BIG),
  valid(op) {
    hasFee(op);
    must(op.amount_to_reserve.amount > 0n && op.amount_to_reserve.amount <= MAX_SUPPLY, 'a bad amount');
  },
  run(m, op) {
    const { amount, asset_id } = op.amount_to_reserve;
    must(m.asset(asset_id).bitasset_data_id === undefined, 'a bitasset');
    must(m.mayHold(op.payer, asset_id), 'the payer may not hold it');
    must(m.supply(asset_id).current_supply >= amount, 'there is less');
    m.take(op.payer, op.amount_to_reserve);
    m.changeSupply(asset_id, (o) => {
      o.current_supply -= amount;
    });
    return undefined;
  },
});

const assetFundFeePool = rule(assetFundFeePoolOperation, {
  payer: (op) => op.from_account,
  fee: flat(BIG),
  valid(op) {
    hasFee(op);
    must(op.amount > 0n, 'nothing for the pool');
  },
  run(m, op) {
    must(op.fee.asset_id === m.core, 'the fee is not in core');
    m.asset(op.asset_id);
    m.take(op.from_account, { amount: op.amount, asset_id: m.core });
    m.changeSupply(op.asset_id, (o) => {
      o.fee_pool = share(o.fee_pool + op.amount);
    });
    return undefined;
  },
});

const assetClaimFees = rule(assetClaimFeesOperation, {
  payer: (op) => op.issuer,
  fee: flat(2_000_000),
  valid(op) {
    hasFee(op);
    must(op.amount_to_claim.amount > 0n, 'nothing to claim');
  },
  run(m, op) {
    must(m.after('413'), 'not yet');
    const { amount, asset_id } = op.amount_to_claim;
    must(m.asset(asset_id).issuer === op.issuer, 'another issuer');
    must(m.supply(asset_id).accumulated_fees >= amount, 'there are fewer fees');
    m.changeSupply(asset_id, (o) => {
      o.accumulated_fees -= amount;
    });
    m.give(op.issuer, op.amount_to_claim);
    return undefined;
  },
});

/** Operations that do nothing but cost their fee, until a fork ended them. */
function ended<F extends Fields, P extends Fields>(
  declaration: OperationDeclaration<F, P>,
  payer: (op: StructValue<F>) => number,
  valid: (op: StructValue<F>) => void,
): AnyRule {
  return rule(declaration, {
    payer,
    fee: flat(BIG),
    valid,
    run(m) {
      must(!m.after('1008'), 'ended');
      return undefined;
    },
  });
}

const isFeedPrice = ({ base, quote }: Price): boolean =>
  base.amount > 0n && quote.amount > 0n && base.asset_id !== quote.asset_id;

const ENDED = [
  ended(
    assetUpdateBitassetOperation,
    (op) => op.issuer,
    (op) => {
      hasFee(op);
      validBitasset(op.new_options);
    },
  ),
  ended(assetUpdateFeedProducersOperation, (op) => op.issuer, hasFee),
  ended(
    assetSettleOperation,
    (op) => op.account,
    (op) => {
      hasFee(op);
      must(op.amount.amount >= 0n, 'less than nothing');
    },
  ),
  ended(
    assetGlobalSettleOperation,
    (op) => op.issuer,
    (op) => {
      hasFee(op);
      must(op.asset_to_settle === op.settle_price.base.asset_id, 'a price of another asset');
    },
  ),
  ended(
    assetPublishFeedOperation,
    (op) => op.publisher,
    (op) => {
      hasFee(op);
      const { settlement_price, core_exchange_rate, ...ratios } = op.feed;
      for (const rate of [settlement_price, core_exchange_rate]) {
        must(isFeedPrice(rate) && rate.base.asset_id === op.asset_id, 'a bad price');
      }
      for (const ratio of Object.values(ratios)) must(ratio >= 1001 && ratio <= 32_000, 'a bad ratio');
    },
  ),
];

const limitOrderCreate = rule(limitOrderCreateOperation, {
  payer: (op) => op.seller,
  fee: flat(1_000_000_000),
  valid: hasFee,
  isFree: true,
  run(m) {
    must(!m.from('1004'), 'no orders any more');
    return [1, 0n];
  },
});

const limitOrderCancel = rule(limitOrderCancelOperation, {
  payer: (op) => op.fee_paying_account,
  fee: flat(0),
  valid: hasFee,
  run: () => [2, { amount: 0n, asset_id: 0 }],
});

const callOrderUpdate = rule(callOrderUpdateOperation, {
  payer: (op) => op.funding_account,
  fee: flat(1_000_000_000),
  valid: hasFee,
  run: () => undefined,
});

const fillOrder = rule(fillOrderOperation, {
  payer: (op) => op.account_id,
  fee: none,
  valid: () => must(false, 'only the chain says this'),
});

const assetSettleCancel = rule(assetSettleCancelOperation, {
  payer: (op) => op.account,
  fee: none,
  valid: (op) => must(op.amount.amount > 0n, 'nothing'),
});

export const ASSET_RULES: readonly AnyRule[] = [
  assetCreate,
  assetUpdate,
  assetIssue,
  assetReserve,
  assetFundFeePool,
  assetClaimFees,
  ...ENDED,
  limitOrderCreate,
  limitOrderCancel,
  callOrderUpdate,
  fillOrder,
  assetSettleCancel,
];
