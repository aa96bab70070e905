import { bool, text, time, u32 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId, witnessId } from '../../protocol/ids.js';
import { defineObject, group, type ObjectOf } from '../define.js';

export const stakingObject = defineObject(
  {
    name: 'staking',
    space: 1,
    type: 27,
    keep: 'sparse',
    schema: struct('staking_object', {
      owner: accountId,
      create_date_time: time,
      staking_days: u32,
      weight: u32,
      program_id: text,
      amount: asset,
      trust_node: witnessId,
      is_valid: bool,
    }),
  },
  {
    owner: group((staking) => staking.owner),
    witness: group((staking) => staking.trust_node),
  },
);
export type StakingObject = ObjectOf<typeof stakingObject>;
