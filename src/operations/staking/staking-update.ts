import { check, defineErrors } from '../../base/errors.js';
import { stakingUpdateOperation } from '../../protocol/operations/governance.js';
import { stakingObject } from '../../state/objects/staking.js';
import { witnessObject } from '../../state/objects/witness.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import { addWeight, stakeTimes, stakeWeight, takeWeight, validTrustNode } from './weights.js';

export const STAKING_UPDATE_ERRORS = defineErrors({
  staking_update_unknown: { text: 'stak_itor != staking_objects.end(): invalid staking_id ${id}' },
  staking_update_not_owner: { text: 'stak_itor->owner == op.owner: non-staking owners cannot update' },
  staking_update_weights: {
    text: 'pre_wit_itor->total_vote_weights >= (stak_itor->amount.amount * stak_itor->weight): An error occurred in the old node-ticket statistics',
  },
  staking_update_same: {
    text: 'stak_itor->trust_node != op.trust_node: Cannot be updated to the same trust node',
  },
  staking_update_expired: {
    text: 'stak_itor->staking_days * SECONDS_PER_DAY > (_db.head_block_time().sec_since_epoch() - stak_itor->create_date_time.sec_since_epoch()): staking expired',
  },
  staking_update_closed: { text: 'stak_itor->is_valid == true: ', hint: 'the staking is closed' },
});

/** Moves a stake to another trust node. The result names the former one. */
export const stakingUpdate = defineOperation({
  ...stakingUpdateOperation,
  payer: (op) => op.owner,
  validate() {},
  evaluate(s, op) {
    const target = validTrustNode(s, op.trust_node);
    const staking = s.find(stakingObject, op.staking_id);
    check(staking !== undefined, STAKING_UPDATE_ERRORS.staking_update_unknown, () => ({ id: `1.27.${op.staking_id}` }));
    if (s.active('HF_1027')) check(staking.owner === op.owner, STAKING_UPDATE_ERRORS.staking_update_not_owner);
    const source = s.get(witnessObject, staking.trust_node);
    const isBacked = source.total_vote_weights >= stakeWeight(staking);
    check(isBacked, STAKING_UPDATE_ERRORS.staking_update_weights);
    if (s.active('HF_1028')) check(staking.trust_node !== op.trust_node, STAKING_UPDATE_ERRORS.staking_update_same);
    const { staked, passed } = stakeTimes(s, staking);
    check(staked > passed, STAKING_UPDATE_ERRORS.staking_update_expired);
    // The maintenance closes those that have expired, and no others: by operations alone nobody gets here.
    check(staking.is_valid, STAKING_UPDATE_ERRORS.staking_update_closed);
    return { staking, source, target };
  },
  apply(s, op, { staking, source, target }) {
    s.modify(stakingObject, staking, (o) => {
      o.trust_node = op.trust_node;
    });
    addWeight(s, target, takeWeight(s, source, stakeWeight(staking)));
    return createdResult(witnessObject, source.id);
  },
});
