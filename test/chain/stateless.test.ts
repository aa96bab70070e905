import { ChainError, stateless } from '../../src/base/errors.js';
import { PENDING_ERRORS } from '../../src/chain/pending.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import type { Operation } from '../../src/protocol/operation-slot.js';
import { VOID_RESULT } from '../../src/protocol/results.js';
import type { SignedTransaction } from '../../src/protocol/transaction.js';
import { nextBlock } from '../support/next-block.js';
import { core, worldTest } from '../support/world.js';
import { accountKey } from '../support/world-genesis.js';

/** What no state could cure is told apart from what this state refuses: only the first is the fault of who passes it on. */

const OPTIONS = { accounts: { alice: 1_000_000n, bob: 0n } };

function refusalOf(work: () => unknown): ChainError {
  try {
    work();
  } catch (error) {
    if (error instanceof ChainError) return error;
    throw error;
  }
  throw new Error('not refused');
}

worldTest('transactions', OPTIONS, (t, w) => {
  const push = (transaction: SignedTransaction) => refusalOf(() => w.chain.pending.push({ transaction }));
  const pay = (amount: number) => w.operation('transfer', { from: 'alice', to: 'bob', amount: core(amount) });
  w.block();
  const good = w.sign([pay(1)]);
  const once = good.signatures[0] as Uint8Array;
  const badSignature = Uint8Array.from(once);
  badSignature[0] = 0;

  const inItself: [string, string, SignedTransaction][] = [
    ['no operation', 'transaction_empty', { ...good, operations: [] }],
    ['an operation that no state allows', 'amount_not_positive', w.sign([pay(0)])],
    ['a signature of no key', 'signature_header_invalid', { ...good, signatures: [badSignature] }],
    ['one signature twice', 'signature_duplicate', { ...good, signatures: [once, once] }],
  ];
  for (const [what, key, transaction] of inItself) {
    const error = push(transaction);
    t.match(error, { key, kind: 'invalid', isStateless: true }, what);
  }
  w.chain.pending.push({ transaction: good });
  const inThisState: [string, string, SignedTransaction][] = [
    ['a duplicate', 'transaction_duplicate', good],
    ['another key', 'active_auth_missing', w.sign([pay(2)], [accountKey('bob')])],
    ['a balance', 'transfer_balance', w.sign([pay(2_000_000)])],
  ];
  for (const [what, key, transaction] of inThisState) {
    const error = push(transaction);
    t.match(error, { key, kind: 'invalid', isStateless: false }, what);
  }
  const late = w.sign([pay(3)]);
  w.advance(600);
  t.match(push(late), { key: 'transaction_expired', isStateless: false });
});

const OLD_BUILDS = { genesis: { network: { name: 'old builds', forks: 'all_active', decoder: 'old' } } };

worldTest('a transaction that the nodes of this network can decode', { ...OPTIONS, ...OLD_BUILDS }, (t, w) => {
  const cancel = w.operation('limit_order_cancel', { fee_paying_account: 'alice', order: 0 });
  // Other builds of the reference take one less.
  const transaction = w.sign(new Array<Operation>(22_216).fill(cancel), ['alice']);
  const error = refusalOf(() => w.chain.pending.push({ transaction }));
  t.match(error, { key: 'read_too_long', kind: 'invalid', isStateless: false }, 'who passes it on has checked it');
});

worldTest('blocks', OPTIONS, (t, w) => {
  w.block();
  w.push('transfer', { from: 'alice', to: 'bob', amount: core(1) });
  const good = w.block();
  w.chain.blocks.popTo(good.number - 1);
  w.chain.pending.clear();
  const push = (block: SignedBlock) => refusalOf(() => w.chain.blocks.push({ block }));
  const badSignature = Uint8Array.from(good.block.witness_signature);
  badSignature[0] = 0;
  const inItself = { kind: 'invalid', isStateless: true };
  t.match(push({ ...good.block, transactions: [] }), { key: 'block_merkle_root', ...inItself });
  t.match(push({ ...good.block, witness_signature: badSignature }), { key: 'signature_header_invalid', ...inItself });
  const inThisState = { kind: 'invalid', isStateless: false };
  t.match(push({ ...good.block, timestamp: 5 }), { key: 'block_time', ...inThisState });
  t.match(push({ ...good.block, previous: '00000001'.padEnd(40, '7') }), { key: 'block_unlinkable', ...inThisState });
  w.chain.blocks.push({ block: good.block });
});

worldTest('blocks, who has signed their transactions', OPTIONS, (t, w) => {
  w.block();
  const pay = (amount: number) => w.operation('transfer', { from: 'alice', to: 'bob', amount: core(amount) });
  const refusal = (amount: number, change: (signature: Uint8Array) => Uint8Array[]) => {
    const good = w.sign([pay(amount)]);
    const [signature] = good.signatures as [Uint8Array];
    const transaction = { ...good, signatures: change(signature), operation_results: [VOID_RESULT] };
    return refusalOf(() => w.chain.blocks.push({ block: nextBlock(w, { transactions: [transaction] }) }));
  };
  const unsigned = { kind: 'invalid', isOfSigners: true };
  t.match(
    refusal(1, () => []),
    { key: 'active_auth_missing', ...unsigned },
  );
  t.match(
    refusal(1, (one) => [one, one]),
    { key: 'signature_duplicate', ...unsigned },
  );
  t.match(
    refusal(1, (one) => [Uint8Array.of(0, ...one.subarray(1))]),
    { key: 'signature_header_invalid', ...unsigned },
  );
  t.match(
    refusal(2_000_000, (one) => [one]),
    { key: 'transfer_balance', kind: 'invalid', isOfSigners: false },
  );
});

worldTest('what is nobody’s fault is never marked', OPTIONS, (t) => {
  const error = refusalOf(() =>
    stateless(() => {
      throw new ChainError(PENDING_ERRORS.pending_full, { count: 1, bytes: 1 });
    }),
  );
  t.match(error, { kind: 'limit', isStateless: false });
});
