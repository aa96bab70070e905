import { join } from 'node:path';
import { SeededRandom } from '../../sim/random.js';
import { DevChain } from '../dev-chain.js';
import { changeBranches, FaultCounts, killNode, rarenessOf } from './faults.js';
import { Journal } from './journal.js';
import type { ReleaseAt } from './judge.js';
import { Phase, type PhaseReport, type Several } from './phase.js';

/** Purchases at all three release points at the same time, on one chain whose node is killed as well. */

export interface MoneyRunOptions {
  readonly folder: string;
  readonly seed: number;
  readonly purchases: number;
  readonly atOnce: number;
  /** No purchase begins later than so many seconds after the first. */
  readonly seconds: number;
  readonly releaseAt: readonly ReleaseAt[];
  readonly say: (line: string) => void;
  readonly several?: Several;
  /** The chain changes its branch again and again, and most buyers have little: payments are lost that way. */
  readonly isForked?: boolean;
}

export interface MoneyReport extends PhaseReport {
  readonly counts: FaultCounts;
}

/** Of all that are under way at once: what is released later takes longer. */
const SHARES: Readonly<Record<ReleaseAt, number>> = { accepted: 4, included: 5, final: 8 };
const TELL_MS = 60_000;

export async function moneyRun(options: MoneyRunOptions): Promise<MoneyReport> {
  const { folder, seed, purchases, atOnce, seconds, releaseAt, say, several, isForked = false } = options;
  const counts = new FaultCounts(new Journal(join(folder, 'faults.jsonl')));
  const chain = new DevChain(folder);
  const calm = new AbortController();
  const rareness = rarenessOf(purchases);
  let endMs = Number.POSITIVE_INFINITY;
  const share = (all: number, i: number): number => Math.floor((all + i) / releaseAt.length);
  const shares = releaseAt.reduce((sum, point) => sum + SHARES[point], 0);
  const phases: Phase[] = [];
  let phaseIsCalm: () => Promise<void> = async () => undefined;
  try {
    await chain.start();
    const runs: (() => Promise<PhaseReport>)[] = [];
    for (const [i, point] of releaseAt.entries()) {
      const phase = new Phase({
        ...{ folder, chain, seed, counts, rareness, say, several, isForked },
        releaseAt: point,
        purchases: share(purchases, i),
        atOnce: Math.max(1, Math.round((atOnce * SHARES[point]) / shares)),
        calm: () => phaseIsCalm(),
        isOver: () => Date.now() > endMs,
      });
      phases.push(phase);
      runs.push(await phase.prepare());
    }
    endMs = Date.now() + seconds * 1000;
    say('all is ready; from now on it goes wrong');
    const progress = (): number => phases.reduce((all, { finished }) => all + finished, 0);
    const weather = { random: new SeededRandom(seed), counts, progress, calm: calm.signal, rareness };
    const telling = setInterval(() => say(`${progress()} purchases; ${counts.text}`), TELL_MS);
    calm.signal.addEventListener('abort', () => clearInterval(telling));
    const forking = isForked ? [changeBranches(chain, weather)] : [];
    const killing = Promise.all([killNode(chain, weather), ...forking]).then(() => undefined);
    let left = phases.length;
    phaseIsCalm = () => {
      if (--left === 0) calm.abort();
      return killing;
    };
    const reports = await Promise.all([killing, ...runs.map((run) => run())]).then(([, ...all]) => all);
    const sum = (of: (report: PhaseReport) => number): number => reports.reduce((all, one) => all + of(one), 0);
    return {
      problems: reports.flatMap(({ problems }) => problems),
      begun: sum(({ begun }) => begun),
      delivered: sum(({ delivered }) => delivered),
      lost: sum(({ lost }) => lost),
      charges: sum(({ charges }) => charges),
      counts,
    };
  } finally {
    calm.abort();
    // The last of its kills may be under way.
    for (const phase of phases) await phase.close();
    await chain.close();
  }
}
