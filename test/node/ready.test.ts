import t from 'tap';
import type { DevPort } from '../../src/rpc/ports.js';
import { startDevNode } from '../support/dev-node.js';

/** A node whose head is old lives, and is not ready for clients. */

t.test('how old the head may be is an option', async (t) => {
  const dev = await startDevNode(t.testdir(), { 'monitor-endpoint': '127.0.0.1:0', 'ready-head-age': '60' });
  t.teardown(() => dev.node.stop());
  const page = async (name: string) => {
    const answer = await fetch(`http://${dev.node.endpoints.monitor}/${name}`);
    return { status: answer.status, text: await answer.text() };
  };
  dev.clock.advance(6_000);
  t.same(await page('readyz'), { status: 200, text: 'ready\n' });
  (dev.node.dev as DevPort).setProducing(false);
  const age = () => Math.floor(dev.clock.nowMs() / 1000) - dev.node.chain.queries.head.time;
  dev.clock.advance((60 - age()) * 1000);
  t.same(await page('readyz'), { status: 200, text: 'ready\n' }, 'as old as it may be');
  dev.clock.advance(1000);
  t.same(await page('readyz'), { status: 503, text: 'the head block is 61 seconds old\n' });
  t.same(await page('healthz'), { status: 200, text: 'ok\n' });
  (dev.node.dev as DevPort).setProducing(true);
  dev.clock.advance(6_000);
  t.equal((await page('readyz')).status, 200, 'and is ready again by itself');
});
