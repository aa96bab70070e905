import { ASSET_FLAG, makeAsset } from '../../../src/protocol/asset.js';
import { accountBalanceObject } from '../../../src/state/objects/account-balance.js';
import { type AssetObject, assetObject } from '../../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../../src/state/objects/asset-dynamic-data.js';
import { assetOptions } from '../../support/asset-options.js';
import { BUILT_IN_COUNT, type Kind, type Scene } from './scene.js';

const PERMISSIONS = 0x1ff & ~(ASSET_FLAG.disable_force_settle | ASSET_FLAG.global_settle);
/** A tenth of all that may ever exist. */
const MUCH = 10n ** 16n;

function randomOptions(scene: Scene, id: number): AssetObject['options'] {
  const { random } = scene;
  const flags = random.pick([
    0,
    0,
    0,
    ASSET_FLAG.white_list,
    ASSET_FLAG.override_authority,
    ASSET_FLAG.transfer_restricted,
    0x40,
  ]);
  const accounts = scene.few(
    Array.from({ length: 4 }, () => scene.account().id),
    0.5,
  );
  const unique = [...new Set(accounts)].sort((a, b) => a - b);
  return assetOptions({
    max_supply: random.chance(0.1) ? MUCH : BigInt(random.between(1, 2_000_000_000)),
    issuer_permissions: random.chance(0.8) ? PERMISSIONS : random.below(0x200) & PERMISSIONS,
    flags,
    core_exchange_rate: {
      base: makeAsset(scene.amount(10_000), scene.state.coreAsset),
      quote: makeAsset(scene.amount(10_000), id),
    },
    whitelist_authorities: flags === ASSET_FLAG.white_list ? unique : [],
  });
}

const assetCreate: Kind = {
  name: 'asset_create',
  weight: 5,
  make(scene) {
    const { random } = scene;
    const letters = Array.from({ length: random.between(3, 6) }, () => String.fromCharCode(65 + random.below(26))).join(
      '',
    );
    const parent = random.chance(0.1) ? scene.issuedAsset() : undefined;
    const symbol = parent === undefined ? letters : `${parent.symbol}.${letters}`.slice(0, 16);
    return scene.op(this.name, {
      issuer: parent?.issuer ?? scene.user(),
      symbol,
      precision: random.below(13),
      common_options: randomOptions(scene, scene.state.active('HF_1008') ? 2 : 1),
    });
  },
};

const assetUpdate: Kind = {
  name: 'asset_update',
  weight: 3,
  make(scene) {
    const asset = scene.issuedAsset();
    if (asset === undefined) return undefined;
    const { random } = scene;
    const new_issuer = random.chance(0.2) ? scene.user() : undefined;
    const extensions = random.chance(0.1) ? [[8, { symbol: `REN${String.fromCharCode(65 + random.below(26))}` }]] : [];
    const new_options = randomOptions(scene, asset.id);
    return scene.op(this.name, {
      issuer: asset.issuer,
      asset_to_update: asset.id,
      new_issuer,
      new_options,
      extensions,
    });
  },
};

const assetIssue: Kind = {
  name: 'asset_issue',
  weight: 6,
  make(scene) {
    const asset = scene.issuedAsset();
    if (asset === undefined) return undefined;
    const asset_to_issue = makeAsset(scene.amount(Number(asset.options.max_supply / 8n) + 1), asset.id);
    const issue_to_account = scene.random.chance(0.7) ? scene.user() : scene.account().id;
    return scene.op(this.name, { issuer: asset.issuer, asset_to_issue, issue_to_account });
  },
};

/** A row of somebody's balance, of an issued asset when there is one. */
export function holding(scene: Scene): { owner: number; asset: number; balance: bigint } | undefined {
  const rows = [...scene.state.all(accountBalanceObject)].filter(
    (row) => row.balance > 0n && row.owner >= BUILT_IN_COUNT,
  );
  const issued = rows.filter((row) => row.asset_type > 1);
  const row = scene.one(issued.length > 0 && scene.random.chance(0.8) ? issued : rows);
  return row === undefined ? undefined : { owner: row.owner, asset: row.asset_type, balance: row.balance };
}

export const partOf = (scene: Scene, whole: bigint): bigint => whole / BigInt(scene.random.between(1, 5)) || 1n;

const assetReserve: Kind = {
  name: 'asset_reserve',
  weight: 2,
  make(scene) {
    const row = holding(scene);
    if (row === undefined) return undefined;
    const amount = row.asset > 1 ? partOf(scene, row.balance) : scene.amount();
    return scene.op(this.name, { payer: row.owner, amount_to_reserve: makeAsset(amount, row.asset) });
  },
};

const fundPool: Kind = {
  name: 'asset_fund_fee_pool',
  weight: 3,
  make: (scene) =>
    scene.op('asset_fund_fee_pool', {
      from_account: scene.user(),
      asset_id: scene.asset().id,
      amount: scene.amount(1_000_000_000),
    }),
};

const overrideTransfer: Kind = {
  name: 'override_transfer',
  weight: 3,
  make(scene) {
    const row = holding(scene);
    const asset = row === undefined ? undefined : scene.one([...assetsOf(scene)].filter(({ id }) => id === row.asset));
    if (row === undefined || asset === undefined) return undefined;
    const given = { issuer: asset.issuer, from: row.owner, to: scene.other(row.owner) };
    return scene.op(this.name, { ...given, amount: makeAsset(partOf(scene, row.balance), row.asset) });
  },
};

function* assetsOf(scene: Scene): Generator<Readonly<AssetObject>> {
  const asset = scene.issuedAsset();
  if (asset !== undefined) yield asset;
}

/** A fee in an issued asset, out of its pool. */
const payInAsset: Kind = {
  name: 'transfer',
  weight: 5,
  make(scene) {
    const row = holding(scene);
    if (row === undefined || row.asset < 2) return undefined;
    const given = { from: row.owner, to: scene.other(row.owner), amount: makeAsset(1n, row.asset) };
    return scene.op(this.name, { ...given, fee: makeAsset(row.balance / 2n, row.asset) });
  },
};

const claimFees: Kind = {
  name: 'asset_claim_fees',
  weight: 3,
  make(scene) {
    const asset = scene.issuedAsset();
    if (asset === undefined) return undefined;
    const { accumulated_fees } = scene.state.get(assetDynamicDataObject, asset.dynamic_asset_data_id);
    const amount_to_claim = makeAsset(accumulated_fees > 0n ? partOf(scene, accumulated_fees) : 1n, asset.id);
    return scene.op(this.name, { issuer: asset.issuer, amount_to_claim });
  },
};

/** Several in one transaction, so that all of it exists at once: an asset that its issuer may take back. */
const takenBack: Kind = {
  name: 'override_transfer',
  weight: 2,
  make(scene) {
    const issuer = scene.user();
    const id = scene.state.nextInstance(assetObject);
    const symbol = `TAKE${String.fromCharCode(65 + scene.random.below(26), 65 + scene.random.below(26))}`;
    const common_options = assetOptions({
      flags: ASSET_FLAG.override_authority,
      core_exchange_rate: {
        base: makeAsset(1n, scene.state.coreAsset),
        quote: makeAsset(1n, scene.state.active('HF_1008') ? 2 : 1),
      },
    });
    const to = scene.other(issuer);
    return [
      scene.op('asset_create', { issuer, symbol, precision: 2, common_options }),
      scene.op('asset_issue', { issuer, asset_to_issue: makeAsset(1000n, id), issue_to_account: to }),
      scene.op('asset_fund_fee_pool', { from_account: issuer, asset_id: id, amount: 10_000_000n }),
      scene.op('override_transfer', { issuer, from: to, to: issuer, amount: makeAsset(500n, id) }),
      scene.op('transfer', { from: issuer, to, amount: makeAsset(1n, id), fee: makeAsset(400n, id) }),
      scene.op('asset_claim_fees', { issuer, amount_to_claim: makeAsset(100n, id) }),
    ];
  },
};

export const ASSET_KINDS: readonly Kind[] = [
  assetCreate,
  assetUpdate,
  assetIssue,
  assetReserve,
  fundPool,
  overrideTransfer,
  payInAsset,
  claimFees,
  takenBack,
];
