import { addressOfKey } from '../../src/crypto/address.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { type Authority, emptyAuthority, keyAuthority } from '../../src/protocol/authority.js';
import type { ChainParameters } from '../../src/protocol/chain-parameters.js';
import { transferOperation } from '../../src/protocol/operations/transfers.js';
import { assetObject } from '../../src/state/objects/asset.js';
import { assetBitassetDataObject } from '../../src/state/objects/asset-bitasset-data.js';
import { assetDynamicDataObject } from '../../src/state/objects/asset-dynamic-data.js';
import { balanceObject } from '../../src/state/objects/balance.js';
import { fbaAccumulatorObject } from '../../src/state/objects/fba-accumulator.js';
import { globalPropertyObject } from '../../src/state/objects/global-property.js';
import { proposalObject } from '../../src/state/objects/proposal.js';
import { specialAuthorityObject } from '../../src/state/objects/special-authority.js';
import { vestingBalanceObject } from '../../src/state/objects/vesting-balance.js';
import { withdrawPermissionObject } from '../../src/state/objects/withdraw-permission.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import type { SeededRandom } from '../sim/random.js';
import { FreeWorld } from '../support/free-world.js';
import { addressesOf } from './addresses.js';
import { MAX_SUPPLY } from './amounts.js';

export const KEYS = Array.from({ length: 8 }, (_, i) => PrivateKey.fromSeed(`model ${i}`).publicKey);
const key = (i: number): string => KEYS[i % KEYS.length] as string;

const FOREVER = 0xffff_ffff;
const NAMES = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'contract'];
const RICH = 10n ** 13n;
const amount = (value: bigint, asset_id: number) => ({ amount: value, asset_id });

function randomAuthority(random: SeededRandom, i: number): Authority {
  if (random.chance(0.5)) return keyAuthority(key(i));
  const ids = [6, 7, 8, 9, 10, 11, 12].filter(() => random.chance(0.3));
  const keys = KEYS.filter(() => random.chance(0.3)).sort((a, b) => (addressOfKey(a) < addressOfKey(b) ? -1 : 1));
  const weight = () => random.pick([1, 1, 1, 2, 3]);
  return {
    ...emptyAuthority(random.below(4)),
    account_auths: ids.map((id) => [id, weight()]),
    key_auths: keys.map((one) => [one, weight()]),
  };
}

function changeBuiltIn(w: FreeWorld): void {
  for (let id = 0; id < 6; id++) w.changeAccount(id, { membership_expiration_date: FOREVER, lifetime_referrer: id });
  for (const id of [1, 2, 3, 5]) w.changeAccount(id, { owner: emptyAuthority(1), active: emptyAuthority(1) });
  const committee: Authority = {
    ...emptyAuthority(2),
    account_auths: [
      [6, 1],
      [7, 1],
      [8, 1],
    ],
  };
  w.changeAccount(0, { owner: emptyAuthority(1), active: committee });
  w.give(0, w.state.coreAsset, RICH);
}

function addAccounts(w: FreeWorld, random: SeededRandom): void {
  const now = w.state.headTime;
  for (const [i, name] of NAMES.entries()) {
    const membership_expiration_date = [FOREVER, FOREVER, 0, now, now + 1, FOREVER, 0][i] as number;
    const isFirst = i < 2;
    const given = {
      membership_expiration_date,
      registrar: isFirst ? 6 + i : random.pick([0, 3, 5, 6, 7]),
      referrer: isFirst ? 6 + i : random.pick([0, 6, 7, 8, 9, 10]),
      lifetime_referrer: isFirst ? 6 + i : random.pick([4, 6, 7]),
      lifetime_referrer_fee_percentage: isFirst ? 8000 : 3000,
      referrer_rewards_percentage: random.pick([0, 1, 5000, 9999, 10_000]),
      owner: randomAuthority(random, i + 3),
      active: randomAuthority(random, i),
      code: name === 'contract' ? new Uint8Array(3) : new Uint8Array(0),
    };
    const id = w.account(name, given);
    // Some can always pay a fee
    for (const asset of [0, 1, 2]) w.give(id, asset, i < 2 && asset < 2 ? RICH : random.pick([RICH, RICH, 1n, 5000n]));
  }
}

function addAssets(w: FreeWorld, random: SeededRandom): void {
  const { state } = w;
  const rate = (asset: number, a: bigint, b: bigint) => ({
    base: amount(a, w.state.coreAsset),
    quote: amount(b, asset),
  });
  w.changeAsset(
    0,
    { issuer_permissions: 0, core_exchange_rate: { base: amount(1n, 0), quote: amount(random.pick([1n, 3n]), 1) } },
    { issuer: 3 },
  );
  w.changeAsset(1, { core_exchange_rate: { base: amount(1n, 1), quote: amount(1n, 1) } }, { issuer: 6 });
  w.changeAsset(
    2,
    { core_exchange_rate: rate(2, 3n, 7n), flags: random.pick([0, 2, 4, 8, 0x40]), issuer_permissions: 0x1ff & ~0x30 },
    { issuer: 7 },
  );
  const list = w.asset('LISTED', 6, {
    flags: 2,
    whitelist_authorities: random.chance(0.5) ? [6] : [],
    blacklist_authorities: [7],
  });
  w.changeAsset(list, { core_exchange_rate: { base: amount(5n, list), quote: amount(2n, w.state.coreAsset) } });
  w.asset('STUCK', 7, { flags: 8, core_exchange_rate: rate(4, 1n, 1n) });
  const { id } = w.create(assetBitassetDataObject, {});
  const bit = w.asset('PEG', 6, { flags: 0x80 });
  w.changeAsset(bit, {}, { bitasset_data_id: id });
  for (const asset of state.all(assetObject)) {
    if (asset.id > 2) for (let i = 6; i < 12; i++) w.give(i, asset.id, random.pick([RICH, 100n]));
    state.modify(assetDynamicDataObject, state.get(assetDynamicDataObject, asset.dynamic_asset_data_id), (o) => {
      o.current_supply = random.pick([10n ** 15n, 10n ** 15n, asset.options.max_supply]);
      o.fee_pool = random.pick([0n, 10n ** 9n, 10n ** 12n]);
      o.accumulated_fees = random.pick([0n, 1n, 10n ** 6n]);
    });
  }
}

/** An asset whose issuer is governed by its holders and bought back: fees of hidden transfers go to it. */
function addFba(w: FreeWorld, random: SeededRandom): void {
  const off = random.below(12);
  const asset = w.asset('FBA', 11, { flags: off === 1 ? 8 : 1, issuer_permissions: off === 2 ? 3 : 1 });
  const holders = (id: number): [number, object] => [1, { asset: id, num_top_holders: 3 }];
  if (off !== 3) w.changeAsset(asset, {}, { buyback_account: 10 });
  w.changeAccount(11, {
    owner_special_authority: (off === 4 ? [0, {}] : holders(asset)) as never,
    active_special_authority: holders(off === 5 ? 1 : asset) as never,
    top_n_control_flags: off === 6 ? 1 : 3,
  });
  w.create(specialAuthorityObject, { account: 11 });
  for (let i = 0; i < 3; i++)
    w.create(fbaAccumulatorObject, off === 7 ? {} : { designated_asset: off === 8 ? 743 : asset });
}

function addBalances(w: FreeWorld, random: SeededRandom): void {
  const now = w.state.headTime;
  for (let i = 0; i < 8; i++) {
    const policy = {
      begin_timestamp: now - random.pick([-1, 0, 1, 50, 100]),
      vesting_cliff_seconds: random.pick([0, 0, 50, 51]),
      vesting_duration_seconds: random.pick([0, 0, 2, 5, 100]),
      begin_balance: 1000n,
    };
    const vesting = random.chance(0.6) ? { vesting_policy: policy } : {};
    const last_claim_date = random.pick([0, now - 86_400, now - 86_399]);
    w.create(balanceObject, {
      owner: addressesOf(key(i))[i % 5] as string,
      balance: amount(1000n, i % 2),
      last_claim_date,
      ...vesting,
    });
  }
}

/** Seconds behind which no world gets. */
const LONG = [3_000_000, 3_000_000, 3_000_000, 3_000_000];

/** What is open of these, or will be soon. */
function addPromises(w: FreeWorld, random: SeededRandom): void {
  const now = w.state.headTime;
  for (let i = 0; i < 6; i++) {
    const vesting_seconds = random.pick([0, 1, 10, 100, 0xffff_ffff]);
    const coins = {
      vesting_seconds,
      start_claim: now - random.pick([-1, 0, 1]),
      coin_seconds_earned: BigInt(random.pick([0, 1000, 5000])) * BigInt(Math.max(vesting_seconds, 1)),
      coin_seconds_earned_last_update: now - random.pick([0, 1, 7]),
    };
    const linear = {
      begin_timestamp: now - random.pick([-1, 0, 1, 50]),
      vesting_cliff_seconds: random.pick([0, 0, 1, 50, 51]),
      vesting_duration_seconds: random.pick([0, 0, 2, 5, 60, 0xffff_ffff]),
      begin_balance: random.pick([5000n, 6000n, MAX_SUPPLY]),
    };
    const policy = random.chance(0.5) ? ([0, linear] as const) : ([1, coins] as const);
    w.create(vestingBalanceObject, {
      owner: random.pick([6, 7, 11]),
      balance: amount(5000n, random.below(4)),
      policy: [...policy] as never,
    });
  }
  for (let i = 0; i < 6; i++) {
    const [withdraw_from_account, authorized_account] = random.shuffle([6, 7, 8, 11]) as [number, number];
    w.create(withdrawPermissionObject, {
      withdraw_from_account,
      authorized_account,
      withdrawal_limit: amount(random.pick([1n, 1000n, 1000n, RICH]), random.below(5)),
      withdrawal_period_sec: random.pick([1, 2, 10, 10, 86_400, 0xffff_fff0]),
      period_start_time: now - random.pick([-2, 0, 1, 9, 10, 11, 1000]),
      expiration: now + random.pick([0, 1, 2, 1000, ...LONG]),
      claimed_this_period: random.pick([0n, 1n, 1n, 500n, 999n, 1001n]),
    });
  }
}

/** Some have what they need, some may still get it before their review. */
function addProposals(w: FreeWorld, random: SeededRandom): void {
  const { coreAsset, headTime: now } = w.state;
  for (let i = 0; i < 3; i++) {
    const expiration_time = now + random.pick([1, 5, 12, 300]);
    const fee = amount(10n ** 9n, coreAsset);
    const transfer = { ...transferOperation.schema.default(), fee, from: 6, to: 7, amount: amount(1n, coreAsset) };
    w.create(proposalObject, {
      expiration_time,
      review_period_time: expiration_time - random.pick([0, 1, 3]),
      proposed_transaction: {
        ...proposalObject.schema.default().proposed_transaction,
        expiration: expiration_time,
        operations: [[transferOperation.tag, transfer]],
      },
      required_active_approvals: [6],
      available_active_approvals: random.chance(0.5) ? [6] : [],
    });
  }
}

function parameterChanges(random: SeededRandom): Partial<ChainParameters> {
  const odd = random.chance(0.15);
  return {
    current_fees: {
      parameters: [
        [
          5,
          {
            basic_fee: random.pick([100n, 100n, 1n << 60n, (1n << 64n) - 1n]),
            premium_fee: 2000n,
            price_per_kbyte: 100,
          },
        ],
        ...(odd
          ? ([
              [6, { fee: random.pick([-100n, -1_000_000_000n]), price_per_kbyte: 0xffff_ffff }],
              [7, { fee: -1n }],
              [21, { fee: -(1n << 63n) }],
              [36, { fee: 1n << 63n }],
              [39, { fee: (1n << 64n) - 1n, price_per_output: 2 }],
              [83, { fee: -1n }],
            ] as [number, object][])
          : []),
        [
          10,
          {
            symbol3: 1001n,
            symbol4: 800n,
            long_symbol: random.pick([500n, 501n]),
            price_per_kbyte: random.pick([0, 10]),
          },
        ],
      ].sort((a, b) => (a[0] as number) - (b[0] as number)) as [number, object][],
      scale: random.pick([0, 1, 100, 10_000, 10_000, 0xffff_ffff]),
    },
    block_interval: random.pick([1, 3]),
    maximum_proposal_lifetime: random.pick([1000, 1000, 1000, 0xffff_ffff, 2_900_000_000]),
    committee_proposal_review_period: random.pick([0, 100]),
    maximum_authority_membership: 4,
    maximum_asset_whitelist_authorities: 2,
    accounts_per_fee_scale: random.pick([1, 2, 1000]),
    account_fee_scale_bitshifts: random.pick([0, 1, 4, 63, 64, 65]),
    network_percent_of_fee: random.pick([2000, 0, 10_000]),
    lifetime_referrer_percent_of_fee: random.pick([0, 3000]),
    cashback_vesting_period_seconds: random.pick([0, 1, 60, 31_536_000, 0xffff_ffff]),
    cashback_vesting_threshold: random.pick([0n, 1000n, 10_000_000n]),
    allow_non_member_whitelists: random.chance(0.3),
    maximum_witness_count: random.pick([1, 1001]),
    max_predicate_opcode: random.pick([0, 1, 2, 3]),
    max_authority_depth: random.pick([0, 1, 2, 2, 3]),
    extensions: [
      [9, { amount: random.pick([0n, 10_000n, -1n, 1_000_000n]) }],
      [
        12,
        {
          staking_mode_on: false,
          set_commission_interval: random.pick([0, 1, 2]),
          staking_rewards_vesting_seconds: 3600,
          missed_block_limit: 1,
          max_staking_count: 1,
          witness_reward_proportion: 500,
          valid_nodes_number: 35,
          min_staking_amount: 1n,
        },
      ],
    ],
  };
}

/** A chain in the middle of its life, at any time of history. */
export function sceneAt(time: number, random: SeededRandom): FreeWorld {
  const w = new FreeWorld(time);
  changeBuiltIn(w);
  addAccounts(w, random);
  addAssets(w, random);
  addFba(w, random);
  addBalances(w, random);
  addPromises(w, random);
  addProposals(w, random);
  w.setParameters(parameterChanges(random));
  w.state.modify(globalPropertyObject, w.state.single(globalPropertyObject), (o) => {
    o.next_available_vote_id = 8;
  });
  w.create(witnessObject, { witness_account: 3, vote_id: 1 });
  for (const id of [6, 7])
    w.create(witnessObject, {
      witness_account: id,
      vote_id: id * 256 + 1,
      is_banned: random.chance(0.5),
      total_missed: 5n,
    });
  if (random.chance(0.3)) w.changeAccount(7, { blacklisting_accounts: [7], whitelisting_accounts: [6] });
  if (random.chance(0.2)) w.changeAccount(9, { allowed_assets: [1, 2] });
  return w;
}
