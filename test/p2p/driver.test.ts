import t from 'tap';
import type { Clock, Logger } from '../../src/base/world.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { type DriverParts, type Link, type LinkEvents, NetworkDriver } from '../../src/p2p/driver.js';
import { P2P_LIMITS } from '../../src/p2p/limits.js';
import { silentLog } from '../sim/silent-log.js';
import { Bench } from './support/test-peer.js';

/** The network does what its machine wishes, at once, and ends with a goodbye: not before the others have taken it or had their time. */

const GRACE_MS = 2000;
const ENDS = { remote: '8.8.8.8:40000', local: '198.18.0.1:6789' };

/** Time stands still; what was to happen later is here. */
class Later implements Clock {
  readonly waiting = new Map<() => void, number>();
  ms = 0;

  nowMs(): number {
    return new Bench().now.wallMs;
  }

  monotonicMs(): number {
    return this.ms;
  }

  /** What waits happens now. */
  pass(): void {
    for (const run of [...this.waiting.keys()]) {
      this.waiting.delete(run);
      run();
    }
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

function withMachine({ machine }: Bench, parts: Partial<DriverParts> = {}) {
  const clock = new Later();
  const failures: unknown[] = [];
  const dials: string[] = [];
  const driver = new NetworkDriver({
    machine,
    clock,
    log: silentLog,
    dial: (endpoint) => {
      dials.push(endpoint);
      return new NotedLink();
    },
    pushBlock: async () => ({ kind: 'accepted' }),
    pushTransactions: async () => [],
    storePeers: () => undefined,
    fail: (error) => failures.push(error),
    ...parts,
  });
  return { clock, driver, dials, failures };
}

/** A driver with one peer that has sent its key. */
function withPeer(bench = new Bench()) {
  const { clock, driver, failures } = withMachine(bench);
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

t.test('the machine has its turn when it wants it, however long the machine has been up', async (t) => {
  const { clock, driver } = withMachine(new Bench());
  clock.ms = 50 * P2P_LIMITS.dial_ms;
  driver.start();
  for (let turn = 0; turn < 3; turn++) {
    t.same([...clock.waiting.values()], [P2P_LIMITS.watch_ms]);
    clock.ms += P2P_LIMITS.watch_ms;
    clock.pass();
  }
  await driver.close(GRACE_MS);
  t.equal(clock.waiting.size, 0);
});

t.test('what the operator wants is done at once', async (t) => {
  const bench = new Bench();
  const { driver, dials } = withMachine(bench);
  driver.start();
  driver.addPeer('9.9.9.9:1');
  t.same(dials, ['9.9.9.9:1']);
  driver.keepPeer('9.9.8.8:1');
  t.same(dials.slice(1), ['9.9.8.8:1']);
  driver.keepPeer('9.9.7.7:1', '9.9.8.8:1');
  t.same(dials.slice(2), ['9.9.7.7:1']);
  t.same(bench.machine.options.kept, ['9.9.7.7:1'], 'where it is now, and no more where it was');
  bench.active('8.8.8.8:1');
  bench.active('8.8.4.4:1');
  driver.setLimits(1, 1);
  t.equal(bench.machine.activeCount, 1);
  t.same(bench.machine.take(), [], 'the goodbye does not wait');
});

t.test('a connection that is not taken is told of then', async (t) => {
  const lines: unknown[] = [];
  const log: Logger = { ...silentLog, debug: (text, values) => lines.push([text, values]) };
  const { driver } = withMachine(new Bench(), { log });
  driver.start();
  const took = () => driver.accept(new NotedLink(), ENDS) !== undefined;
  while (driver.connections < P2P_LIMITS.inbound_per_address_max) t.ok(took());
  t.same(lines, []);
  t.notOk(took());
  t.same(lines, [['a connection was not taken', { peer: ENDS.remote, reason: 'too_many_connections' }]]);
});

t.test('a bug ends the node in order, wherever it shows', async (t) => {
  const bug = new Error('a bug');
  const { view } = new Bench().chain;
  const seen = withPeer(
    new Bench({}, undefined, {
      ...view,
      get head(): never {
        throw bug;
      },
    }),
  );
  t.same(seen.failures, [bug], 'in what a peer sends');
  let isBroken = false;
  const random = (count: number): Uint8Array => {
    if (isBroken) throw bug;
    return new Uint8Array(count);
  };
  const { clock, driver, failures } = withMachine(new Bench({ random }));
  driver.start();
  isBroken = true;
  clock.ms = P2P_LIMITS.dial_ms;
  clock.pass();
  t.same(failures, [bug], 'while time passes');

  const wish = {
    ticket: 1,
    id: '00'.repeat(20),
    number: 1,
    block: new Uint8Array(1),
    from: ENDS.remote,
    isSync: false,
  };
  for (const one of [
    { ...wish, kind: 'push_block' },
    { kind: 'push_transactions', transactions: [] },
  ] as const) {
    const broken = new Bench();
    const fails = async (): Promise<never> => {
      throw bug;
    };
    broken.machine.wish(one);
    await new Promise<void>((resolve) => {
      const fail = (error: unknown): void => {
        t.equal(error, bug, one.kind);
        resolve();
      };
      withMachine(broken, { pushBlock: fails, pushTransactions: fails, fail }).driver.start();
    });
  }
});

t.test('known peers are kept now and then, and at the end', async (t) => {
  let stored = 0;
  const { clock, driver } = withMachine(new Bench(), { storePeers: () => stored++ });
  driver.start();
  clock.ms += P2P_LIMITS.addresses_ms - 1;
  clock.pass();
  t.equal(stored, 0);
  clock.ms += P2P_LIMITS.watch_ms;
  clock.pass();
  t.equal(stored, 1);
  await driver.close(GRACE_MS);
  t.equal(stored, 2);
});
