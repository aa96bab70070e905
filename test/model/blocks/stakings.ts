import type { ValueOf } from '../../../src/codec/type.js';
import { EXTENSION_TAG, voteExtension } from '../../../src/protocol/extensions.js';
import { voteInstance } from '../../../src/protocol/vote.js';
import type { StakingObject } from '../../../src/state/objects/staking.js';
import type { WitnessObject } from '../../../src/state/objects/witness.js';
import type { Tally } from './maintenance.js';
import { deposit, found, head, least, parameters, payWitness, product } from './money.js';
import type { Rows } from './rows.js';

/** Votes and rewards of stakings in staking mode, by the reference's description of today's rules. */

const DAY_SEC = 86_400;
const PER_MILLE = 1000n;

export function voteParameters(rows: Rows): ValueOf<typeof voteExtension> {
  const item = parameters(rows).extensions.find(([tag]) => tag === EXTENSION_TAG.vote);
  return (item?.[1] ?? voteExtension.default()) as ValueOf<typeof voteExtension>;
}

export function tallyStakings(rows: Rows, tally: Tally): void {
  const limit = BigInt(voteParameters(rows).missed_block_limit);
  for (const witness of rows.witnesses.values()) {
    const isNew = witness.previous_missed === 0n;
    if (!isNew && witness.total_missed - witness.previous_missed > limit) witness.is_banned = true;
    witness.previous_missed = witness.total_missed;
    if (witness.is_banned) continue;
    tally.votes[voteInstance(witness.vote_id)] = witness.total_vote_weights;
    tally.total += witness.total_vote_weights;
  }
  tally.seats[0] = tally.total;
}

const isPaid = ({ is_valid, is_banned }: WitnessObject): boolean => is_valid && !is_banned;

/** Each node's part of the pool: what it promises goes to its stakers, the rest to itself. */
function rewardNodes(rows: Rows, nodes: readonly WitnessObject[], weights: bigint): void {
  const dynamic = head(rows);
  const pool = dynamic.current_staking_reward_pool;
  for (const node of nodes) {
    const reward = least((pool * node.total_vote_weights) / weights, dynamic.current_staking_reward_pool);
    const forStakers = least((reward * BigInt(node.commission_rate)) / PER_MILLE, reward);
    dynamic.current_staking_reward_pool -= reward;
    node.vote_reward_pool += forStakers;
    payWitness(rows, node.id, reward - forStakers);
  }
}

function rewardStaker(rows: Rows, staking: StakingObject, amount: bigint): void {
  const owner = found(rows.accounts.get(staking.owner));
  const seconds = voteParameters(rows).staking_rewards_vesting_seconds;
  owner.staking_cashback_vb = deposit(rows, owner.staking_cashback_vb, { amount, owner: owner.id, seconds });
}

export function rewardStakers(rows: Rows, ranked: readonly { readonly witness: WitnessObject }[]): void {
  const nodes = ranked
    .slice(0, voteParameters(rows).valid_nodes_number)
    .map(({ witness }) => witness)
    .filter(isPaid);
  const weights = nodes.reduce((sum, node) => sum + node.total_vote_weights, 0n);
  if (weights === 0n) return;
  rewardNodes(rows, nodes, weights);
  // Stakings that end in this loop do not make the parts of the others larger.
  const shares = structuredClone(rows.witnesses);
  for (const staking of rows.stakings.values()) {
    if (!staking.is_valid) continue;
    const node = found(rows.witnesses.get(staking.trust_node));
    const { vote_reward_pool, total_vote_weights } = found(shares.get(node.id));
    const weight = staking.amount.amount * BigInt(staking.weight);
    if (isPaid(node) && total_vote_weights !== 0n) {
      const shared = product(product(vote_reward_pool, staking.amount.amount), BigInt(staking.weight));
      const part = least(shared / total_vote_weights, node.vote_reward_pool);
      rewardStaker(rows, staking, part);
      node.vote_reward_pool -= part;
    }
    if (staking.staking_days * DAY_SEC >= head(rows).time - staking.create_date_time) continue;
    staking.is_valid = false;
    node.total_vote_weights -= least(weight, node.total_vote_weights);
  }
}
