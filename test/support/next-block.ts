import { BlockFacts } from '../../src/chain/facts.js';
import { encodeWith } from '../../src/codec/binary.js';
import { blockHeaderDigest } from '../../src/crypto/digests.js';
import type { PrivateKey } from '../../src/crypto/private-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { blockHeader, type SignedBlock } from '../../src/protocol/block.js';
import type { TestWorld } from './world.js';
import { witnessKey } from './world-genesis.js';

/** Witness 1.6.1 is init0. */
export const keyOfWitness = (witness: number): PrivateKey => witnessKey(`init${witness - 1}`);

export function signedBy(block: SignedBlock, key: PrivateKey): SignedBlock {
  const signature = signatureBackend().sign(encodeWith(blockHeader, block, blockHeaderDigest), key);
  return { ...block, witness_signature: signature };
}

/** A block for the world's next slot, signed by whose turn it is. */
export function nextBlock(w: TestWorld, change: Partial<SignedBlock> = {}): SignedBlock {
  const { queries, blocks } = w.chain;
  const block: SignedBlock = {
    previous: blocks.head.id,
    timestamp: queries.slotTime(1),
    witness: queries.scheduledWitness(1),
    transaction_merkle_root: '',
    extensions: [],
    witness_signature: new Uint8Array(65),
    transactions: [],
    ...change,
  };
  block.transaction_merkle_root = new BlockFacts(block).merkleRoot;
  return signedBy(block, keyOfWitness(block.witness));
}
