import { check, defineErrors } from '../base/errors.js';
import { set, withDefault, wrapped } from '../codec/containers.js';
import { bool, share, u8, u16, u32 } from '../codec/scalars.js';
import { struct } from '../codec/struct.js';
import type { PlainType, ValueOf } from '../codec/type.js';
import { extensions } from './extensions.js';
import { type FeeParameters, feeParameters } from './operation-slot.js';

export const FEE_SCALE_UNIT = 10_000;

export const feeSchedule = struct('fee_schedule', {
  parameters: set(feeParameters),
  scale: withDefault(u32, () => FEE_SCALE_UNIT),
});
export type FeeSchedule = ValueOf<typeof feeSchedule>;

/** The schedule's entry for an operation; undefined means that the operation's built-in defaults apply. */
export function findFeeParameters(schedule: FeeSchedule, tag: number): FeeParameters[1] | undefined {
  // Entries are ascending by tag and nearly always complete, so the entry usually stands at its own number.
  const guess = schedule.parameters[tag];
  if (guess !== undefined && guess[0] === tag) return guess[1];
  for (const entry of schedule.parameters) if (entry[0] === tag) return entry[1];
  return undefined;
}

export const PARAMETER_ERRORS = defineErrors({
  parameter_reserve_percent: {
    text: 'reserve_percent_of_fee <= GRAPHENE_100_PERCENT: ',
    hint: 'reserve_percent_of_fee is above 100 percent',
  },
  parameter_network_percent: {
    text: 'network_percent_of_fee <= GRAPHENE_100_PERCENT: ',
    hint: 'network_percent_of_fee is above 100 percent',
  },
  parameter_referrer_percent: {
    text: 'lifetime_referrer_percent_of_fee <= GRAPHENE_100_PERCENT: ',
    hint: 'lifetime_referrer_percent_of_fee is above 100 percent',
  },
  parameter_percent_sum: {
    text: 'network_percent_of_fee + lifetime_referrer_percent_of_fee <= GRAPHENE_100_PERCENT: ',
    hint: 'network and lifetime referrer together get more than 100 percent',
  },
  parameter_block_interval_too_short: {
    text: 'block_interval >= GRAPHENE_MIN_BLOCK_INTERVAL: ',
    hint: 'a block takes at least 1 second',
  },
  parameter_block_interval_too_long: {
    text: 'block_interval <= GRAPHENE_MAX_BLOCK_INTERVAL: ',
    hint: 'a block takes at most 30 seconds',
  },
  parameter_maintenance_too_short: {
    text: 'maintenance_interval > block_interval: Maintenance interval must be longer than block interval',
  },
  parameter_maintenance_no_multiple: {
    text: 'maintenance_interval % block_interval == 0: Maintenance interval must be a multiple of block interval',
  },
  parameter_transaction_size: {
    text: 'maximum_transaction_size >= GRAPHENE_MIN_TRANSACTION_SIZE_LIMIT: Transaction size limit is too low',
  },
  parameter_block_size: {
    text: 'maximum_block_size >= GRAPHENE_MIN_BLOCK_SIZE_LIMIT: Block size limit is too low',
  },
  parameter_expiration: {
    text: 'maximum_time_until_expiration > block_interval: Maximum transaction expiration time must be greater than a block interval',
  },
  parameter_proposal_lifetime: {
    text: 'maximum_proposal_lifetime - committee_proposal_review_period > block_interval: Committee proposal review period must be less than the maximum proposal lifetime',
  },
  // Ours: the reference divides by it and ends.
  parameter_fee_scale: { text: 'accounts_per_fee_scale > 0: the fee of registrations can not rise at every 0 of them' },
});

export const PERCENT_100 = 10_000;
const TRANSACTION_SIZE_LIMIT_MIN = 1024;
const BLOCK_SIZE_LIMIT_MIN = 5120;
const BLOCK_INTERVAL_MAX_SEC = 30;
/** Exists as a parameter in the reference's memory but not on the wire, so it can never change. */
export const WITNESS_PAY_VESTING_SEC = 86_400;

const dflt = <V>(type: PlainType<V>, value: V): PlainType<V> => withDefault(type, () => value);

export const chainParameters = struct('chain_parameters', {
  current_fees: wrapped(feeSchedule),
  block_interval: dflt(u8, 5),
  maintenance_interval: dflt(u32, 86_400),
  maintenance_skip_slots: dflt(u8, 3),
  committee_proposal_review_period: dflt(u32, 1_209_600),
  maximum_transaction_size: dflt(u32, 2048),
  maximum_block_size: dflt(u32, 2_000_000),
  maximum_time_until_expiration: dflt(u32, 86_400),
  maximum_proposal_lifetime: dflt(u32, 2_419_200),
  maximum_asset_whitelist_authorities: dflt(u8, 10),
  maximum_asset_feed_publishers: dflt(u8, 10),
  maximum_witness_count: dflt(u16, 1001),
  maximum_committee_count: dflt(u16, 1001),
  maximum_authority_membership: dflt(u16, 10),
  reserve_percent_of_fee: dflt(u16, 2000),
  network_percent_of_fee: dflt(u16, 2000),
  lifetime_referrer_percent_of_fee: dflt(u16, 3000),
  cashback_vesting_period_seconds: dflt(u32, 31_536_000),
  cashback_vesting_threshold: dflt(share, 10_000_000n),
  count_non_member_votes: dflt(bool, true),
  allow_non_member_whitelists: bool,
  witness_pay_per_block: dflt(share, 1_000_000n),
  worker_budget_per_day: dflt(share, 50_000_000_000n),
  max_predicate_opcode: dflt(u16, 1),
  fee_liquidation_threshold: dflt(share, 10_000_000n),
  accounts_per_fee_scale: dflt(u16, 1000),
  account_fee_scale_bitshifts: dflt(u8, 4),
  max_authority_depth: dflt(u8, 2),
  extensions,
});
export type ChainParameters = ValueOf<typeof chainParameters>;

export const immutableParameters = struct('immutable_chain_parameters', {
  min_committee_member_count: dflt(u16, 11),
  min_witness_count: dflt(u16, 11),
  num_special_accounts: u32,
  num_special_assets: u32,
});

/** Checked when a committee proposes new parameters; a genesis file's parameters are taken as they are. */
export function validateParameters(p: ChainParameters): void {
  check(p.reserve_percent_of_fee <= PERCENT_100, PARAMETER_ERRORS.parameter_reserve_percent);
  check(p.network_percent_of_fee <= PERCENT_100, PARAMETER_ERRORS.parameter_network_percent);
  check(p.lifetime_referrer_percent_of_fee <= PERCENT_100, PARAMETER_ERRORS.parameter_referrer_percent);
  const shares = p.network_percent_of_fee + p.lifetime_referrer_percent_of_fee;
  check(shares <= PERCENT_100, PARAMETER_ERRORS.parameter_percent_sum);
  const interval = p.block_interval;
  check(interval >= 1, PARAMETER_ERRORS.parameter_block_interval_too_short);
  check(interval <= BLOCK_INTERVAL_MAX_SEC, PARAMETER_ERRORS.parameter_block_interval_too_long);
  check(p.maintenance_interval > interval, PARAMETER_ERRORS.parameter_maintenance_too_short);
  check(p.maintenance_interval % interval === 0, PARAMETER_ERRORS.parameter_maintenance_no_multiple);
  check(p.maximum_transaction_size >= TRANSACTION_SIZE_LIMIT_MIN, PARAMETER_ERRORS.parameter_transaction_size);
  check(p.maximum_block_size >= BLOCK_SIZE_LIMIT_MIN, PARAMETER_ERRORS.parameter_block_size);
  check(p.maximum_time_until_expiration > interval, PARAMETER_ERRORS.parameter_expiration);
  // Quirk: 32-bit subtraction, so a review period that is longer than the lifetime wraps around and passes.
  const rest = (p.maximum_proposal_lifetime - p.committee_proposal_review_period) >>> 0;
  check(rest > interval, PARAMETER_ERRORS.parameter_proposal_lifetime);
}
