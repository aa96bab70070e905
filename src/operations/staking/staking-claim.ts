import { check, defineErrors } from '../../base/errors.js';
import { stakingClaimOperation } from '../../protocol/operations/governance.js';
import { stakingObject } from '../../state/objects/staking.js';
import { witnessObject } from '../../state/objects/witness.js';
import { adjustBalanceBy } from '../../state/rules/balances.js';
import { voteParameters } from '../../state/rules/parameters.js';
import { defineOperation } from '../define.js';
import { stakeTimes, stakeWeight, takeWeight } from './weights.js';

export const STAKING_CLAIM_ERRORS = defineErrors({
  staking_claim_unknown: { text: 'stak_itor != staking_objects.end(): invalid staking_id ${id}' },
  staking_claim_not_owner: { text: 'stak_itor->owner == op.owner: non-staking owners cannot claim' },
  staking_claim_early: {
    text: 'stak_itor->staking_days * SECONDS_PER_DAY < (_db.head_block_time().sec_since_epoch() - stak_itor->create_date_time.sec_since_epoch()): claim timepoint has not arrived yet',
  },
  staking_claim_open: { text: 'stak_itor->is_valid == false: please wait for the dividend to end' },
});

/** Gives a stake back to its owner after its time. Until fork 1027 anybody could ask for it. */
export const stakingClaim = defineOperation({
  ...stakingClaimOperation,
  payer: (op) => op.owner,
  validate() {},
  evaluate(s, op) {
    const staking = s.find(stakingObject, op.staking_id);
    check(staking !== undefined, STAKING_CLAIM_ERRORS.staking_claim_unknown, () => ({ id: `1.27.${op.staking_id}` }));
    if (s.active('HF_1027')) check(staking.owner === op.owner, STAKING_CLAIM_ERRORS.staking_claim_not_owner);
    const { staked, passed } = stakeTimes(s, staking);
    check(staked < passed, STAKING_CLAIM_ERRORS.staking_claim_early);
    // In staking mode the maintenance closes expired stakes and takes their weight off.
    if (voteParameters(s).staking_mode_on) check(!staking.is_valid, STAKING_CLAIM_ERRORS.staking_claim_open);
    return staking;
  },
  apply(s, _op, staking) {
    const { owner, amount, trust_node } = staking;
    if (!voteParameters(s).staking_mode_on) takeWeight(s, s.get(witnessObject, trust_node), stakeWeight(staking));
    adjustBalanceBy(s, owner, amount);
    s.remove(stakingObject, staking);
    return [2, amount];
  },
});
