import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { MarketTables } from '../../../src/services/market/tables.js';
import { startSmtp } from '../../services/support/smtp.js';
import type { Account } from '../dev-chain.js';
import { Program } from '../program.js';
import { Ballots, ballotFaults } from './ballots.js';
import { CrashPoints, keepUp, type Weather } from './faults.js';

/** Instances of the market beside those of the exchange, over the same database, killed as those are. */

export interface MarketParts {
  readonly folder: string;
  readonly database: string;
  readonly node: string;
  readonly instances: number;
  readonly admin: Account;
  readonly sellers: readonly Account[];
  readonly weather: Weather;
  readonly closing: (close: () => Promise<void> | void) => void;
}

const MARKET_POINTS = ['vote_recorded', 'mail_taken'] as const;
/** A vote has as many letters as a short run has payments: most of its time would be spent on starts. */
const RARENESS_MIN = 3;
const WHO = 'a market ';
const LISTENS = /market listens.* url=(http:\/\/[\d.]+:\d+)/;
const LOOK_MS = 300;

export class Markets {
  readonly #parts: MarketParts;
  readonly #programs: readonly Program[];
  readonly #received: readonly { readonly text: string }[];
  readonly #ballots: Ballots;

  private constructor(parts: MarketParts, smtpFile: string, received: readonly { readonly text: string }[]) {
    const { folder, database, node, instances, admin, sellers, weather } = parts;
    this.#parts = parts;
    this.#received = received;
    this.#programs = Array.from(
      { length: instances },
      (_, i) =>
        new Program({
          words: [
            ...['market', '--node', node, '--endpoint', '127.0.0.1:0', '--data-dir', folder, '--database', database],
            ...['--admin', admin.id, '--writes-per-second', '0', '--lease', '3', '--node-timeout', '15'],
            ...['--smtp-file', smtpFile, '--mail-from', 'market@exchange.example'],
          ],
          listens: LISTENS,
          pidFile: join(folder, `market-${i}.pid`),
        }),
    );
    const urls = (): string[] => this.#programs.filter(({ running }) => running).map(({ address }) => address);
    this.#ballots = new Ballots({ admin, sellers, urls, random: weather.random.fork() });
    for (const program of this.#programs) parts.closing(() => program.close());
  }

  static async make(parts: MarketParts): Promise<Markets> {
    const { received, port } = await startSmtp({ teardown: (close) => parts.closing(close as () => Promise<void>) });
    const file = join(parts.folder, 'smtp');
    writeFileSync(file, `smtp://market:top%20secret@127.0.0.1:${port}\n`);
    return new Markets(parts, file, received);
  }

  /** Until `end`. */
  async keepUp(end: AbortSignal): Promise<void> {
    const rareness = Math.max(RARENESS_MIN, this.#parts.weather.rareness);
    const weather = { ...this.#parts.weather, rareness };
    const points = new CrashPoints(MARKET_POINTS, weather.random);
    await Promise.all(this.#programs.map((program) => keepUp(program, points, weather, end, WHO)));
  }

  /** One vote after another until nothing goes wrong any more. */
  run(): Promise<void> {
    const { calm } = this.#parts.weather;
    return this.#ballots.run(() => calm.aborted);
  }

  /** When all letters have been brought away; the instances are still up. */
  async judge(db: Kysely<MarketTables>, waitsForLetters: boolean): Promise<readonly string[]> {
    const { counts } = this.#parts.weather;
    for (;;) {
      const waiting = await db.selectFrom('mail').select('lease_until_ms').where('state', '=', 'waiting').execute();
      const isHeld = waiting.every(({ lease_until_ms }) => lease_until_ms > Date.now());
      if (waiting.length === 0 || (isHeld && !waitsForLetters)) break;
      await pause(LOOK_MS);
    }
    const killed = [...MARKET_POINTS.map((point) => `killed at ${point}`), 'killed anywhere']
      .map((what) => counts.get(`${WHO}${what}`))
      .reduce((all, one) => all + one, 0);
    const votes = await this.#ballots.found(db, this.#received);
    counts.say(`${votes.length} votes, ${this.#received.length} letters`);
    return [...this.#ballots.problems, ...ballotFaults(votes, killed)];
  }
}
