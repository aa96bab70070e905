import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { type DevNode, startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { FakeClock } from '../support/fake-clock.js';
import { rpcCall } from '../support/rpc-call.js';

/** The witnesses of one node are started on a second machine as well, with the same keys. */

const OPEN = { 'enable-network-node-api': 'true', 'p2p-private-addresses': 'true', 'p2p-endpoint': '127.0.0.1:0' };
const SAID = /another machine makes blocks for a witness of this node/;
/** The second machine hears of a block before it would make one itself. */
const BEHIND_MS = 1000;

const said = ({ log }: DevNode): string[] =>
  log.entries.filter(({ text }) => SAID.test(text)).map(({ values }) => String(values.witness));
/** Witnesses for which a block was made after another machine had been noticed. */
function madeAfterwards({ log }: DevNode): string[] {
  const noticed = new Set<string>();
  const out: string[] = [];
  for (const { text, values } of log.entries) {
    const witness = String(values.witness);
    if (SAID.test(text)) noticed.add(witness);
    else if (text === 'block produced' && noticed.has(witness)) out.push(witness);
  }
  return out;
}
const headOf = ({ node }: DevNode): string => node.chain.queries.head.id;

t.test('a machine with the keys of another one notices, says so and makes no more blocks', async (t) => {
  const folder = t.testdir({ a: {}, b: {} });
  const clock = new FakeClock(Date.now());
  const a = await startDevNode(join(folder, 'a'), OPEN, clock);
  for (let i = 0; i < 5; i++) {
    clock.advance(3000);
    await new Promise(setImmediate);
  }
  t.ok(a.node.chain.queries.head.number >= 3);
  t.ok(existsSync(join(folder, 'a', 'data', 'witness', 'signed_slots')));
  const { listening_on } = await rpcCall<{ listening_on: string }>(a.node.endpoints.plain, 'call', [
    'network_node',
    'get_info',
    [],
  ]);
  const late = new FakeClock(clock.nowMs() - BEHIND_MS);
  const line = {
    ...OPEN,
    'seed-node': listening_on,
    'enable-stale-production': 'false',
    'monitor-endpoint': '127.0.0.1:0',
  };
  const b = await startDevNode(join(folder, 'b'), line, late);
  const pass = async (): Promise<void> => {
    clock.advance(500);
    await eventually('it has what the other one has', () => headOf(a) === headOf(b));
    late.advance(500);
    await pause(5);
  };
  late.advance(500);
  await eventually('they are connected', async () => {
    late.advance(500);
    clock.advance(500);
    return headOf(a) === headOf(b);
  });
  for (let i = 0; i < 40 && said(b).length === 0; i++) await pass();
  const [first] = said(b);
  t.match(first, /^1\.6\.\d+$/);
  const answer = await fetch(`http://${b.node.endpoints.monitor}/readyz`);
  t.equal(answer.status, 503);
  t.match(await answer.text(), /another machine makes blocks for 1\.6\./);
  // By then it has met every witness, and the slots of all come round.
  for (let i = 0; i < 120; i++) await pass();
  t.equal(new Set(said(b)).size, said(b).length, 'each witness once');
  t.ok(said(b).length > 1);
  t.same(madeAfterwards(b), [], 'and no block for it afterwards');
  t.same(said(a), [], 'the first machine goes on');
  await b.node.stop();
  await a.node.stop();
});
