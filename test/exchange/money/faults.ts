import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { AllTables } from '../../../src/services/des/legs.js';
import type { PostgresServer } from '../../services/postgres/server.js';
import type { Wire } from '../../services/support/cut-off.js';
import type { SeededRandom } from '../../sim/random.js';
import type { DevChain } from '../dev-chain.js';
import type { Program } from '../program.js';
import type { Journal } from './journal.js';

/**
 * What goes wrong during a money run. The seed decides what, and after how many purchases: on a machine that is slow less
 * goes wrong in a minute. Where it hits is up to the machine.
 */

export class FaultCounts {
  readonly #counts = new Map<string, number>();
  readonly #said: string[] = [];
  readonly #journal: Journal;

  /** With those of earlier runs in the same folder. */
  constructor(journal: Journal) {
    this.#journal = journal;
    for (const entry of journal.entries) if (entry.kind === 'fault') this.#add(entry.what);
  }

  #add(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  count(what: string): void {
    this.#add(what);
    this.#journal.write({ kind: 'fault', what });
  }

  get(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  /** For whoever reads the report. */
  say(what: string): void {
    this.#said.push(what);
  }

  get text(): string {
    return [...this.#counts]
      .map(([what, count]) => `${what}: ${count}`)
      .concat(this.#said)
      .join(', ');
  }
}

export interface Weather {
  readonly random: SeededRandom;
  readonly counts: FaultCounts;
  /** Purchases that have come to an end. */
  readonly progress: () => number;
  /** From then on nothing goes wrong any more. */
  readonly calm: AbortSignal;
  /** How many times rarer things go wrong than in a short run: each restart takes seconds. */
  readonly rareness: number;
}

/** A long run meets everything often enough all the same, and comes to its end. */
const [SHORT_RUN, RARENESS_MAX] = [200, 16];
export const rarenessOf = (purchases: number): number => Math.min(RARENESS_MAX, Math.max(1, purchases / SHORT_RUN));

type Range = readonly [number, number];
const LOOK_MS = 100;

/** False where calm came first. */
function pauseFor({ random, calm }: Weather, [low, high]: Range): Promise<boolean> {
  return pause(random.between(low, high), true, { signal: calm }).catch(() => false);
}

/** Until so many more purchases have come to an end; false where calm came first. */
async function afterPurchases(weather: Weather, [low, high]: Range): Promise<boolean> {
  const due = weather.progress() + weather.random.between(low, high) * weather.rareness;
  while (weather.progress() < due) {
    if (!(await pauseFor(weather, [LOOK_MS, LOOK_MS]))) return false;
  }
  return !weather.calm.aborted;
}

const RESTART_MS = 500;
/** What was armed and not met by then is killed wherever it is. */
const LIFE = [8, 25] as const;
const SKIP_MAX = 6;

/** Points at which an exchange ends, each once before any comes again. */
export class CrashPoints {
  readonly #all: readonly string[];
  readonly #random: SeededRandom;
  #left: string[] = [];

  constructor(all: readonly string[], random: SeededRandom) {
    this.#all = all;
    this.#random = random;
  }

  next(): string {
    if (this.#left.length === 0) this.#left = this.#random.shuffle(this.#all);
    return this.#left.pop() as string;
  }
}

/**
 * One instance that is killed again and again, at a point or anywhere, and comes back; until `end`, when it is stopped.
 * `who` stands before what is counted.
 */
export async function keepUp(
  program: Program,
  points: CrashPoints,
  weather: Weather,
  end: AbortSignal,
  who = '',
): Promise<void> {
  const { random, counts, calm } = weather;
  const ended = new Promise<void>((done) => end.addEventListener('abort', () => done(), { once: true }));
  while (!end.aborted) {
    const point = calm.aborted ? undefined : points.next();
    const started = await program
      .start(point === undefined ? undefined : `${point}:${random.below(Math.round(SKIP_MAX * weather.rareness))}`)
      .catch(() => undefined);
    if (started === undefined) {
      // The node is away, or the database is locked: whoever starts a service tries again.
      await program.kill();
      counts.count(`${who}a start that failed`);
      await pause(RESTART_MS);
      continue;
    }
    let isOurs = false;
    const own = started.finished.then(({ signal }) => {
      if (signal === 'SIGKILL' && !isOurs && point !== undefined) counts.count(`${who}killed at ${point}`);
      return true;
    });
    const late = afterPurchases(weather, LIFE).then((isDue) => (isDue ? false : Promise.race([own, ended])));
    if ((await Promise.race([own, ended, late])) !== false) continue;
    isOurs = true;
    counts.count(`${who}killed anywhere`);
    await program.kill();
  }
  await program.stop();
}

const CUTS = [4, 12] as const;
const CUT_MS = [500, 4000] as const;
const LOST_MAX = 4;

/** The way from the exchanges to their node. */
export async function cutWires(wire: Wire, weather: Weather): Promise<void> {
  const { random, counts } = weather;
  while (await afterPurchases(weather, CUTS)) {
    if (random.chance(0.5)) {
      wire.cut();
      counts.count('the node cut off');
      await pauseFor(weather, CUT_MS);
      wire.join();
      continue;
    }
    let left = random.between(1, LOST_MAX);
    const kind = random.chance(0.5) ? 'answer' : 'request';
    counts.count(`a broadcast whose ${kind} is lost`);
    wire.loses = (text) => (text.includes('broadcast_transaction') && left-- > 0 ? kind : undefined);
  }
  wire.loses = () => undefined;
}

/** Longer than anybody waits for it, sometimes. */
const LOCK_MS = [200, 3500] as const;
const LOCKS = [6, 15] as const;

export async function lockDatabase(db: Kysely<AllTables>, weather: Weather, isServer: boolean): Promise<void> {
  const lock = async (connection: Kysely<AllTables>): Promise<void> => {
    await (isServer ? sql`BEGIN` : sql`BEGIN IMMEDIATE`).execute(connection);
    if (isServer) await sql`LOCK TABLE payment, payer IN ACCESS EXCLUSIVE MODE`.execute(connection);
    weather.counts.count('the database locked');
    await pauseFor(weather, LOCK_MS);
    await sql`ROLLBACK`.execute(connection);
  };
  while (await afterPurchases(weather, LOCKS)) {
    // Somebody writes just now, or the server was stopped meanwhile.
    await db
      .connection()
      .execute(lock)
      .catch(() => undefined);
  }
}

const RESTARTS = [5, 12] as const;

/** In order, or so that it has to recover. */
export async function restartDatabase(server: PostgresServer, weather: Weather): Promise<void> {
  while (await afterPurchases(weather, RESTARTS)) {
    const isInOrder = weather.random.chance(0.5);
    weather.counts.count(isInOrder ? 'the database restarted' : 'the database killed');
    await server.stop(isInOrder ? 'SIGINT' : 'SIGQUIT');
    await pauseFor(weather, DOWN_MS);
    await server.start();
  }
}

const BRANCHES = [1, 4] as const;

/** Payments in the last blocks are undone, and the node has forgotten them: their payers may spend the money elsewhere. */
export async function changeBranches(chain: DevChain, weather: Weather): Promise<void> {
  while (await afterPurchases(weather, BRANCHES)) {
    if (await chain.changeBranch()) weather.counts.count(BRANCH_CHANGED);
  }
}

export const BRANCH_CHANGED = 'the branch changed';

const NODE_KILLS = [15, 40] as const;
const DOWN_MS = [0, 3000] as const;

export async function killNode(chain: DevChain, weather: Weather): Promise<void> {
  while (await afterPurchases(weather, NODE_KILLS)) {
    weather.counts.count('the node killed');
    await chain.kill();
    await pauseFor(weather, DOWN_MS);
    await chain.restart();
  }
}
