import { check, defineErrors } from '../base/errors.js';
import { encodeWith } from '../codec/binary.js';
import { blockHeaderDigest, type ChainId, NULL_BLOCK_ID } from '../crypto/digests.js';
import type { PublicKey } from '../crypto/public-key.js';
import { SIGNATURE_BYTES } from '../crypto/signature.js';
import { SKIP } from '../operations/define.js';
import { blockHeader, type SignedBlock } from '../protocol/block.js';
import type { Instance } from '../protocol/ids.js';
import { billedCpuTimeUs } from '../protocol/results.js';
import type { ChainState } from '../state/chain-state.js';
import { dynamicGlobalPropertyObject } from '../state/objects/dynamic-global-property.js';
import { witnessObject } from '../state/objects/witness.js';
import { parameters, vmCpuLimits } from '../state/rules/parameters.js';
import { applyTransaction, asRefusal } from './apply-transaction.js';
import type { RunContext } from './context.js';
import type { PendingEntry } from './pending.js';
import { scheduledWitness, slotAt } from './schedule.js';
import { BlockFacts, type TransactionFacts } from './verified.js';

export const PRODUCE_ERRORS = defineErrors({
  produce_slot: { text: 'slot_num > 0: ' },
  produce_witness: { text: 'scheduled_witness == witness_id: ' },
  produce_key: { text: 'witness_obj.signing_key == block_signing_private_key.get_public_key(): ' },
  produce_block_size: {
    text: 'fc::raw::pack_size(pending_block) <= get_global_properties().parameters.maximum_block_size: ',
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

/** Packed empty signed header, and room for the number of transactions. */
const EMPTY_BLOCK_BYTES = 115;

export interface AssemblyInput {
  readonly state: ChainState;
  readonly chainId: ChainId;
  readonly pending: readonly PendingEntry[];
  readonly skip: number;
  newContext(skip: number): RunContext;
}

/**
 * Fills a block with pending transactions on top of the head state, in their order, within the limits of bytes and CPU
 * time. What does not fit stays pending. The state is that of the head block before and after.
 */
export function assembleBlock(input: AssemblyInput, request: ProduceRequest): BlockFacts {
  const { state, skip } = input;
  const { when, witness, signer } = request;
  const slot = slotAt(state, when);
  check(slot > 0, PRODUCE_ERRORS.produce_slot);
  check(scheduledWitness(state, slot) === witness, PRODUCE_ERRORS.produce_witness);
  const isSigned = (skip & SKIP.witnessSignature) === 0;
  if (isSigned) {
    check(state.get(witnessObject, witness).signing_key === signer.publicKey, PRODUCE_ERRORS.produce_key);
  }
  const transactions = chooseTransactions(input);
  const head = state.single(dynamicGlobalPropertyObject);
  const unsigned: SignedBlock = {
    previous: head.head_block_number === 0 ? NULL_BLOCK_ID : head.head_block_id,
    timestamp: when,
    witness,
    transaction_merkle_root: NULL_BLOCK_ID,
    extensions: [],
    witness_signature: new Uint8Array(SIGNATURE_BYTES),
    transactions: transactions.map((facts) => facts.transaction),
  };
  unsigned.transaction_merkle_root = new BlockFacts(unsigned, transactions).merkleRoot;
  if (isSigned) unsigned.witness_signature = signer.sign(encodeWith(blockHeader, unsigned, blockHeaderDigest));
  const facts = new BlockFacts(unsigned, transactions);
  if ((skip & SKIP.blockSizeCheck) === 0) {
    check(facts.size <= parameters(state).maximum_block_size, PRODUCE_ERRORS.produce_block_size);
  }
  return facts;
}

function chooseTransactions(input: AssemblyInput): TransactionFacts[] {
  const { state, chainId, skip } = input;
  const bytesMax = parameters(state).maximum_block_size;
  const cpuMax = vmCpuLimits(state).block_cpu_limit;
  const chosen: TransactionFacts[] = [];
  let bytes = EMPTY_BLOCK_BYTES;
  let cpuUs = 0;
  state.openFrame();
  try {
    for (const { facts } of input.pending) {
      // Once the CPU time is used up nothing else is tried, not even what would need none.
      if (bytes + facts.size >= bytesMax || cpuUs >= cpuMax) continue;
      state.openFrame();
      try {
        const results = applyTransaction(state, chainId, input.newContext(skip), facts, []);
        for (const result of results) cpuUs += billedCpuTimeUs(result);
        if (cpuUs >= cpuMax) {
          state.undoFrame();
          continue;
        }
        state.mergeFrame();
        const kept = facts.withResults(chainId, results);
        chosen.push(kept);
        bytes += kept.size;
      } catch (error) {
        state.undoFrame();
        asRefusal(error);
      }
    }
  } finally {
    state.undoFrame();
  }
  return chosen;
}
