import { OPERATIONS } from '../../../src/operations/index.js';
import { defaultFeeParameters } from '../../../src/operations/required-fee.js';
import type { ChainParameters } from '../../../src/protocol/chain-parameters.js';
import type { ExtensionItem, Extensions } from '../../../src/protocol/extensions.js';
import type { FeeParameters } from '../../../src/protocol/operation-slot.js';
import { parameters } from '../../../src/state/rules/parameters.js';
import type { Kind, Scene } from './scene.js';

const U32 = 0xffff_ffff;
const I64 = (1n << 63n) - 1n;
/** Whole intervals that leave room for many maintenances in a short chain. */
const BLOCKS_PER_MAINTENANCE = [5, 9, 20];

function replaceExtension(list: Extensions, item: ExtensionItem): Extensions {
  return [...list.filter(([tag]) => tag !== item[0]), item].sort((a, b) => a[0] - b[0]);
}

/** Sound values, most of the time; else extreme ones of the right width. */
function changedExtension({ random }: Scene, mild: boolean): ExtensionItem {
  const number = (usual: readonly number[], max = U32): number =>
    random.pick(mild ? usual : [...usual, 0, 1, max - 1, max]);
  const items: readonly unknown[] = [
    [
      3,
      {
        league_data_market_commission_percent: number([500, 1000], 65_535),
        free_data_market_commission_percent: number([0, 1000], 65_535),
        commission_account: random.pick(['commission-account', 'alice', 'nobody']),
        reserve_percent: number([100, 5000], 65_535),
      },
    ],
    [6, { params: mild ? [['1', { lock_days: 0, interest_rate: 5, is_valid: true }]] : [] }],
    [7, { trx_cpu_limit: number([20_000]), block_cpu_limit: number([800_000]) }],
    [9, { amount: random.pick(mild ? [1_000_000n, 20_000_000n] : [0n, -5n, I64, -I64 - 1n]) }],
    [
      10,
      {
        max_inter_contract_depth: number([3], 255),
        contract_basic_fee_vesting_period_seconds: number([0, 60]),
        max_inline_action_size: number([65_536]),
      },
    ],
    [11, { params: stakingPrograms(number) }],
    [
      12,
      {
        staking_mode_on: random.chance(0.5),
        set_commission_interval: number([0, 60]),
        staking_rewards_vesting_seconds: number([0, 3600]),
        missed_block_limit: number([0, 2, 100]),
        max_staking_count: number([10]),
        witness_reward_proportion: number([0, 500, 1000]),
        valid_nodes_number: number([5, 35]),
        min_staking_amount: random.pick(mild ? [100_000n] : [0n, I64, 2n * I64 + 1n]),
      },
    ],
  ];
  return random.pick(items) as ExtensionItem;
}

const stakingPrograms = (number: (usual: readonly number[]) => number): unknown[] => [
  ['1', { staking_days: 0, weight: 1, is_valid: true }],
  ['2', { staking_days: 1, weight: number([2, 5]), is_valid: true }],
];

function changedFees(scene: Scene, now: ChainParameters, mild: boolean): ChainParameters['current_fees'] {
  const { random } = scene;
  const { current_fees } = now;
  const scale = random.pick(mild ? [10_000, 100, 1] : [0, 1_000_000, U32]);
  if (random.chance(0.5)) return { ...current_fees, scale };
  const { tag } = random.pick(OPERATIONS);
  const others = current_fees.parameters.filter(([one]) => one !== tag);
  // Without its entry an operation costs what it does by default.
  if (random.chance(0.3)) return { ...current_fees, parameters: others };
  const entry = Object.fromEntries(
    Object.entries(defaultFeeParameters(tag)).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? scene.amount(1_000_000) : random.below(100_000),
    ]),
  );
  const all = [...others, [tag, entry] as FeeParameters].sort((a, b) => a[0] - b[0]);
  return { ...current_fees, parameters: all };
}

type Change = (scene: Scene, now: ChainParameters, mild: boolean) => Partial<ChainParameters>;

const CHANGES: readonly Change[] = [
  ({ random }, _now, mild) => {
    const block_interval = random.pick(mild ? [1, 2, 3, 5] : [0, 1, 30, 31, 255]);
    return { block_interval, maintenance_interval: block_interval * random.pick(BLOCKS_PER_MAINTENANCE) };
  },
  ({ random }, now, mild) => ({
    maintenance_interval: mild
      ? now.block_interval * random.pick(BLOCKS_PER_MAINTENANCE)
      : random.pick([0, 7, now.block_interval, now.block_interval * 2]),
  }),
  ({ random }) => ({ maintenance_skip_slots: random.pick([0, 1, 3, 255]) }),
  ({ random }, _now, mild) => ({ committee_proposal_review_period: random.pick(mild ? [0, 10, 60] : [U32, U32 - 5]) }),
  ({ random }, _now, mild) => ({
    maximum_transaction_size: random.pick(mild ? [2048, 100_000] : [0, 1023, 1024, U32]),
  }),
  ({ random }, _now, mild) => ({ maximum_block_size: random.pick(mild ? [200_000, 2_000_000] : [0, 5119, 5120, U32]) }),
  // Nearly 32 bits of it would end all transactions for good: the latest expiration that is allowed wraps around.
  ({ random }, _now, mild) => ({
    maximum_time_until_expiration: random.pick(mild ? [600, 86_400] : [0, 31, 60_000_000]),
  }),
  ({ random }, _now, mild) => ({ maximum_proposal_lifetime: random.pick(mild ? [600, 2_419_200] : [0, 31, U32]) }),
  ({ random }) => ({ maximum_asset_whitelist_authorities: random.pick([0, 3, 255]) }),
  ({ random }) => ({ maximum_witness_count: random.pick([0, 1, 11, 1001, 65_535]) }),
  ({ random }) => ({ maximum_committee_count: random.pick([1, 5, 11, 1001, 65_535]) }),
  ({ random }, _now, mild) => ({
    network_percent_of_fee: random.pick(mild ? [0, 2000, 10_000] : [10_001, 65_535]),
    lifetime_referrer_percent_of_fee: random.pick(mild ? [0, 3000] : [10_000, 65_535]),
  }),
  ({ random }, _now, mild) => ({ reserve_percent_of_fee: random.pick(mild ? [0, 2000, 10_000] : [10_001]) }),
  ({ random }) => ({ cashback_vesting_period_seconds: random.pick([0, 1, 60, 31_536_000, U32]) }),
  ({ random }) => ({ cashback_vesting_threshold: random.pick([0n, 1n, 10_000_000n, I64, -1n]) }),
  ({ random }) => ({ count_non_member_votes: random.chance(0.5), allow_non_member_whitelists: random.chance(0.5) }),
  ({ random }, _now, mild) => ({
    witness_pay_per_block: random.pick(mild ? [0n, 1000n, 1_000_000n] : [-1000n, 10n ** 12n]),
  }),
  ({ random }) => ({ worker_budget_per_day: random.pick([0n, I64, -1n]) }),
  ({ random }) => ({ max_predicate_opcode: random.pick([0, 1, 3, 65_535]) }),
  ({ random }) => ({ fee_liquidation_threshold: random.pick([0n, I64, -1n]) }),
  ({ random }, _now, mild) => ({
    accounts_per_fee_scale: random.pick(mild ? [1, 2, 1000] : [0, 1, 65_535]),
    account_fee_scale_bitshifts: random.pick(mild ? [0, 1, 4] : [0, 16, 63, 64, 255]),
  }),
  ({ random }) => ({ max_authority_depth: random.pick([1, 2, 3, 5]) }),
  (scene, now, mild) => ({ extensions: replaceExtension(now.extensions, changedExtension(scene, mild)) }),
  (scene, now, mild) => ({ extensions: replaceExtension(now.extensions, changedExtension(scene, mild)) }),
  ({ random }, now) => ({ extensions: now.extensions.filter(() => random.chance(0.8)) }),
  (scene, now, mild) => ({ current_fees: changedFees(scene, now, mild) }),
];

const change = (scene: Scene, now: ChainParameters, mild: boolean): ChainParameters => ({
  ...now,
  ...scene.random.pick(CHANGES)(scene, now, mild),
});

/** `beginning`: what the chain began with, so that a run does not stay in a corner. */
export function parameterKinds(beginning: () => ChainParameters): readonly Kind[] {
  return [
    {
      name: 'committee_member_update_global_parameters',
      weight: 4,
      byCommittee: true,
      make(scene) {
        const { random } = scene;
        const now = random.chance(0.4) ? beginning() : parameters(scene.state);
        const mild = random.chance(0.75);
        let next = now;
        for (let i = random.between(0, 3); i >= 0; i--) next = change(scene, next, mild);
        return scene.op(this.name, { new_parameters: next });
      },
    },
  ];
}
