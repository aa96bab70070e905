import { signatureBackend } from '../../../src/crypto/signature.js';
import { makeAsset } from '../../../src/protocol/asset.js';
import type { Operation } from '../../../src/protocol/operation-slot.js';
import { proxyRequestDigest } from '../../../src/protocol/proxy-transfer.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { accountBalanceObject } from '../../../src/state/objects/account-balance.js';
import { balanceObject } from '../../../src/state/objects/balance.js';
import { lockBalanceObject } from '../../../src/state/objects/lock-balance.js';
import { vestingBalanceObject } from '../../../src/state/objects/vesting-balance.js';
import { withdrawPermissionObject } from '../../../src/state/objects/withdraw-permission.js';
import { lockPrograms, parameters } from '../../../src/state/rules/parameters.js';
import { withdrawable } from '../../../src/state/rules/vesting.js';
import { keyByPublic, keyOf } from './keys.js';
import { holding, partOf } from './kinds-assets.js';
import type { Kind, Scene } from './scene.js';

const transfer: Kind = {
  name: 'transfer',
  weight: 14,
  make(scene) {
    const row = scene.random.chance(0.3) ? holding(scene) : undefined;
    if (row !== undefined && row.asset > 1) {
      const amount = makeAsset(partOf(scene, row.balance), row.asset);
      return scene.op(this.name, { from: row.owner, to: scene.other(row.owner), amount });
    }
    const from = scene.user();
    return scene.op(this.name, { from, to: scene.other(from), amount: scene.core(scene.amount(500_000_000)) });
  },
};

const inlineTransfer: Kind = {
  name: 'inline_transfer',
  weight: 2,
  make(scene) {
    const from = scene.payer();
    return scene.op(this.name, { from, to: scene.other(from), amount: scene.core(scene.amount()), memo: 'inline' });
  },
};

/** Signed by its sender, brought by another. */
const proxyTransfer: Kind = {
  name: 'proxy_transfer',
  weight: 3,
  make(scene) {
    const from = scene.state.get(accountObject, scene.user());
    const key = keyByPublic(from.active.key_auths[0]?.[0] ?? '');
    if (key === undefined) return undefined;
    const request = {
      from: from.id,
      to: scene.other(from.id),
      proxy_account: scene.user(),
      amount: scene.core(scene.amount()),
      percentage: scene.random.below(10_001),
      memo: `memo ${scene.unique()}`,
      expiration: scene.now + Math.min(60, parameters(scene.state).maximum_time_until_expiration),
      signatures: [],
    };
    const signature = signatureBackend().sign(proxyRequestDigest(request), key);
    return scene.op(this.name, { proxy_memo: 'p', request_params: { ...request, signatures: [signature] } });
  },
};

const vest: Kind = {
  name: 'vesting_balance_create',
  weight: 3,
  make(scene) {
    const { random } = scene;
    const policy = random.chance(0.5)
      ? [
          0,
          {
            begin_timestamp: scene.around(30),
            vesting_cliff_seconds: random.below(30),
            vesting_duration_seconds: random.below(90),
          },
        ]
      : [1, { start_claim: scene.around(30), vesting_seconds: random.below(90) }];
    const row = random.chance(0.2) ? holding(scene) : undefined;
    const creator = row?.owner ?? scene.user();
    const amount = row === undefined ? scene.core(scene.amount()) : makeAsset(partOf(scene, row.balance), row.asset);
    return scene.op(this.name, { creator, owner: scene.account().id, amount, policy });
  },
};

const takeVested: Kind = {
  name: 'vesting_balance_withdraw',
  weight: 4,
  make(scene) {
    const open = [...scene.state.all(vestingBalanceObject)].filter(
      ({ policy, balance }) => withdrawable(policy, balance.amount, scene.now) > 0n,
    );
    const balance = scene.one(open);
    if (balance === undefined) return undefined;
    const most = withdrawable(balance.policy, balance.balance.amount, scene.now);
    const amount = makeAsset(scene.random.chance(0.5) ? most : partOf(scene, most), balance.balance.asset_id);
    return scene.op(this.name, { vesting_balance: balance.id, owner: balance.owner, amount });
  },
};

const lock: Kind = {
  name: 'balance_lock',
  weight: 3,
  make(scene) {
    const program = scene.one(lockPrograms(scene.state) ?? []);
    if (program === undefined) return undefined;
    const [program_id, { lock_days, interest_rate }] = program;
    const amount = makeAsset(BigInt(scene.random.between(100_000, 50_000_000)), 1);
    const account = scene.user();
    return scene.op(this.name, {
      account,
      create_date_time: scene.around(30),
      program_id,
      amount,
      lock_days,
      interest_rate,
      memo: 'l',
    });
  },
};

const unlock: Kind = {
  name: 'balance_unlock',
  weight: 2,
  make(scene) {
    const found = scene.some(lockBalanceObject);
    return found === undefined ? undefined : scene.op(this.name, { account: found.owner, lock_id: found.id });
  },
};

function periods(scene: Scene): object {
  const { block_interval } = parameters(scene.state);
  return {
    withdrawal_limit: makeAsset(scene.amount(), scene.random.chance(0.8) ? scene.state.coreAsset : scene.asset().id),
    withdrawal_period_sec: scene.random.between(block_interval, block_interval * 8),
    periods_until_expiration: scene.random.between(1, 8),
    period_start_time: scene.now + scene.random.between(1, 20),
  };
}

const permit: Kind = {
  name: 'withdraw_permission_create',
  weight: 3,
  make(scene) {
    const from = scene.user();
    return scene.op(this.name, {
      withdraw_from_account: from,
      authorized_account: scene.other(from),
      ...periods(scene),
    });
  },
};

const changePermit: Kind = {
  name: 'withdraw_permission_update',
  weight: 2,
  make(scene) {
    const found = scene.some(withdrawPermissionObject);
    if (found === undefined) return undefined;
    const { withdraw_from_account, authorized_account } = found;
    const given = { withdraw_from_account, authorized_account, permission_to_update: found.id };
    return scene.op(this.name, { ...given, ...periods(scene) });
  },
};

const takePermitted: Kind = {
  name: 'withdraw_permission_claim',
  weight: 3,
  make(scene) {
    const found = scene.some(withdrawPermissionObject);
    if (found === undefined) return undefined;
    return scene.op(this.name, {
      withdraw_permission: found.id,
      withdraw_from_account: found.withdraw_from_account,
      withdraw_to_account: found.authorized_account,
      amount_to_withdraw: makeAsset(partOf(scene, found.withdrawal_limit.amount), found.withdrawal_limit.asset_id),
    });
  },
};

const endPermit: Kind = {
  name: 'withdraw_permission_delete',
  weight: 1,
  make(scene) {
    const found = scene.some(withdrawPermissionObject);
    if (found === undefined) return undefined;
    const { withdraw_from_account, authorized_account } = found;
    return scene.op(this.name, { withdraw_from_account, authorized_account, withdrawal_permission: found.id });
  },
};

const custom: Kind = {
  name: 'custom',
  weight: 1,
  make: (scene) =>
    scene.op('custom', {
      payer: scene.user(),
      id: 7,
      data: new Uint8Array(scene.random.below(200)),
      fee: scene.core(1_000_000),
    }),
};

const assertion: Kind = {
  name: 'assert',
  weight: 1,
  make(scene) {
    const { id, name } = scene.account();
    const asset = scene.asset();
    const predicates = [
      [0, { account_id: id, name }],
      [1, { asset_id: asset.id, symbol: asset.symbol }],
    ];
    return scene.op(this.name, { fee_paying_account: scene.user(), predicates: scene.few(predicates, 0.6) });
  },
};

/** Balances of the genesis file whose owners wait a little. */
const claimBalance: Kind = {
  name: 'balance_claim',
  weight: 1,
  make(scene) {
    const balance = scene.some(balanceObject);
    if (balance === undefined) return undefined;
    return scene.op(this.name, {
      fee: makeAsset(0n, 0),
      deposit_to_account: scene.user(),
      balance_to_claim: balance.id,
      balance_owner_key: keyOf('late').publicKey,
      total_claimed: balance.balance,
    });
  },
};

const TEMP_ACCOUNT = 4;

/**
 * What a proposal at its expiration has left on the temp account keeps every transaction out until one takes it away;
 * anybody can.
 */
export function emptyTempAccount(scene: Scene): Operation[] {
  const rows = scene.state.group(accountBalanceObject.by.owner, TEMP_ACCOUNT).filter(({ balance }) => balance > 0n);
  if (rows.length === 0) return [];
  const to = scene.user();
  const { coreAsset } = scene.state;
  const take = (asset: number, amount: bigint): Operation =>
    scene.op('transfer', { from: TEMP_ACCOUNT, to, amount: makeAsset(amount, asset) });
  const fee = take(coreAsset, 1n)[1].fee.amount;
  const others = rows.filter((row) => row.asset_type !== coreAsset).map((row) => take(row.asset_type, row.balance));
  const fees = fee * BigInt(others.length + 1) + 1n;
  const core = rows.find((row) => row.asset_type === coreAsset)?.balance ?? 0n;
  return [
    scene.op('transfer', { from: to, to: TEMP_ACCOUNT, amount: makeAsset(fees, coreAsset) }),
    ...others,
    take(coreAsset, core + 1n),
  ];
}

export const MONEY_KINDS: readonly Kind[] = [
  transfer,
  inlineTransfer,
  proxyTransfer,
  vest,
  takeVested,
  lock,
  unlock,
  permit,
  changePermit,
  takePermitted,
  endPermit,
  custom,
  assertion,
  claimBalance,
];
