import t from 'tap';
import { chainParameters, immutableParameters } from '../../../src/protocol/chain-parameters.js';
import {
  commissionExtension,
  interContractExtension,
  pledgeExtension,
  vmCpuLimitExtension,
  voteExtension,
} from '../../../src/protocol/extensions.js';

/** What counts where a genesis file, or the committee's parameters, say nothing: every node has to fill in the same. */

t.test('parameters that a genesis file leaves out', async (t) => {
  const { current_fees, extensions, ...rest } = chainParameters.default();
  t.same(current_fees, { parameters: [], scale: 10_000 });
  t.same(extensions, []);
  t.same(rest, {
    block_interval: 5,
    maintenance_interval: 86_400,
    maintenance_skip_slots: 3,
    committee_proposal_review_period: 1_209_600,
    maximum_transaction_size: 2048,
    maximum_block_size: 2_000_000,
    maximum_time_until_expiration: 86_400,
    maximum_proposal_lifetime: 2_419_200,
    maximum_asset_whitelist_authorities: 10,
    maximum_asset_feed_publishers: 10,
    maximum_witness_count: 1001,
    maximum_committee_count: 1001,
    maximum_authority_membership: 10,
    reserve_percent_of_fee: 2000,
    network_percent_of_fee: 2000,
    lifetime_referrer_percent_of_fee: 3000,
    cashback_vesting_period_seconds: 31_536_000,
    cashback_vesting_threshold: 10_000_000n,
    count_non_member_votes: true,
    allow_non_member_whitelists: false,
    witness_pay_per_block: 1_000_000n,
    worker_budget_per_day: 50_000_000_000n,
    max_predicate_opcode: 1,
    fee_liquidation_threshold: 10_000_000n,
    accounts_per_fee_scale: 1000,
    account_fee_scale_bitshifts: 4,
    max_authority_depth: 2,
  });
  t.same(immutableParameters.default(), {
    min_committee_member_count: 11,
    min_witness_count: 11,
    num_special_accounts: 0,
    num_special_assets: 0,
  });
});

t.test('extensions that the parameters do not have', async (t) => {
  t.same(commissionExtension.default(), {
    league_data_market_commission_percent: 1000,
    free_data_market_commission_percent: 1000,
    commission_account: 'commission-account',
    reserve_percent: 100,
  });
  t.same(vmCpuLimitExtension.default(), { trx_cpu_limit: 20_000, block_cpu_limit: 800_000 });
  t.same(pledgeExtension.default(), { amount: 1_000_000_000n });
  t.same(interContractExtension.default(), {
    max_inter_contract_depth: 3,
    contract_basic_fee_vesting_period_seconds: 259_200,
    max_inline_action_size: 65_536,
  });
  t.same(voteExtension.default(), {
    staking_mode_on: false,
    set_commission_interval: 604_800,
    staking_rewards_vesting_seconds: 3600,
    missed_block_limit: 100_000,
    max_staking_count: 10,
    witness_reward_proportion: 500,
    valid_nodes_number: 35,
    min_staking_amount: 100_000n,
  });
});
