import { defineErrors, fail } from '../../base/errors.js';
import type { BlockFeed } from '../../plugin/feed.js';
import type { AddedFollower } from '../../plugin/follower.js';
import type { TransactionIndexPort } from '../../rpc/ports.js';
import type { TransactionIndex } from '../../storage/transaction-index/transaction-index.js';

export const TRANSACTION_INDEX_ERRORS = defineErrors({
  transaction_index_behind: {
    kind: 'limit',
    text: 'the index of transactions is being built: it knows those of blocks up to ${number} of ${head}, and ${id} is in none of these. Ask again later',
  },
  transaction_index_stopped: {
    kind: 'environment',
    text: 'the index of transactions has stopped at block ${number} of ${head} (${reason}), and ${id} is in none up to there. Start the node again',
  },
});

export interface TransactionPortParts {
  readonly index: Pick<TransactionIndex, 'find' | 'position'>;
  readonly feed: BlockFeed;
  readonly added: Pick<AddedFollower, 'status'>;
}

/** Blocks that the index may not have taken yet without anybody having to know of it. */
const LOOKED_AT_MAX = 64;

/**
 * Where transactions stand. The index follows the chain by a moment; the blocks in between are looked at themselves. When
 * there are many of them, what is not found is not said to be nowhere.
 */
export function transactionPort({ index, feed, added }: TransactionPortParts): TransactionIndexPort {
  return {
    find(id) {
      const { position } = index;
      const { headNumber: head } = feed;
      // What a branch that was left has done to the index lies behind what is irreversible.
      const known = feed.has(position) ? position.number : Math.min(position.number, feed.irreversibleNumber);
      const from = Math.max(known + 1, head - LOOKED_AT_MAX + 1);
      for (let number = head; number >= from; number--) {
        const at = feed.read(number)?.transactionIds.indexOf(id) ?? -1;
        if (at >= 0) return { block: number, position: at };
      }
      const place = index.find(id);
      if (place !== undefined || from <= known + 1) return place;
      const { reason, state } = added.status;
      const about = { number: known, head, id, reason };
      if (state === 'failed') fail(TRANSACTION_INDEX_ERRORS.transaction_index_stopped, about);
      return fail(TRANSACTION_INDEX_ERRORS.transaction_index_behind, about);
    },
  };
}
