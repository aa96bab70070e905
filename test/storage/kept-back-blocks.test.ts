import { createHash } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { ChainError } from '../../src/base/errors.js';
import { BlockLog, type KeptBack } from '../../src/storage/block-log.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { MemoryFiles } from '../support/memory-files.js';
import { refused } from '../support/refused.js';

/** Records that wait to be written together: what is read of them, what a crash takes, and what it must not take. */

const CHAIN = '11'.repeat(32);

function block(number: number, branch: number): { readonly id: string; readonly bytes: Uint8Array } {
  const seed = createHash('sha256').update(`${number} ${branch}`).digest();
  return {
    id: number.toString(16).padStart(8, '0') + seed.toString('hex', 0, 16),
    bytes: seed.subarray(0, 1 + (number % 30)),
  };
}

const logOf = (files: MemoryFiles): BlockLog => new BlockLog(files, 'log', CHAIN);
/** What a process that is killed now leaves behind. */
const leftBy = (files: MemoryFiles): BlockLog => logOf(files.clone());

type Step =
  | { readonly kind: 'append'; readonly count: number }
  | { readonly kind: 'cut' | 'settle' | 'full'; readonly by: number }
  | { readonly kind: 'keep'; readonly what: KeptBack };

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('append' as const), count: fc.integer({ min: 1, max: 6 }) }),
    fc.record({ kind: fc.constantFrom('cut' as const, 'settle' as const, 'full' as const), by: fc.nat(9) }),
    fc.record({
      kind: fc.constant('keep' as const),
      what: fc.constantFrom<KeptBack>('nothing', 'undoable', 'everything'),
    }),
  ),
  { maxLength: 40 },
);

/** The log beside a list of what it has to hold; blocks up to `settled` are never cut. */
class Told {
  readonly files = new MemoryFiles();
  readonly log = logOf(this.files);
  readonly blocks: { readonly id: string; readonly bytes: Uint8Array }[] = [];
  #settled = 0;
  #branch = 0;
  #keeps: KeptBack = 'nothing';
  refusals = 0;
  lost = 0;

  run(step: Step): void {
    if (step.kind === 'append') for (let i = 0; i < step.count; i++) this.#append();
    else if (step.kind === 'keep') this.#keep(step.what);
    else if (step.kind === 'cut') this.#cut(Math.max(this.#settled, this.blocks.length - step.by));
    else if (step.kind === 'settle') this.#settle(this.blocks.length - step.by);
    else this.files.room = this.files.room === Number.POSITIVE_INFINITY ? 20 * step.by : Number.POSITIVE_INFINITY;
  }

  /** False: the disk was full. */
  #tried(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      if (!(error instanceof ChainError) || error.row !== STORAGE_ERRORS.storage_disk_full) throw error;
      this.refusals++;
      return false;
    }
  }

  #append(): void {
    const next = block(this.blocks.length + 1, this.#branch);
    if (this.#tried(() => this.log.append(next.id, next.bytes))) this.blocks.push(next);
  }

  #keep(what: KeptBack): void {
    const isDone = this.#tried(() => {
      this.log.keepsBack = what;
    });
    if (isDone) this.#keeps = what;
  }

  #cut(number: number): void {
    this.log.cut(number);
    if (number < this.blocks.length) this.#branch++;
    this.blocks.length = Math.min(number, this.blocks.length);
  }

  #settle(number: number): void {
    const upTo = Math.max(this.#settled, Math.min(number, this.blocks.length));
    if (this.#tried(() => this.log.settle(upTo)) && this.#keeps !== 'everything') this.#settled = upTo;
  }

  /** What is wrong with what it says of its blocks, and with what would be left of them. */
  faults(): string[] {
    const { log, blocks } = this;
    const wrong: string[] = [];
    if (log.headNumber !== blocks.length) wrong.push(`head ${log.headNumber} of ${blocks.length}`);
    if (log.headId !== (blocks.at(-1)?.id ?? '')) wrong.push(`head ${log.headId}`);
    const left = leftBy(this.files);
    const kept = this.#keeps === 'nothing' ? blocks.length : this.#settled;
    if (left.headNumber < kept) wrong.push(`${left.headNumber} are left, ${kept} must be`);
    if (left.headNumber < blocks.length) this.lost++;
    for (const [i, { id, bytes }] of blocks.entries()) {
      if (log.idOf(i + 1) !== id || !same(log.read(i + 1), bytes)) wrong.push(`block ${i + 1}`);
      if (i < left.headNumber && (left.idOf(i + 1) !== id || !same(left.read(i + 1), bytes))) {
        wrong.push(`block ${i + 1} of those that are left`);
      }
    }
    if (log.read(blocks.length + 1) !== undefined) wrong.push('a block behind the head');
    return wrong;
  }
}

const same = (a: Uint8Array | undefined, b: Uint8Array): boolean => a !== undefined && Buffer.compare(a, b) === 0;

t.test('whatever is kept back, all blocks are read, and what was said to stay is left by a crash', async (t) => {
  const counts = { refusals: 0, lost: 0 };
  fc.assert(
    fc.property(steps, (list) => {
      const told = new Told();
      for (const step of list) {
        told.run(step);
        const wrong = told.faults();
        if (wrong.length > 0) throw new Error(`after ${JSON.stringify(step)}: ${wrong.join(', ')}`);
      }
      told.files.room = Number.POSITIVE_INFINITY;
      told.log.close();
      t.equal(leftBy(told.files).headNumber, told.blocks.length);
      counts.refusals += told.refusals;
      counts.lost += told.lost;
    }),
    { numRuns: 1000 },
  );
  t.ok(counts.refusals > 100 && counts.lost > 100, `both happened: ${JSON.stringify(counts)}`);
});

t.test('blocks that can still be undone wait for the one with which the first of them stays', (t) => {
  const files = new MemoryFiles();
  const log = logOf(files);
  log.keepsBack = 'undoable';
  for (let n = 1; n <= 8; n++) log.append(block(n, 0).id, block(n, 0).bytes);
  log.settle(0);
  t.equal(leftBy(files).headNumber, 0, 'nothing is written yet');
  log.settle(1);
  t.equal(leftBy(files).headNumber, 8, 'all of them together');
  log.append(block(9, 0).id, block(9, 0).bytes);
  log.settle(8);
  t.equal(leftBy(files).headNumber, 8);
  log.settle(9);
  t.equal(leftBy(files).headNumber, 9);
  t.end();
});

t.test('a megabyte is all that is kept back', (t) => {
  const files = new MemoryFiles();
  const log = logOf(files);
  log.keepsBack = 'everything';
  const large = new Uint8Array(400_000);
  for (let n = 1; n <= 2; n++) log.append(block(n, 0).id, large);
  t.equal(leftBy(files).headNumber, 0);
  files.room = 0;
  refused(t, STORAGE_ERRORS.storage_disk_full, () => log.append(block(3, 0).id, large));
  t.equal(log.headNumber, 2, 'what could not be made room for is not there, what waited waits on');
  files.room = Number.POSITIVE_INFINITY;
  log.append(block(3, 0).id, large);
  t.strictSame([leftBy(files).headNumber, log.headNumber], [2, 3]);
  t.end();
});
