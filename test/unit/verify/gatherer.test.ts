import t from 'tap';
import { sha256 } from '../../../src/crypto/hash.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { signatureBackend } from '../../../src/crypto/signature.js';
import { Gatherer } from '../../../src/verify/gatherer.js';
import type { SharedBatch } from '../../../src/verify/shared-batch.js';
import type { RecoveredKeys, SignatureBatch } from '../../../src/verify/verify.js';
import { packBatch, recoveredItems } from '../../support/signature-batch.js';

const backend = signatureBackend();

function batchOf(key: PrivateKey, count: number): SignatureBatch {
  const digest = sha256(Uint8Array.of(count));
  const signature = backend.sign(digest, key);
  return packBatch(Array.from({ length: count }, () => ({ digest, signature })));
}

/** Threads that work when they are told to. */
class Threads {
  readonly sizes: number[] = [];
  readonly #under: { readonly shared: SharedBatch; readonly done: () => void; readonly failed: (e: Error) => void }[] =
    [];

  readonly work = (shared: SharedBatch): Promise<void> =>
    new Promise((done, failed) => {
      this.sizes.push(shared.count);
      this.#under.push({ shared, done, failed });
    });

  finish(): Promise<void> {
    const first = this.#under.shift();
    first?.shared.work(backend);
    first?.done();
    return new Promise(setImmediate);
  }

  fail(): Promise<void> {
    this.#under.shift()?.failed(new Error('broken'));
    return new Promise(setImmediate);
  }
}

const alice = PrivateKey.fromSeed('alice');
const bob = PrivateKey.fromSeed('bob');
const carol = PrivateKey.fromSeed('carol');

t.test('batches become one while the threads have enough, and each caller gets the keys of its own', async (t) => {
  const threads = new Threads();
  const gatherer = new Gatherer(1, threads.work);
  const ask = (key: PrivateKey, count: number): Promise<RecoveredKeys> => gatherer.recover(batchOf(key, count), count);
  const first = ask(alice, 64);
  const [second, third] = [ask(bob, 9), ask(carol, 3)];
  t.strictSame(threads.sizes, [64], 'who comes to idle threads waits for nobody');
  await threads.finish();
  t.strictSame(threads.sizes, [64, 12], 'the others go together');
  t.strictSame(new Set(recoveredItems(await first)), new Set([alice.publicKey]));
  const fourth = ask(alice, 1);
  t.strictSame(threads.sizes, [64, 12, 1], 'they have little to do');
  await threads.finish();
  await threads.finish();
  t.strictSame(recoveredItems(await second), Array(9).fill(bob.publicKey));
  t.strictSame(recoveredItems(await third), Array(3).fill(carol.publicKey));
  t.strictSame(recoveredItems(await fourth), [alice.publicKey]);
});

t.test('many are handed over whatever the threads have', async (t) => {
  const threads = new Threads();
  const gatherer = new Gatherer(1, threads.work);
  const batch = batchOf(alice, 9);
  const all = Array.from({ length: 130 }, () => gatherer.recover(batch, 9));
  t.strictSame(threads.sizes, [...Array(8).fill(9), 513, 513], 'the main thread was not idle in between');
  while (threads.sizes.reduce((sum, size) => sum + size, 0) < 130 * 9) await threads.finish();
  for (let i = 0; i < threads.sizes.length; i++) await threads.finish();
  for (const one of await Promise.all(all)) t.equal(one.count, 9);
});

t.test('a failure is that of the callers whose batch it was, and the next ones have their turn', async (t) => {
  const threads = new Threads();
  const gatherer = new Gatherer(1, threads.work);
  const first = gatherer.recover(batchOf(alice, 64), 64);
  const others = [alice, bob].map((key) => gatherer.recover(batchOf(key, 2), 2));
  const refused = t.rejects(first, { message: 'broken' });
  await threads.fail();
  await refused;
  const alsoRefused = Promise.all(others.map((one) => t.rejects(one, { message: 'broken' })));
  const last = gatherer.recover(batchOf(bob, 1), 1);
  await threads.fail();
  await alsoRefused;
  await threads.finish();
  t.strictSame(recoveredItems(await last), [bob.publicKey]);
});
