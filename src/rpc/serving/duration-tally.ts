import type { Histogram } from 'prom-client';

/** Most calls take microseconds, the slowest must stay visible. */
export const CALL_BUCKETS_SEC = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5,
];

/**
 * How long something took each time, in plain numbers: the library finds its own by a text that it puts together from all
 * labels, twice for each time, which was 3 % of what a broadcast costs the main thread.
 */
export class DurationTally {
  count = 0;
  sumSec = 0;
  readonly #bounds: readonly number[];
  /** Times in each bucket and in none before it; the last one is for those that took longer than all bounds. */
  readonly #counts: Float64Array;

  /** `bounds`: seconds, ascending. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  add(sec: number): void {
    this.count++;
    this.sumSec += sec;
    const { length } = this.#bounds;
    let bucket = 0;
    while (bucket < length && sec > (this.#bounds[bucket] as number)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
  }

  /** Times that took at most so long, for each bound and for none. */
  *upTo(): Generator<readonly [bound: number | '+Inf', count: number]> {
    let count = 0;
    for (const [i, bound] of this.#bounds.entries()) {
      count += this.#counts[i] as number;
      yield [bound, count];
    }
    yield ['+Inf', this.count];
  }
}

/** How often a method was called and how long it took. */
export class CallTally {
  readonly times = new DurationTally(CALL_BUCKETS_SEC);
  failed = 0;

  add(sec: number, ok: boolean): void {
    if (!ok) this.failed++;
    this.times.add(sec);
  }

  get ok(): number {
    return this.times.count - this.failed;
  }
}

type Labels = Readonly<Record<string, string | number>>;

interface Value {
  readonly metricName: string;
  readonly labels: Labels;
  readonly value: number;
}

/** Tallies as the registry asks for a histogram of its library's own. `all`: each with the labels that it has. */
export function tallyMetric(
  name: string,
  help: string,
  all: () => Iterable<readonly [labels: Labels, tally: DurationTally]>,
): Histogram {
  const values = (): Value[] => {
    const list: Value[] = [];
    for (const [labels, tally] of all()) {
      for (const [le, value] of tally.upTo()) {
        list.push({ metricName: `${name}_bucket`, labels: { le, ...labels }, value });
      }
      list.push({ metricName: `${name}_sum`, labels, value: tally.sumSec });
      list.push({ metricName: `${name}_count`, labels, value: tally.count });
    }
    return list;
  };
  const metric = {
    name,
    help,
    get: async () => ({ name, help, type: 'histogram', values: values(), aggregator: 'sum' }),
  };
  // It asks for nothing else of what it has been given.
  return metric as unknown as Histogram;
}
