import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { toHex } from '../../../src/base/bytes.js';
import { ChainError } from '../../../src/base/errors.js';
import { sha256 } from '../../../src/crypto/hash.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { SIGNATURE_ERRORS, signatureBackend } from '../../../src/crypto/signature.js';
import { inlineVerifier } from '../../../src/verify/inline.js';
import { PoolVerifier } from '../../../src/verify/pool.js';
import { RestingPool } from '../../../src/verify/resting-pool.js';
import { type SignatureBatch, type SignatureVerifier, VERIFY_ERRORS } from '../../../src/verify/verify.js';
import { eventually } from '../../support/eventually.js';
import { LINGERING_FILE } from '../../support/lingering-worker.js';
import { refused, refusedLater } from '../../support/refused.js';
import { packBatch, recoveredItems, type SignedDigest } from '../../support/signature-batch.js';

const key = PrivateKey.fromSeed('verify test');
const backend = signatureBackend();

function signedDigest(i: number): SignedDigest {
  const digest = sha256(Uint8Array.of(i, i >> 8));
  return { digest, signature: backend.sign(digest, key) };
}

function batchOf(count: number): SignatureBatch {
  return packBatch(Array.from({ length: count }, (_, i) => signedDigest(i)));
}

/** Good ones and every kind of bad one, mixed. */
function mixedBatch(): SignatureBatch {
  const items = Array.from({ length: 70 }, (_, i) => signedDigest(i));
  const change = (i: number, at: number, value: number) => {
    (items[i] as SignedDigest).signature[at] = value;
  };
  change(3, 0, 26);
  change(17, 0, 255);
  change(33, 1, 0x80);
  (items[50] as SignedDigest).signature.fill(0x7f, 1);
  (items[69] as SignedDigest).signature.fill(0, 1, 33);
  return packBatch(items);
}

const outcome = async (verifier: SignatureVerifier, batch: SignatureBatch) =>
  recoveredItems(await verifier.recover(batch)).map((item) => (typeof item === 'string' ? item : item.message));

t.test('a verifier', async (t) => {
  const verifiers: [string, () => SignatureVerifier][] = [
    ['inline', () => inlineVerifier()],
    ['pool of one', () => new PoolVerifier({ workers: 1 })],
    ['pool of two', () => new PoolVerifier({ workers: 2 })],
    ['pool that rests', () => new RestingPool({ workers: 1 }, { monotonicMs: () => 0 })],
    ['pool with noble', () => new PoolVerifier({ workers: 1, choice: 'noble' })],
  ];
  for (const [name, open] of verifiers) {
    await t.test(name, async (t) => {
      const verifier = open();
      t.teardown(() => verifier.close());
      t.equal((await verifier.recover(batchOf(0))).count, 0, 'an empty batch');

      const batch = mixedBatch();
      const keys = await verifier.recover(batch);
      t.equal(keys.count, 70);
      const bad: [number, string][] = [
        [3, SIGNATURE_ERRORS.signature_header_invalid.key],
        [17, SIGNATURE_ERRORS.signature_header_invalid.key],
        [33, SIGNATURE_ERRORS.signature_not_canonical.key],
        [69, SIGNATURE_ERRORS.signature_not_canonical.key],
      ];
      for (const [index, errorKey] of bad) {
        const error = keys.errorAt(index);
        t.ok(error instanceof ChainError);
        t.equal(error?.key, errorKey, `item ${index}`);
      }
      t.equal(keys.errorAt(17)?.message, 'unable to reconstruct public key from signature');
      refused(t, SIGNATURE_ERRORS.signature_not_canonical, () => keys.keyAt(33));
      let good = 0;
      for (let i = 0; i < 70; i++) if (keys.errorAt(i) === undefined && keys.keyAt(i) === key.publicKey) good++;
      t.ok(good === 65 || good === 66, 'all others have their key, whatever number 50 gives');

      await refusedLater(
        t,
        VERIFY_ERRORS.verify_batch_uneven,
        verifier.recover({ digests: new Uint8Array(33), signatures: new Uint8Array(65) }),
      );
      await refusedLater(
        t,
        VERIFY_ERRORS.verify_batch_uneven,
        verifier.recover({ digests: new Uint8Array(64), signatures: new Uint8Array(65) }),
      );
      await verifier.close();
      await refusedLater(t, VERIFY_ERRORS.verifier_closed, verifier.recover(batch));
      await verifier.close();
    });
  }
});

t.test('what a verifier is made of', async (t) => {
  t.match(inlineVerifier('noble'), { workers: 0, backend: 'noble' });
  const pool = new PoolVerifier({ workers: 2, choice: 'native' });
  t.match(pool, { workers: 2, backend: 'native' });
  await pool.close();
});

/** How far each thread of this process steps back behind others. */
const niceOfThreads = (): number[] => readdirSync('/proc/self/task').map((task) => getPriority(Number(task)));

const isLinux = process.platform === 'linux';
t.test(
  'threads step back where there are as many as cores',
  { skip: isLinux ? false : 'only Linux counts it by threads' },
  async (t) => {
    const before = Math.max(...niceOfThreads());
    for (const cores of [3, 2]) {
      const pool = new PoolVerifier({ workers: 2, cores });
      const stepsBack = cores === 2;
      await pool.recover(batchOf(64));
      const back = (): number => niceOfThreads().filter((nice) => nice > before).length;
      // One thread may have done all of it before the other has begun.
      if (stepsBack) await eventually('both threads have begun', () => back() >= 2);
      t.equal(back(), stepsBack ? 2 : 0, 'this thread and those of the engine do not');
      await pool.close();
    }
  },
);

t.test('packing asks for the right sizes', async (t) => {
  const good = signedDigest(1);
  refused(t, SIGNATURE_ERRORS.digest_length_wrong, () => packBatch([{ ...good, digest: new Uint8Array(31) }]));
  refused(t, SIGNATURE_ERRORS.signature_length_wrong, () =>
    packBatch([good, { ...good, signature: new Uint8Array(64) }]),
  );
});

t.test('the pool answers as the caller would himself', async (t) => {
  const inline = inlineVerifier();
  const pool = new PoolVerifier({ workers: 2 });
  t.teardown(() => pool.close());
  t.same(await outcome(pool, mixedBatch()), await outcome(inline, mixedBatch()));
  const wild = fc.array(
    fc.record({
      digest: fc.uint8Array({ minLength: 32, maxLength: 32 }),
      signature: fc.oneof(
        fc.uint8Array({ minLength: 65, maxLength: 65 }),
        fc.integer({ min: 0, max: 5000 }).map((i) => signedDigest(i).signature),
      ),
    }),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(wild, async (items) => {
      const batch = packBatch(items);
      const [a, b] = [await outcome(pool, batch), await outcome(inline, batch)];
      return a.length === b.length && a.every((entry, i) => entry === b[i]);
    }),
    { numRuns: 25 },
  );
});

t.test('batches of many callers do not mix', async (t) => {
  const pool = new PoolVerifier({ workers: 2 });
  t.teardown(() => pool.close());
  const keys = Array.from({ length: 30 }, (_, i) => PrivateKey.fromSeed(`caller ${i}`));
  const answers = await Promise.all(
    keys.map((own, i) => {
      const items = Array.from({ length: 1 + ((i * 7) % 40) }, (_, j) => {
        const digest = sha256(Uint8Array.of(i, j));
        return { digest, signature: backend.sign(digest, own) };
      });
      return pool.recover(packBatch(items));
    }),
  );
  answers.forEach((answer, i) => {
    t.same(new Set(recoveredItems(answer)), new Set([(keys[i] as PrivateKey).publicKey]));
  });
  t.equal(pool.underWay, 0);
});

t.test('callers over the limit wait, in their order', async (t) => {
  const pool = new PoolVerifier({ workers: 1, queueMax: 2 });
  t.teardown(() => pool.close());
  const batch = batchOf(40);
  const order: number[] = [];
  let most = 0;
  const all = Array.from({ length: 7 }, async (_, i) => {
    await pool.recover(batch);
    order.push(i);
    // Whoever is done has made room, which is taken at once.
    most = Math.max(most, pool.underWay);
  });
  t.equal(pool.underWay, 2, 'two are under way');
  t.equal(pool.waiting, 5, 'five wait');
  await Promise.all(all);
  t.equal(most, 2, 'never more than two under way');
  t.same(order, [0, 1, 2, 3, 4, 5, 6]);
  t.same([pool.underWay, pool.waiting], [0, 0]);
});

t.test('closing finishes what is under way and refuses what waits', async (t) => {
  const pool = new PoolVerifier({ workers: 2, queueMax: 1 });
  const batch = batchOf(200);
  const underWay = pool.recover(batch);
  const waiting = pool.recover(batch);
  const refusal = refusedLater(t, VERIFY_ERRORS.verifier_closed, waiting, 'waiting');
  const closing = pool.close();
  t.equal(pool.close(), closing, 'closing twice is closing once');
  await refusedLater(t, VERIFY_ERRORS.verifier_closed, pool.recover(batch), 'too late');
  t.equal((await underWay).keyAt(199), key.publicKey, 'the batch under way is finished');
  await refusal;
  await closing;
  t.same([pool.underWay, pool.waiting], [0, 0]);
});

t.test('a thread that fails is reported, and the pool still closes', async (t) => {
  const program = new URL('../../support/failing-worker.js', import.meta.url);
  const pool = new PoolVerifier({ workers: 1, program });
  await refusedLater(t, VERIFY_ERRORS.verifier_worker_failed, pool.recover(batchOf(1)), 'throws');
  await refusedLater(t, VERIFY_ERRORS.verifier_worker_failed, pool.recover(batchOf(2)), 'dies');
  await refusedLater(t, VERIFY_ERRORS.verifier_worker_failed, pool.recover(batchOf(1)), 'another thread has its place');
  t.same([pool.underWay, pool.waiting], [0, 0]);
  await pool.close();
});

t.test('no thread can begin: who waits for one hears of it, and the pool still closes', async (t) => {
  const pool = new PoolVerifier({ workers: 2, program: new URL('./nowhere.js', import.meta.url) });
  const batch = batchOf(8);
  // More tasks than are handed to threads in advance.
  const all = Array.from({ length: 20 }, () => pool.recover(batch));
  await Promise.all(all.map((one) => refusedLater(t, VERIFY_ERRORS.verifier_worker_failed, one)));
  await refusedLater(t, VERIFY_ERRORS.verifier_worker_failed, pool.recover(batch), 'and later, too');
  t.same([pool.underWay, pool.waiting], [0, 0]);
  await pool.close();
});

t.test('the input is not changed', async (t) => {
  const pool = new PoolVerifier({ workers: 1 });
  t.teardown(() => pool.close());
  const batch = mixedBatch();
  const before = toHex(batch.digests) + toHex(batch.signatures);
  await pool.recover(batch);
  t.equal(toHex(batch.digests) + toHex(batch.signatures), before);
});

t.test('closing waits for the hands that came late: a thread ended inside native code ends the process', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-verify-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'hands');
  // Threads copy the environment when they start.
  process.env[LINGERING_FILE] = file;
  t.teardown(() => delete process.env[LINGERING_FILE]);
  const program = new URL('../../support/lingering-worker.js', import.meta.url);
  const pool = new PoolVerifier({ workers: 3, program });
  t.equal((await pool.recover(batchOf(60))).keyAt(59), key.publicKey);
  await pool.close();
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const count = (what: string) => lines.filter((line) => line === what).length;
  t.equal(count('came'), 3, 'every hand came');
  t.equal(count('went'), 3, 'and went by itself');
});

t.test('threads begin with the first second that has work for them, and stay', async (t) => {
  let nowMs = 5000;
  const pool = new RestingPool({ workers: 1 }, { monotonicMs: () => nowMs });
  t.teardown(() => pool.close());
  const isAwakeAfter = async (count: number): Promise<boolean> => {
    const keys = await pool.recover(batchOf(count));
    t.equal(keys.keyAt(count - 1), key.publicKey);
    return pool.isAwake;
  };
  for (let i = 0; i < 40; i++, nowMs += 1000) t.equal(await isAwakeAfter(16), false, `second ${i}`);
  t.equal(await isAwakeAfter(16), false);
  nowMs += 999;
  t.equal(await isAwakeAfter(1), true, 'the seventeenth within a second');
  nowMs += 60_000;
  t.equal(await isAwakeAfter(1), true);
  const resting = new RestingPool({ workers: 1 }, { monotonicMs: () => nowMs });
  t.equal(resting.waiting, 0);
  await resting.close();
  await refusedLater(t, VERIFY_ERRORS.verifier_closed, resting.recover(batchOf(40)), 'nobody wakes after the end');
  t.equal(resting.isAwake, false);

  const busy = new RestingPool({ workers: 1, queueMax: 1 }, { monotonicMs: () => nowMs });
  const answers = [busy.recover(batchOf(40)), busy.recover(batchOf(40))];
  t.equal(busy.waiting, 1, 'what has no place yet is counted');
  await Promise.all(answers);
  await busy.close();
});
