import { crashPoint } from '../base/crash-point.js';
import type { ReplayDoor } from '../chain/doors.js';
import { decodeTrusted } from '../codec/binary.js';
import { SKIP } from '../operations/define.js';
import { type SignedBlock, signedBlock } from '../protocol/block.js';
import { ReadBlock, type SourceBlock } from '../protocol/source-block.js';
import type { BlockLog } from '../storage/block-log.js';
import { BULK_FLUSH, type FlushLimits, LIVE_FLUSH, type Storage } from '../storage/storage.js';
import type { BlockImporter, ImportOutcome } from './importer.js';

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

/** The disk is looked at after so many blocks at the latest; whoever tells the progress may look after so many. */
const LOOK_BLOCKS = 1000;
const PROGRESS_BLOCKS = 100;

export interface RecoveryOptions {
  readonly flushLimits?: FlushLimits;
  readonly onProgress?: (progress: {
    readonly number: number;
    readonly last: number;
    readonly transactions: number;
  }) => void;
  /** Stops after the block under way; the next start goes on there. */
  readonly signal?: AbortSignal | undefined;
}

export interface Recovered {
  readonly from: number;
  readonly to: number;
  readonly transactions: number;
}

/**
 * Applies the blocks that the log has beyond the chain's head. Duplicates cannot be in a log, but in a branch that begins
 * at any block that may still be undone: transactions are remembered only in blocks with one that has not expired there.
 * What is stored before the end of the log says so: it goes on with this log alone.
 */
export async function recover(
  storage: Storage,
  door: ReplayDoor,
  importer: BlockImporter,
  options: RecoveryOptions,
): Promise<Recovered> {
  const { log } = storage;
  const from = door.head.number + 1;
  const last = log.headNumber;
  let transactions = 0;
  if (last < from) return { from, to: last, transactions };
  const after = ({ number }: ImportOutcome, block: SignedBlock): Promise<void> | undefined => {
    transactions += block.transactions.length;
    if (number === from + ((last - from) >> 1)) crashPoint('recovery_half_applied');
    if (number === from || number % PROGRESS_BLOCKS === 0) options.onProgress?.({ number, last, transactions });
    return number % LOOK_BLOCKS === 0 || storage.isFlushDue ? letDiskFollow(storage) : undefined;
  };
  storage.flushLimits = options.flushLimits ?? BULK_FLUSH;
  storage.objects.replayEnd = last;
  const replay = door.begin(last, storage.irreversibleNumber);
  const undoableTime = timeOf(log.read(replay.final));
  try {
    await importer.pull(
      blocksOf(log, from, last),
      { kind: 'recovery' },
      {
        isTrusted: true,
        skip: ({ transactions }) =>
          transactions.some(({ expiration }) => expiration >= undoableTime)
            ? REPLAY_SKIP & ~SKIP.transactionDupeCheck
            : REPLAY_SKIP,
        after,
        signal: options.signal,
      },
    );
  } finally {
    replay.end();
    storage.flushLimits = LIVE_FLUSH;
  }
  if (door.head.number >= last) storage.objects.replayEnd = undefined;
  door.save();
  await storage.flush();
  return { from, to: door.head.number, transactions };
}

async function letDiskFollow(storage: Storage): Promise<void> {
  await storage.throttle();
  if (storage.objects.head !== undefined && storage.objects.head.number > 0) crashPoint('replay_half_done');
}

function* blocksOf(log: BlockLog, from: number, last: number): Generator<SourceBlock> {
  for (const { id, bytes } of log.walk(from, last))
    yield new ReadBlock(decodeTrusted(signedBlock, bytes), bytes.length, id);
}

function timeOf(packed: Uint8Array | undefined): number {
  return packed === undefined ? 0 : decodeTrusted(signedBlock, packed).timestamp;
}
