import type { Histogram } from 'prom-client';

/** Most calls take microseconds, the slowest must stay visible. */
export const BUCKETS_SEC = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5,
];

/**
 * How often a method was called and how long it took, in plain numbers: the library finds its own by a text that it puts
 * together from all labels, twice for each call, which was 3 % of what a broadcast costs the main thread.
 */
export class CallTally {
  ok = 0;
  failed = 0;
  sumSec = 0;
  /** Calls in each bucket and in none before it; the last one is for those that are slower than all. */
  readonly #counts = new Float64Array(BUCKETS_SEC.length + 1);

  add(sec: number, ok: boolean): void {
    if (ok) this.ok++;
    else this.failed++;
    this.sumSec += sec;
    let bucket = 0;
    while (bucket < BUCKETS_SEC.length && sec > (BUCKETS_SEC[bucket] as number)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
  }

  get count(): number {
    return this.ok + this.failed;
  }

  /** Calls that took at most so long, for each bound and for none. */
  *upTo(): Generator<readonly [bound: number | '+Inf', count: number]> {
    let count = 0;
    for (const [i, bound] of BUCKETS_SEC.entries()) {
      count += this.#counts[i] as number;
      yield [bound, count];
    }
    yield ['+Inf', this.count];
  }
}

interface Value {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** The tallies as the registry asks for a histogram of its library's own. */
export function tallyMetric(name: string, help: string, tallies: ReadonlyMap<string, CallTally>): Histogram {
  const values = (): Value[] => {
    const all: Value[] = [];
    for (const [method, tally] of tallies) {
      for (const [le, value] of tally.upTo()) all.push({ metricName: `${name}_bucket`, labels: { le, method }, value });
      all.push({ metricName: `${name}_sum`, labels: { method }, value: tally.sumSec });
      all.push({ metricName: `${name}_count`, labels: { method }, value: tally.count });
    }
    return all;
  };
  const metric = {
    name,
    help,
    get: async () => ({ name, help, type: 'histogram', values: values(), aggregator: 'sum' }),
  };
  // It asks for nothing else of what it has been given.
  return metric as unknown as Histogram;
}
