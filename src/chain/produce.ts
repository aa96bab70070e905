import { check, defineErrors } from '../base/errors.js';
import { encodeWith } from '../codec/binary.js';
import { blockHeaderDigest, NULL_BLOCK_ID } from '../crypto/digests.js';
import type { PublicKey } from '../crypto/public-key.js';
import { SIGNATURE_BYTES } from '../crypto/signature.js';
import { SKIP } from '../operations/define.js';
import { BLOCK_BYTES_MAX, blockHeader, type SignedBlock } from '../protocol/block.js';
import type { Instance } from '../protocol/ids.js';
import type { ChainState } from '../state/chain-state.js';
import { dynamicGlobalPropertyObject } from '../state/objects/dynamic-global-property.js';
import { witnessObject } from '../state/objects/witness.js';
import { parameters } from '../state/rules/parameters.js';
import type { ReadState } from '../state/views.js';
import { BlockFacts } from './facts.js';
import type { TriedTransactions } from './next-block.js';
import { scheduledWitness, slotAt } from './schedule.js';

export const PRODUCE_ERRORS = defineErrors({
  produce_slot: { text: 'slot_num > 0: ', hint: 'the time lies before the next slot' },
  produce_witness: { text: 'scheduled_witness == witness_id: ', hint: 'the slot is of another witness' },
  produce_key: {
    text: 'witness_obj.signing_key == block_signing_private_key.get_public_key(): ',
    hint: 'the witness signs with another key',
  },
  produce_ahead: {
    kind: 'limit',
    text: 'this node knows block ${number}, which it could not take yet, and makes none beside it',
  },
  produce_block_size: {
    text: 'fc::raw::pack_size(pending_block) <= get_global_properties().parameters.maximum_block_size: ',
    hint: 'even without transactions a block is larger than allowed',
  },
});

/** Signs without showing its secret to the core. */
export interface BlockSigner {
  readonly publicKey: PublicKey;
  sign(digest: Uint8Array): Uint8Array;
}

export interface ProduceRequest {
  readonly when: number;
  readonly witness: Instance;
  readonly signer: BlockSigner;
}

export interface AssemblyInput {
  readonly state: ChainState;
  readonly skip: number;
  /** Tried on top of the head state, in this order; their effects may stand in an open frame. */
  readonly tried: TriedTransactions;
}

/**
 * What a block of this node has at most. The parameter may be more than can travel, as in the genesis files of both live
 * networks: such a block would stay with its producer, and with it all that do not build on it.
 */
export const ownBlockBytesMax = (s: ReadState): number => Math.min(parameters(s).maximum_block_size, BLOCK_BYTES_MAX);

/** Makes a signed block of transactions that were chosen to fit. */
export function assembleBlock({ state, skip, tried }: AssemblyInput, request: ProduceRequest): BlockFacts {
  const { when, witness, signer } = request;
  const slot = slotAt(state, when);
  check(slot > 0, PRODUCE_ERRORS.produce_slot);
  check(scheduledWitness(state, slot) === witness, PRODUCE_ERRORS.produce_witness);
  const isSigned = (skip & SKIP.witnessSignature) === 0;
  if (isSigned) {
    // One of the transactions may change the key, but the header is checked before any of them counts.
    const signingKey = state.committed(witnessObject, witness)?.signing_key;
    check(signingKey === signer.publicKey, PRODUCE_ERRORS.produce_key);
  }
  const unsigned: SignedBlock = {
    previous: state.single(dynamicGlobalPropertyObject).head_block_id,
    timestamp: when,
    witness,
    transaction_merkle_root: NULL_BLOCK_ID,
    extensions: [],
    witness_signature: new Uint8Array(SIGNATURE_BYTES),
    transactions: tried.entries.map(({ facts }) => facts.transaction),
  };
  const own = tried.entries.map(({ facts }) => facts);
  const facts = new BlockFacts(unsigned, own, tried.packed);
  unsigned.transaction_merkle_root = facts.merkleRoot;
  if (isSigned) unsigned.witness_signature = signer.sign(encodeWith(blockHeader, unsigned, blockHeaderDigest));
  // A signer that signs with another key than it says would make a block that all others refuse.
  if (isSigned) check(facts.signer === signer.publicKey, PRODUCE_ERRORS.produce_key);
  if ((skip & SKIP.blockSizeCheck) === 0) {
    // The log and everybody who is told of it want the same bytes.
    check(facts.bytes.length <= ownBlockBytesMax(state), PRODUCE_ERRORS.produce_block_size);
  }
  return facts;
}
