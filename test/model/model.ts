import { encode } from '../../src/codec/binary.js';
import type { Fields, StructType, StructValue } from '../../src/codec/struct.js';
import type { Asset } from '../../src/protocol/asset.js';
import type { Authority, SpecialAuthority } from '../../src/protocol/authority.js';
import type { ChainParameters } from '../../src/protocol/chain-parameters.js';
import type { Operation, OperationBody } from '../../src/protocol/operation-slot.js';
import type { OperationDeclaration } from '../../src/protocol/operations/declare.js';
import type { OperationResult } from '../../src/protocol/results.js';
import type { ObjectDef } from '../../src/state/define.js';
import { type AccountObject, accountObject } from '../../src/state/objects/account.js';
import { accountBalanceObject } from '../../src/state/objects/account-balance.js';
import { accountStatisticsObject } from '../../src/state/objects/account-statistics.js';
import { type AssetObject, assetObject } from '../../src/state/objects/asset.js';
import { type AssetDynamicDataObject, assetDynamicDataObject } from '../../src/state/objects/asset-dynamic-data.js';
import { fbaAccumulatorObject } from '../../src/state/objects/fba-accumulator.js';
import { globalPropertyObject } from '../../src/state/objects/global-property.js';
import { vestingBalanceObject } from '../../src/state/objects/vesting-balance.js';
import type { ReadState } from '../../src/state/views.js';
import { MAX_SUPPLY, percentOf, share, times } from './amounts.js';
import { MODEL_FORKS, type ModelFork } from './forks.js';
import { must, Tables } from './tables.js';
import { coinSeconds, signed64 } from './vesting.js';

const U64 = 64;
const FOREVER = 0xffff_ffff;
const VOID: OperationResult = [0, {}];

/** How an operation is run besides what stands in it. */
export interface How {
  readonly proposed: boolean;
}

/** An account whose authority is asked for, and authorities that stand in operations. */
export interface Required {
  readonly active: Set<number>;
  readonly owner: Set<number>;
  readonly other: Authority[];
}

/** What the reference texts say of one operation. */
export interface Rule<Op> {
  payer(op: Op): number;
  /** Before scaling, from the schedule's entry or the built-in one. */
  readonly fee: FeeRule<Op>;
  /** Without a look at the state. */
  valid?(op: Op): void;
  asks?(op: Op, required: Required): void;
  /** Checks that look at the state, then effects; the result is void where nothing else is returned. */
  run?(model: Model, op: Op, how: How, paid: bigint): OperationResult | undefined;
  /** The part of the fee that is booked for the payer. */
  booked?(model: Model, paid: bigint): bigint;
  /** Pays nothing, whatever the fee says. */
  readonly isFree?: boolean;
  /** The accumulator that takes the fee if it is set up. */
  readonly fba?: number;
}

export interface FeeRule<Op> {
  readonly defaults: Readonly<Record<string, bigint | number>>;
  price(values: (name: string) => bigint, op: Op, size: number): bigint;
}

// biome-ignore lint/suspicious/noExplicitAny: the rule of some operation; its declaration knows which
export type AnyRule = Rule<any> & {
  readonly tag: number;
  readonly schema: StructType<Fields>;
};

export function rule<F extends Fields, P extends Fields>(
  declaration: OperationDeclaration<F, P>,
  given: Rule<StructValue<F>>,
): AnyRule {
  return { ...given, tag: declaration.tag, schema: declaration.schema as unknown as StructType<Fields> };
}

/** State and rules by the texts alone; shares only the layout of objects and operations with the program. */
export class Model extends Tables {
  time: number;
  /** By number modulo 65536. */
  blockIds: ReadonlyMap<number, string> = new Map();
  readonly #rules: ReadonlyMap<number, AnyRule>;
  readonly forks: Readonly<Record<ModelFork, number>>;

  constructor(state: ReadState, definitions: readonly ObjectDef[], rules: readonly AnyRule[], forks = MODEL_FORKS) {
    super(state, definitions);
    this.time = state.headTime;
    this.forks = forks;
    this.#rules = new Map(rules.map((one) => [one.tag, one]));
  }

  // Time and parameters

  after(fork: ModelFork): boolean {
    return this.time > this.forks[fork];
  }

  from(fork: ModelFork): boolean {
    return this.time >= this.forks[fork];
  }

  get core(): number {
    return this.after('1008') ? 1 : 0;
  }

  get parameters(): ChainParameters {
    return this.get(globalPropertyObject, 0).parameters;
  }

  // Accounts and assets

  account(id: number): Readonly<AccountObject> {
    return this.get(accountObject, id);
  }

  asset(id: number): Readonly<AssetObject> {
    return this.get(assetObject, id);
  }

  isLifetime(id: number): boolean {
    return this.account(id).membership_expiration_date === FOREVER;
  }

  isBasic(id: number): boolean {
    return this.time > this.account(id).membership_expiration_date;
  }

  supply(asset: number): Readonly<AssetDynamicDataObject> {
    return this.get(assetDynamicDataObject, this.asset(asset).dynamic_asset_data_id);
  }

  changeSupply(asset: number, change: (data: AssetDynamicDataObject) => void): void {
    this.change(assetDynamicDataObject, this.asset(asset).dynamic_asset_data_id, change);
  }

  balance(owner: number, asset: number): bigint {
    return this.#balance(owner, asset)?.balance ?? 0n;
  }

  #balance(owner: number, asset: number) {
    return this.where(accountBalanceObject, (row) => row.owner === owner && row.asset_type === asset);
  }

  give(owner: number, { amount, asset_id }: Asset): void {
    if (amount === 0n) return;
    const row = this.#balance(owner, asset_id);
    if (row === undefined) {
      must(amount > 0n, 'a balance begins below zero');
      this.create(accountBalanceObject, { owner, asset_type: asset_id, balance: amount });
      return;
    }
    must(amount > 0n || row.balance >= -amount, 'the balance is too small');
    this.change(accountBalanceObject, row.id, (o) => {
      o.balance = share(o.balance + amount);
    });
  }

  take(owner: number, { amount, asset_id }: Asset): void {
    this.give(owner, { amount: share(-amount), asset_id });
  }

  move(from: number, to: number, amount: Asset): void {
    must(this.balance(from, amount.asset_id) >= amount.amount, 'the sender has less');
    this.take(from, amount);
    this.give(to, amount);
  }

  mayHold(id: number, asset: number): boolean {
    const account = this.account(id);
    const { options } = this.asset(asset);
    if ((options.flags & 2) === 0 && account.allowed_assets === undefined) return true;
    if (account.allowed_assets !== undefined && !account.allowed_assets.includes(asset)) return false;
    if (options.blacklist_authorities.some((one) => account.blacklisting_accounts.includes(one))) return false;
    if (this.after('415') && options.whitelist_authorities.length === 0) return true;
    return options.whitelist_authorities.some((one) => account.whitelisting_accounts.includes(one));
  }

  // Fees

  requiredFee([tag, body]: Operation): bigint {
    const { current_fees } = this.parameters;
    const { fee, schema } = this.rule(tag);
    const given = current_fees.parameters.find(([one]) => one === tag)?.[1] as Record<string, bigint> | undefined;
    const values = (name: string): bigint => BigInt((given ?? fee.defaults)[name] as bigint | number);
    const base = BigInt.asUintN(U64, fee.price(values, body, encode(schema, body as never).length));
    const scaled = (base * BigInt(current_fees.scale)) / 10_000n;
    must(scaled <= MAX_SUPPLY, 'the scaled fee is too large');
    return scaled;
  }

  /** Gives what is owed for the fees of an account to those who brought it. */
  payOutFees(id: number): void {
    const statistics = this.account(id).statistics;
    const { pending_fees, pending_vested_fees } = this.get(accountStatisticsObject, statistics);
    if (pending_fees <= 0n && pending_vested_fees <= 0n) return;
    this.#split(id, pending_fees, true);
    this.#split(id, pending_vested_fees, false);
    this.change(accountStatisticsObject, statistics, (o) => {
      o.lifetime_fees_paid = share(o.lifetime_fees_paid + share(pending_fees + pending_vested_fees));
      o.pending_fees = 0n;
      o.pending_vested_fees = 0n;
    });
  }

  #split(id: number, total: bigint, mustVest: boolean): void {
    if (this.isBasic(this.account(id).referrer)) {
      this.change(accountObject, id, (o) => {
        o.referrer = o.lifetime_referrer;
      });
    }
    const account = this.account(id);
    const network = percentOf(total, account.network_fee_percentage);
    const lifetime = percentOf(total, account.lifetime_referrer_fee_percentage);
    const referral = total - network - lifetime;
    this.change(assetDynamicDataObject, this.after('1008') ? 1 : 0, (o) => {
      o.accumulated_fees = share(o.accumulated_fees + network);
    });
    const referrer = percentOf(referral, account.referrer_rewards_percentage);
    this.#cashback(account.lifetime_referrer, lifetime, mustVest);
    this.#cashback(account.referrer, referrer, mustVest);
    this.#cashback(account.registrar, referral - referrer, mustVest);
  }

  #cashback(id: number, amount: bigint, mustVest: boolean): void {
    if (amount === 0n) return;
    if (id <= 4) {
      this.changeSupply(this.core, (o) => {
        o.current_supply = share(o.current_supply - amount);
      });
      return;
    }
    const { cashback_vb } = this.account(id);
    const vb = this.deposit(id, amount, this.parameters.cashback_vesting_period_seconds, mustVest, cashback_vb);
    if (vb === undefined) return;
    this.change(accountObject, id, (o) => {
      o.cashback_vb = vb;
    });
  }

  /** The id of the vesting balance if it is a new one. */
  deposit(owner: number, amount: bigint, seconds: number, mustVest: boolean, existing?: number): number | undefined {
    if (amount === 0n) return undefined;
    const row = existing === undefined ? undefined : this.get(vestingBalanceObject, existing);
    if (row !== undefined && row.owner === owner && row.policy[0] === 1) {
      const fits = row.policy[1].vesting_seconds === seconds && (!this.after('1008') || row.balance.asset_id === 1);
      if (fits) {
        this.change(vestingBalanceObject, row.id, (o) => {
          if (o.policy[0] !== 1) return;
          const policy = o.policy[1];
          policy.coin_seconds_earned = coinSeconds(policy, o.balance.amount, this.time);
          if (!mustVest) policy.coin_seconds_earned += signed64(amount * BigInt(Math.max(seconds, 1)));
          policy.coin_seconds_earned = BigInt.asUintN(128, policy.coin_seconds_earned);
          policy.coin_seconds_earned_last_update = this.time;
          o.balance.amount = share(o.balance.amount + amount);
        });
        return undefined;
      }
    }
    return this.create(vestingBalanceObject, {
      owner,
      balance: { amount, asset_id: this.core },
      policy: [
        1,
        {
          vesting_seconds: seconds,
          start_claim: 0,
          coin_seconds_earned: mustVest ? 0n : BigInt.asUintN(128, signed64(amount * BigInt(seconds))),
          coin_seconds_earned_last_update: this.time,
        },
      ],
    });
  }

  /** Whether the chain remembers it under its number; those that no block has written are all zero. */
  isBlock(id: string): boolean {
    const number = Number.parseInt(id.slice(0, 8), 16);
    return (this.blockIds.get(number & 0xffff) ?? '0'.repeat(40)) === id;
  }

  // Operations

  /** Whether what the accumulator takes in has somewhere to go. */
  #isSetUp(accumulator: number): boolean {
    const { designated_asset } = this.get(fbaAccumulatorObject, accumulator);
    const asset = designated_asset === undefined ? undefined : this.find(assetObject, designated_asset);
    if (asset?.buyback_account === undefined || asset.bitasset_data_id !== undefined) return false;
    if (((asset.options.issuer_permissions | asset.options.flags) & ~1) !== 0) return false;
    const issuer = this.account(asset.issuer);
    const isHeld = ([tag, value]: SpecialAuthority): boolean =>
      tag === 1 && (value as { asset: number }).asset === asset.id;
    const { owner_special_authority: owner, active_special_authority: active, top_n_control_flags } = issuer;
    return isHeld(owner) && isHeld(active) && top_n_control_flags === 3;
  }

  rule(tag: number): AnyRule {
    const found = this.#rules.get(tag);
    if (found === undefined) throw new Error(`the model has no rule for operation ${tag}`);
    return found;
  }

  validate([tag, body]: Operation): void {
    this.rule(tag).valid?.(body);
  }

  run(operation: Operation, how: How): OperationResult {
    return this.attempt(() => this.#run(operation, how));
  }

  #run(operation: Operation, how: How): OperationResult {
    const [tag, body] = operation as [number, OperationBody];
    const one = this.rule(tag);
    const { fee } = body;
    const payer = one.payer(body);
    must(fee.amount >= 0n, 'the fee is negative');
    this.account(payer);
    const feeAsset = this.asset(fee.asset_id);
    if (this.after('419')) must(this.mayHold(payer, fee.asset_id), 'the payer may not hold the asset of the fee');
    let paid = fee.amount;
    if (fee.asset_id !== this.core) {
      const converted = times(fee, feeAsset.options.core_exchange_rate);
      must(converted.asset_id === this.core, 'the fee is not worth core');
      paid = converted.amount;
      must(paid <= this.supply(fee.asset_id).fee_pool, 'the pool has less');
    }
    must(paid >= this.requiredFee(operation), 'the fee is too small');
    if (fee.asset_id !== this.core) {
      this.changeSupply(fee.asset_id, (o) => {
        o.accumulated_fees = share(o.accumulated_fees + fee.amount);
        o.fee_pool = share(o.fee_pool - paid);
      });
    }
    if (one.fba !== undefined && this.from('563') && this.#isSetUp(one.fba)) {
      this.change(fbaAccumulatorObject, one.fba, (o) => {
        o.accumulated_fba_fees = share(o.accumulated_fba_fees + paid);
      });
    } else if (one.isFree !== true) {
      const booked = one.booked?.(this, paid) ?? paid;
      this.change(accountStatisticsObject, this.account(payer).statistics, (o) => {
        if (booked > this.parameters.cashback_vesting_threshold) o.pending_fees = share(o.pending_fees + booked);
        else o.pending_vested_fees = share(o.pending_vested_fees + booked);
      });
    }
    must(one.run !== undefined, 'nothing does this operation');
    const result = one.run(this, body, how, paid) ?? VOID;
    if (one.isFree !== true) this.take(payer, fee);
    return result;
  }
}
