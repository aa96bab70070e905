import { add64, divTrunc64, lesser, mul64, sub64, wrapU32 } from '../../base/int.js';
import type { Instance } from '../../protocol/ids.js';
import { voteInstance } from '../../protocol/vote.js';
import { accountObject } from '../../state/objects/account.js';
import { dynamicGlobalPropertyObject } from '../../state/objects/dynamic-global-property.js';
import { type StakingObject, stakingObject } from '../../state/objects/staking.js';
import { type WitnessObject, witnessObject } from '../../state/objects/witness.js';
import { depositStakingCashback, depositWitnessPay } from '../../state/rules/cashback.js';
import { voteParameters } from '../../state/rules/parameters.js';
import type { WriteState } from '../../state/views.js';
import type { MaintenanceRun } from './run.js';
import { byVotes } from './votes-order.js';

type Witness = Readonly<WitnessObject>;

const DAY_SEC = 86_400;

/** In staking mode weights of stakings decide, not balances; nodes and their stakers are rewarded from a pool. */
export function tallyStakings(m: MaintenanceRun, payOutAllFees: () => void): void {
  tallyWeights(m);
  m.witnessHistogram[0] = m.total;
  m.committeeHistogram[0] = m.total;
  payOutAllFees();
  if (rewardNodes(m)) rewardStakers(m.state);
}

/** Nodes that missed too many blocks since the last maintenance are banned and count nothing. */
function tallyWeights(m: MaintenanceRun): void {
  const s = m.state;
  const limit = BigInt(voteParameters(s).missed_block_limit);
  for (const witness of s.all(witnessObject)) {
    const isAvailable =
      !witness.is_banned && (witness.total_missed - witness.previous_missed <= limit || witness.previous_missed === 0n);
    if (isAvailable) {
      m.tally[voteInstance(witness.vote_id)] = witness.total_vote_weights;
      m.total += witness.total_vote_weights;
    }
    if (isAvailable && witness.previous_missed === witness.total_missed) continue;
    s.modify(witnessObject, witness, (o) => {
      if (!isAvailable) o.is_banned = true;
      o.previous_missed = o.total_missed;
    });
  }
}

/** False: no node is entitled, and then stakings do not even expire. */
function rewardNodes(m: MaintenanceRun): boolean {
  const s = m.state;
  const head = s.single(dynamicGlobalPropertyObject);
  const pool = head.current_staking_reward_pool;
  const leading = byVotes(s.all(witnessObject), m.tally).slice(0, voteParameters(s).valid_nodes_number);
  const entitled = leading.filter((witness) => witness.is_valid && !witness.is_banned);
  let totalWeight = 0n;
  for (const witness of entitled) totalWeight = add64(totalWeight, witness.total_vote_weights);
  if (totalWeight === 0n) return false;
  for (const witness of entitled) rewardNode(s, witness, pool, totalWeight);
  return true;
}

function rewardNode(s: WriteState, witness: Witness, pool: bigint, totalWeight: bigint): void {
  const head = s.single(dynamicGlobalPropertyObject);
  const weight = witness.total_vote_weights;
  // Until fork 1029 the product had 64 bits, and one that was too large made the block invalid.
  const whole = s.active('HF_1029') ? (pool * weight) / totalWeight : divTrunc64(mul64(pool, weight), totalWeight);
  const reward = lesser(whole, head.current_staking_reward_pool);
  s.modify(dynamicGlobalPropertyObject, head, (o) => {
    o.current_staking_reward_pool = sub64(o.current_staking_reward_pool, reward);
  });
  const forStakers = lesser(divTrunc64(mul64(reward, BigInt(witness.commission_rate)), 1000n), reward);
  s.modify(witnessObject, witness, (o) => {
    o.vote_reward_pool = add64(o.vote_reward_pool, forStakers);
  });
  depositWitnessPay(s, witness, sub64(reward, forStakers));
}

/** Nodes as they were before the first staker was paid. */
type Snapshot = ReadonlyMap<Instance, { readonly pool: bigint; readonly weight: bigint }>;

function rewardStakers(s: WriteState): void {
  const copies: Snapshot = new Map(
    [...s.all(witnessObject)].map((witness) => [
      witness.id,
      { pool: witness.vote_reward_pool, weight: witness.total_vote_weights },
    ]),
  );
  const expiresAnyway = s.active('HF_1026');
  for (const staking of s.all(stakingObject)) {
    if (!staking.is_valid) continue;
    const witness = s.find(witnessObject, staking.trust_node);
    const copy = copies.get(staking.trust_node);
    const earns =
      witness !== undefined && copy !== undefined && witness.is_valid && !witness.is_banned && copy.weight !== 0n;
    if (earns) payStaker(s, staking, witness, copy);
    if (witness !== undefined && (earns || expiresAnyway)) expireStaking(s, staking, witness);
  }
}

/** Signed 64-bit products, evaluated from left to right: one that is too large makes the block invalid. */
function payStaker(
  s: WriteState,
  staking: Readonly<StakingObject>,
  witness: Witness,
  copy: { readonly pool: bigint; readonly weight: bigint },
): void {
  const product = mul64(mul64(copy.pool, staking.amount.amount), BigInt(staking.weight));
  const pay = lesser(divTrunc64(product, copy.weight), witness.vote_reward_pool);
  if (pay === 0n) return;
  depositStakingCashback(s, s.get(accountObject, staking.owner), pay);
  s.modify(witnessObject, witness, (o) => {
    o.vote_reward_pool = sub64(o.vote_reward_pool, pay);
  });
}

function expireStaking(s: WriteState, staking: Readonly<StakingObject>, witness: Witness): void {
  const age = wrapU32(s.headTime - staking.create_date_time);
  if (wrapU32(staking.staking_days * DAY_SEC) >= age) return;
  s.modify(stakingObject, staking, (o) => {
    o.is_valid = false;
  });
  const weight = lesser(mul64(staking.amount.amount, BigInt(staking.weight)), witness.total_vote_weights);
  s.modify(witnessObject, witness, (o) => {
    o.total_vote_weights = sub64(o.total_vote_weights, weight);
  });
}
