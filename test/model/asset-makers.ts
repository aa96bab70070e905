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
import { assetObject } from '../../src/state/objects/asset.js';
import { MAX_SUPPLY } from './amounts.js';
import { type Given, type Maker, maker, type Tools } from './tools.js';

function assetOptions(t: Tools, asset: number, other = t.m.core): Given {
  const side = (asset_id: number) => ({
    amount: t.pick(1n, 1n, 2n, 7n, 1000n, 0n, -1n, MAX_SUPPLY, MAX_SUPPLY + 1n),
    asset_id,
  });
  const good = (asset_id: number) => ({ amount: t.pick(1n, 2n, 7n, 1000n), asset_id });
  const make = t.chance(0.8) ? good : side;
  const ids = t.chance(0.9) ? [asset, other] : [t.asset(), other];
  if (t.chance(0.5)) ids.reverse();
  const flags = t.odd(t.pick(0, 0, 1, 2, 2, 2, 4, 8, 0x40, 0x80, 0x100, 0xf, 0xd), 0x10, 0x20, 0x180, 0x200, 0x8000);
  const list = () =>
    t.chance((flags & 2) !== 0 ? 0.4 : 0.97)
      ? []
      : [...new Set([t.account(), t.account(), t.account()])].filter(() => t.chance(0.7));
  return {
    max_supply: t.odd(t.pick(1000n, MAX_SUPPLY, 1n, 10n ** 15n), MAX_SUPPLY + 1n, 0n, -1n),
    market_fee_percent: t.odd(10_000, 10_001),
    max_market_fee: t.odd(t.pick(0n, MAX_SUPPLY), MAX_SUPPLY + 1n, -1n),
    issuer_permissions: t.chance(0.6) ? 0x1cf : t.chance(0.8) ? t.random.below(0x200) & 0x1cf : t.random.below(0x220),
    flags,
    core_exchange_rate: { base: make(ids[0] as number), quote: make(ids[1] as number) },
    whitelist_authorities: list(),
    blacklist_authorities: list(),
    whitelist_markets: [1, 2].filter(() => t.chance(0.2)),
    blacklist_markets: [2, 3].filter(() => t.chance(0.1)),
    description: 'd'.repeat(t.pick(0, 200)),
    extensions: [],
  };
}

function bitasset(t: Tools): Given {
  return {
    feed_lifetime_sec: 1,
    minimum_feeds: t.pick(0, 1, 1),
    force_settlement_delay_sec: 1,
    force_settlement_offset_percent: t.pick(0, 10_000, 10_001),
    maximum_force_settlement_volume: 10_000,
    short_backing_asset: 0,
    extensions: [],
  };
}

function assetCreate(t: Tools, issuer: number): Given {
  const letters = () =>
    Array.from({ length: t.random.between(3, 6) }, () => String.fromCharCode(65 + t.random.below(26))).join('');
  const parent = t.row(assetObject);
  const symbol = t.chance(0.6)
    ? letters()
    : t.pick(
        'GXS',
        'GXC',
        'BITX',
        'ABIT',
        'AB',
        'A.B',
        'A1',
        'AB1',
        '1AB',
        'AB.',
        'A.B.C',
        'abc',
        'A'.repeat(16),
        'A'.repeat(17),
        `${parent?.symbol}.${letters()}`,
        `${parent?.symbol}.X`,
        'NOBODY.X',
      );
  return {
    issuer: t.chance(0.3) ? parent?.issuer : issuer,
    symbol,
    precision: t.odd(12, 13),
    common_options: assetOptions(t, t.m.core + 1),
    ...(t.chance(0.1) ? { bitasset_opts: bitasset(t) } : {}),
    is_prediction_market: t.chance(0.05),
  };
}

function assetUpdate(t: Tools): Given {
  const row = t.row(assetObject);
  if (row === undefined) return {};
  const options = assetOptions(t, row.id, row.id === 1 ? t.pick(1, t.m.core) : t.m.core);
  const issuer = row.issuer === 3 ? t.pick(0, 0, 3) : t.chance(0.95) ? row.issuer : t.account();
  const keep = t.chance(0.5)
    ? {
        flags: row.options.flags ^ t.pick(0, 0, 1, 2, 4),
        issuer_permissions: row.options.issuer_permissions & 0x1cf,
        max_supply: MAX_SUPPLY,
        market_fee_percent: 0,
        max_market_fee: 0n,
      }
    : {};
  const extensions = t.chance(0.15)
    ? [
        [
          8,
          {
            symbol: t.pick(
              'GXS',
              'NEW',
              row.symbol,
              'BITA',
              'nix',
              'NEW.SUB',
              'A.B.C',
              `S${'ABCDEFGHIJ'[t.count() % 10]}X`,
            ),
          },
        ],
      ]
    : [];
  return {
    issuer,
    asset_to_update: row.id,
    ...(t.chance(0.15) ? { new_issuer: t.account() } : {}),
    new_options: { ...options, ...keep },
    extensions,
  };
}

export const ASSET_MAKERS: readonly Maker[] = [
  maker(limitOrderCreateOperation, (_, from) => ({ seller: from })),
  maker(limitOrderCancelOperation, (_, from) => ({ fee_paying_account: from })),
  maker(callOrderUpdateOperation, (_, from) => ({ funding_account: from })),
  maker(fillOrderOperation, (_, from) => ({ account_id: from })),
  maker(assetCreateOperation, assetCreate),
  maker(assetUpdateOperation, assetUpdate),
  maker(assetUpdateBitassetOperation, (t, from) => ({ issuer: from, asset_to_update: t.asset() })),
  maker(assetUpdateFeedProducersOperation, (t, from) => ({ issuer: from, asset_to_update: t.asset() })),
  maker(assetIssueOperation, (t, from) => {
    const asset = t.asset();
    const row = t.m.find(assetObject, asset);
    const left = row === undefined ? 5n : row.options.max_supply - t.m.supply(asset).current_supply;
    const issuer = row !== undefined && t.chance(0.9) ? row.issuer : from;
    return {
      issuer,
      issue_to_account: t.account(),
      asset_to_issue: { amount: t.amountOf(left), asset_id: asset },
      ...t.memo(),
    };
  }),
  maker(assetReserveOperation, (t, payer) => {
    const asset = t.asset();
    const supply = t.m.find(assetObject, asset) === undefined ? 5n : t.m.supply(asset).current_supply;
    return {
      payer,
      amount_to_reserve: {
        amount: t.chance(0.8) ? t.amountOf(t.m.balance(payer, asset)) : t.amountOf(supply),
        asset_id: asset,
      },
    };
  }),
  maker(assetFundFeePoolOperation, (t, from) => ({
    from_account: from,
    asset_id: t.asset(),
    amount: t.amountOf(t.m.balance(from, t.m.core)),
  })),
  maker(assetSettleOperation, (t, from) => ({ account: from, amount: t.of(from) })),
  maker(assetGlobalSettleOperation, (t, from) => {
    const asset = t.asset();
    return {
      issuer: from,
      asset_to_settle: asset,
      settle_price: { base: { amount: 0n, asset_id: t.chance(0.9) ? asset : 0 }, quote: t.of(from) },
    };
  }),
  maker(assetPublishFeedOperation, (t, from) => {
    const asset = t.pick(0, 1, 1, 2, 3);
    const price = () => ({
      base: { amount: t.odd(1n, 0n, -1n), asset_id: asset },
      quote: { amount: t.odd(1n, 0n), asset_id: t.pick(0, 1, 2, 4) },
    });
    return {
      publisher: from,
      asset_id: asset,
      feed: {
        settlement_price: price(),
        core_exchange_rate: price(),
        maintenance_collateral_ratio: t.odd(t.pick(1001, 32_000, 1750), 1000, 32_001),
        maximum_short_squeeze_ratio: t.pick(1001, 1500, 32_000),
      },
    };
  }),
  maker(assetSettleCancelOperation, (t, from) => ({ account: from, amount: t.of(from) })),
  maker(assetClaimFeesOperation, (t, from) => {
    const asset = t.asset();
    const row = t.m.find(assetObject, asset);
    const fees = row === undefined ? 1n : t.m.supply(asset).accumulated_fees;
    return {
      issuer: row !== undefined && t.chance(0.9) ? row.issuer : from,
      amount_to_claim: { amount: t.pick(1n, fees, fees + 1n, 0n), asset_id: asset },
    };
  }),
];
