import { add64, lesser, sub64 } from '../base/int.js';
import type { Instance } from '../protocol/ids.js';
import { dynamicGlobalPropertyObject } from '../state/objects/dynamic-global-property.js';
import { witnessObject } from '../state/objects/witness.js';
import { depositWitnessPay } from '../state/rules/cashback.js';
import { isStakingMode, parameters, voteParameters } from '../state/rules/parameters.js';
import type { WriteState } from '../state/views.js';

/** Pays for the block out of the budget; in staking mode a part goes to the pool that nodes and stakers share. */
export function paySigningWitness(s: WriteState, id: Instance): void {
  const head = s.single(dynamicGlobalPropertyObject);
  const witness = s.get(witnessObject, id);
  const wanted = parameters(s).witness_pay_per_block;
  const pay = lesser(wanted, head.witness_budget);
  let share = pay;
  if (isStakingMode(s)) {
    // Exact: nothing says of this product that it ends the block where 63 bits are not enough.
    const part = (pay * BigInt(voteParameters(s).witness_reward_proportion)) / 1000n;
    share = lesser(part, pay);
  }
  const budget = sub64(head.witness_budget, pay);
  const pool = add64(head.current_staking_reward_pool, sub64(pay, share));
  const o = s.edit(dynamicGlobalPropertyObject, head);
  o.witness_budget = budget;
  o.current_staking_reward_pool = pool;
  depositWitnessPay(s, witness, share);
  s.modify(witnessObject, witness, (o) => {
    o.last_aslot = head.current_aslot;
    o.last_confirmed_block_num = head.head_block_number;
  });
}
