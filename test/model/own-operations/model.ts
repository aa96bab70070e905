import type { Fields, StructType, StructValue } from '../../../src/codec/struct.js';
import type { Asset } from '../../../src/protocol/asset.js';
import type { ChainParameters } from '../../../src/protocol/chain-parameters.js';
import type { Operation, OperationBody } from '../../../src/protocol/operation-slot.js';
import type { OperationDeclaration } from '../../../src/protocol/operations/declare.js';
import type { OperationResult } from '../../../src/protocol/results.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { OBJECTS } from '../../../src/state/objects/index.js';
import type { ReadState } from '../../../src/state/views.js';
import { share, times } from '../amounts.js';
import type { MODEL_FORKS, ModelFork } from '../forks.js';
import { type AnyRule, type FeeRule, type How, Model } from '../model.js';
import { must } from '../tables.js';

export const FOREVER = 0xffff_ffff;
/** Later than those that operations of every such chain know. */
export const OWN_FORKS = ['1001', '1003', '1027', '1028'] as const;
export type OwnFork = (typeof OWN_FORKS)[number] | ModelFork;
export type OwnForks = Readonly<Record<OwnFork, number>>;

/** What is done once the fee is booked. */
export type Effects = () => OperationResult | undefined;

/** Two steps, since the fee is booked between them: what is wrong first gives the reason. */
export interface OwnRule<Op> {
  payer(op: Op): number;
  readonly fee: FeeRule<Op>;
  valid?(op: Op): void;
  /** Instead of the one in the operation. */
  feeOf?(m: OwnModel, op: Op): Asset;
  /** Whatever is paid is enough. */
  readonly anyFee?: boolean;
  check(m: OwnModel, op: Op, how: How): Effects;
}

// biome-ignore lint/suspicious/noExplicitAny: the rule of some operation; its declaration knows which
export type AnyOwnRule = OwnRule<any> & { readonly tag: number; readonly schema: StructType<Fields> };

export function ownRule<F extends Fields, P extends Fields>(
  declaration: OperationDeclaration<F, P>,
  given: OwnRule<StructValue<F>>,
): AnyOwnRule {
  return { ...given, tag: declaration.tag, schema: declaration.schema as unknown as StructType<Fields> };
}

/** A rule of the other model, whose checks and effects are one. */
export const asOwn = (rule: AnyRule): AnyOwnRule => ({
  ...rule,
  check: (m, op, how) => () => rule.run?.(m, op, how, 0n),
});

/** The first entry of this kind, as the built-in values are for those that have none. */
export function extension<T>(items: ChainParameters['extensions'], tag: number): T | undefined {
  return items.find(([one]) => one === tag)?.[1] as T | undefined;
}

/** Amounts are checked, and the reason is named that stops an operation first. */
export class OwnModel extends Model {
  readonly #rules: ReadonlyMap<number, AnyOwnRule>;
  readonly #forks: OwnForks;

  constructor(state: ReadState, rules: readonly AnyOwnRule[], forks: OwnForks) {
    // The other model's type knows the main network's moments only.
    super(state, OBJECTS, rules, forks as unknown as typeof MODEL_FORKS);
    this.#forks = forks;
    this.#rules = new Map(rules.map((one) => [one.tag, one]));
  }

  isAfter(fork: OwnFork): boolean {
    return this.time > this.#forks[fork];
  }

  isFrom(fork: OwnFork): boolean {
    return this.time >= this.#forks[fork];
  }

  parameter<T>(tag: number, field: string, otherwise: T): T {
    const found = extension<Record<string, T>>(this.parameters.extensions, tag);
    return found === undefined ? otherwise : (found[field] as T);
  }

  override run(operation: Operation, how: How): OperationResult {
    return this.attempt(() => this.#run(operation, how));
  }

  #run([tag, body]: Operation, how: How): OperationResult {
    const rule = this.#rules.get(tag) as AnyOwnRule;
    const fee = rule.feeOf?.(this, body) ?? body.fee;
    const payer = rule.payer(body);
    const paid = this.worth(payer, fee);
    must(rule.anyFee === true || paid >= this.requiredFee([tag, body]), 'the fee is too small');
    const effects = rule.check(this, { ...body, fee } as OperationBody, how);
    this.book(payer, fee, paid);
    const result = effects() ?? [0, {}];
    this.take(payer, fee);
    return result as OperationResult;
  }

  /** In the core asset. */
  worth(payer: number, fee: Asset): bigint {
    must(fee.amount >= 0n, 'the fee is negative');
    this.account(payer);
    const { options } = this.asset(fee.asset_id);
    if (this.after('419')) must(this.mayHold(payer, fee.asset_id), 'the payer may not hold the asset of the fee');
    if (fee.asset_id === this.core) return fee.amount;
    const { amount, asset_id } = times(fee, options.core_exchange_rate);
    must(asset_id === this.core, 'the fee is not worth core');
    must(amount <= this.supply(fee.asset_id).fee_pool, 'the pool has less');
    return amount;
  }

  book(payer: number, fee: Asset, paid: bigint): void {
    if (fee.asset_id !== this.core) {
      this.changeSupply(fee.asset_id, (o) => {
        o.accumulated_fees = share(o.accumulated_fees + fee.amount);
        o.fee_pool = share(o.fee_pool - paid);
      });
    }
    this.change(accountStatisticsObject, this.account(payer).statistics, (o) => {
      const field = paid > this.parameters.cashback_vesting_threshold ? 'pending_fees' : 'pending_vested_fees';
      o[field] = share(o[field] + paid);
    });
  }
}
