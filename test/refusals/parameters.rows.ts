import type { JsonObject } from '../../src/codec/json.js';
import { PROPOSAL_ONLY_ERRORS } from '../../src/operations/proposal-only.js';
import { chainParameters, PARAMETER_ERRORS } from '../../src/protocol/chain-parameters.js';
import { FreeWorld } from '../support/free-world.js';
import { NETWORK } from '../support/network.js';
import { assertion, type Refusal } from './define.js';

const w = new FreeWorld();
const usual = chainParameters.toJson(chainParameters.default(), NETWORK) as JsonObject;
const set =
  (changes: JsonObject, proposed = false) =>
  () =>
    w.run(31, { new_parameters: { ...usual, ...changes } }, { proposed });

export const refusals: readonly Refusal[] = [
  assertion(
    PARAMETER_ERRORS.parameter_reserve_percent,
    'reserve_percent_of_fee <= GRAPHENE_100_PERCENT: ',
    set({ reserve_percent_of_fee: 10_001 }),
  ),
  assertion(
    PARAMETER_ERRORS.parameter_network_percent,
    'network_percent_of_fee <= GRAPHENE_100_PERCENT: ',
    set({ network_percent_of_fee: 10_001 }),
  ),
  assertion(
    PARAMETER_ERRORS.parameter_referrer_percent,
    'lifetime_referrer_percent_of_fee <= GRAPHENE_100_PERCENT: ',
    set({ lifetime_referrer_percent_of_fee: 10_001 }),
  ),
  assertion(
    PARAMETER_ERRORS.parameter_percent_sum,
    'network_percent_of_fee + lifetime_referrer_percent_of_fee <= GRAPHENE_100_PERCENT: ',
    set({ network_percent_of_fee: 5000, lifetime_referrer_percent_of_fee: 5001 }),
  ),
  assertion(
    PARAMETER_ERRORS.parameter_block_interval_too_short,
    'block_interval >= GRAPHENE_MIN_BLOCK_INTERVAL: ',
    set({ block_interval: 0 }),
  ),
  assertion(
    PARAMETER_ERRORS.parameter_block_interval_too_long,
    'block_interval <= GRAPHENE_MAX_BLOCK_INTERVAL: ',
    set({ block_interval: 31 }),
  ),
  assertion(
    PARAMETER_ERRORS.parameter_maintenance_too_short,
    'maintenance_interval > block_interval: Maintenance interval must be longer than block interval',
    set({ maintenance_interval: 5 }),
  ),
  assertion(
    PARAMETER_ERRORS.parameter_maintenance_no_multiple,
    'maintenance_interval % block_interval == 0: Maintenance interval must be a multiple of block interval',
    set({ maintenance_interval: 11 }),
  ),
  assertion(
    PARAMETER_ERRORS.parameter_transaction_size,
    'maximum_transaction_size >= GRAPHENE_MIN_TRANSACTION_SIZE_LIMIT: Transaction size limit is too low',
    set({ maximum_transaction_size: 1023 }),
  ),
  assertion(
    PARAMETER_ERRORS.parameter_block_size,
    'maximum_block_size >= GRAPHENE_MIN_BLOCK_SIZE_LIMIT: Block size limit is too low',
    set({ maximum_block_size: 5119 }),
  ),
  assertion(
    PARAMETER_ERRORS.parameter_expiration,
    'maximum_time_until_expiration > block_interval: Maximum transaction expiration time must be greater than a block interval',
    set({ maximum_time_until_expiration: 5 }),
  ),
  assertion(
    PARAMETER_ERRORS.parameter_proposal_lifetime,
    'maximum_proposal_lifetime - committee_proposal_review_period > block_interval: Committee proposal review period must be less than the maximum proposal lifetime',
    set({ maximum_proposal_lifetime: 105, committee_proposal_review_period: 100 }),
  ),
  // Ours alone.
  assertion(
    PARAMETER_ERRORS.parameter_fee_scale,
    'accounts_per_fee_scale > 0: the fee of registrations can not rise at every 0 of them',
    set({ accounts_per_fee_scale: 0 }, true),
  ),
  assertion(PROPOSAL_ONLY_ERRORS.not_inside_proposal, 'trx_state->_is_proposed_trx: ', set({})),
];
