import t from 'tap';
import { AccountIndex } from '../../src/rpc/remembered/account-index.js';
import { TextCache } from '../../src/rpc/remembered/block-cache.js';
import { type AccountObject, accountObject } from '../../src/state/objects/account.js';
import { allPieces } from '../support/all-pieces.js';
import { FakeChain } from './support/fake-chain.js';
import { goldenPorts } from './support/golden-rpc.js';

/** What the RPC layer keeps between requests stays within its bounds and follows the chain. */

t.test('printed blocks: the ones used longest ago leave first', async (t) => {
  const cache = new TextCache(30);
  for (const id of ['a', 'b', 'c']) cache.put(id, id.repeat(10));
  t.equal(cache.find('a'), 'aaaaaaaaaa');
  cache.put('d', 'd'.repeat(10));
  t.equal(cache.find('b'), undefined, 'b was used longest ago');
  t.equal(cache.find('a'), 'aaaaaaaaaa');
  t.equal(cache.chars, 30);
  cache.put('huge', 'x'.repeat(31));
  t.equal(cache.find('huge'), undefined, 'one text never pushes out all others');
  cache.put('a', 'other');
  t.equal(cache.find('a'), 'aaaaaaaaaa', 'an id stands for one text');
  t.equal(cache.chars, 30);
});

t.test('who mentions a key: found after changes, not found when it is gone', async (t) => {
  const base = goldenPorts();
  const chain = new FakeChain(base);
  const index = new AccountIndex(chain.ports.chain);
  chain.ports.chain.listen((notice) => index.follow(notice));
  const alice = base.chain.state.find(accountObject, 32) as AccountObject;
  const bob = base.chain.state.find(accountObject, 33) as AccountObject;
  const [[key]] = alice.active.key_auths as [[string, number]];
  t.ok(allPieces(index.ofKey(key)).includes(32));
  t.notOk(allPieces(index.ofKey(key)).includes(33));
  const before = bob.active;
  bob.active = alice.active;
  chain.applied(1, [{ definition: accountObject, instance: 33, value: bob, isNew: false }]);
  t.ok(allPieces(index.ofKey(key)).includes(33), 'a change is seen');
  bob.active = before;
  t.notOk(allPieces(index.ofKey(key)).includes(33), 'an entry that holds no more is left out');
  t.same(index.ofKey('02'.padEnd(66, '0')), []);
});
