import t from 'tap';
import { INTAKE_ERRORS, TransactionIntake } from '../../../src/node/ports/intake.js';
import type { SignedTransaction } from '../../../src/protocol/transaction.js';
import type { VerifiedTransaction } from '../../../src/protocol/verified.js';
import '../../../src/operations/index.js';
import { inlineVerifier } from '../../../src/verify/inline.js';
import type { SignatureBatch, SignatureVerifier } from '../../../src/verify/verify.js';
import { refusedLater } from '../../support/refused.js';

const CHAIN = '00'.repeat(32);

const tx = (expiration: number): SignedTransaction => ({
  ref_block_num: 0,
  ref_block_prefix: 0,
  expiration,
  operations: [],
  extensions: [],
  signatures: [new Uint8Array(65).fill(1)],
});

const itself = (verified: VerifiedTransaction): VerifiedTransaction => verified;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Holds every batch back until the test lets it go. */
class SlowVerifier implements SignatureVerifier {
  readonly workers = 1;
  readonly backend = 'slow';
  readonly sizes: number[] = [];
  readonly #inner = inlineVerifier();
  readonly #held: { readonly go: () => void; readonly done: Promise<unknown> }[] = [];
  fails = false;

  recover(batch: SignatureBatch) {
    this.sizes.push(batch.digests.length / 32);
    let go: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const work = held.then(() => {
      if (this.fails) throw new Error('a thread has died');
      return this.#inner.recover(batch);
    });
    this.#held.push({ go, done: work.catch(() => undefined) });
    return work;
  }

  /** Lets the oldest batch go, or the newest, and waits until it is done. */
  async release(which: 'oldest' | 'newest' = 'oldest'): Promise<void> {
    while (this.#held.length === 0) await turn();
    const batch = which === 'oldest' ? this.#held.shift() : this.#held.pop();
    batch?.go();
    await batch?.done;
    await turn();
  }

  async close(): Promise<void> {}
}

t.test('what comes in one turn goes together, and what comes while batches are under way gathers', async (t) => {
  const verifier = new SlowVerifier();
  const intake = new TransactionIntake(verifier, CHAIN);
  const answers = [1, 2].map((n) => intake.verify(tx(n), itself));
  await turn();
  t.same(verifier.sizes, [2]);
  answers.push(intake.verify(tx(3), itself));
  await turn();
  t.same(verifier.sizes, [2, 1], 'a second batch lies ready for the thread');
  answers.push(...[4, 5].map((n) => intake.verify(tx(n), itself)));
  await turn();
  t.same(verifier.sizes, [2, 1], 'a third one waits');
  for (let i = 0; i < 3; i++) await verifier.release();
  t.same(verifier.sizes, [2, 1, 2]);
  const verified = await Promise.all(answers);
  t.same(
    verified.map((one) => one.transaction.expiration),
    [1, 2, 3, 4, 5],
    'each caller has the answer to its own',
  );
  t.ok(
    verified.every((one) => one.keyError !== undefined),
    'a bad signature is an answer, not a failure',
  );
});

t.test('many are divided among the batches, which have a limit', async (t) => {
  const verifier = new SlowVerifier();
  const intake = new TransactionIntake(verifier, CHAIN);
  const some = Array.from({ length: 64 }, (_, n) => intake.verify(tx(n), itself));
  await turn();
  t.same(verifier.sizes, [32, 32]);
  const more = Array.from({ length: 600 }, (_, n) => intake.verify(tx(n), itself));
  for (let i = 0; i < 5; i++) await verifier.release();
  await Promise.all([...some, ...more]);
  t.same(verifier.sizes, [32, 32, 256, 256, 88]);
});

t.test('answers keep the order of the calls when a later batch is done first', async (t) => {
  const verifier = new SlowVerifier();
  const intake = new TransactionIntake(verifier, CHAIN);
  const order: number[] = [];
  const ask = (n: number) => intake.verify(tx(n), itself).then(() => order.push(n));
  const first = ask(1);
  await turn();
  const second = ask(2);
  await turn();
  await verifier.release('newest');
  t.same(order, []);
  await verifier.release();
  await Promise.all([first, second]);
  t.same(order, [1, 2]);
});

t.test(
  "what is done with a transaction is done in the order of the calls, and what that throws is its caller's",
  async (t) => {
    const intake = new TransactionIntake(inlineVerifier(), CHAIN);
    const order: number[] = [];
    const use = (n: number) => () => {
      order.push(n);
      if (n === 2) throw new Error('refused');
      return 10 * n;
    };
    const answers = [1, 2, 3].map((n) => intake.verify(tx(n), use(n)));
    t.same(
      (await Promise.allSettled(answers)).map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message)),
      [10, 'refused', 30],
    );
    t.same(order, [1, 2, 3]);
  },
);

t.test('a verifier that fails fails its callers, and the next ones have their turn', async (t) => {
  const verifier = new SlowVerifier();
  const intake = new TransactionIntake(verifier, CHAIN);
  const first = intake.verify(tx(1), itself);
  await turn();
  const second = intake.verify(tx(2), itself);
  verifier.fails = true;
  await Promise.all([t.rejects(first, /a thread has died/), verifier.release()]);
  verifier.fails = false;
  await turn();
  await verifier.release();
  t.equal((await second).transaction.expiration, 2);
});

t.test('a place is taken before any work, in count and in bytes, and given back when the work is over', async (t) => {
  const verifier = new SlowVerifier();
  const one = 12 + 65;
  const intake = new TransactionIntake(verifier, CHAIN, { transactions: 3, bytes: 2 * one });
  const inside = [1, 2].map((n) => intake.verify(tx(n), itself));
  await refusedLater(t, INTAKE_ERRORS.intake_full, intake.verify(tx(3), itself), 'its bytes are too many');
  const empty = { ...tx(3), signatures: [] };
  await refusedLater(t, INTAKE_ERRORS.intake_full, intake.verify(empty, itself), 'not even a small one fits');
  await turn();
  await verifier.release();
  await Promise.all(inside);
  const again = [4, 5].map((n) => intake.verify(tx(n), itself));
  await turn();
  t.same(verifier.sizes, [2, 2], 'what was refused never came to the threads');
  verifier.fails = true;
  await Promise.all([...again.map((one) => t.rejects(one, /a thread has died/)), verifier.release()]);
  verifier.fails = false;
  const afterwards = [6, 7].map((n) => intake.verify(tx(n), itself));
  await turn();
  await Promise.all([...afterwards, verifier.release()]);

  const few = new TransactionIntake(verifier, CHAIN, { transactions: 1, bytes: 0 });
  const alone = few.verify(tx(5), itself);
  await refusedLater(t, INTAKE_ERRORS.intake_full, few.verify(empty, itself), 'there is no second place');
  await turn();
  await verifier.release();
  t.equal((await alone).transaction.expiration, 5, 'one alone is taken, however large');

  const two = new TransactionIntake(verifier, CHAIN, { transactions: 2, bytes: 10 * one });
  const both = [1, 2].map((n) => two.verify(tx(n), itself));
  await refusedLater(t, INTAKE_ERRORS.intake_full, two.verify(empty, itself), 'as many as there are places');
  await turn();
  await verifier.release();
  await Promise.all(both);
});

t.test('one that has more signatures than a batch goes alone', async (t) => {
  const verifier = new SlowVerifier();
  const intake = new TransactionIntake(verifier, CHAIN);
  const many = { ...tx(2), signatures: Array.from({ length: 1025 }, () => new Uint8Array(65).fill(1)) };
  const answers = [tx(1), many, tx(3)].map((one) => intake.verify(one, itself));
  for (let i = 0; i < 3; i++) await verifier.release();
  await Promise.all(answers);
  t.same(verifier.sizes, [1, 1025, 1]);
});
