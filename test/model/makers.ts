import { fromHex } from '../../src/base/bytes.js';
import { decode, encode } from '../../src/codec/binary.js';
import { blind } from '../../src/crypto/blind.js';
import { sha256Hex } from '../../src/crypto/hash.js';
import { definitionOf } from '../../src/operations/registered.js';
import type { Asset } from '../../src/protocol/asset.js';
import type { Operation, OperationBody } from '../../src/protocol/operation-slot.js';
import type { ObjectDef, StateObject } from '../../src/state/define.js';
import { accountObject } from '../../src/state/objects/account.js';
import { assetObject } from '../../src/state/objects/asset.js';
import { balanceObject } from '../../src/state/objects/balance.js';
import { blindedBalanceObject } from '../../src/state/objects/blinded-balance.js';
import { committeeMemberObject } from '../../src/state/objects/committee-member.js';
import { proposalObject } from '../../src/state/objects/proposal.js';
import { vestingBalanceObject } from '../../src/state/objects/vesting-balance.js';
import { withdrawPermissionObject } from '../../src/state/objects/withdraw-permission.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import type { SeededRandom } from '../sim/random.js';
import { addressesOf } from './addresses.js';
import { MAX_SUPPLY } from './amounts.js';
import { requiredBy } from './authority.js';
import type { Model } from './model.js';
import { KEYS } from './scene.js';
import { open } from './vesting.js';

const I64 = (1n << 63n) - 1n;
const OWNER = { weight_threshold: 1, account_auths: [], key_auths: [[KEYS[0], 1]], address_auths: [] };
interface Coin {
  readonly asset: number;
  readonly amount: bigint;
  readonly factor: string;
  readonly commitment: string;
}
type Given = Record<string, unknown>;

/** Operations that are right or nearly right for the state of the model. */
export class Makers {
  readonly m: Model;
  readonly random: SeededRandom;
  #count = 0;

  constructor(m: Model, random: SeededRandom) {
    this.m = m;
    this.random = random;
  }

  pick<T>(...list: T[]): T {
    return this.random.pick(list);
  }

  /** The first mostly. */
  odd<T>(good: T, ...bad: T[]): T {
    return this.random.chance(0.94) ? good : this.random.pick(bad);
  }

  chance(p: number): boolean {
    return this.random.chance(p);
  }

  account(): number {
    return this.chance(0.9)
      ? this.random.between(6, this.m.next(accountObject) - 1)
      : this.pick(0, 1, 2, 3, 4, 5, 9999);
  }

  rich(): number {
    return this.chance(0.85) ? this.pick(6, 7, 11) : this.account();
  }

  asset(): number {
    return this.chance(0.95) ? this.random.below(this.m.next(assetObject)) : 777;
  }

  amountOf(balance: bigint): bigint {
    const some = [
      1n,
      1n,
      2n,
      10n,
      999n,
      balance,
      balance - 1n,
      balance + 1n,
      balance / 2n,
      0n,
      -1n,
      MAX_SUPPLY,
      MAX_SUPPLY + 1n,
      I64,
    ];
    return this.chance(0.8) ? BigInt(this.random.between(1, 5000)) : this.random.pick(some);
  }

  of(owner: number, asset = this.asset()): Asset {
    return { amount: this.amountOf(this.m.balance(owner, asset)), asset_id: asset };
  }

  near(time: number, ...more: number[]): number {
    return Math.max(0, time + this.pick(-1, 0, 1, ...more)) >>> 0;
  }

  row<T extends StateObject>(definition: ObjectDef<T>, isWanted: (row: T) => boolean = () => true): T | undefined {
    const rows = this.m.all(definition).filter(isWanted);
    return rows.length === 0 ? undefined : this.random.pick(rows);
  }

  keys(p = 0.3): string[] {
    return KEYS.filter(() => this.chance(p));
  }

  authority(): Given {
    const r = this.random;
    const account_auths = [...new Set([this.account(), this.account(), this.account()])]
      .filter(() => this.chance(0.4))
      .map((id) => [id, r.pick([1, 1, 2, 65_535])]);
    const key_auths = this.keys(0.35).map((key) => [key, r.pick([0, 1, 1, 2])]);
    const address_auths = this.chance(0.03) ? [[addressesOf(KEYS[0] as string)[1], 1]] : [];
    return { weight_threshold: r.pick([0, 1, 1, 1, 1, 2, 3]), account_auths, key_auths, address_auths };
  }

  options(): Given {
    const votes = [0x000, 0x001, 0x101, 0x102, 0x201, 0x200, 0x301, 0x401].filter(() => this.chance(0.3));
    const type = (t: number) => votes.filter((v) => (v & 0xff) === t).length;
    return {
      memo_key: KEYS[1],
      voting_account: this.chance(0.9) ? 5 : this.account(),
      num_witness: this.chance(0.8) ? Math.min(type(1), 1) : this.pick(0, 1, 2, 1002),
      num_committee: this.chance(0.8) ? 0 : this.pick(1, type(0)),
      votes,
      extensions: [],
    };
  }

  special(): unknown {
    return this.chance(0.3) ? [0, {}] : [1, { asset: this.asset(), num_top_holders: this.pick(0, 1, 1, 1, 255) }];
  }

  memo(): Given {
    return this.chance(0.7)
      ? {}
      : {
          memo: { from: KEYS[0], to: KEYS[1], nonce: 5n, message: new Uint8Array(this.random.pick([0, 1, 200, 2000])) },
        };
  }

  // Operations by tag

  make(tag: number): Given {
    const from = this.rich();
    const maker = this.#makers[tag];
    return maker === undefined ? {} : maker(from);
  }

  readonly #makers: Record<number, (from: number) => Given> = {
    0: (from) => ({ from, to: this.account(), amount: this.of(from), ...this.memo() }),
    1: (from) => ({ seller: from }),
    2: (from) => ({ fee_paying_account: from }),
    3: (from) => ({ funding_account: from }),
    4: (from) => ({ account_id: from }),
    5: (from) => this.accountCreate(from),
    6: () => this.accountUpdate(),
    7: (from) => ({
      authorizing_account: from,
      account_to_list: this.account(),
      new_listing: this.pick(0, 1, 2, 3, 3, 4),
    }),
    8: () => ({ account_to_upgrade: this.account(), upgrade_to_lifetime_member: this.chance(0.8) }),
    9: (from) => ({ account_id: from, new_owner: this.account() }),
    10: (from) => this.assetCreate(from),
    11: () => this.assetUpdate(),
    12: (from) => ({ issuer: from, asset_to_update: this.asset() }),
    13: (from) => ({ issuer: from, asset_to_update: this.asset() }),
    14: (from) => {
      const asset = this.asset();
      const row = this.m.find(assetObject, asset);
      const left = row === undefined ? 5n : row.options.max_supply - this.m.supply(asset).current_supply;
      const issuer = row !== undefined && this.chance(0.9) ? row.issuer : from;
      return {
        issuer,
        issue_to_account: this.account(),
        asset_to_issue: { amount: this.amountOf(left), asset_id: asset },
        ...this.memo(),
      };
    },
    15: (payer) => {
      const asset = this.asset();
      const supply = this.m.find(assetObject, asset) === undefined ? 5n : this.m.supply(asset).current_supply;
      return {
        payer,
        amount_to_reserve: {
          amount: this.chance(0.8) ? this.amountOf(this.m.balance(payer, asset)) : this.amountOf(supply),
          asset_id: asset,
        },
      };
    },
    16: (from) => ({
      from_account: from,
      asset_id: this.asset(),
      amount: this.amountOf(this.m.balance(from, this.m.core)),
    }),
    17: (from) => ({ account: from, amount: this.of(from) }),
    18: (from) => {
      const asset = this.asset();
      return {
        issuer: from,
        asset_to_settle: asset,
        settle_price: { base: { amount: 0n, asset_id: this.chance(0.9) ? asset : 0 }, quote: this.of(from) },
      };
    },
    19: (from) => {
      const asset = this.pick(0, 1, 1, 2, 3);
      const price = () => ({
        base: { amount: this.odd(1n, 0n, -1n), asset_id: asset },
        quote: { amount: this.odd(1n, 0n), asset_id: this.pick(0, 1, 2, 4) },
      });
      return {
        publisher: from,
        asset_id: asset,
        feed: {
          settlement_price: price(),
          core_exchange_rate: price(),
          maintenance_collateral_ratio: this.odd(this.pick(1001, 32_000, 1750), 1000, 32_001),
          maximum_short_squeeze_ratio: this.pick(1001, 1500, 32_000),
        },
      };
    },
    20: (from) => ({ witness_account: from, url: 'u'.repeat(this.pick(0, 1, 126, 127)), block_signing_key: KEYS[2] }),
    21: (from) => {
      const row = this.row(witnessObject);
      return {
        witness: row?.id ?? 0,
        witness_account: this.chance(0.9) ? row?.witness_account : from,
        ...(this.chance(0.5) ? { new_url: 'v'.repeat(this.pick(0, 126, 127)) } : {}),
        ...(this.chance(0.5) ? { new_signing_key: KEYS[3] } : {}),
      };
    },
    22: (from) => this.proposalCreate(from),
    23: (from) => this.proposalUpdate(from),
    24: (from) => {
      const row = this.row(proposalObject);
      const using_owner_authority = this.chance(0.3);
      const list = [
        ...((using_owner_authority ? row?.required_owner_approvals : row?.required_active_approvals) ?? []),
      ];
      return {
        fee_paying_account: list.length > 0 && this.chance(0.8) ? this.random.pick(list) : from,
        using_owner_authority,
        proposal: row?.id ?? 0,
      };
    },
    25: (from) => ({ withdraw_from_account: from, authorized_account: this.account(), ...this.periods() }),
    26: (from) => {
      const row = this.row(withdrawPermissionObject);
      return {
        withdraw_from_account: row?.withdraw_from_account ?? from,
        authorized_account: this.chance(0.95) ? (row?.authorized_account ?? 0) : this.account(),
        permission_to_update: row?.id ?? 0,
        ...this.periods(),
      };
    },
    27: () => {
      const row = this.row(withdrawPermissionObject);
      if (row === undefined) return {};
      const { withdrawal_limit: limit } = row;
      return {
        withdraw_permission: row.id,
        withdraw_from_account: row.withdraw_from_account,
        withdraw_to_account: this.chance(0.95) ? row.authorized_account : this.account(),
        amount_to_withdraw: {
          amount: this.pick(
            1n,
            limit.amount,
            limit.amount + 1n,
            limit.amount - row.claimed_this_period,
            limit.amount - row.claimed_this_period + 1n,
            limit.amount / 2n,
          ),
          asset_id: this.chance(0.95) ? limit.asset_id : this.asset(),
        },
        ...this.memo(),
      };
    },
    28: () => {
      const row = this.row(withdrawPermissionObject);
      return {
        withdraw_from_account: row?.withdraw_from_account ?? 0,
        authorized_account: this.chance(0.9) ? (row?.authorized_account ?? 1) : this.account(),
        withdrawal_permission: row?.id ?? 0,
      };
    },
    29: (from) => ({ committee_member_account: from, url: 'u'.repeat(this.pick(0, 126, 127)) }),
    30: (from) => {
      const row = this.row(committeeMemberObject);
      return {
        committee_member: row?.id ?? 0,
        committee_member_account: this.chance(0.9) ? (row?.committee_member_account ?? 6) : from,
        ...(this.chance(0.5) ? { new_url: 'x' } : {}),
      };
    },
    31: () => {
      const p = this.m.parameters;
      const change: Given = this.pick<Given>(
        {},
        { block_interval: this.pick(0, 1, 30, 31) },
        { network_percent_of_fee: this.pick(7000, 7001, 10_000, 10_001), lifetime_referrer_percent_of_fee: 3000 },
        { maximum_transaction_size: this.pick(1023, 1024) },
        { maximum_block_size: this.pick(5119, 5120) },
        { maximum_time_until_expiration: this.pick(p.block_interval, p.block_interval + 1) },
        {
          committee_proposal_review_period: this.pick(
            p.maximum_proposal_lifetime,
            p.maximum_proposal_lifetime + 1,
            p.maximum_proposal_lifetime - p.block_interval,
            p.maximum_proposal_lifetime - p.block_interval - 1,
          ),
        },
        { maintenance_interval: this.pick(p.block_interval, p.block_interval * 2, p.block_interval * 2 + 1) },
        { reserve_percent_of_fee: this.pick(10_000, 10_001) },
      );
      return { new_parameters: { ...p, ...change } };
    },
    32: (creator) => ({
      creator,
      owner: this.account(),
      amount: this.of(creator),
      policy: this.chance(0.5)
        ? [
            0,
            {
              begin_timestamp: this.near(this.m.time, -20, 5),
              vesting_cliff_seconds: this.pick(0, 1, 2, 20),
              vesting_duration_seconds: this.pick(0, 1, 10, 100, 0xffff_ffff),
            },
          ]
        : [
            1,
            {
              start_claim: this.near(this.m.time, -20, 5, -99_999),
              vesting_seconds: this.pick(0, 1, 2, 10, 0xffff_ffff),
            },
          ],
    }),
    33: (from) => {
      const row = this.row(vestingBalanceObject);
      if (row === undefined) return {};
      let most = 1n;
      try {
        most = open(row.policy, row.balance.amount, this.m.time);
      } catch {}
      return {
        vesting_balance: row.id,
        owner: this.chance(0.95) ? row.owner : from,
        amount: {
          amount: this.pick(most, most, most + 1n, 1n, most / 2n, row.balance.amount),
          asset_id: this.chance(0.97) ? row.balance.asset_id : this.asset(),
        },
      };
    },
    34: (owner) => ({
      owner,
      work_begin_date: this.near(this.m.time, 1, 2),
      work_end_date: this.near(this.m.time, 1, 2),
      daily_pay: this.pick(0n, 1n, -1n, I64),
      name: 'w',
      url: 'u',
      initializer: this.pick<unknown>(
        [0, {}],
        [1, { pay_vesting_period_days: this.pick(0, 1, 49_710, 49_711, 65_535) }],
        [2, {}],
      ),
    }),
    35: (payer) => ({
      payer,
      id: 7,
      data: new Uint8Array(this.pick(0, 1, 1000)),
      required_auths: this.chance(0.1) ? [9999] : [],
    }),
    36: (from) => {
      const row = this.row(accountObject);
      const asset = this.row(assetObject);
      const predicates = [
        [0, { account_id: row?.id, name: this.chance(0.9) ? row?.name : 'x' }],
        [1, { asset_id: asset?.id, symbol: asset?.symbol }],
        [0, { account_id: 9999, name: '' }],
      ].filter((_, i) => this.chance(i === 2 ? 0.1 : 0.6));
      return { fee_paying_account: from, predicates };
    },
    37: (from) => {
      const row = this.row(balanceObject);
      if (row === undefined) return {};
      const owner = KEYS.find((key) => addressesOf(key).includes(row.owner));
      return {
        fee: { amount: 0n, asset_id: 0 },
        deposit_to_account: this.chance(0.5) ? from : this.account(),
        balance_to_claim: row.id,
        balance_owner_key: this.chance(0.95) ? owner : KEYS[0],
        total_claimed: {
          amount: this.pick(
            row.balance.amount,
            row.balance.amount,
            500n,
            501n,
            10n,
            1n,
            0n,
            -1n,
            -5n,
            row.balance.amount + 1n,
          ),
          asset_id: row.balance.asset_id,
        },
      };
    },
    38: (from) => {
      const able = this.m.all(assetObject).filter(({ options }) => (options.flags & 4) !== 0);
      const asset = able.length > 0 && this.chance(0.9) ? this.random.pick(able).id : this.asset();
      const row = this.m.find(assetObject, asset);
      const victim = this.account();
      return {
        issuer: row !== undefined && this.chance(0.9) ? row.issuer : from,
        from: victim,
        to: this.account(),
        amount: this.of(victim, asset),
        ...this.memo(),
      };
    },
    39: (from) => {
      const asset = this.chance(0.8) ? this.m.core : this.asset();
      const amount = BigInt(this.random.between(2_000_000, 90_000_000));
      const coin = this.coin(asset, amount);
      return { from, amount: { amount, asset_id: asset }, blinding_factor: coin.factor, outputs: [this.output(coin)] };
    },
    40: () => {
      const coin = this.hidden();
      if (coin === undefined) return {};
      let fee = { amount: 0n, asset_id: coin.asset };
      for (let i = 0; i < 2; i++)
        fee = { amount: this.needOf(40, { fee, inputs: [], outputs: [this.output(coin)] }), asset_id: coin.asset };
      if (this.chance(0.2)) fee.amount += this.pick(-1n, 1n);
      if (fee.amount >= coin.amount || fee.amount < 0n) return {};
      const to = this.coin(coin.asset, coin.amount - fee.amount, coin.factor);
      return { fee, inputs: [this.input(coin)], outputs: [this.output(to)] };
    },
    41: () => {
      const coin = this.hidden();
      if (coin === undefined) return {};
      const fee = { amount: this.needOf(41, { fee: { amount: 0n, asset_id: coin.asset } }), asset_id: coin.asset };
      if (this.chance(0.2)) fee.amount += this.pick(-1n, 1n);
      if (fee.amount >= coin.amount || fee.amount < 0n) return {};
      return {
        fee,
        amount: { amount: coin.amount - fee.amount, asset_id: coin.asset },
        to: this.account(),
        blinding_factor: coin.factor,
        inputs: [this.input(coin)],
      };
    },
    ...Object.fromEntries([47, 49, 51, 53].map((tag) => [tag, (from: number) => ({ issuer: from })])),
    ...Object.fromEntries(
      [48, 50, 52, 54].map((tag) => [tag, (from: number) => (this.chance(0.95) ? { new_issuer: from } : {})]),
    ),
    42: (from) => ({ account: from, amount: this.of(from) }),
    43: (from) => {
      const asset = this.asset();
      const row = this.m.find(assetObject, asset);
      const fees = row === undefined ? 1n : this.m.supply(asset).accumulated_fees;
      return {
        issuer: row !== undefined && this.chance(0.9) ? row.issuer : from,
        amount_to_claim: { amount: this.pick(1n, fees, fees + 1n, 0n), asset_id: asset },
      };
    },
    44: (from) => ({ account_id: from }),
    45: (from) => ({
      account_to_upgrade: this.account(),
      auth_referrer: from,
      upgrade_to_merchant_member: this.chance(0.7),
      extensions: this.version(),
    }),
    46: (from) => ({
      account_to_upgrade:
        this.row(accountObject, ({ merchant_expiration_date }) => merchant_expiration_date > 0)?.id ?? this.account(),
      auth_referrer: from,
      upgrade_to_datasource_member: this.chance(0.7),
      extensions: this.version(),
    }),
    58: () => ({ account_to_upgrade: this.account(), upgrade_to_data_transaction_member: this.chance(0.8) }),
    77: (from) => ({ witness_account: from }),
    78: (from) => ({
      from,
      to: this.account(),
      amount: this.of(from),
      memo: 'm'.repeat(this.pick(0, 1, 127, 128, 300)),
    }),
    83: (from) => {
      const row = this.row(witnessObject);
      return {
        witness: row?.id ?? 0,
        witness_account: this.chance(0.9) ? row?.witness_account : from,
        commission_rate: this.pick(0, 1000, 1001, 500),
      };
    },
    84: (from) => {
      const row = this.row(witnessObject);
      return { witness: row?.id ?? 0, witness_account: this.chance(0.9) ? row?.witness_account : from };
    },
  };

  readonly #coins = new Map<string, Coin>();

  coin(
    asset: number,
    amount: bigint,
    factor = sha256Hex(new TextEncoder().encode(`${this.random.next()}`)).replace(/^../, '00'),
  ): Coin {
    const made = { asset, amount, factor, commitment: blind(fromHex(factor), amount) };
    this.#coins.set(made.commitment, made);
    return made;
  }

  hidden(): Coin | undefined {
    const coin = this.#coins.get(this.row(blindedBalanceObject)?.commitment ?? '');
    return this.chance(0.9) || coin === undefined
      ? coin
      : this.coin(coin.asset, coin.amount, coin.factor.replace(/.$/, '7'));
  }

  output({ commitment }: Coin): Given {
    const owner = this.chance(0.95) ? OWNER : { ...OWNER, weight_threshold: 2 };
    return { commitment, range_proof: new Uint8Array(0), owner };
  }

  input({ commitment }: Coin): Given {
    return { commitment, owner: this.chance(0.95) ? OWNER : { ...OWNER, weight_threshold: 0 } };
  }

  /** The fee in the asset that it names. */
  needOf(tag: number, body: Given): bigint {
    const { asset_id } = body.fee as Asset;
    let need = 0n;
    try {
      need = this.m.requiredFee([tag, { ...(definitionOf(tag).schema.default() as object), ...body } as never]);
    } catch {}
    if (asset_id === this.m.core) return need;
    const rate = this.m.asset(asset_id).options.core_exchange_rate;
    const [from, to] = rate.base.asset_id === asset_id ? [rate.base, rate.quote] : [rate.quote, rate.base];
    return to.amount > 0n ? (need * from.amount + to.amount - 1n) / to.amount : need;
  }

  version(): unknown[] {
    return this.chance(0.5) ? [] : [[1, { version: this.pick(0, 1, 1, 1, 2) }]];
  }

  periods(): Given {
    const from = this.rich();
    return {
      withdrawal_limit: this.of(from),
      withdrawal_period_sec: this.odd(this.pick(1, 3, 3, 10, 10, 65_536), 0, 2, 0xffff_ffff),
      periods_until_expiration: this.odd(this.pick(1, 2, 100, 50_000, 60_000), 0, 65_536, 0xffff_ffff),
      period_start_time: this.odd(this.m.time + this.pick(1, 1, 2, 10), this.m.time, this.m.time - 1) >>> 0,
    };
  }

  accountCreate(registrar: number): Given {
    const names = [
      `u-${this.#count++}`,
      `user${'abcdefghij'[this.#count % 10]}${'klmnopqrst'[Math.floor(this.#count / 10) % 10]}`,
      'alice',
      'a',
      'z9',
      'a.b',
      'a-',
      'a..b',
      'xyz',
      'bcd',
      `${'a'.repeat(63)}`,
      `b${'a'.repeat(63)}`,
      'a1.b-c',
      'A',
    ];
    const dice = this.random.next();
    const extensions: Given = {};
    if (this.chance(0.15)) extensions.owner_special_authority = this.special();
    if (this.chance(0.15)) extensions.active_special_authority = this.special();
    if (this.chance(0.03)) extensions.null_ext = {};
    const given: Given = {
      registrar,
      referrer: this.chance(0.5) ? registrar : this.account(),
      referrer_percent: this.odd(this.pick(0, 1, 100, 101, 256, 257, 5000, 10_000), 10_001),
      name: dice < 0.6 ? names[0] : this.random.pick(names),
      owner: this.authority(),
      active: this.authority(),
      options: this.options(),
      extensions,
    };
    if (this.chance(0.85)) return given;
    const asset = this.row(assetObject);
    const nobody = { weight_threshold: 1, account_auths: [[3, 1]], key_auths: [], address_auths: [] };
    const markets = [0, 1, 2, 3, 4].filter((one) => this.chance(0.5) && (one !== asset?.id || this.chance(0.1)));
    return {
      ...given,
      owner: nobody,
      active: this.chance(0.95) ? nobody : this.authority(),
      extensions: {
        ...(this.chance(0.1) ? extensions : {}),
        buyback_options: {
          asset_to_buy: asset?.id,
          asset_to_buy_issuer: this.chance(0.95) ? asset?.issuer : 8,
          markets,
        },
      },
    };
  }

  accountUpdate(): Given {
    const extensions: Given = {};
    if (this.chance(0.3)) extensions.owner_special_authority = this.special();
    if (this.chance(0.3)) extensions.active_special_authority = this.special();
    if (this.chance(0.03)) extensions.null_ext = {};
    return {
      account: this.account(),
      ...(this.chance(0.3) ? { owner: this.authority() } : {}),
      ...(this.chance(0.3) ? { active: this.authority() } : {}),
      ...(this.chance(0.4) ? { new_options: this.options() } : {}),
      extensions,
    };
  }

  assetOptions(asset: number, other = this.m.core): Given {
    const side = (asset_id: number) => ({
      amount: this.pick(1n, 1n, 2n, 7n, 1000n, 0n, -1n, MAX_SUPPLY, MAX_SUPPLY + 1n),
      asset_id,
    });
    const good = (asset_id: number) => ({ amount: this.pick(1n, 2n, 7n, 1000n), asset_id });
    const make = this.chance(0.8) ? good : side;
    const ids = this.chance(0.9) ? [asset, other] : [this.asset(), other];
    if (this.chance(0.5)) ids.reverse();
    const flags = this.odd(
      this.pick(0, 0, 1, 2, 2, 2, 4, 8, 0x40, 0x80, 0x100, 0xf, 0xd),
      0x10,
      0x20,
      0x180,
      0x200,
      0x8000,
    );
    const list = () =>
      this.chance((flags & 2) !== 0 ? 0.4 : 0.97)
        ? []
        : [...new Set([this.account(), this.account(), this.account()])].filter(() => this.chance(0.7));
    return {
      max_supply: this.odd(this.pick(1000n, MAX_SUPPLY, 1n, 10n ** 15n), MAX_SUPPLY + 1n, 0n, -1n),
      market_fee_percent: this.odd(10_000, 10_001),
      max_market_fee: this.odd(this.pick(0n, MAX_SUPPLY), MAX_SUPPLY + 1n, -1n),
      issuer_permissions: this.chance(0.6)
        ? 0x1cf
        : this.chance(0.8)
          ? this.random.below(0x200) & 0x1cf
          : this.random.below(0x220),
      flags,
      core_exchange_rate: { base: make(ids[0] as number), quote: make(ids[1] as number) },
      whitelist_authorities: list(),
      blacklist_authorities: list(),
      whitelist_markets: [1, 2].filter(() => this.chance(0.2)),
      blacklist_markets: [2, 3].filter(() => this.chance(0.1)),
      description: 'd'.repeat(this.pick(0, 200)),
      extensions: [],
    };
  }

  assetCreate(issuer: number): Given {
    const letters = () =>
      Array.from({ length: this.random.between(3, 6) }, () => String.fromCharCode(65 + this.random.below(26))).join('');
    const parent = this.row(assetObject);
    const symbol = this.chance(0.6)
      ? letters()
      : this.pick(
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
      issuer: this.chance(0.3) ? parent?.issuer : issuer,
      symbol,
      precision: this.odd(12, 13),
      common_options: this.assetOptions(this.m.core + 1),
      ...(this.chance(0.1) ? { bitasset_opts: this.bitasset() } : {}),
      is_prediction_market: this.chance(0.05),
    };
  }

  bitasset(): Given {
    return {
      feed_lifetime_sec: 1,
      minimum_feeds: this.pick(0, 1, 1),
      force_settlement_delay_sec: 1,
      force_settlement_offset_percent: this.pick(0, 10_000, 10_001),
      maximum_force_settlement_volume: 10_000,
      short_backing_asset: 0,
      extensions: [],
    };
  }

  assetUpdate(): Given {
    const row = this.row(assetObject);
    if (row === undefined) return {};
    const options = this.assetOptions(row.id, row.id === 1 ? this.pick(1, this.m.core) : this.m.core);
    const issuer = row.issuer === 3 ? this.pick(0, 0, 3) : this.chance(0.95) ? row.issuer : this.account();
    const keep = this.chance(0.5)
      ? {
          flags: row.options.flags ^ this.pick(0, 0, 1, 2, 4),
          issuer_permissions: row.options.issuer_permissions & 0x1cf,
          max_supply: MAX_SUPPLY,
          market_fee_percent: 0,
          max_market_fee: 0n,
        }
      : {};
    const extensions = this.chance(0.15)
      ? [
          [
            8,
            {
              symbol: this.pick(
                'GXS',
                'NEW',
                row.symbol,
                'BITA',
                'nix',
                'NEW.SUB',
                'A.B.C',
                `S${'ABCDEFGHIJ'[this.#count++ % 10]}X`,
              ),
            },
          ],
        ]
      : [];
    return {
      issuer,
      asset_to_update: row.id,
      ...(this.chance(0.15) ? { new_issuer: this.account() } : {}),
      new_options: { ...options, ...keep },
      extensions,
    };
  }

  proposalCreate(from: number): Given {
    const inner = Array.from({ length: this.odd(this.pick(1, 1, 1, 2, 3), 0) }, () => ({
      op: this.operation(
        this.chance(0.6)
          ? this.pick(0, 6, 25, 32, 58, 45, 31, 7, 78)
          : this.pick(
              0,
              0,
              6,
              10,
              11,
              14,
              20,
              22,
              23,
              24,
              25,
              31,
              31,
              32,
              37,
              42,
              45,
              46,
              58,
              58,
              9,
              4,
              8,
              7,
              34,
              35,
              5,
            ),
      ),
    }));
    const { parameters: p, time } = this.m;
    const wait = this.odd(
      this.pick(1, 10, 100, 500, 900, Math.min(1000, p.maximum_proposal_lifetime)),
      p.maximum_proposal_lifetime + 1,
      0,
    );
    const review = this.chance(0.7)
      ? {}
      : {
          review_period_seconds: this.pick(0, 1, wait - 1, wait, p.committee_proposal_review_period, 0xffff_ffff) >>> 0,
        };
    return { fee_paying_account: from, expiration_time: (time + wait) >>> 0, proposed_ops: inner, ...review };
  }

  proposalUpdate(from: number): Given {
    const row = this.row(proposalObject);
    if (row === undefined) return { fee_paying_account: from };
    const wanted = requiredBy(this.m, row.proposed_transaction.operations);
    const p = this.pick(0.3, 1, 1, 1);
    const few = (list: Iterable<number>) => [...list].filter(() => this.chance(p));
    const active = few([...wanted.active].flatMap((id) => (id === 0 ? [6, 7] : [id])));
    const owner = few(wanted.owner);
    return {
      fee_paying_account: from,
      proposal: this.chance(0.97) ? row.id : 99,
      active_approvals_to_add: active,
      active_approvals_to_remove: row.available_active_approvals
        .filter(() => this.chance(0.1))
        .filter((id) => !active.includes(id) || this.chance(0.05)),
      owner_approvals_to_add: owner,
      owner_approvals_to_remove: row.available_owner_approvals.filter((id) => this.chance(0.1) && !owner.includes(id)),
      key_approvals_to_add: this.chance(0.06) ? this.keys(0.2) : [],
      key_approvals_to_remove: this.chance(0.3) ? row.available_key_approvals.filter(() => this.chance(0.5)) : [],
    };
  }

  fee(tag: number, body: OperationBody): Asset {
    let need = 0n;
    try {
      need = this.m.requiredFee([tag, body]);
    } catch {}
    if (tag === 35 && need === 0n) need = 1n;
    if (this.chance(0.7)) return { amount: need, asset_id: this.m.core };
    if (this.chance(0.5))
      return { amount: this.pick(need + 1n, need - 1n, 0n, -1n, need * 2n + 1n), asset_id: this.m.core };
    const asset = this.row(assetObject);
    if (asset === undefined) return { amount: 0n, asset_id: 0 };
    const { base, quote } = asset.options.core_exchange_rate;
    const [from, to] = base.asset_id === asset.id ? [base, quote] : [quote, base];
    const amount = to.amount > 0n ? (need * from.amount + to.amount - 1n) / to.amount : 1n;
    return { amount: BigInt.asIntN(64, amount + this.pick(0n, 0n, 0n, 1n, -1n)), asset_id: asset.id };
  }

  operation(tag: number): Operation {
    const { schema } = definitionOf(tag);
    const given = this.make(tag);
    const body = { ...(schema.default() as unknown as OperationBody), ...given } as OperationBody;
    const once = decode(schema, encode(schema, body as never)) as unknown as OperationBody;
    if (given.fee === undefined) once.fee = this.fee(tag, once);
    return [tag, decode(schema, encode(schema, once as never)) as unknown as OperationBody];
  }
}
