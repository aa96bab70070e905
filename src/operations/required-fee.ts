import { check, defineErrors } from '../base/errors.js';
import { type Asset, makeAsset, multiplyByPrice, SHARE_SUPPLY_MAX } from '../protocol/asset.js';
import { FEE_SCALE_UNIT, type FeeSchedule } from '../protocol/chain-parameters.js';
import type { FeeTarget } from '../protocol/fee-target.js';
import type { FeeParameters, Operation, OperationWrapper } from '../protocol/operation-slot.js';
import { OPERATIONS } from './index.js';
import { requiredFee } from './pipeline.js';
import { definitionOf } from './registered.js';

/** What a client is told that an operation costs. The chain itself always asks for the core asset. */
export const FEE_QUOTE_ERRORS = defineErrors({
  fee_quote_rate: {
    text: 'a.asset_id == b.asset_id: ${a} == ${b}',
    hint: 'the exchange rate does not have the core asset as its base',
  },
  fee_quote_above_supply: {
    text: 'result.amount <= GRAPHENE_MAX_SHARE_SUPPLY: ',
    hint: 'the fee is above the largest amount',
  },
});

/** A core amount in another asset, rounded down: what a contract costs is no fee of the schedule. */
export function convertBelow(core: bigint, target: FeeTarget): Asset {
  const { rate } = target;
  const fee = multiplyByPrice(makeAsset(core, target.core), rate);
  check(rate.base.asset_id === target.core, FEE_QUOTE_ERRORS.fee_quote_rate, () => ({
    a: `1.3.${target.core}`,
    b: `1.3.${rate.base.asset_id}`,
  }));
  return fee;
}

/** A core amount in another asset, rounded up so that converting it back covers the amount. */
export function convertQuote(core: bigint, target: FeeTarget): Asset {
  const { rate } = target;
  const fee = convertBelow(core, target);
  while (multiplyByPrice(fee, rate).amount < core) fee.amount += 1n;
  check(fee.amount <= SHARE_SUPPLY_MAX, FEE_QUOTE_ERRORS.fee_quote_above_supply);
  return fee;
}

const REPEATS_MAX = 4;

/** The fee is part of what is weighed, so it is fed back until it stands still. */
export function quoteFee(schedule: FeeSchedule, [tag, body]: Operation, target: FeeTarget): Asset {
  let fee = convertQuote(requiredFee(schedule, [tag, body]), target);
  let highest = fee;
  for (let i = 0; i < REPEATS_MAX; i++) {
    const next = convertQuote(requiredFee(schedule, [tag, { ...body, fee: highest }]), target);
    if (next.amount === fee.amount) break;
    if (next.amount > highest.amount) highest = next;
    fee = next;
  }
  return highest;
}

/** A quote, and for a proposal those of the operations in it. */
export interface NestedQuote {
  readonly fee: Asset;
  readonly inner: readonly NestedQuote[] | undefined;
}

const PROPOSAL_CREATE = 22;
const NESTING_MAX = 4;

export const FEE_NESTING_ERRORS = defineErrors({
  fee_quote_nesting: {
    text: 'current_recursion < max_recursion: ',
    hint: 'proposals are nested more than ${max} levels deep',
  },
});

/** `quote` prices a single operation, at a level below that of the transaction if it is only proposed. */
export function quoteNested(
  [tag, body]: Operation,
  quote: (operation: Operation, level: number) => Asset,
  level = 0,
): { quote: NestedQuote; operation: Operation } {
  if (tag !== PROPOSAL_CREATE) {
    const fee = quote([tag, body], level);
    return { quote: { fee, inner: undefined }, operation: [tag, { ...body, fee }] };
  }
  check(level < NESTING_MAX, FEE_NESTING_ERRORS.fee_quote_nesting, { max: NESTING_MAX });
  const proposed = (body as unknown as { proposed_ops: OperationWrapper[] }).proposed_ops;
  const inner = proposed.map((wrapped) => quoteNested(wrapped.op, quote, level + 1));
  const filled = { ...body, proposed_ops: inner.map(({ operation }) => ({ op: operation })) };
  const fee = quote([tag, filled], level);
  return { quote: { fee, inner: inner.map((each) => each.quote) }, operation: [tag, { ...filled, fee }] };
}

/** Built-in parameters of an operation's fee. */
export function defaultFeeParameters(tag: number): object {
  return definitionOf(tag).fee.schema.default();
}

function scheduleOf(parameters: (tag: number) => object): FeeSchedule {
  return {
    parameters: OPERATIONS.map(({ tag }): FeeParameters => [tag, parameters(tag)]),
    scale: FEE_SCALE_UNIT,
  };
}

/** In force while the genesis operations run: a complete schedule in which everything is free. */
export function zeroFeeSchedule(): FeeSchedule {
  return scheduleOf((tag) => {
    const entries = Object.entries(defaultFeeParameters(tag)) as [string, number | bigint][];
    return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'bigint' ? 0n : 0]));
  });
}
