import type { ErrorRow } from '../../src/base/errors.js';
import { TRANSACTION_ERRORS } from '../../src/chain/apply-transaction.js';
import { HEADER_ERRORS } from '../../src/chain/header.js';
import { SIGNATURE_ERRORS } from '../../src/crypto/signature.js';
import { OPERATION_ERRORS } from '../../src/operations/checks.js';
import { ASSERT_ERRORS } from '../../src/operations/custom/assert.js';
import { SKIP } from '../../src/operations/define.js';
import { AUTHORITY_ERRORS } from '../../src/protocol/authority-check.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import type { Operation } from '../../src/protocol/operation-slot.js';
import type { ProcessedTransaction, SignedTransaction } from '../../src/protocol/transaction.js';
import { transactionObject } from '../../src/state/objects/transaction.js';
import { stateHash } from '../../src/state/state-hash.js';
import { keyOfWitness, nextBlock, signedBy } from '../support/next-block.js';
import { refused } from '../support/refused.js';
import { core, type TestWorld, worldTest } from '../support/world.js';
import { accountKey } from '../support/world-genesis.js';

/** So many that nothing becomes irreversible and a block may be taken back. */
const MANY = { accounts: { alice: 1000n, bob: 0n }, witnesses: 27 };

type Change = (block: SignedBlock) => SignedBlock;

/** What a block does wrong, how it is refused, and the flags of which any one lets it pass. */
interface Fault {
  readonly row: ErrorRow;
  readonly flags: readonly (keyof typeof SKIP)[];
  readonly make: (w: TestWorld) => SignedBlock;
}

const transfer = (w: TestWorld, amount = 1): Operation =>
  w.operation('transfer', { from: 'alice', to: 'bob', amount: core(amount) });
const wrongName = (w: TestWorld): Operation =>
  w.operation('assert', {
    fee_paying_account: 'alice',
    predicates: [[0, { account_id: w.id('bob'), name: 'carol' }]],
    required_auths: [],
  });
const one = (transaction: SignedTransaction): ProcessedTransaction => ({
  ...transaction,
  operation_results: [[0, {}]],
});
const signed = (w: TestWorld, change: Partial<SignedTransaction> = {}, ...more: Operation[]): ProcessedTransaction =>
  one(w.signChanged([...(more.length > 0 ? more : [transfer(w)])], change));

/** Changed, and signed by whoever is to. */
function blockWith(
  w: TestWorld,
  transactions: readonly ProcessedTransaction[],
  change: Change = (block) => block,
  signer?: string,
): SignedBlock {
  const made = change(nextBlock(w, { transactions: [...transactions] }));
  return signedBy(made, signer === undefined ? keyOfWitness(made.witness) : accountKey(signer));
}

const otherThan = (witness: number): number => (witness === 1 ? 2 : 1);

const FAULTS: Readonly<Record<string, Fault>> = {
  'signed by a stranger': {
    row: HEADER_ERRORS.block_signature,
    flags: ['witnessSignature'],
    make: (w) => blockWith(w, [signed(w)], undefined, 'alice'),
  },
  'of a witness whose turn it is not': {
    row: HEADER_ERRORS.block_witness,
    flags: ['witnessScheduleCheck'],
    make: (w) => blockWith(w, [signed(w)], (block) => ({ ...block, witness: otherThan(block.witness) })),
  },
  'before its slot': {
    row: HEADER_ERRORS.block_slot,
    flags: ['witnessScheduleCheck'],
    make: (w) => blockWith(w, [signed(w)], (block) => ({ ...block, timestamp: w.now + 1 })),
  },
  'not after the head': {
    row: HEADER_ERRORS.block_time,
    flags: [],
    make: (w) => blockWith(w, [signed(w)], (block) => ({ ...block, timestamp: w.now })),
  },
  'with a wrong root': {
    row: HEADER_ERRORS.block_merkle_root,
    flags: ['merkleCheck'],
    make: (w) => blockWith(w, [signed(w)], (block) => ({ ...block, transaction_merkle_root: '11'.repeat(20) })),
  },
  'with a transaction that nobody has signed': {
    row: AUTHORITY_ERRORS.active_auth_missing,
    flags: ['transactionSignatures', 'authorityCheck'],
    make: (w) => blockWith(w, [{ ...signed(w), signatures: [] }]),
  },
  'with a transaction whose signature is none': {
    row: SIGNATURE_ERRORS.signature_header_invalid,
    flags: ['transactionSignatures', 'authorityCheck'],
    make: (w) => blockWith(w, [{ ...signed(w), signatures: [new Uint8Array(65)] }]),
  },
  'with a transaction that one too many has signed': {
    row: AUTHORITY_ERRORS.signature_irrelevant,
    flags: ['transactionSignatures', 'authorityCheck'],
    make: (w) => blockWith(w, [one(w.sign([transfer(w)], ['alice', 'bob']))]),
  },
  'with the same transaction twice': {
    row: TRANSACTION_ERRORS.transaction_duplicate,
    flags: ['transactionDupeCheck'],
    make: (w) => {
      const twice = signed(w);
      return blockWith(w, [twice, twice]);
    },
  },
  'with a transaction of another chain': {
    row: TRANSACTION_ERRORS.transaction_reference,
    flags: ['taposCheck'],
    make: (w) => blockWith(w, [signed(w, { ref_block_prefix: 1 })]),
  },
  'with a transaction that is over': {
    row: TRANSACTION_ERRORS.transaction_expired,
    flags: [],
    make: (w) => blockWith(w, [signed(w, { expiration: w.now - 1 })]),
  },
  'with an assertion that is wrong': {
    row: ASSERT_ERRORS.predicate_account_name,
    flags: ['assertEvaluation'],
    make: (w) => blockWith(w, [signed(w, {}, transfer(w), wrongName(w))]),
  },
  'with an operation that is none': {
    row: OPERATION_ERRORS.amount_not_positive,
    flags: [],
    make: (w) => blockWith(w, [signed(w, {}, transfer(w, 0))]),
  },
};

worldTest('each flag leaves out its own check and no other', MANY, (t, w) => {
  w.blocks(2);
  const { head } = w.chain.blocks;
  const hash = w.chain.snapshots.withHeadState(stateHash);
  const names = Object.keys(SKIP) as (keyof typeof SKIP)[];
  for (const [what, { row, flags, make }] of Object.entries(FAULTS)) {
    for (const flag of names) {
      // A new one each time: what was refused or taken back is known.
      const block = make(w);
      const push = () => w.chain.blocks.push({ block }, SKIP[flag]);
      if ((flags as readonly string[]).includes(flag)) {
        t.same(push(), { isApplied: true, hasSwitched: false }, `${what}, ${flag}`);
        w.chain.blocks.popTo(head.number);
        w.chain.pending.clear();
      } else refused(t, row, push, `${what}, ${flag}`);
    }
  }
  // The reference has a flag for the checks that need no state, and looks at it nowhere.
  const block = FAULTS['with an operation that is none']?.make(w) as SignedBlock;
  refused(t, OPERATION_ERRORS.amount_not_positive, () => w.chain.blocks.push({ block }, 1 << 11));
  t.equal(w.chain.blocks.head.id, head.id);
  t.equal(w.chain.snapshots.withHeadState(stateHash), hash);
});

worldTest('without the check for duplicates nothing is remembered', MANY, (t, w) => {
  const before = w.state.count(transactionObject);
  w.chain.pending.push({ transaction: w.sign([transfer(w)]) }, SKIP.transactionDupeCheck);
  t.equal(w.state.count(transactionObject), before);
  w.chain.pending.clear();
});

worldTest('without the check for duplicates what is remembered is not looked at', MANY, (t, w) => {
  const transaction = w.sign([transfer(w)]);
  w.chain.pending.push({ transaction });
  w.block();
  const { head } = w.chain.blocks;
  const block = blockWith(w, [one(transaction)]);
  refused(t, TRANSACTION_ERRORS.transaction_duplicate, () => w.chain.blocks.push({ block }));
  const again = blockWith(w, [one(transaction), signed(w)]);
  t.same(w.chain.blocks.push({ block: again }, SKIP.transactionDupeCheck), { isApplied: true, hasSwitched: false });
  t.equal(w.balance('bob'), 3n);
  w.chain.blocks.popTo(head.number);
  w.chain.pending.clear();
});
