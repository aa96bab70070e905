import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import '../../src/operations/index.js';
import { CRASH_POINTS, type CrashPoint } from '../../src/base/crash-point.js';
import { Chain } from '../../src/chain/chain.js';
import type { GenesisSource } from '../../src/chain/genesis-source.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { decode } from '../../src/codec/binary.js';
import { openStoredChain, type StoredChain } from '../../src/node/chain/stored-chain.js';
import { signedBlock } from '../../src/protocol/block.js';
import { stateHash } from '../../src/state/state-hash.js';
import { FILE_HEADER_BYTES, INDEX_ENTRY_BYTES } from '../../src/storage/block-record.js';
import { STORAGE_FOLDERS } from '../../src/storage/storage.js';
import { chainContractEngine } from '../../src/vm/chain-engine.js';
import { contractKeys } from '../../src/vm/keys.js';
import { STACK_SIZE } from '../runner/stack-size.js';
import { endWithUs } from '../support/ends-with-us.js';
import { goldenGenesis } from '../support/golden.js';
import { type HistoryObject, storedHistory, ToldHistory } from '../support/history.js';
import { NETWORK } from '../support/network.js';
import { projectPath } from '../support/paths.js';
import { TRUSTNODE } from '../support/run-trustnode.js';
import { crashGenesis, PROGRESS_FILE, readProgress } from './crash-world.js';
import { quietLog } from './quiet-log.js';
import { seededRandom } from './random.js';

/**
 * Kills a process that keeps a chain, again and again, and looks each time at what it has left. Two workloads: one
 * makes blocks, the other imports the recorded chain with the command that operators use.
 */
export type Workload = 'produce' | 'import';

export interface CrashReport {
  readonly kills: number;
  /** Kills at named points, by name. */
  readonly points: ReadonlyMap<string, number>;
  readonly blocks: number;
  /** Longest time that opening and catching up took. */
  readonly restartMsMax: number;
  readonly failures: readonly string[];
}

const WORKER = fileURLToPath(new URL('./produce-worker.js', import.meta.url));
const golden = (name: string): string => projectPath('test', 'vectors', 'golden', 'main', name);
/** A process that has neither crashed nor ended after so many blocks is killed: its point lies on no way that it takes. */
const LIFE_BLOCKS_MAX = 500;
/** A process that is killed at any instant is killed within so many blocks. The points lie on its way in and out. */
const ANY_BLOCKS_MAX = 150;
/** How often its progress is looked at: many times in a block, so that the kill comes anywhere in it. */
const LOOK_MS = 2;
/** Blocks that may at most be applied again after a restart; both workloads write more often than that. */
const CATCH_UP_MAX = 120;

const REPLAY_POINTS: readonly CrashPoint[] = ['replay_after_drop', 'replay_half_done'];
const FORK_POINTS: readonly CrashPoint[] = ['block_log_after_index_cut', 'block_log_after_cut'];
/** On the way of a witness, see slots.test.ts. */
const WITNESS_POINTS: readonly CrashPoint[] = ['slot_claimed', 'block_made'];
/** Passed once or a few times in a life, so that none may be let through first. */
const RARE_POINTS: readonly CrashPoint[] = [
  'recovery_before_apply',
  'recovery_half_applied',
  'close_before_flush',
  'genesis_before_state',
  'replay_after_drop',
  'replay_half_done',
];

const BLOCK_INDEX = join(STORAGE_FOLDERS.blockLog, 'index');

/** Blocks that are in a block log, as its index grows: the progress of a process that is not asked. */
function blocksIn(indexPath: string): number {
  const size = statSync(indexPath, { throwIfNoEntry: false })?.size ?? 0;
  return Math.max(0, (size - FILE_HEADER_BYTES) / INDEX_ENTRY_BYTES);
}

/** The first object that is not the same in both, as either has it. */
function firstDifference(found: Iterator<HistoryObject>, wanted: Iterator<HistoryObject>): string | undefined {
  for (;;) {
    const [a, b] = [found.next(), wanted.next()];
    if (a.done === true && b.done === true) return undefined;
    const [is, should] = [JSON.stringify(a.value), JSON.stringify(b.value)];
    if (is !== should) return `${is ?? 'nothing'} instead of ${should ?? 'nothing'}`;
  }
}

interface Life {
  readonly workload: Workload;
  readonly point: CrashPoint | undefined;
  readonly skip: number;
  /** Blocks that it may store; the kill comes with the next look. */
  readonly blocks: number;
  readonly isReplay: boolean;
}

/** One data directory and, beside it, the same chain in memory that nothing happens to. */
class Subject {
  readonly workload: Workload;
  readonly dataDir: string;
  readonly genesis: GenesisSource;
  readonly #reference: Chain;
  /** What the undisturbed chain told of its operations. */
  readonly told: ToldHistory;
  storedHead = 0;
  head = 0;

  constructor(workload: Workload, dataDir: string) {
    this.workload = workload;
    this.dataDir = dataDir;
    this.genesis = workload === 'produce' ? crashGenesis() : goldenGenesis();
    this.#reference = new Chain({
      genesis: this.genesis,
      engine: chainContractEngine(contractKeys(NETWORK)),
      blocks: new MemoryBlockStore(),
    });
    this.told = new ToldHistory(this.#reference.blocks);
    mkdirSync(dataDir, { recursive: true });
  }

  /** Brings the undisturbed chain to the same block. Throws if a block that was irreversible is another one now. */
  follow({ storage }: StoredChain): string {
    const chain = this.#reference;
    let common = Math.min(chain.queries.head.number, storage.log.headNumber);
    while (common > 0 && chain.queries.blockIdOf(common) !== storage.log.idOf(common)) common--;
    if (common < chain.queries.head.number) chain.blocks.popTo(common);
    for (const { bytes } of storage.log.walk(common + 1)) chain.blocks.push({ block: decode(signedBlock, bytes) });
    return chain.snapshots.withHeadState(stateHash);
  }

  get referenceHead(): number {
    return this.#reference.queries.head.number;
  }
}

export class CrashDriver {
  readonly #folder = mkdtempSync(join(tmpdir(), 'trustnode-crash-'));
  readonly #say: (text: string) => void;
  readonly #failures: string[] = [];
  readonly #points = new Map<string, number>();
  readonly #subjects = new Map<Workload, Subject>();
  readonly #random: (below: number) => number;
  #made = 0;
  #kills = 0;
  #blocks = 0;
  #restartMsMax = 0;

  constructor(seed: number, say: (text: string) => void = () => undefined) {
    this.#random = seededRandom(seed);
    this.#say = say;
  }

  async run(kills: number): Promise<CrashReport> {
    const names = (Object.keys(CRASH_POINTS) as CrashPoint[]).filter((name) => !WITNESS_POINTS.includes(name));
    try {
      for (let round = 0; this.#kills < kills; round++) {
        // Every other kill comes at any instant, the ones between at the named points in turn.
        const point = round % 2 === 0 ? undefined : names[(round >> 1) % names.length];
        await this.#round(round, point);
      }
    } finally {
      rmSync(this.#folder, { recursive: true, force: true });
    }
    return {
      kills: this.#kills,
      points: this.#points,
      blocks: this.#blocks,
      restartMsMax: Math.round(this.#restartMsMax),
      failures: this.#failures,
    };
  }

  async #round(round: number, point: CrashPoint | undefined): Promise<void> {
    const isReplay = point !== undefined && REPLAY_POINTS.includes(point);
    const needsProducer = isReplay || (point !== undefined && FORK_POINTS.includes(point));
    const workload: Workload = needsProducer || this.#random(3) > 0 ? 'produce' : 'import';
    const subject = point === 'genesis_before_state' ? this.#newSubject(workload) : this.#subject(workload);
    const skip = point === undefined || RARE_POINTS.includes(point) ? 0 : this.#random(12);
    const life: Life = {
      workload,
      point,
      skip,
      blocks: point === undefined ? this.#random(ANY_BLOCKS_MAX) : LIFE_BLOCKS_MAX,
      isReplay,
    };
    const ended = await this.#live(subject, life);
    if (ended.isKilled) {
      this.#kills++;
      if (point !== undefined && ended.isAtPoint) this.#points.set(point, (this.#points.get(point) ?? 0) + 1);
    } else if (ended.code !== 0) {
      this.#fail(round, life, `the process ended with code ${ended.code}: ${ended.stderr}`);
    }
    try {
      await this.#examine(round, subject, life);
    } catch (error) {
      this.#fail(round, life, error instanceof Error ? (error.stack ?? error.message) : String(error));
      this.#subjects.delete(workload);
    }
  }

  #subject(workload: Workload): Subject {
    const known = this.#subjects.get(workload);
    // The recorded chain comes to its end; then another import begins.
    const isDone = known !== undefined && workload === 'import' && known.head >= 792;
    return known === undefined || isDone ? this.#newSubject(workload) : known;
  }

  #newSubject(workload: Workload): Subject {
    const subject = new Subject(workload, join(this.#folder, `${workload}-${++this.#made}`));
    this.#subjects.set(workload, subject);
    return subject;
  }

  #command({ dataDir }: Subject, { workload, isReplay }: Life): string[] {
    if (workload === 'produce') return [WORKER, dataDir, String(this.#random(2 ** 31)), isReplay ? 'replay' : 'normal'];
    const files = [golden('blocks.jsonl.gz'), '--genesis-json', golden('genesis.json'), '--data-dir', dataDir];
    const limits = ['--data-transaction-lifetime', '0', '--flush-blocks', '5', '--verify-threads', '0'];
    return [STACK_SIZE, TRUSTNODE, 'import-blocks', ...files, ...limits];
  }

  #live(
    subject: Subject,
    life: Life,
  ): Promise<{ isKilled: boolean; isAtPoint: boolean; code: number | null; stderr: string }> {
    const { point, skip } = life;
    const env = { ...process.env, TRUSTNODE_CRASH_POINT: point === undefined ? '' : `${point}:${skip}` };
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, this.#command(subject, life), { env, stdio: ['ignore', 'ignore', 'pipe'] });
      endWithUs(child);
      let stderr = '';
      let byUs = false;
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr = (stderr + text).slice(-4000);
      });
      const path = join(subject.dataDir, BLOCK_INDEX);
      const from = blocksIn(path);
      const watch = setInterval(() => {
        if (blocksIn(path) - from > life.blocks) byUs = child.kill('SIGKILL');
      }, LOOK_MS);
      child.on('error', reject);
      child.on('close', (code, signal) => {
        clearInterval(watch);
        const isKilled = signal === 'SIGKILL';
        resolve({ isKilled, isAtPoint: isKilled && !byUs, code, stderr });
      });
    });
  }

  /** A restart, in this process: what is there must be the chain as it would be had nothing happened. */
  async #examine(round: number, subject: Subject, life: Life): Promise<void> {
    const progressPath = join(subject.dataDir, PROGRESS_FILE);
    const known = readProgress(existsSync(progressPath) ? readFileSync(progressPath, 'latin1') : '');
    const startMs = performance.now();
    const stored = await openStoredChain({
      dataDir: subject.dataDir,
      genesis: subject.genesis,
      log: quietLog,
      chain: { saveBlocks: 5 },
    });
    const restartMs = performance.now() - startMs;
    this.#restartMsMax = Math.max(this.#restartMsMax, restartMs);
    try {
      const { head } = stored.chain.queries;
      const { log } = stored.storage;
      const caughtUp = stored.recovered.to - stored.recovered.from + 1;
      const expect = (ok: boolean, what: string): unknown => ok || this.#fail(round, life, what);
      expect(head.number === log.headNumber, `head ${head.number}, log ${log.headNumber}`);
      expect(head.number >= known.number, `head ${head.number}, block ${known.number} was irreversible`);
      expect(
        known.number === 0 || log.idOf(known.number) === known.id,
        `irreversible block ${known.number} is another one`,
      );
      expect(head.number >= subject.storedHead, `head ${head.number}, ${subject.storedHead} was stored`);
      if (!life.isReplay) expect(caughtUp <= CATCH_UP_MAX, `${caughtUp} blocks had to be applied again`);
      const hash = stored.chain.snapshots.withHeadState(stateHash);
      expect(subject.follow(stored) === hash, `state of block ${head.number} differs from an undisturbed node`);
      expect(subject.referenceHead === head.number, 'the undisturbed node is at the same block');
      const wrong = firstDifference(storedHistory(stored.storage), subject.told.objects());
      expect(wrong === undefined, `block log and operation journal differ from an undisturbed node: ${wrong}`);
      this.#blocks += Math.max(0, head.number - subject.head);
      subject.head = head.number;
      const where = life.point ?? `${life.blocks} blocks`;
      this.#say(
        `${this.#kills} ${life.workload} ${where}: head ${head.number}, irreversible ${head.irreversible}, ` +
          `applied again ${caughtUp}, restart ${Math.round(restartMs)} ms`,
      );
      subject.storedHead = head.irreversible;
    } finally {
      // A restart that is itself cut off, or one that ends in order.
      if (this.#random(2) === 0) await stored.storage.abandon();
      else await stored.close();
    }
  }

  #fail(round: number, { workload, point, skip, blocks }: Life, what: string): void {
    const where = point === undefined ? `after ${blocks} blocks` : `at ${point}:${skip}`;
    const text = `round ${round}, ${workload}, killed ${where}: ${what}`;
    this.#failures.push(text);
    this.#say(`FAILED ${text}`);
  }
}
