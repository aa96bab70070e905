import { check, defineErrors, stateless } from '../base/errors.js';
import { SKIP } from '../operations/define.js';
import { dynamicGlobalPropertyObject } from '../state/objects/dynamic-global-property.js';
import { witnessObject } from '../state/objects/witness.js';
import type { ReadState } from '../state/views.js';
import type { BlockFacts } from './facts.js';
import { scheduledWitness, slotAt } from './schedule.js';

export const HEADER_ERRORS = defineErrors({
  block_merkle_root: {
    text: '(skip & skip_merkle_check) || next_block.transaction_merkle_root == next_block.calculate_merkle_root(): ',
    hint: 'the header does not cover the transactions of the block',
  },
  block_previous: { text: 'head_block_id() == next_block.previous: ', hint: 'the block does not build on the head' },
  block_time: { text: 'head_block_time() < next_block.timestamp: ', hint: 'the block is not later than the head' },
  block_signature: {
    text: 'next_block.validate_signee( witness.signing_key ): ',
    hint: 'the block is not signed with the key of its witness',
  },
  block_slot: { text: 'slot_num > 0: ', hint: 'the time of the block lies before the next slot' },
  block_witness: {
    text: 'next_block.witness == scheduled_witness: Witness produced block at wrong time',
    hint: 'the block is of witness ${block_witness}, its slot ${slot_num} is of ${scheduled}',
  },
});

/** The block's own claim about its transactions; needs no state. */
export function checkMerkleRoot(facts: BlockFacts, skip: number): void {
  if ((skip & SKIP.merkleCheck) !== 0) return;
  const { transaction_merkle_root } = facts.block;
  if (facts.merkleRoot !== transaction_merkle_root) {
    check(false, HEADER_ERRORS.block_merkle_root, {
      'next_block.transaction_merkle_root': transaction_merkle_root,
      calc: facts.merkleRoot,
    });
  }
}

/** Signed by the key that the witness has now, in a slot that is the witness's. */
export function checkHeader(s: ReadState, facts: BlockFacts, skip: number): void {
  const { block } = facts;
  const head = s.single(dynamicGlobalPropertyObject);
  check(block.previous === head.head_block_id, HEADER_ERRORS.block_previous, {
    head_block_id: head.head_block_id,
    'next_block.previous': block.previous,
  });
  check(block.timestamp > head.time, HEADER_ERRORS.block_time);
  const witness = s.get(witnessObject, block.witness);
  if ((skip & SKIP.witnessSignature) === 0) {
    check(stateless(() => facts.signer) === witness.signing_key, HEADER_ERRORS.block_signature);
  }
  if ((skip & SKIP.witnessScheduleCheck) !== 0) return;
  const slot = slotAt(s, block.timestamp);
  check(slot > 0, HEADER_ERRORS.block_slot);
  const scheduled = scheduledWitness(s, slot);
  check(block.witness === scheduled, HEADER_ERRORS.block_witness, () => ({
    block_witness: `1.6.${block.witness}`,
    scheduled: `1.6.${scheduled}`,
    slot_num: slot,
  }));
}
