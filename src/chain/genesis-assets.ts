import { atField } from '../base/errors.js';
import { ASSET_FLAG, ASSET_PERMISSION_MASK, makeAsset, type Price, SHARE_SUPPLY_MAX } from '../protocol/asset.js';
import { type Authority, emptyAuthority } from '../protocol/authority.js';
import type { GenesisAsset } from '../protocol/genesis-file.js';
import { COMMITTEE_ACCOUNT, type Instance, ORIGINAL_CORE_ASSET, TEMP_ACCOUNT } from '../protocol/ids.js';
import { accountObject } from '../state/objects/account.js';
import { accountStatisticsObject } from '../state/objects/account-statistics.js';
import { type AssetObject, assetObject } from '../state/objects/asset.js';
import { type AssetBitassetDataObject, assetBitassetDataObject } from '../state/objects/asset-bitasset-data.js';
import { callOrderObject } from '../state/objects/call-order.js';
import { accountNamed, addSupply, createAsset, type GenesisRun, runGenesisOperation } from './genesis-run.js';

const ACCOUNT_CREATE = 5;
/** Of a thousand. */
const MAINTENANCE_RATIO = 1750n;
const SQUEEZE_RATIO = 1500n;
const FEEDS_MIN = 7;

function greatestDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestDivisor(b, a % b);
}

/** The same ratio in lowest terms. */
function lowestTerms(numerator: bigint, denominator: bigint): [bigint, bigint] {
  const divisor = greatestDivisor(numerator, denominator);
  return divisor > 1n ? [numerator / divisor, denominator / divisor] : [numerator, denominator];
}

/** Collateral over debt at the maintenance ratio. One that is too large for amounts is halved, upwards, until it fits. */
export function callPrice(collateral: bigint, debt: bigint, debtAsset: Instance): Price {
  let [numerator, denominator] = lowestTerms(collateral * 1000n, debt * MAINTENANCE_RATIO);
  while (numerator > SHARE_SUPPLY_MAX || denominator > SHARE_SUPPLY_MAX) {
    [numerator, denominator] = lowestTerms((numerator >> 1n) + 1n, (denominator >> 1n) + 1n);
  }
  return { base: makeAsset(numerator, ORIGINAL_CORE_ASSET), quote: makeAsset(denominator, debtAsset) };
}

/** One account per collateral record holds the position. */
function createCollateral(g: GenesisRun, given: GenesisAsset, assetId: Instance): void {
  given.collateral_records.forEach((record, n) => {
    const authority: Authority = { ...emptyAuthority(1), address_auths: [[record.owner, 1]] };
    const borrower = g.state.nextInstance(accountObject);
    runGenesisOperation(g, ACCOUNT_CREATE, {
      registrar: TEMP_ACCOUNT,
      referrer: COMMITTEE_ACCOUNT,
      name: `${given.symbol.toLowerCase()}-collateral-holder-${n}`,
      owner: authority,
      active: authority,
    });
    const statistics = g.state.get(accountStatisticsObject, g.state.get(accountObject, borrower).statistics);
    g.state.modify(accountStatisticsObject, statistics, (o) => {
      o.total_core_in_orders = record.collateral;
    });
    g.state.create(callOrderObject, {
      borrower,
      collateral: record.collateral,
      debt: record.debt,
      call_price: callPrice(record.collateral, record.debt, assetId),
    });
    addSupply(g.supply, ORIGINAL_CORE_ASSET, record.collateral);
    addSupply(g.debt, assetId, record.debt);
  });
}

function createBitassetData(g: GenesisRun): Instance {
  const data = assetBitassetDataObject.schema.default() as Omit<AssetBitassetDataObject, 'id'>;
  return g.state.create(assetBitassetDataObject, {
    ...data,
    current_feed: {
      ...data.current_feed,
      maintenance_collateral_ratio: Number(MAINTENANCE_RATIO),
      maximum_short_squeeze_ratio: Number(SQUEEZE_RATIO),
    },
    options: { ...data.options, short_backing_asset: ORIGINAL_CORE_ASSET, minimum_feeds: FEEDS_MIN },
  }).id;
}

function createInitialAsset(g: GenesisRun, given: GenesisAsset): void {
  const assetId = g.state.nextInstance(assetObject);
  let bitasset: Instance | undefined;
  if (given.is_bitasset) {
    createCollateral(g, given, assetId);
    bitasset = createBitassetData(g);
  }
  const defaults = assetObject.schema.default().options as AssetObject['options'];
  createAsset(
    g,
    {
      symbol: given.symbol,
      precision: given.precision,
      issuer: accountNamed(g, given.issuer_name),
      bitasset_data_id: bitasset,
      options: {
        ...defaults,
        max_supply: given.max_supply,
        description: given.description,
        // Quirk: the flag can never be cleared, because the permissions of an ordinary asset forbid to change it.
        flags: ASSET_FLAG.witness_fed_asset,
        issuer_permissions: given.is_bitasset ? ASSET_PERMISSION_MASK : defaults.issuer_permissions,
      },
    },
    { accumulated_fees: given.accumulated_fees },
  );
  addSupply(g.supply, assetId, given.accumulated_fees);
}

export function createInitialAssets(g: GenesisRun): void {
  g.file.initial_assets.forEach((given, i) => {
    atField(`initial_assets[${i}]`, () => createInitialAsset(g, given));
  });
}
