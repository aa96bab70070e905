import { stakingRecord } from '../../protocol/objects/governance.js';
import { defineObject, group, type ObjectOf } from '../define.js';

export const stakingObject = defineObject(
  { ...stakingRecord, keep: 'sparse' },
  {
    owner: group((staking) => staking.owner),
    witness: group((staking) => staking.trust_node),
  },
);
export type StakingObject = ObjectOf<typeof stakingObject>;
