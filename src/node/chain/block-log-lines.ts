import type { Clock, Logger } from '../../base/world.js';
import type { QueryDoor } from '../../chain/doors.js';
import type { ChainListener } from '../../chain/events.js';
import { accountObject } from '../../state/objects/account.js';
import { witnessObject } from '../../state/objects/witness.js';
import { isCatchingUp } from './catching-up.js';

const ID_PREFIX_CHARS = 16;
/** While catching up, one line stands for so many blocks. */
const CATCHING_UP_BLOCKS = 10_000;

/** One line per block, the line that an operator looks at. */
export function blockLogLines(parts: {
  readonly queries: QueryDoor;
  readonly clock: Clock;
  readonly log: Logger;
  /** Milliseconds that the block under way has taken so far. */
  readonly blockMs: () => number;
}): ChainListener {
  const { queries, clock, log, blockMs } = parts;
  const witnessName = (witness: number): string => {
    const { state } = queries;
    const found = state.find(witnessObject, witness);
    return (found && state.find(accountObject, found.witness_account)?.name) ?? `1.6.${witness}`;
  };
  return (event) => {
    if (event.kind === 'undone') {
      const { number, id, block } = event.block;
      log.warn('block undone', { num: number, id: id.slice(0, ID_PREFIX_CHARS), txs: block.transactions.length });
      return;
    }
    if (event.kind !== 'applied') return;
    const { number, id, block } = event.block;
    if (isCatchingUp(block.timestamp, clock.nowMs()) && number % CATCHING_UP_BLOCKS !== 0) return;
    log.info('block', {
      num: number,
      id: id.slice(0, ID_PREFIX_CHARS),
      witness: witnessName(block.witness),
      txs: block.transactions.length,
      ms: Math.round(blockMs() * 10) / 10,
      irreversible: queries.head.irreversible,
    });
  };
}
