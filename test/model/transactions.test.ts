import { refBlockPrefix } from '../../src/crypto/digests.js';
import type { SignedTransaction } from '../../src/protocol/transaction.js';
import { core, type TestWorld, worldTest } from '../support/world.js';

const LIFETIME = 60;
const OPTIONS = {
  accounts: { alice: 10n ** 9n, bob: 0n },
  parameters: { maximum_time_until_expiration: LIFETIME },
};
const BLOCKS = 4;

let amount = 1;
/** Another transfer each time: none is a duplicate. */
function isAccepted(w: TestWorld, header: Partial<SignedTransaction>): boolean {
  const transfer = w.operation('transfer', { from: 'alice', to: 'bob', amount: core(amount++) });
  try {
    w.chain.pending.push({ transaction: w.signChanged([transfer], { expiration: w.now + 30, ...header }) });
    return true;
  } catch {
    return false;
  }
}

const idOf = (w: TestWorld, number: number): string =>
  number === w.chain.blocks.head.number
    ? w.chain.blocks.head.id
    : (w.chain.queries.blockByNumber(number + 1)?.previous as string);

worldTest('a transaction lives from the head to the farthest second that is allowed', OPTIONS, (t, w) => {
  w.blocks(BLOCKS);
  for (const seconds of [-61, -1, 0, 1, LIFETIME - 1, LIFETIME, LIFETIME + 1, LIFETIME * 2]) {
    const isAlive = seconds >= 0 && seconds <= LIFETIME;
    t.equal(isAccepted(w, { expiration: w.now + seconds }), isAlive, `${seconds} s`);
  }
  t.equal(isAccepted(w, { expiration: 0 }), false, 'the beginning of time');
  t.equal(isAccepted(w, { expiration: 0xffff_ffff }), false, 'its end');
  // Some are over before the next block
  w.chain.pending.clear();
});

const FOR_EVER = { ...OPTIONS, parameters: { maximum_time_until_expiration: 0xffff_ffff } };

worldTest(
  'the farthest second has 32 bits: where all of them are allowed it is that before the head',
  FOR_EVER,
  (t, w) => {
    w.blocks(BLOCKS);
    for (const expiration of [w.now - 1, w.now, w.now + 1, 0xffff_ffff])
      t.equal(isAccepted(w, { expiration }), false, `${expiration}`);
  },
);

worldTest('it refers to a block by number and prefix, to one that is not there by nothing', OPTIONS, (t, w) => {
  w.blocks(BLOCKS);
  const { number: head } = w.chain.blocks.head;
  const prefixes = new Map([0, head + 1, 60_000, 65_535].map((number) => [number, 0]));
  for (let number = 1; number <= head; number++) prefixes.set(number, refBlockPrefix(idOf(w, number)));
  for (const ref_block_num of prefixes.keys()) {
    for (const ref_block_prefix of new Set(prefixes.values())) {
      const expected = prefixes.get(ref_block_num) === ref_block_prefix;
      const what = `block ${ref_block_num} as ${ref_block_prefix}`;
      t.equal(isAccepted(w, { ref_block_num, ref_block_prefix }), expected, what);
    }
  }
  w.block();
});
