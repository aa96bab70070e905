import { check, defineErrors } from '../../base/errors.js';
import { add64, mul64, sub64, wrapU32 } from '../../base/int.js';
import type { Instance } from '../../protocol/ids.js';
import type { StakingObject } from '../../state/objects/staking.js';
import { type WitnessObject, witnessObject } from '../../state/objects/witness.js';
import type { ReadState, WriteState } from '../../state/views.js';

export const TRUST_NODE_ERRORS = defineErrors({
  trust_node_unknown: { text: 'wit_obj_itor != witness_objects.end(): nonexistent trust node account ${id}' },
  trust_node_invalid: { text: 'wit_obj_itor->is_valid == true: invalid trust node account ${id}' },
});

const DAY_SEC = 86_400;

/** A banned node is as good as any other here. */
export function validTrustNode(s: ReadState, instance: Instance): Readonly<WitnessObject> {
  const witness = s.find(witnessObject, instance);
  const id = () => ({ id: `1.6.${instance}` });
  check(witness !== undefined, TRUST_NODE_ERRORS.trust_node_unknown, id);
  check(witness.is_valid, TRUST_NODE_ERRORS.trust_node_invalid, id);
  return witness;
}

export function stakeWeight(staking: Readonly<StakingObject>): bigint {
  return mul64(staking.amount.amount, BigInt(staking.weight));
}

export function addWeight(s: WriteState, witness: Readonly<WitnessObject>, weight: bigint): void {
  s.modify(witnessObject, witness, (o) => {
    o.total_vote_weights = add64(o.total_vote_weights, weight);
  });
}

/** Takes the weight off, or what there is of it; returns what was taken. */
export function takeWeight(s: WriteState, witness: Readonly<WitnessObject>, weight: bigint): bigint {
  const taken = weight < witness.total_vote_weights ? weight : witness.total_vote_weights;
  s.modify(witnessObject, witness, (o) => {
    o.total_vote_weights = sub64(o.total_vote_weights, taken);
  });
  return taken;
}

/** Both in unsigned 32-bit seconds, so that many days wrap around. */
export function stakeTimes(s: ReadState, staking: Readonly<StakingObject>): { staked: number; passed: number } {
  return {
    staked: wrapU32(staking.staking_days * DAY_SEC),
    passed: wrapU32(s.headTime - staking.create_date_time),
  };
}
