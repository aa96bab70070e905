import { optional, withDefault } from '../../codec/containers.js';
import { bool, i64, share, text, time, u32, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { accountId, vestingBalanceId } from '../../protocol/ids.js';
import { publicKey } from '../../protocol/keys.js';
import { voteId, voteInstance } from '../../protocol/vote.js';
import { defineObject, type ObjectOf, unique } from '../define.js';

export const witnessObject = defineObject(
  {
    name: 'witness',
    space: 1,
    type: 6,
    schema: struct('witness_object', {
      witness_account: accountId,
      last_aslot: u64,
      signing_key: publicKey,
      pay_vb: optional(vestingBalanceId),
      vote_id: voteId,
      /** Refreshed at maintenance. */
      total_votes: u64,
      url: text,
      total_missed: i64,
      last_confirmed_block_num: u32,
      /** False once the pledge was withdrawn. */
      is_valid: withDefault(bool, () => true),
      /** Sum over its stakings of amount times weight. */
      total_vote_weights: share,
      /** Rewards of its stakers that are not handed out yet. */
      vote_reward_pool: share,
      /** Per mille of its reward that stakers get. */
      commission_rate: u32,
      commission_update_time: time,
      /** `total_missed` at the last maintenance in staking mode. */
      previous_missed: i64,
      is_banned: bool,
    }),
  },
  {
    account: unique((witness) => witness.witness_account),
    vote: unique((witness) => voteInstance(witness.vote_id)),
  },
);
export type WitnessObject = ObjectOf<typeof witnessObject>;
