import type { QueryDoor } from '../../chain/doors.js';
import { encode } from '../../codec/binary.js';
import { type BlockId, blockNumFromId } from '../../crypto/digests.js';
import type { ChainView } from '../../p2p/ports.js';
import { signedBlock } from '../../protocol/block.js';
import { signedTransaction } from '../../protocol/transaction.js';
import { globalPropertyObject } from '../../state/objects/global-property.js';
import { transactionObject } from '../../state/objects/transaction.js';

export interface NetworkViewParts {
  readonly queries: QueryDoor;
  readonly genesisTime: number;
  /** Packed, of the chain itself, where that is cheaper than the block. */
  readonly packedBlock?: (number: number) => Uint8Array | undefined;
}

/** The chain as the network sees it. */
export function networkView({ queries, genesisTime, packedBlock }: NetworkViewParts): ChainView {
  const { state } = queries;
  return {
    chainId: queries.chainId,
    get head() {
      return queries.head;
    },
    get permanent() {
      return queries.head.irreversible;
    },
    genesisTime,
    get blockIntervalSec() {
      return state.single(globalPropertyObject).parameters.block_interval;
    },
    blockIdOf: (number) => queries.blockIdOf(number),
    isKnownBlock: (id) => queries.isKnownBlock(id),
    branchTo: (id) => branchTo(queries, id),
    blockBytes(id) {
      const number = blockNumFromId(id);
      const packed = queries.blockIdOf(number) === id ? packedBlock?.(number) : undefined;
      if (packed !== undefined) return packed;
      const block = queries.blockById(id);
      return block === undefined ? undefined : encode(signedBlock, block);
    },
    transactionBytes(id) {
      const found = state.findBy(transactionObject.by.trxId, id);
      return found === undefined ? undefined : encode(signedTransaction, found.trx);
    },
  };
}

function branchTo(queries: QueryDoor, id: BlockId): { forkNumber: number; ids: BlockId[] } | undefined {
  const ids: BlockId[] = [];
  let at = id;
  while (queries.blockIdOf(blockNumFromId(at)) !== at) {
    const block = queries.blockById(at);
    if (block === undefined) return undefined;
    ids.push(at);
    at = block.previous;
  }
  return { forkNumber: blockNumFromId(at), ids: ids.reverse() };
}
