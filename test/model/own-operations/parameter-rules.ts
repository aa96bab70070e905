import type { ChainParameters } from '../../../src/protocol/chain-parameters.js';
import { committeeMemberUpdateGlobalParametersOperation } from '../../../src/protocol/operations/governance.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { flat } from '../fee-rules.js';
import { must } from '../tables.js';
import { hasFee } from './checks.js';
import { ownRule } from './model.js';

function mustBeValid(p: ChainParameters): void {
  const { network_percent_of_fee: network, lifetime_referrer_percent_of_fee: lifetime, block_interval } = p;
  must(p.reserve_percent_of_fee <= 10_000, 'parameter_reserve_percent');
  must(network <= 10_000, 'parameter_network_percent');
  must(lifetime <= 10_000, 'parameter_referrer_percent');
  must(network + lifetime <= 10_000, 'parameter_percent_sum');
  must(block_interval >= 1, 'parameter_block_interval_too_short');
  must(block_interval <= 30, 'parameter_block_interval_too_long');
  must(p.maintenance_interval > block_interval, 'parameter_maintenance_too_short');
  must(p.maintenance_interval % block_interval === 0, 'parameter_maintenance_no_multiple');
  must(p.maximum_transaction_size >= 1024, 'parameter_transaction_size');
  must(p.maximum_block_size >= 5120, 'parameter_block_size');
  must(p.maximum_time_until_expiration > block_interval, 'parameter_expiration');
  const withoutReview = (p.maximum_proposal_lifetime - p.committee_proposal_review_period) >>> 0;
  must(withoutReview > block_interval, 'parameter_proposal_lifetime');
}

export const parameterUpdate = ownRule(committeeMemberUpdateGlobalParametersOperation, {
  payer: () => 0,
  fee: flat(100_000),
  valid(op) {
    hasFee(op);
    mustBeValid(op.new_parameters);
  },
  check(m, { new_parameters }, { proposed }) {
    must(proposed, 'not_inside_proposal');
    // The reference divides by it later; the program is to refuse it here.
    must(new_parameters.accounts_per_fee_scale > 0, 'parameter_fee_scale');
    return () => {
      m.change(globalPropertyObject, 0, (o) => {
        o.pending_parameters = new_parameters;
      });
      return undefined;
    };
  },
});
