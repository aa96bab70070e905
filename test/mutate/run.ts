import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { tellLostWork } from '../runner/lost-work.js';
import { type FileResult, runFile } from '../runner/run-file.js';
import { SeededRandom } from '../sim/random.js';
import { PROJECT_ROOT, projectPath } from '../support/paths.js';
import { type Covered, coveredLines, covers } from './coverage.js';
import { apply, type Mutant, mutantsOf } from './mutants.js';

/**
 * `npm run mutate -- --count 100 --seed 7 [--rooms storage,chain] [--whole]`: makes faults one by one in a copy of the
 * built program and runs the tests of their room until one assertion fails, the quickest first. A test that did not
 * come through the line of a fault when it last passed is left out. A fault that no test notices has survived: a missing
 * test, or a change without effect. With --whole survivors meet the whole suite. Results are kept by seed, a run that
 * was stopped goes on where it was.
 */

/** Folder of `src` to the tests that stand for it, the quickest to notice first. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  storage: ['storage/', 'commands/chain', 'commands/snapshot', 'sim/'],
  chain: ['unit/chain/', 'chain/', 'refusals/', 'storage/power-loss', 'sim/'],
  state: ['unit/state/', 'chain/', 'refusals/'],
  operations: ['unit/operations/', 'refusals/', 'chain/operations/', 'unit/protocol', 'chain/golden', 'chain/'],
  http: ['http/', 'rpc/transport', 'rpc/gate', 'rpc/serve', 'refusals/'],
  rpc: ['rpc/', 'tidy/config-example', 'node/rpc', 'node/options', 'node/fork-notices', 'refusals/'],
  vm: ['unit/vm/', 'vm/', 'chain/operations/', 'model/contracts/', 'unit/commands/contract'],
  codec: ['unit/codec/', 'unit/protocol', 'refusals/', 'chain/golden'],
  protocol: ['unit/protocol', 'refusals/', 'chain/golden', 'chain/operations/'],
  witness: ['unit/witness/', 'node/'],
  p2p: ['unit/p2p/', 'p2p/'],
  verify: ['unit/verify/', 'storage/storage', 'rpc/broadcast'],
  trade: ['services/trade', 'services/oracles', 'services/text-signatures', 'services/datasource/'],
  'services/market': ['services/market/', 'services/exchange', 'services/fees', 'services/text-signatures'],
  'services/des': ['services/des/', 'exchange/fork', 'exchange/money/'],
  'services/datasource': ['services/datasource/', 'services/des/'],
  'services/payment': ['services/payments', 'services/des/', 'services/storage/', 'exchange/fork', 'exchange/money/'],
  'services/content': ['services/content-store', 'services/storage/', 'services/des/crash'],
  'services/storage': ['services/storage/'],
  'services/mail': ['services/market/mail', 'services/des/operator'],
};
const EXIT_INTERRUPTED = 130;
const DEFAULT_ROOMS = 'storage,chain,state,operations,rpc';
/** A fault may make a test wait for ever. */
const SILENCE_MS_MAX = 120_000;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    rooms: { type: 'string', default: DEFAULT_ROOMS },
    jobs: { type: 'string', default: '2' },
    whole: { type: 'boolean', default: false },
  },
});

interface Result extends Mutant {
  readonly outcome: 'noticed' | 'survived' | 'does not load';
  readonly by: string;
}

const built = projectPath('dist');
/** These measure time, which tells nothing of a fault on a machine with other work. */
const MEASURING = ['rpc/hostile', 'chain/hostile-blocks', 'vm/hostile'];
const tests = readdirSync(join(built, 'test'), { recursive: true })
  .map((file) => String(file).split(sep).join('/'))
  .filter((file) => file.endsWith('.test.js') && !file.includes('node_modules/'))
  .filter((file) => !MEASURING.some((one) => file.startsWith(`${one}.`)))
  .sort();

function roomOf(mutant: Mutant): string {
  // One room may be within another one's folder.
  const within = Object.keys(ROOMS).filter((room) => mutant.file.startsWith(`${room}/`));
  return within.sort((a, b) => b.length - a.length)[0] as string;
}

interface Passed {
  readonly seconds: number;
  /** Left out when not everything is known that the test ran. */
  readonly covered?: Covered | undefined;
}

/** Tests that fail on this machine anyway. */
const broken = new Set<string>();
/** What is known of tests that have passed; with a fault elsewhere, which changes little of what a test comes through. */
const passed: Record<string, Passed> = {};
const known = projectPath('.build', `mutate-tests-${buildHash()}.json`);

/** Lines are those of one build. */
function buildHash(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(join(built, 'src'), { recursive: true }).map(String).sort()) {
    if (file.endsWith('.js')) hash.update(readFileSync(join(built, 'src', file)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** What a workshop has of its own, or does not need. */
const OWN = new Set(['dist', '.build', '.git', '.tap']);

const secondsOf = (test: string): number => passed[test]?.seconds ?? 0;

/** Tests of the module's own name come first, they notice most; then the quickest. */
function testsFor(mutant: Mutant): string[] {
  const parts = ROOMS[roomOf(mutant)] ?? [];
  const own = (mutant.file.split('/').at(-1) ?? '').replace('.js', '');
  const inRoom = parts.flatMap((part) => tests.filter((test) => test.startsWith(part)));
  inRoom.sort((a, b) => secondsOf(a) - secondsOf(b));
  const ordered = [...inRoom.filter((test) => test.includes(own)), ...inRoom];
  const rest = values.whole ? tests : [];
  return [...new Set([...ordered, ...rest])];
}

/** False where it is known that the test does not come there. */
function comesThrough(test: string, { file, line }: Mutant): boolean {
  const covered = passed[test]?.covered;
  return covered === undefined || covers(covered, file, line);
}

function choose(): Mutant[] {
  const random = new SeededRandom(Number(values.seed));
  const rooms = values.rooms.split(',').map((room) => {
    if (ROOMS[room] === undefined) throw new Error(`no room ${room}; there are ${Object.keys(ROOMS).join(', ')}`);
    const files = readdirSync(join(built, 'src', room), { recursive: true })
      .map((file) => `${room}/${String(file).split(sep).join('/')}`)
      .filter((file) => file.endsWith('.js'))
      .sort();
    return files.flatMap((file) => mutantsOf(file, readFileSync(join(built, 'src', file), 'utf8')));
  });
  const chosen: Mutant[] = [];
  for (let i = 0; i < Number(values.count); i++) {
    const room = rooms[i % rooms.length] as Mutant[];
    if (room.length > 0) chosen.push(...room.splice(random.below(room.length), 1));
  }
  return chosen;
}

/**
 * A copy of the built program in a project of its own, which has everything else from the real one: a test that starts
 * the program, or a program that loads a plugin, meets the same fault.
 */
class Workshop {
  readonly #folder: string;
  readonly #reports: string;

  constructor(number: number) {
    this.#folder = projectPath('.build', `mutate-${process.pid}-${number}`);
    this.#reports = join(this.#folder, 'reports');
    mkdirSync(this.#folder, { recursive: true });
    for (const name of readdirSync(PROJECT_ROOT)) {
      if (!OWN.has(name)) symlinkSync(projectPath(name), join(this.#folder, name));
    }
    cpSync(built, join(this.#folder, 'dist'), { recursive: true });
  }

  /** Undefined where the run is given up: what its test has said then is nothing about the fault. */
  async try(mutant: Mutant): Promise<Result | undefined> {
    const path = join(this.#folder, 'dist', 'src', mutant.file);
    const source = readFileSync(path, 'utf8');
    try {
      for (const test of testsFor(mutant)) {
        if (broken.has(test) || !comesThrough(test, mutant)) continue;
        writeFileSync(path, apply(mutant, source));
        const { failures, stderr } = await this.#run(test);
        if (given.signal.aborted) return undefined;
        if (failures.length === 0) continue;
        // A failure tells of the fault where the test passes without it. What the test itself has found wrong is
        // believed when it has passed before; silence or a sudden end may be the machine's.
        const isOwnWord = failures[0]?.diagnostics !== undefined;
        writeFileSync(path, source);
        if (!(isOwnWord && passed[test] !== undefined) && (await this.#run(test)).failures.length > 0) {
          if (given.signal.aborted) return undefined;
          broken.add(test);
          process.stdout.write(`${test} fails without a fault, and is left out\n`);
          continue;
        }
        const outcome = stderr.includes('SyntaxError') ? 'does not load' : 'noticed';
        return { ...mutant, outcome, by: test };
      }
      return { ...mutant, outcome: 'survived', by: '' };
    } finally {
      writeFileSync(path, source);
    }
  }

  /** With nothing of the real program, which may be built anew meanwhile. */
  async #run(test: string): Promise<FileResult> {
    mkdirSync(this.#reports, { recursive: true });
    const built = (...parts: string[]): string => join(this.#folder, 'dist', 'test', ...parts);
    const reportStart = pathToFileURL(built('mutate', 'report-start.js')).href;
    const result = await runFile(test, built(test), {
      silenceMsMax: SILENCE_MS_MAX,
      signal: given.signal,
      endsAtFailure: true,
      environment: { NODE_V8_COVERAGE: this.#reports, NODE_OPTIONS: `--import=${reportStart}` },
      runner: pathToFileURL(built('runner', 'run-file.js')),
    });
    if (result.failures.length === 0) this.#learn(test, result.seconds);
    rmSync(this.#reports, { recursive: true, force: true });
    return result;
  }

  #learn(test: string, seconds: number): void {
    const covered = coveredLines(this.#reports, join(this.#folder, 'dist', 'src'));
    passed[test] = { seconds, covered };
    writeFileSync(known, JSON.stringify(passed));
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const keyOf = ({ file, line, kind }: Mutant): string => `${file}:${line} ${kind}`;

const kept = projectPath('.build', `mutate-seed-${values.seed}.jsonl`);
mkdirSync(dirname(kept), { recursive: true });
if (existsSync(known)) Object.assign(passed, JSON.parse(readFileSync(known, 'utf8')));
const results: Result[] = existsSync(kept)
  ? readFileSync(kept, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Result)
  : [];
const done = new Set(results.map(keyOf));
const chosen = choose();
const waiting = chosen.filter((mutant) => !done.has(keyOf(mutant)));
process.stdout.write(`${chosen.length} faults, seed ${values.seed}, ${chosen.length - waiting.length} done before\n`);

tellLostWork();
const given = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => given.abort());
const workshops = Array.from({ length: Number(values.jobs) }, (_, i) => new Workshop(i));
try {
  await Promise.all(
    workshops.map(async (workshop) => {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const result = await workshop.try(mutant);
        if (result === undefined) break;
        results.push(result);
        appendFileSync(kept, `${JSON.stringify(result)}\n`);
        process.stdout.write(`${result.outcome.padEnd(13)} ${keyOf(result)}: ${result.before} ${result.by}\n`);
      }
    }),
  );
} finally {
  for (const workshop of workshops) workshop.close();
}

if (given.signal.aborted) process.exitCode = EXIT_INTERRUPTED;

const keys = new Set(chosen.map(keyOf));
const mine = results.filter((result) => keys.has(keyOf(result)));
const of = (outcome: Result['outcome']): Result[] => mine.filter((result) => result.outcome === outcome);
process.stdout.write(`\n${of('noticed').length} noticed, ${of('survived').length} survived, `);
process.stdout.write(`${of('does not load').length} do not load\n`);
for (const { file, line, kind, before, after } of of('survived')) {
  process.stdout.write(`survived ${file}:${line} (${kind})\n  - ${before}\n  + ${after.trim()}\n`);
}
