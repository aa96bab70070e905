import t from 'tap';
import { TransactionIntake } from '../../../src/node/intake.js';
import type { SignedTransaction } from '../../../src/protocol/transaction.js';
import '../../../src/operations/index.js';
import { inlineVerifier } from '../../../src/verify/inline.js';
import type { SignatureBatch, SignatureVerifier } from '../../../src/verify/verify.js';

const CHAIN = '00'.repeat(32);

const tx = (expiration: number): SignedTransaction => ({
  ref_block_num: 0,
  ref_block_prefix: 0,
  expiration,
  operations: [],
  extensions: [],
  signatures: [new Uint8Array(65).fill(1)],
});

/** Holds every batch back until the test lets it go. */
class SlowVerifier implements SignatureVerifier {
  readonly workers = 1;
  readonly backend = 'slow';
  readonly sizes: number[] = [];
  readonly #inner = inlineVerifier();
  #release: (() => void)[] = [];
  fails = false;

  async recover(batch: SignatureBatch) {
    this.sizes.push(batch.digests.length / 32);
    await new Promise<void>((resolve) => this.#release.push(resolve));
    if (this.fails) throw new Error('a thread has died');
    return this.#inner.recover(batch);
  }

  async release(): Promise<void> {
    for (const go of this.#release.splice(0)) go();
    await new Promise((resolve) => setImmediate(resolve));
  }

  async close(): Promise<void> {}
}

t.test('what comes while a batch is under way gathers for the next', async (t) => {
  const verifier = new SlowVerifier();
  const intake = new TransactionIntake(verifier, CHAIN);
  const answers = [1, 2, 3, 4].map((n) => intake.verify(tx(n)));
  t.same(verifier.sizes, [1], 'the first one does not wait');
  await verifier.release();
  t.same(verifier.sizes, [1, 3]);
  await verifier.release();
  const verified = await Promise.all(answers);
  t.same(
    verified.map((one) => one.transaction.expiration),
    [1, 2, 3, 4],
    'each caller has the answer to its own',
  );
  t.ok(
    verified.every((one) => one.keyError !== undefined),
    'a bad signature is an answer, not a failure',
  );
});

t.test('batches have a limit', async (t) => {
  const verifier = new SlowVerifier();
  const intake = new TransactionIntake(verifier, CHAIN);
  const answers = Array.from({ length: 600 }, (_, n) => intake.verify(tx(n)));
  for (let i = 0; i < 4; i++) await verifier.release();
  await Promise.all(answers);
  t.same(verifier.sizes, [1, 256, 256, 87]);
});

t.test('a verifier that fails fails its callers, and the next ones have their turn', async (t) => {
  const verifier = new SlowVerifier();
  const intake = new TransactionIntake(verifier, CHAIN);
  const first = intake.verify(tx(1));
  const second = intake.verify(tx(2));
  verifier.fails = true;
  await Promise.all([t.rejects(first, /a thread has died/), verifier.release()]);
  verifier.fails = false;
  await verifier.release();
  t.equal((await second).transaction.expiration, 2);
});
