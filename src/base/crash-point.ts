/**
 * Named points at which a test ends the process, to prove that a start after it finds everything in order. In
 * production nothing is armed and a point costs one comparison. The list is the documentation: every name says which
 * effect has just happened and which one has not.
 */
export const CRASH_POINTS = {
  block_log_before_append: 'a block was applied, nothing of it is in the block log',
  block_log_half_append: 'the first half of a record is in the block log',
  after_block_log_before_index: 'the record is in the block log, its index entry is not',
  block_log_half_index: 'half of the index entry is written',
  block_log_after_index_cut: 'a fork switch has cut the index, the log still holds the popped blocks',
  block_log_after_cut: 'a fork switch has cut index and log, no block of the new branch is stored',
  journal_before_append: 'the block log is on disk, nothing of the irreversible blocks is in the operation journal',
  journal_half_append: 'the first half of the new segments is in the operation journal',
  after_journal_before_index: 'the segments are in the operation journal, their index entries are not',
  journal_half_index: 'half of the index entries of new segments is written',
  journal_after_index_cut: 'a start has cut the index of the operation journal, its segments are still there',
  journal_after_cut: 'a start has cut the operation journal down to the stored state',
  after_journal_before_state: 'block log and operation journal are on disk, the changed objects are not taken yet',
  after_block_log_before_state: 'the block log is on disk, the batch of changed objects is not written',
  state_batch_under_way: 'the batch of changed objects is handed to the database, its end is not awaited',
  after_state_batch: 'the batch of changed objects is written, the chain has not heard of it',
  recovery_before_apply: 'objects are loaded, no block of the log is applied yet',
  recovery_half_applied: 'some of the missing blocks are applied again',
  replay_after_drop: 'the object store was dropped for a replay, nothing is rebuilt',
  replay_half_done: 'a replay has stored its state at least once and is not finished',
  close_before_flush: 'the node is asked to stop and has not stored its last changes',
  slot_claimed: 'the slot is recorded as signed, its block is not signed',
  block_made: 'the block of an own witness is signed and applied, nobody has heard of it',
  genesis_before_state: 'the files are created, the genesis objects are not stored',
} as const;
export type CrashPoint = keyof typeof CRASH_POINTS;

/** The same for commands beside the node. */
const COMMAND_CRASH_POINTS = {
  state_set_aside: 'a restored state is whole, the former one lies aside, and none is in its place',
  state_replaced: 'a restored state is in its place, the former one lies aside',
} as const;

/** The same for the services around the node. */
const SERVICE_CRASH_POINTS = {
  payment_reserved: 'a payment is recorded and its amount held back, nothing of what it is for is stored',
  content_written: 'the blocks of a content are on the disk, the database does not know them',
  content_pinned: 'a content is pinned, its payment does not know it',
  payment_ready: 'what is paid for is stored, no transaction is made',
  payment_signed: 'the signed transaction is recorded, nobody has got it',
  leg_stored: 'a request for data is recorded, its buyer has no answer and no source is asked',
  leg_asked: 'a source has answered, nothing of its answer is recorded',
  leg_answered: 'the answer of a source is recorded, it is not stored by its content id',
  payment_taken: 'a node has taken the transaction, its answer is not recorded',
  registration_signed: 'the transaction of a registration is recorded and charged, nobody has got it',
  registration_taken: 'a node has taken a registration, its answer is not recorded',
  vote_recorded: 'a vote has begun with its notifications and e-mails, nobody was answered or written to',
  mail_taken: 'an e-mail is on its way, which is not recorded',
} as const;
export type ServiceCrashPoint = keyof typeof SERVICE_CRASH_POINTS;
type AnyCrashPoint = CrashPoint | keyof typeof COMMAND_CRASH_POINTS | ServiceCrashPoint;

const ALL_CRASH_POINTS = { ...CRASH_POINTS, ...COMMAND_CRASH_POINTS, ...SERVICE_CRASH_POINTS };

interface Armed {
  readonly name: AnyCrashPoint;
  /** Passes that are let through first. */
  skip: number;
  readonly crash: () => void;
}

let armed: Armed | undefined;

export function isCrashPoint(name: string): name is AnyCrashPoint {
  return Object.hasOwn(ALL_CRASH_POINTS, name);
}

/** Only tests and the entry point under test call this. One point is armed at a time. */
export function armCrashPoint(name: AnyCrashPoint, skip: number, crash: () => void): void {
  armed = { name, skip, crash };
}

export function disarmCrashPoints(): void {
  armed = undefined;
}

export function crashPoint(name: AnyCrashPoint): void {
  if (armed === undefined || armed.name !== name) return;
  if (armed.skip > 0) {
    armed.skip--;
    return;
  }
  const { crash } = armed;
  armed = undefined;
  crash();
}

/** True when the next pass of this point crashes: the caller then does the first half of its write alone. */
export function crashIsDue(name: CrashPoint): boolean {
  return armed !== undefined && armed.name === name && armed.skip === 0;
}
