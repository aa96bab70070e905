import { crashPoint } from '../base/crash-point.js';
import { ChainError } from '../base/errors.js';
import type { BlockDoor } from '../chain/doors.js';
import { decodeTrusted } from '../codec/binary.js';
import { SKIP } from '../operations/define.js';
import { signedBlock } from '../protocol/block.js';
import { BULK_FLUSH, type FlushLimits, LIVE_FLUSH, type Storage } from './storage.js';

/** What blocks of the own log need not prove again. */
export const REPLAY_SKIP: number =
  SKIP.witnessSignature |
  SKIP.transactionSignatures |
  SKIP.transactionDupeCheck |
  SKIP.blockSizeCheck |
  SKIP.taposCheck |
  SKIP.authorityCheck |
  SKIP.merkleCheck |
  SKIP.witnessScheduleCheck;

/** The event loop gets its turn that often. */
const SLICE_BLOCKS_MAX = 1000;
/** Flushes of a short recovery are not worth their time. */
const PROGRESS_BLOCKS = 500;

export interface RecoveryOptions {
  /** Longest time in seconds that a transaction may be remembered, see the chain's parameters. */
  readonly expirationSecMax: number;
  readonly flushLimits?: FlushLimits;
  readonly onProgress?: (progress: {
    readonly number: number;
    readonly last: number;
    readonly transactions: number;
  }) => void;
  /** Stops after the block under way; the next start goes on there. */
  readonly signal?: AbortSignal;
}

export interface Recovered {
  readonly from: number;
  readonly to: number;
  readonly transactions: number;
}

/**
 * Applies the blocks that the log has beyond the chain's head. Duplicates of old transactions cannot be in a log, so
 * nobody remembers them; those of blocks young enough to matter after the start are remembered.
 */
export async function recover(storage: Storage, door: BlockDoor, options: RecoveryOptions): Promise<Recovered> {
  const { log } = storage;
  const from = door.head.number + 1;
  const last = log.headNumber;
  let transactions = 0;
  if (last < from) return { from, to: last, transactions };
  const rememberFrom = timeOf(log.read(last)) - options.expirationSecMax;
  storage.flushLimits = options.flushLimits ?? BULK_FLUSH;
  try {
    for (const { number, id, bytes } of log.walk(from, last)) {
      const block = decodeTrusted(signedBlock, bytes);
      const isOld = block.timestamp < rememberFrom;
      push(
        () => door.push({ block, id, num: number }, isOld ? REPLAY_SKIP : REPLAY_SKIP & ~SKIP.transactionDupeCheck),
        number,
      );
      transactions += block.transactions.length;
      if (number === from + ((last - from) >> 1)) crashPoint('recovery_half_applied');
      if (number % SLICE_BLOCKS_MAX === 0 || storage.isFlushDue) {
        await storage.throttle();
        if (storage.objects.head !== undefined && storage.objects.head.number > 0) crashPoint('replay_half_done');
        await new Promise((resolve) => setImmediate(resolve));
        if (options.signal?.aborted === true) break;
      }
      if (number % PROGRESS_BLOCKS === 0 || number === last) options.onProgress?.({ number, last, transactions });
    }
  } finally {
    storage.flushLimits = LIVE_FLUSH;
  }
  door.save();
  await storage.flush();
  return { from, to: door.head.number, transactions };
}

function timeOf(packed: Uint8Array | undefined): number {
  return packed === undefined ? 0 : decodeTrusted(signedBlock, packed).timestamp;
}

function push(work: () => unknown, number: number): void {
  try {
    work();
  } catch (error) {
    if (error instanceof ChainError) error.within(`while block ${number} of the block log was applied again`);
    throw error;
  }
}
