import t from 'tap';
import { NamedPeers, RESOLVE_MS } from '../../../src/node/network/named-peers.js';
import { type Resolved, resolveEndpoint } from '../../../src/node/network/resolve.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';

const settled = (): Promise<void> => new Promise(setImmediate);

t.test('a name without an address is said once and looked for again, until it has one', async (t) => {
  const clock = new FakeClock(0);
  const log = new MemoryLog();
  let answer: Resolved = { endpoint: undefined, why: 'there is no such name' };
  let asked = 0;
  const found: string[] = [];
  const peers = new NamedPeers({
    clock,
    log,
    resolve: async () => {
      asked++;
      return answer;
    },
    isMissing: () => false,
    found: (endpoint, use) => found.push(`${use} ${endpoint}`),
    fail: (error) => {
      throw error;
    },
  });
  peers.add('seed.example:6789', 'kept');
  await settled();
  for (let i = 0; i < 3; i++) {
    clock.advance(RESOLVE_MS);
    await settled();
  }
  t.equal(asked, 4);
  t.match(log.entries, [{ level: 'warn', values: { peer: 'seed.example:6789', reason: 'there is no such name' } }]);
  t.equal(log.entries.length, 1, 'once');
  answer = { endpoint: undefined, why: 'the name servers do not answer' };
  clock.advance(RESOLVE_MS);
  await settled();
  t.equal(log.entries.length, 2, 'another reason is news');
  answer = { endpoint: '192.0.2.7:6789' };
  clock.advance(RESOLVE_MS);
  await settled();
  t.same(found, ['kept 192.0.2.7:6789']);
  t.match(log.entries[2], { level: 'info', values: { peer: 'seed.example:6789', address: '192.0.2.7:6789' } });
  clock.advance(10 * RESOLVE_MS);
  await settled();
  t.equal(asked, 6, 'nobody asks for what is known');
});

/** Names with addresses that a test changes, and what is made of them. */
class Names {
  readonly clock = new FakeClock(0);
  readonly log = new MemoryLog();
  readonly found: (readonly [endpoint: string, use: string, before: string | undefined])[] = [];
  readonly missing = new Set<string>();
  readonly peers: NamedPeers;

  constructor(addresses: ReadonlyMap<string, string>) {
    this.peers = new NamedPeers({
      clock: this.clock,
      log: this.log,
      resolve: async (name) => {
        const endpoint = addresses.get(name);
        return endpoint === undefined ? { endpoint, why: 'there is no such name' } : { endpoint };
      },
      isMissing: (endpoint) => this.missing.has(endpoint),
      found: (...one) => this.found.push(one),
      fail: (error) => {
        throw error;
      },
    });
  }

  async minutesPass(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      this.clock.advance(RESOLVE_MS);
      await settled();
    }
  }
}

t.test('a peer that is missing is looked for under its name again, and kept where it is now', async (t) => {
  const addresses = new Map([
    ['a.example:1', '192.0.2.1:1'],
    ['b.example:1', '192.0.2.1:1'],
  ]);
  const names = new Names(addresses);
  names.peers.add('a.example:1', 'kept');
  names.peers.add('b.example:1', 'kept');
  await settled();
  addresses.set('a.example:1', '192.0.2.2:1');
  await names.minutesPass(3);
  t.same(names.found.splice(0), [
    ['192.0.2.1:1', 'kept', undefined],
    ['192.0.2.1:1', 'kept', undefined],
  ]);
  names.missing.add('192.0.2.1:1').add('192.0.2.2:1');
  await names.minutesPass(3);
  t.same(names.found.splice(0), [['192.0.2.2:1', 'kept', undefined]], 'the address before is another name’s too');
  t.match(names.log.entries, [{ level: 'info', values: { address: '192.0.2.2:1', before: '192.0.2.1:1' } }]);
  addresses.set('a.example:1', '192.0.2.3:1');
  addresses.delete('b.example:1');
  await names.minutesPass(3);
  t.same(names.found.splice(0), [['192.0.2.3:1', 'kept', '192.0.2.2:1']]);
  t.match(names.log.entries.slice(1), [{ values: { peer: 'a.example:1' } }, { level: 'warn' }]);
});

t.test('a peer that is kept and named as a seed besides is kept, and dialed each time it is named', async (t) => {
  const names = new Names(new Map([['a.example:1', '192.0.2.1:1']]));
  names.peers.add('a.example:1', 'kept');
  names.peers.add('a.example:1', 'seed');
  await settled();
  names.peers.add('a.example:1', 'seed');
  await settled();
  t.same(names.found, Array(3).fill(['192.0.2.1:1', 'kept', undefined]));
});

t.test('what has stopped hands on nothing', async (t) => {
  const clock = new FakeClock(0);
  const found: string[] = [];
  let tell: (found: Resolved) => void = () => undefined;
  const peers = new NamedPeers({
    clock,
    log: new MemoryLog(),
    resolve: () => new Promise((resolve) => (tell = resolve)),
    isMissing: () => true,
    found: (endpoint) => found.push(endpoint),
    fail: (error) => {
      throw error;
    },
  });
  peers.add('seed.example:6789', 'seed');
  peers.stop();
  tell({ endpoint: '192.0.2.7:6789' });
  await settled();
  t.same(found, []);
});

t.test('addresses need no name server; what is no address at all is said', async (t) => {
  t.same(await resolveEndpoint('192.0.2.1:6789'), { endpoint: '192.0.2.1:6789' });
  t.match(await resolveEndpoint('192.0.2.1'), { endpoint: undefined, why: /host:port/ });
  t.match(await resolveEndpoint('localhost:1'), { endpoint: '127.0.0.1:1' });
  t.match(await resolveEndpoint('no-such-host.invalid:1'), {
    endpoint: undefined,
    why: /^(there is no such name|the name)/,
  });
});
