import type { PendingDoor, QueryDoor } from '../../chain/doors.js';
import { encode } from '../../codec/binary.js';
import { type BlockId, blockNumFromId } from '../../crypto/digests.js';
import type { ChainView } from '../../p2p/ports.js';
import { signedTransaction } from '../../protocol/transaction.js';
import { globalPropertyObject } from '../../state/objects/global-property.js';
import { asRemembered, transactionObject } from '../../state/objects/transaction.js';

export interface NetworkViewParts {
  readonly queries: QueryDoor;
  readonly pending: Pick<PendingDoor, 'has'>;
  readonly genesisTime: number;
}

/** The chain as the network sees it. */
export function networkView({ queries, pending, genesisTime }: NetworkViewParts): ChainView {
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
    checkpointOf: (number) => queries.checkpointOf(number),
    isKnownBlock: (id) => queries.isKnownBlock(id),
    branchTo: (id) => branchTo(queries, id),
    blockBytes: (id) => queries.blockBytesById(id),
    transactionBytes(id) {
      const found = state.findBy(transactionObject.by.trxId, id);
      // Whoever wants one that has been in a block for so long can ask for the block, which nobody has to look through.
      if (found === undefined || asRemembered(found).storedBlock !== undefined) return undefined;
      return encode(signedTransaction, found.trx);
    },
    isWaiting: (id) => pending.has(id),
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
