import { share, time, u32, u64, u128 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { witnessId } from '../../protocol/ids.js';
import { blockId } from '../../protocol/keys.js';
import { defineObject, type ObjectOf } from '../define.js';

/** Bit of `dynamic_flags`: the head block was a maintenance block. */
export const MAINTENANCE_FLAG = 1;

export const dynamicGlobalPropertyObject = defineObject({
  name: 'dynamic_global_property',
  space: 2,
  type: 1,
  keep: 'single',
  schema: struct('dynamic_global_property_object', {
    head_block_number: u32,
    head_block_id: blockId,
    /** Head time. */
    time,
    current_witness: witnessId,
    /** 0 at genesis, so that block 1 is a maintenance block. */
    next_maintenance_time: time,
    last_budget_time: time,
    /** Pay that is left until the next maintenance. */
    witness_budget: share,
    accounts_registered_this_interval: u32,
    /** A statistic; differs between nodes that have seen other checkpoints. */
    recently_missed_count: u32,
    current_aslot: u64,
    /** One bit per slot, the newest lowest. */
    recent_slots_filled: u128,
    dynamic_flags: u32,
    last_irreversible_block_num: u32,
    current_staking_reward_pool: share,
  }),
});
export type DynamicGlobalPropertyObject = ObjectOf<typeof dynamicGlobalPropertyObject>;
