import t from 'tap';
import { ChainError, type ErrorRow } from '../../src/base/errors.js';
import { LIMITS } from '../../src/base/limits.js';
import { TRANSACTION_ERRORS } from '../../src/chain/apply-transaction.js';
import { Chain } from '../../src/chain/chain.js';
import { CHECKPOINT_ERRORS } from '../../src/chain/checkpoints.js';
import { BlockFacts } from '../../src/chain/facts.js';
import { FORK_ERRORS } from '../../src/chain/fork-db.js';
import { HEADER_ERRORS } from '../../src/chain/header.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { PENDING_ERRORS } from '../../src/chain/pending.js';
import { decode, encode } from '../../src/codec/binary.js';
import { CONTAINER_ERRORS } from '../../src/codec/containers.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { OPERATION_ERRORS } from '../../src/operations/checks.js';
import { SKIP } from '../../src/operations/define.js';
import { TRANSFER_ERRORS } from '../../src/operations/transfer/transfer-checks.js';
import { AUTHORITY_ERRORS } from '../../src/protocol/authority-check.js';
import { type SignedBlock, signedBlock } from '../../src/protocol/block.js';
import { BLOCK_TIME_ERRORS, checkBlockTime } from '../../src/protocol/block-time.js';
import {
  type ProcessedTransaction,
  type SignedTransaction,
  signedTransaction,
} from '../../src/protocol/transaction.js';
import { stateHash } from '../../src/state/state-hash.js';
import { testEngine } from '../support/engine.js';
import { keyOfWitness, nextBlock, signedBy } from '../support/next-block.js';
import { refused } from '../support/refused.js';
import { core, TestWorld, worldTest } from '../support/world.js';
import { accountKey } from '../support/world-genesis.js';

/** What hostile peers and clients send. The plain cases of single fields are in blocks.test.ts. */

const FUNDED = { accounts: { alice: 1_000_000n, bob: 0n } };
const transferOne = { from: 'alice', to: 'bob', amount: core(1) };
const I64_MAX = 2n ** 63n - 1n;

const hashOf = (w: TestWorld): string => w.chain.snapshots.withHeadState(stateHash);

const processed = (transaction: SignedTransaction): ProcessedTransaction => ({
  ...transaction,
  operation_results: transaction.operations.map(() => [0, {}]),
});

/** Sent as a transaction of its own and inside a block that is otherwise in order. */
function refusedTwice(
  t: Parameters<typeof refused>[0],
  w: TestWorld,
  row: ErrorRow,
  make: () => SignedTransaction,
): void {
  const hash = hashOf(w);
  refused(t, row, () => w.chain.pending.push({ transaction: make() }), `${row.key} on its own`);
  refused(
    t,
    row,
    () => w.chain.blocks.push({ block: nextBlock(w, { transactions: [processed(make())] }) }),
    `${row.key} in a block`,
  );
  t.equal(w.chain.pending.ids.length, 0, 'nothing is kept');
  t.equal(hashOf(w), hash, 'nothing has changed');
}

worldTest('amounts at the ends of their range', FUNDED, (t, w) => {
  const transfer = (amount: bigint, more: object = {}): SignedTransaction =>
    w.sign([w.operation('transfer', { ...transferOne, amount: core(amount), ...more })], ['alice']);
  refusedTwice(t, w, TRANSFER_ERRORS.transfer_balance, () => transfer(I64_MAX));
  for (const amount of [0n, -1n, -(2n ** 63n)]) {
    refusedTwice(t, w, OPERATION_ERRORS.amount_not_positive, () => transfer(amount));
  }
  // Each is possible alone, together they are more than there is, in whatever order they overflow.
  const twice = () =>
    w.sign(
      [1, 2].map(() => w.operation('transfer', { ...transferOne, amount: core(600_000n) })),
      ['alice'],
    );
  refusedTwice(t, w, TRANSFER_ERRORS.transfer_balance, twice);
  for (const amount of [-1n, I64_MAX]) {
    const hash = hashOf(w);
    t.throws(() => w.chain.pending.push({ transaction: transfer(1n, { fee: core(amount) }) }), ChainError);
    t.equal(hashOf(w), hash, `a fee of ${amount} changes nothing`);
  }
  t.equal(w.balance('alice'), 1_000_000n);
});

worldTest('transactions out of time, on foreign blocks, or from elsewhere', FUNDED, (t, w) => {
  w.blocks(3);
  const make = (change: Partial<SignedTransaction>) => () =>
    w.signChanged([w.operation('transfer', transferOne)], change, ['alice']);
  refusedTwice(t, w, TRANSACTION_ERRORS.transaction_expired, make({ expiration: w.now - 1 }));
  refusedTwice(t, w, TRANSACTION_ERRORS.transaction_expires_too_late, make({ expiration: 0xffff_ffff }));
  refusedTwice(t, w, TRANSACTION_ERRORS.transaction_reference, make({ ref_block_prefix: 0xdead_beef }));
  refusedTwice(t, w, TRANSACTION_ERRORS.transaction_reference, make({ ref_block_num: 0xffff }));
  refusedTwice(t, w, TRANSACTION_ERRORS.transaction_empty, make({ operations: [] }));
  const foreign = () => {
    const own = make({})();
    const digest = new Uint8Array(32).fill(7);
    return { ...own, signatures: [signatureBackend().sign(digest, accountKey('alice'))] };
  };
  refusedTwice(t, w, AUTHORITY_ERRORS.active_auth_missing, foreign);
  const stranger = () => w.sign([w.operation('transfer', transferOne)], ['alice', accountKey('stranger')]);
  refusedTwice(t, w, AUTHORITY_ERRORS.signature_irrelevant, stranger);
});

worldTest(
  'a transaction is not repeated: not at once, not in the next block, not after it is forgotten',
  FUNDED,
  (t, w) => {
    const one = w.sign([w.operation('transfer', transferOne)], ['alice']);
    w.chain.pending.push({ transaction: one });
    refused(t, TRANSACTION_ERRORS.transaction_duplicate, () => w.chain.pending.push({ transaction: one }));
    // Other signatures over the same content make no other transaction.
    const again = {
      ...one,
      signatures: [...one.signatures, signatureBackend().sign(new Uint8Array(32), accountKey('bob'))],
    };
    refused(t, TRANSACTION_ERRORS.transaction_duplicate, () => w.chain.pending.push({ transaction: again }));
    w.block();
    refusedTwice(t, w, TRANSACTION_ERRORS.transaction_duplicate, () => one);
    w.advance(3600);
    t.equal(
      w.chain.queries.isKnownTransaction(
        new BlockFacts(nextBlock(w, { transactions: [processed(one)] })).transactions[0]?.id ?? '',
      ),
      false,
    );
    refusedTwice(t, w, TRANSACTION_ERRORS.transaction_expired, () => one);
    t.equal(w.balance('bob'), 1n);
  },
);

worldTest('blocks that come again change nothing', FUNDED, (t, w) => {
  w.push('transfer', transferOne);
  w.blocks(4);
  const hash = hashOf(w);
  for (let number = 1; number <= w.chain.blocks.head.number; number++) {
    const block = w.chain.queries.blockByNumber(number) as SignedBlock;
    try {
      t.equal(w.chain.blocks.push({ block }).isApplied, false);
    } catch (error) {
      // The oldest one that may still be remembered has no parent any more; the family asks for that first.
      const keys = [FORK_ERRORS.block_too_old.key, FORK_ERRORS.block_unlinkable.key];
      t.ok(error instanceof ChainError && keys.includes(error.key), `block ${number} is too old`);
    }
  }
  t.equal(hashOf(w), hash);
});

worldTest('blocks before the last irreversible one', { witnesses: 1 }, (t, w) => {
  w.blocks(5);
  const hash = hashOf(w);
  const old = w.chain.queries.blockByNumber(3) as SignedBlock;
  const other = signedBy({ ...old, timestamp: old.timestamp + 1 }, keyOfWitness(old.witness));
  refused(t, FORK_ERRORS.block_too_old, () => w.chain.blocks.push({ block: other }));
  const onOther = signedBy(
    { ...old, previous: new BlockFacts(other).id, timestamp: old.timestamp + 300 },
    keyOfWitness(old.witness),
  );
  t.throws(() => w.chain.blocks.push({ block: onOther }), ChainError, 'nor anything on top of it');
  t.equal(hashOf(w), hash);
});

worldTest('10,000 orphans leave nothing behind', FUNDED, (t, w) => {
  const hash = hashOf(w);
  const model = nextBlock(w);
  const { number } = w.chain.blocks.head;
  let unlinkable = 0;
  let known = 0;
  for (let i = 0; i < 10_000; i++) {
    const parent = (number + (i % 5000)).toString(16).padStart(8, '0') + i.toString(16).padStart(32, '0');
    const block = { ...model, previous: parent };
    try {
      w.chain.blocks.push({ block });
    } catch (error) {
      if (error instanceof ChainError && error.key === FORK_ERRORS.block_unlinkable.key) unlinkable++;
    }
    if (w.chain.queries.isKnownBlock(new BlockFacts(block).id)) known++;
  }
  t.equal(unlinkable, 10_000);
  t.equal(known, 0);
  t.equal(hashOf(w), hash);
});

/** So many that nothing becomes irreversible meanwhile. */
t.test('side blocks that nobody signed do not pile up, nor crowd out a real branch', async (t) => {
  const w = new TestWorld({ witnesses: 27 });
  w.blocks(2);
  const fork = w.chain.blocks.head;
  // The real branch is made by somebody else and comes later.
  const slot = (missed: number) => {
    const witness = w.chain.queries.scheduledWitness(missed);
    const block = { ...nextBlock(w), timestamp: w.chain.queries.slotTime(missed), witness };
    return signedBy(block, keyOfWitness(witness));
  };
  const real = slot(2);
  w.blocks(1);
  const own = w.chain.queries.blockByNumber(fork.number + 1) as SignedBlock;
  const hash = hashOf(w);
  t.equal(w.chain.blocks.push({ block: real }).isApplied, false);

  let parent = fork.id;
  for (let i = 0; i < 10_000; i++) {
    // Some stand beside each other, some on top of each other.
    const forged = { ...own, previous: i % 10 === 0 ? fork.id : parent, timestamp: own.timestamp + i };
    try {
      w.chain.blocks.push({ block: forged });
      parent = new BlockFacts(forged).id;
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      parent = fork.id;
    }
  }
  let kept = 0;
  for (let number = 1; number < fork.number + 20; number++) kept += w.chain.queries.blockIdsAt(number).length;
  t.ok(kept <= fork.number + 3 + LIMITS.fork_unvouched_max, `${kept} blocks are kept`);
  t.equal(hashOf(w), hash, 'nothing has changed');
  t.equal(w.chain.queries.isKnownBlock(new BlockFacts(real).id), true, 'the real side block is still there');

  const other = new Chain({ genesis: w.genesis, engine: testEngine(), blocks: new MemoryBlockStore() });
  for (let number = 1; number <= fork.number; number++) {
    other.blocks.push({ block: w.chain.queries.blockByNumber(number) as SignedBlock });
  }
  other.blocks.push({ block: real });
  const witness = other.queries.scheduledWitness(1);
  const key = keyOfWitness(witness);
  const signer = { publicKey: key.publicKey, sign: (digest: Uint8Array) => signatureBackend().sign(digest, key) };
  const { block: next } = other.blocks.produce({ when: other.queries.slotTime(1), witness, signer });
  t.same(w.chain.blocks.push({ block: next }), { isApplied: true, hasSwitched: true }, 'and its branch wins');
});

worldTest('a side block whose signature is none waits like one that a stranger has signed', {}, (t, w) => {
  const side = { ...nextBlock(w), witness_signature: new Uint8Array(65) };
  w.block();
  t.same(w.chain.blocks.push({ block: side }), { isApplied: false, hasSwitched: false });
  t.equal(w.chain.queries.isKnownBlock(new BlockFacts(side).id), true);
});

worldTest('of side blocks that no witness has signed the newest few are kept', { witnesses: 27 }, (t, w) => {
  const own = Array.from({ length: 3 }, () => {
    const block = nextBlock(w);
    w.block();
    return block;
  });
  w.block();
  // None of them ever leads, so that nobody looks at who has signed it but for this.
  const forged = own.flatMap((block) =>
    Array.from({ length: 20 }, (_, i) => {
      const witness = i % 2 === 0 ? block.witness : 9_999;
      return signedBy({ ...block, timestamp: block.timestamp + i, witness }, accountKey('stranger'));
    }),
  );
  const { blocks, queries } = w.chain;
  for (const block of forged) t.same(blocks.push({ block }), { isApplied: false, hasSwitched: false });
  const kept = forged.filter((block) => queries.isKnownBlock(new BlockFacts(block).id));
  t.same(kept, forged.slice(-LIMITS.fork_unvouched_max));
});

worldTest('a flood of transactions ends at a limit', FUNDED, (t, w) => {
  const data = new Uint8Array(1024 * 1024);
  const flood = (): number => {
    for (let i = 0; ; i++) {
      const operation = w.operation('custom', { fee: core(1), payer: 'alice', required_auths: [], id: i, data });
      const transaction = w.signChanged([operation], { expiration: w.now + 600 + i }, []);
      try {
        w.chain.pending.push({ transaction }, SKIP.transactionSignatures);
      } catch (error) {
        if (error instanceof ChainError && error.key === PENDING_ERRORS.pending_full.key) return i;
        throw error;
      }
    }
  };
  const count = flood();
  t.ok(count > 10 && w.chain.pending.bytes <= LIMITS.pending_bytes_max, `${count} were taken`);
  w.chain.pending.clear();
  t.equal(w.chain.pending.bytes, 0);
  w.push('transfer', transferOne);
});

worldTest('bytes that claim more than they hold', FUNDED, (t, w) => {
  const transaction = w.sign([w.operation('transfer', transferOne)]);
  const bytes = encode(signedTransaction, transaction);
  // Before the signatures stands the set of extensions, empty.
  const extensionsAt = bytes.length - 1 - 65 - 1;
  t.equal(bytes[extensionsAt], 0);
  const unknown = Uint8Array.from([...bytes.subarray(0, extensionsAt), 1, 99, ...bytes.subarray(extensionsAt + 1)]);
  refused(t, CONTAINER_ERRORS.variant_tag, () => decode(signedTransaction, unknown), 'an extension nobody knows');
  const huge = Uint8Array.from([...bytes.subarray(0, extensionsAt), 0xff, 0xff, 0xff, 0xff, 0x0f]);
  t.throws(() => decode(signedTransaction, huge), ChainError, 'a count of four thousand million');
  for (let length = 0; length < bytes.length; length++) {
    t.throws(() => decode(signedTransaction, bytes.subarray(0, length)), ChainError);
  }
  t.throws(() => decode(signedTransaction, Uint8Array.from([...bytes, 0])), ChainError, 'left-over bytes');
  const block = encode(signedBlock, nextBlock(w, { transactions: [processed(transaction)] }));
  for (let at = 0; at < block.length; at++) {
    const changed = Uint8Array.from(block);
    changed[at] = (changed[at] as number) ^ 0xff;
    const hash = at % 40 === 0 ? hashOf(w) : undefined;
    t.throws(() => w.chain.blocks.push({ block: decode(signedBlock, changed) }), ChainError, `byte ${at} changed`);
    if (hash !== undefined) t.equal(hashOf(w), hash);
  }
});

worldTest('a block of another chain, and one that a checkpoint rules out', FUNDED, (t, w) => {
  const good = nextBlock(w);
  const other = signedBy({ ...good, timestamp: good.timestamp + 1 }, keyOfWitness(good.witness));
  const numbers = Array.from({ length: w.chain.blocks.head.number }, (_, i) => i + 1);
  const checkpoints = new Map([[numbers.length + 1, new BlockFacts(good).id]]);
  const chain = new Chain({ genesis: w.genesis, engine: testEngine(), blocks: new MemoryBlockStore(), checkpoints });
  for (const number of numbers) chain.blocks.push({ block: w.chain.queries.blockByNumber(number) as SignedBlock });
  const hash = chain.snapshots.withHeadState(stateHash);
  refused(t, CHECKPOINT_ERRORS.block_not_checkpoint, () => chain.blocks.push({ block: other }));
  t.equal(chain.snapshots.withHeadState(stateHash), hash);
  chain.blocks.push({ block: good });
  t.equal(chain.blocks.head.id, new BlockFacts(good).id);
  const unknownWitness = signedBy({ ...good, witness: 77 }, keyOfWitness(1));
  t.throws(() => w.chain.blocks.push({ block: unknownWitness }), ChainError, 'a witness that does not exist');
  refused(t, HEADER_ERRORS.block_signature, () => w.chain.blocks.push({ block: signedBy(good, accountKey('alice')) }));
});

t.test('blocks from the future are kept out at the door', async (t) => {
  const now = 1_700_000_000;
  checkBlockTime(now + 4, now * 1000);
  checkBlockTime(0, now * 1000);
  refused(t, BLOCK_TIME_ERRORS.block_in_future, () => checkBlockTime(now + 5, now * 1000));
  refused(t, BLOCK_TIME_ERRORS.block_in_future, () => checkBlockTime(0xffff_ffff, now * 1000));
});
