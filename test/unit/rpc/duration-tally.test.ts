import { Histogram, Registry } from 'prom-client';
import t from 'tap';
import { CALL_BUCKETS_SEC, CallTally, tallyMetric } from '../../../src/rpc/serving/duration-tally.js';

const NAME = 'trustnode_rpc_call_duration_seconds';
const HELP = 'Time from a decoded request to its printed answer';

/** Lines of a page of metrics, whatever the order of lines and labels. */
const linesOf = (page: string): readonly string[] =>
  page
    .split('\n')
    .map((line) => line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort().join(',')}}`))
    .filter((line) => line !== '')
    .sort();

t.test('a tally says what a histogram of the library says', async (t) => {
  const [own, library] = [new Registry(), new Registry()];
  const histogram = new Histogram({
    name: NAME,
    help: HELP,
    labelNames: ['method'],
    buckets: [...CALL_BUCKETS_SEC],
    registers: [library],
  });
  const tallies = new Map<string, CallTally>();
  own.registerMetric(tallyMetric(NAME, HELP, () => [...tallies].map(([method, { times }]) => [{ method }, times])));
  t.strictSame(linesOf(await own.metrics()), linesOf(await library.metrics()), 'without a call');
  // On the bounds, between them, and beyond the last.
  const times = CALL_BUCKETS_SEC.flatMap((bound, i) => [bound, bound * 1.5, i === 0 ? 0 : bound]).concat(60);
  for (const method of ['get_block', 'say "it"']) {
    const tally = new CallTally();
    tallies.set(method, tally);
    for (const [i, sec] of times.entries()) {
      tally.add(sec, i % 3 > 0);
      histogram.observe({ method }, sec);
    }
    t.strictSame([tally.ok + tally.failed, tally.failed], [times.length, Math.ceil(times.length / 3)]);
  }
  t.strictSame(linesOf(await own.metrics()), linesOf(await library.metrics()));
  t.strictSame(await own.getSingleMetricAsString(NAME), (await own.metrics()).trimEnd());
});
