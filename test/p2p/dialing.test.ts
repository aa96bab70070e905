import t from 'tap';
import { P2P_LIMITS } from '../../src/p2p/limits.js';
import { Bench } from './support/test-peer.js';

/** Whom this node connects to, whatever others and its own clock do. */

const HOUR_MS = 3_600_000;
const PEER = '9.9.9.9:6789';

t.test('a clock that is set back ends no waiting for the next dial', async (t) => {
  const bench = new Bench({ seeds: [PEER], kept: ['8.8.8.8:6789'] });
  bench.wallAheadMs = 8 * HOUR_MS;
  bench.pass(1000);
  const dials = bench.dials.splice(0);
  t.equal(dials.length, 2);
  for (const { id } of dials) bench.machine.gone(bench.now, id);
  bench.wallAheadMs = 0;
  bench.pass(P2P_LIMITS.dial_ms + 1000);
  t.same(bench.dials.map(({ endpoint }) => endpoint).sort(), ['8.8.8.8:6789', PEER]);
});
