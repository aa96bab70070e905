import t from 'tap';
import type { Clock } from '../../src/base/world.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { type Link, type LinkEvents, NetworkDriver } from '../../src/p2p/driver.js';
import { silentLog } from '../sim/silent-log.js';
import { Bench } from './support/test-peer.js';

/** How the network ends: with a goodbye, and not before the others have taken it or had their time. */

const GRACE_MS = 2000;
const ENDS = { remote: '8.8.8.8:40000', local: '198.18.0.1:6789' };

/** Time stands still; what was to happen later is here. */
class Later implements Clock {
  readonly waiting = new Map<() => void, number>();

  nowMs(): number {
    return new Bench().now.wallMs;
  }

  monotonicMs(): number {
    return 0;
  }

  after(delayMs: number, run: () => void): () => void {
    this.waiting.set(run, delayMs);
    return () => this.waiting.delete(run);
  }
}

class NotedLink implements Link {
  readonly done: string[] = [];

  write(_bytes: Uint8Array, taken: () => void): void {
    this.done.push('write');
    taken();
  }

  end(): void {
    this.done.push('end');
  }

  destroy(): void {
    this.done.push('destroy');
  }
}

/** A driver with one peer that has sent its key. */
function withPeer() {
  const clock = new Later();
  const failures: unknown[] = [];
  const driver = new NetworkDriver({
    machine: new Bench().machine,
    clock,
    log: silentLog,
    dial: () => new NotedLink(),
    pushBlock: async () => ({ kind: 'accepted' }),
    pushTransactions: async () => [],
    storePeers: () => undefined,
    fail: (error) => failures.push(error),
  });
  driver.start();
  const link = new NotedLink();
  const events = driver.accept(link, ENDS) as LinkEvents;
  events.data(Buffer.from(PrivateKey.fromSeed('peer').publicKey, 'hex'));
  return { clock, driver, link, events, failures };
}

t.test('the network is closed when the last peer has taken the goodbye', async (t) => {
  const { clock, driver, link, events, failures } = withPeer();
  t.same(link.done, ['write', 'write'], 'key and hello');
  let isClosed = false;
  const closed = driver.close(GRACE_MS).then(() => {
    isClosed = true;
  });
  t.same(link.done.slice(2), ['write', 'end']);
  t.same([...clock.waiting.values()], [GRACE_MS], 'nothing else is looked after');
  await undefined;
  t.notOk(isClosed);
  t.equal(driver.accept(new NotedLink(), { ...ENDS, remote: '8.8.4.4:40000' }), undefined, 'nobody is taken any more');
  t.equal(driver.connections, 1);
  events.closed();
  await closed;
  t.equal(clock.waiting.size, 0);
  t.same(failures, []);
});

t.test('or when its time is over', async (t) => {
  const { clock, driver, link } = withPeer();
  const closed = driver.close(GRACE_MS);
  for (const run of clock.waiting.keys()) run();
  await closed;
  t.same(link.done.slice(-2), ['end', 'destroy']);
});

t.test('one peer that leaves ends nothing', async (t) => {
  const { clock, driver, events } = withPeer();
  const other = driver.accept(new NotedLink(), { ...ENDS, remote: '8.8.4.4:40000' }) as LinkEvents;
  events.closed();
  t.equal(driver.connections, 1);
  let isClosed = false;
  const closed = driver.close(GRACE_MS).then(() => {
    isClosed = true;
  });
  await undefined;
  t.notOk(isClosed);
  other.closed();
  await closed;
  t.equal(clock.waiting.size, 0);
});
