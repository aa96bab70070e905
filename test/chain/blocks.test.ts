import t from 'tap';
import { ChainError, type ErrorRow, InvariantError } from '../../src/base/errors.js';
import { TRANSACTION_ERRORS } from '../../src/chain/apply-transaction.js';
import { CHAIN_ERRORS, Chain } from '../../src/chain/chain.js';
import type { ChainEvent } from '../../src/chain/events.js';
import { BlockFacts } from '../../src/chain/facts.js';
import { FORK_ERRORS } from '../../src/chain/fork-db.js';
import { HEADER_ERRORS } from '../../src/chain/header.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { PRODUCE_ERRORS } from '../../src/chain/produce.js';
import { encodeWith } from '../../src/codec/binary.js';
import { blockHeaderDigest } from '../../src/crypto/digests.js';
import type { PrivateKey } from '../../src/crypto/private-key.js';
import { SIGNATURE_ERRORS, signatureBackend } from '../../src/crypto/signature.js';
import { SKIP } from '../../src/operations/define.js';
import { TRANSFER_ERRORS } from '../../src/operations/transfer/transfer-checks.js';
import { AUTHORITY_ERRORS } from '../../src/protocol/authority-check.js';
import { blockHeader, type SignedBlock } from '../../src/protocol/block.js';
import type { ProcessedTransaction } from '../../src/protocol/transaction.js';
import { blockSummaryObject } from '../../src/state/objects/block-summary.js';
import { transactionObject } from '../../src/state/objects/transaction.js';
import { stateHash } from '../../src/state/state-hash.js';
import { testEngine } from '../support/engine.js';
import { refused } from '../support/refused.js';
import { core, type TestWorld, worldTest } from '../support/world.js';
import { accountKey, witnessKey } from '../support/world-genesis.js';

const FUNDED = { accounts: { alice: 1_000n, bob: 0n } };
const transferOne = { from: 'alice', to: 'bob', amount: core(1) };

const openChain = (w: TestWorld): Chain =>
  new Chain({ genesis: w.genesis, engine: testEngine(), blocks: new MemoryBlockStore(), saveBlocks: 1_000_000 });

/** A second chain that stands where the world stands. */
function copyOf(w: TestWorld): Chain {
  const chain = openChain(w);
  for (let number = 1; number <= w.chain.blocks.head.number; number++) {
    chain.blocks.push({ block: w.chain.queries.blockByNumber(number) as SignedBlock });
  }
  return chain;
}

const signerOf = (key: PrivateKey) => ({
  publicKey: key.publicKey,
  sign: (digest: Uint8Array) => signatureBackend().sign(digest, key),
});

function sign(block: SignedBlock, key: PrivateKey): SignedBlock {
  block.witness_signature = signatureBackend().sign(encodeWith(blockHeader, block, blockHeaderDigest), key);
  return block;
}

/** With the Merkle root that belongs to the transactions. */
function withRoot(block: SignedBlock): SignedBlock {
  block.transaction_merkle_root = new BlockFacts(block).merkleRoot;
  return block;
}

/** A block with these transactions for the world's next slot, well made and not applied. */
function nextBlock(w: TestWorld, transactions: readonly ProcessedTransaction[] = [], missed = 0): SignedBlock {
  const { queries } = w.chain;
  const block = withRoot({
    previous: w.chain.blocks.head.id,
    timestamp: queries.slotTime(missed + 1),
    witness: queries.scheduledWitness(missed + 1),
    transaction_merkle_root: '',
    extensions: [],
    witness_signature: new Uint8Array(65),
    transactions: [...transactions],
  });
  return sign(block, nextKey(w, missed));
}

function nextKey(w: TestWorld, missed = 0): PrivateKey {
  const witness = w.chain.queries.scheduledWitness(missed + 1);
  // Witness 1.6.1 is init0.
  return witnessKey(`init${witness - 1}`);
}

const processed = (w: TestWorld, name: string, given: Record<string, unknown>): ProcessedTransaction => ({
  ...w.sign([w.operation(name, given)]),
  operation_results: [[0, {}]],
});

worldTest('hostile blocks are refused by name and change nothing', FUNDED, (t, w) => {
  // The first block's time is not aligned to slots; the second one's is.
  w.block();
  const hash = w.chain.snapshots.withHeadState(stateHash);
  const good = (): SignedBlock => nextBlock(w, [processed(w, 'transfer', transferOne)]);
  const stranger = accountKey('stranger');
  const cases: [ErrorRow, () => SignedBlock][] = [
    [HEADER_ERRORS.block_signature, () => sign(good(), stranger)],
    [HEADER_ERRORS.block_signature, () => ({ ...good(), timestamp: good().timestamp + 1 })],
    [SIGNATURE_ERRORS.signature_header_invalid, () => ({ ...good(), witness_signature: new Uint8Array(65) })],
    [HEADER_ERRORS.block_merkle_root, () => sign({ ...good(), transaction_merkle_root: '11'.repeat(20) }, nextKey(w))],
    [HEADER_ERRORS.block_merkle_root, () => ({ ...good(), transactions: [] })],
    [HEADER_ERRORS.block_time, () => sign({ ...good(), timestamp: w.now }, nextKey(w))],
    [HEADER_ERRORS.block_slot, () => sign({ ...good(), timestamp: w.now + 1 }, nextKey(w))],
    [HEADER_ERRORS.block_witness, () => sign({ ...good(), timestamp: good().timestamp + 3 }, nextKey(w))],
    [FORK_ERRORS.block_unlinkable, () => sign({ ...good(), previous: `00000001${'ab'.repeat(16)}` }, nextKey(w))],
    [FORK_ERRORS.block_unlinkable, () => sign({ ...good(), previous: `000000ff${'ab'.repeat(16)}` }, nextKey(w))],
    [
      AUTHORITY_ERRORS.active_auth_missing,
      () => nextBlock(w, [{ ...processed(w, 'transfer', transferOne), signatures: [] }]),
    ],
    [
      AUTHORITY_ERRORS.signature_duplicate,
      () => {
        const one = processed(w, 'transfer', transferOne);
        return nextBlock(w, [{ ...one, signatures: [...one.signatures, ...one.signatures] }]);
      },
    ],
    [
      TRANSFER_ERRORS.transfer_balance,
      () =>
        nextBlock(w, [
          processed(w, 'transfer', transferOne),
          processed(w, 'transfer', { ...transferOne, amount: core(1_000) }),
        ]),
    ],
    [
      TRANSACTION_ERRORS.transaction_duplicate,
      () => {
        const one = processed(w, 'transfer', transferOne);
        return nextBlock(w, [one, one]);
      },
    ],
    [
      TRANSACTION_ERRORS.transaction_empty,
      () => nextBlock(w, [{ ...processed(w, 'transfer', transferOne), operations: [] }]),
    ],
  ];
  for (const [row, make] of cases) {
    const block = make();
    refused(t, row, () => w.chain.blocks.push({ block }));
    t.equal(w.chain.queries.isKnownBlock(new BlockFacts(block).id), false, 'a refused block is forgotten');
  }
  t.equal(w.chain.snapshots.withHeadState(stateHash), hash, 'nothing has changed');
  const chain = copyOf(w);
  chain.blocks.push({ block: good() });
  t.equal(chain.blocks.head.number, w.chain.blocks.head.number + 1, 'and the same block unchanged is good');
});

worldTest('hostile transactions are refused by name and change nothing', FUNDED, (t, w) => {
  const hash = w.chain.snapshots.withHeadState(stateHash);
  const offer = (change: Record<string, unknown>) => () => {
    const unsigned = { ...w.sign([w.operation('transfer', transferOne)]), ...change };
    return w.chain.pending.push({ transaction: unsigned });
  };
  refused(t, TRANSACTION_ERRORS.transaction_expired, offerSigned(w, { expiration: w.now - 1 }));
  refused(t, TRANSACTION_ERRORS.transaction_expires_too_late, offerSigned(w, { expiration: w.now + 86_401 }));
  refused(t, TRANSACTION_ERRORS.transaction_reference, offerSigned(w, { ref_block_prefix: 1 }));
  refused(t, TRANSACTION_ERRORS.transaction_reference, offerSigned(w, { ref_block_num: 60_000 }));
  refused(t, AUTHORITY_ERRORS.active_auth_missing, offer({ signatures: [] }));
  refused(t, AUTHORITY_ERRORS.active_auth_missing, offer({ ref_block_num: 7 }));
  refused(t, SIGNATURE_ERRORS.signature_header_invalid, offer({ signatures: [new Uint8Array(65)] }));
  t.equal(w.chain.pending.transactions.length, 0);
  t.equal(w.chain.snapshots.withHeadState(stateHash), hash);
});

/** Changed first and signed afterwards. */
function offerSigned(w: TestWorld, change: Record<string, unknown>): () => unknown {
  return () => {
    const transaction = w.signChanged([w.operation('transfer', transferOne)], change);
    return w.chain.pending.push({ transaction });
  };
}

worldTest('transactions of undone blocks wait again, those of the winning branch do not', FUNDED, (t, w) => {
  const chain = copyOf(w);
  const events: string[] = [];
  chain.blocks.subscribe((event: ChainEvent) => {
    events.push(
      event.kind === 'applied' || event.kind === 'undone' ? `${event.kind} ${event.block.number}` : event.kind,
    );
  });
  const both = processed(w, 'transfer', transferOne);
  const onlyHere = processed(w, 'transfer', { ...transferOne, amount: core(2) });
  chain.blocks.push({ block: nextBlock(w, [both, onlyHere]) });
  const number = chain.blocks.head.number;
  // The world builds the other branch: one block without, one with the first transaction.
  const first = nextBlock(w, [both], 1);
  w.chain.blocks.push({ block: first });
  const second = nextBlock(w, [], 0);
  t.same(chain.blocks.push({ block: first }), { isApplied: false, hasSwitched: false });
  t.equal(chain.queries.isKnownBlock(new BlockFacts(first).id), true);
  t.same(chain.blocks.push({ block: second }), { isApplied: true, hasSwitched: true });
  t.equal(chain.blocks.head.id, new BlockFacts(second).id);
  t.same(
    chain.pending.transactions.map((one) => one.operations),
    [onlyHere.operations],
    'what the new branch lacks waits again',
  );
  t.same(
    events.filter((event) => event !== 'irreversible'),
    [
      `applied ${number}`,
      'settled',
      'settled',
      `undone ${number}`,
      `applied ${number}`,
      `applied ${number + 1}`,
      'waiting',
      'settled',
    ],
  );
  chain.pending.clear();
  w.chain.blocks.push({ block: second });
  t.equal(chain.snapshots.withHeadState(stateHash), w.chain.snapshots.withHeadState(stateHash));
  w.adopt([first, second]);
});

worldTest('what waits is told again after every block, also after one that leads nowhere', FUNDED, (t, w) => {
  const chain = copyOf(w);
  const old = processed(w, 'transfer', transferOne);
  const [first, second] = [2, 3].map((amount) => processed(w, 'transfer', { ...transferOne, amount: core(amount) }));
  const branch = nextBlock(w, [], 1);
  chain.blocks.push({ block: nextBlock(w, [old]) });
  for (const transaction of [first, second]) chain.pending.push({ transaction: transaction as ProcessedTransaction });
  const amountOf = ({ operations }: ProcessedTransaction): string =>
    String((operations[0]?.[1] as unknown as { amount: { amount: bigint } }).amount.amount);
  const told: string[] = [];
  chain.blocks.subscribe((event) => {
    if (event.kind !== 'waiting') told.push(event.kind);
    else for (const { transaction } of event.transactions()) told.push(amountOf(transaction));
  });
  const amounts = (...list: number[]): string[] => list.map((n) => String(core(n).amount));
  t.same(chain.blocks.push({ block: branch }), { isApplied: false, hasSwitched: false });
  t.same(told.splice(0), [...amounts(2, 3), 'settled'], 'the head is the same as before');
  w.chain.blocks.push({ block: branch });
  const leader = nextBlock(w);
  chain.blocks.push({ block: leader });
  const heard = told.splice(0).filter((kind) => kind !== 'irreversible');
  t.same(heard, ['undone', 'applied', 'applied', ...amounts(1, 2, 3), 'settled'], 'what was taken back comes first');
  w.chain.blocks.push({ block: leader });
  t.throws(() => chain.blocks.push({ block: { ...nextBlock(w), timestamp: 5 } }), ChainError);
  t.same(told, ['settled'], 'a block that is refused changes nothing');
  w.adopt([branch, leader]);
});

worldTest('irreversible blocks stay', { witnesses: 1 }, (t, w) => {
  w.blocks(3);
  const { head } = w.chain.blocks;
  t.equal(head.irreversible, head.number, 'one witness confirms at once');
  refused(t, CHAIN_ERRORS.pop_irreversible, () => w.chain.blocks.popTo(head.number - 1));
});

worldTest('a listener sees each block with its changes, and cannot enter again', FUNDED, (t, w) => {
  const seen: { number: number; operations: number; balance: boolean }[] = [];
  const stop = w.chain.blocks.subscribe((event) => {
    if (event.kind !== 'applied') return;
    const changes = event.changes();
    const balance = changes.some(({ definition }) => definition.name === 'account_balance');
    seen.push({ number: event.block.number, operations: event.operations.length, balance });
    if (seen.length === 1) t.throws(() => w.chain.blocks.popTo(1), InvariantError);
  });
  w.push('transfer', transferOne);
  const { number } = w.block();
  w.block();
  t.same(seen, [
    { number, operations: 1, balance: true },
    { number: number + 1, operations: 0, balance: false },
  ]);
  stop();
  w.block();
  t.equal(seen.length, 2);
});

worldTest('a listener that fails is a bug of ours: it is loud, and blocks stay', FUNDED, (t, w) => {
  w.block();
  const chain = copyOf(w);
  let isBroken = true;
  chain.blocks.subscribe(({ kind }) => {
    // As if it were the block that is refused.
    if (isBroken && kind !== 'settled') throw new ChainError(TRANSFER_ERRORS.transfer_balance);
  });
  const heard: string[] = [];
  chain.blocks.subscribe((event) => {
    if (event.kind === 'applied' || event.kind === 'undone') heard.push(`${event.kind} ${event.block.id}`);
  });
  const fails = (block: SignedBlock, skip?: number): void => {
    t.throws(() => chain.blocks.push({ block }, skip), InvariantError);
  };
  const lost = nextBlock(w);
  const lostId = new BlockFacts(lost).id;
  fails(lost);
  t.equal(chain.queries.head.id, lostId, 'applied as if nothing had been');
  t.equal(chain.queries.isKnownBlock(lostId), true);
  t.same(heard, [`applied ${lostId}`], 'the others are told');

  const branch = [1, 0, 0, 0].map((missed) => {
    const block = nextBlock(w, [], missed);
    w.chain.blocks.push({ block });
    return block;
  });
  const [first, second, third, fourth] = branch as [SignedBlock, SignedBlock, SignedBlock, SignedBlock];
  chain.blocks.push({ block: first });
  fails(second);
  isBroken = false;
  chain.blocks.push({ block: third });
  t.equal(chain.queries.head.id, new BlockFacts(third).id, 'a switch that was cut short is made up for');
  isBroken = true;
  fails(fourth, SKIP.forkDb);
  t.equal(chain.queries.head.id, new BlockFacts(fourth).id);
  isBroken = false;
  const last = nextBlock(w);
  t.same(chain.blocks.push({ block: last }), { isApplied: true, hasSwitched: false }, 'the next one links');
  w.adopt(branch);
});

worldTest('only the scheduled witness produces, with its key, in its slot', FUNDED, (t, w) => {
  const { blocks, queries } = w.chain;
  const when = queries.slotTime(1);
  const witness = queries.scheduledWitness(1);
  const signer = signerOf(nextKey(w));
  refused(t, PRODUCE_ERRORS.produce_slot, () => blocks.produce({ when: w.now, witness, signer }));
  refused(t, PRODUCE_ERRORS.produce_witness, () => blocks.produce({ when, witness: (witness % 3) + 1, signer }));
  refused(t, PRODUCE_ERRORS.produce_key, () =>
    blocks.produce({ when, witness, signer: signerOf(accountKey('alice')) }),
  );
});

worldTest(
  'a block takes what fits, the rest waits',
  { ...FUNDED, parameters: { maximum_block_size: 1000 } },
  (t, w) => {
    for (let i = 0; i < 12; i++) w.push('transfer', transferOne);
    const { blocks, queries } = w.chain;
    const facts = blocks.produce({
      when: queries.slotTime(1),
      witness: queries.scheduledWitness(1),
      signer: signerOf(nextKey(w)),
    });
    w.adopt([facts.block]);
    t.ok(facts.size <= 1000 && facts.transactions.length > 0);
    t.equal(w.chain.pending.transactions.length, 12 - facts.transactions.length);
    t.equal(w.balance('bob'), 12n, 'those that wait still show');
  },
);

worldTest('a dry run leaves nothing', FUNDED, (t, w) => {
  const transaction = w.sign([w.operation('transfer', transferOne)]);
  const result = w.chain.pending.dryRun({ transaction });
  t.equal(result.operation_results.length, 1);
  t.equal(w.balance('bob'), 0n);
  t.equal(w.chain.pending.transactions.length, 0);
  w.chain.pending.push({ transaction });
  t.equal(w.chain.pending.has(w.chain.pending.ids[0] as string), true);
  t.equal(w.chain.queries.isKnownTransaction(w.chain.pending.ids[0] as string), true);
});

worldTest('remembered transactions expire, block ids stay in their ring', FUNDED, (t, w) => {
  w.push('transfer', transferOne);
  const { number, id } = w.block();
  t.equal(w.state.count(transactionObject), 2, 'the claim of the first block and this one');
  t.equal(w.state.get(blockSummaryObject, number).block_id, id);
  w.advance(200);
  t.equal(w.state.count(transactionObject), 0);
});

t.test('checkpoints', async (t) => {
  const { TestWorld } = await import('../support/world.js');
  const w = new TestWorld(FUNDED);
  w.blocks(3);
  const { chain } = w;
  const idOf = (number: number): string => chain.queries.blockIdOf(number) as string;
  const open = (checkpoints: ReadonlyMap<number, string>): Chain =>
    new Chain({ genesis: w.genesis, engine: testEngine(), blocks: new MemoryBlockStore(), checkpoints });
  const trusting = open(new Map([[3, idOf(3)]]));
  const forged = { ...(chain.queries.blockByNumber(1) as SignedBlock) };
  trusting.blocks.push({ block: forged });
  trusting.blocks.push({ block: chain.queries.blockByNumber(2) as SignedBlock });
  trusting.blocks.push({ block: chain.queries.blockByNumber(3) as SignedBlock });
  t.equal(trusting.blocks.head.id, idOf(3));
  const strict = open(new Map([[1, idOf(2)]]));
  t.throws(() => strict.blocks.push({ block: forged }), /did not match checkpoint/);
});

t.test('below a checkpoint nothing is left out for a block that somebody has sent', async (t) => {
  const { TestWorld } = await import('../support/world.js');
  const w = new TestWorld(FUNDED);
  w.blocks(3);
  const { queries } = w.chain;
  const checkpoints = new Map([[3, queries.blockIdOf(3) as string]]);
  const open = (): Chain =>
    new Chain({ genesis: w.genesis, engine: testEngine(), blocks: new MemoryBlockStore(), checkpoints });
  const good = queries.blockByNumber(1) as SignedBlock;
  const bad = { ...good, witness_signature: (queries.blockByNumber(2) as SignedBlock).witness_signature };
  const trusting = open();
  trusting.blocks.push({ block: bad });
  t.equal(trusting.blocks.head.number, 1, 'read from a file');
  const sent = open();
  t.throws(() => sent.blocks.push({ block: bad, keepsChecks: true }), ChainError);
  sent.blocks.push({ block: good, keepsChecks: true });
  t.equal(sent.blocks.head.number, 1);
});

t.test('what a block below a checkpoint holds is remembered until it expires', async (t) => {
  const { TestWorld } = await import('../support/world.js');
  const w = new TestWorld(FUNDED);
  w.push('transfer', transferOne);
  const [transaction] = w.block().block.transactions as [ProcessedTransaction];
  w.blocks(2);
  const { queries } = w.chain;
  const checkpoints = new Map([[4, queries.blockIdOf(4) as string]]);
  const chain = new Chain({ genesis: w.genesis, engine: testEngine(), blocks: new MemoryBlockStore(), checkpoints });
  for (let number = 1; number <= 4; number++) {
    chain.blocks.push({ block: queries.blockByNumber(number) as SignedBlock });
  }
  t.equal(chain.snapshots.withHeadState(stateHash), w.chain.snapshots.withHeadState(stateHash));
  refused(t, TRANSACTION_ERRORS.transaction_duplicate, () => chain.pending.push({ transaction }));
});

t.test('a branch below a checkpoint that is taken up again is checked again', async (t) => {
  const { TestWorld } = await import('../support/world.js');
  const w = new TestWorld({ ...FUNDED, witnesses: 27 });
  w.push('transfer', transferOne);
  w.blocks(10);
  const other = new TestWorld({ ...FUNDED, witnesses: 27 });
  other.block(1);
  other.blocks(7);
  const { queries } = w.chain;
  const last = w.chain.blocks.head.number;
  class Damaged extends MemoryBlockStore {
    isDamaged = false;

    override byNumber(number: number): SignedBlock | undefined {
      const block = super.byNumber(number);
      if (!this.isDamaged || number !== 2 || block === undefined) return block;
      const transactions = block.transactions.map((tx) => ({ ...tx, signatures: [] }));
      return { ...block, transactions };
    }
  }
  const blocks = new Damaged();
  const checkpoints = new Map([[last, queries.blockIdOf(last) as string]]);
  const chain = new Chain({ genesis: w.genesis, engine: testEngine(), blocks, checkpoints, saveBlocks: 1_000_000 });
  const push = (from: TestWorld, number: number) =>
    chain.blocks.push({ block: from.chain.queries.blockByNumber(number) as SignedBlock, keepsChecks: true });
  for (let number = 1; number <= 8; number++) push(w, number);
  // The log has lost what the second block holds by the time that another branch takes it away.
  blocks.isDamaged = true;
  for (let number = 2; number <= 9; number++) push(other, number);
  t.equal(chain.blocks.head.id, other.chain.blocks.head.id);
  t.throws(() => push(w, 9) && push(w, 10), ChainError, 'nothing is taken on trust that was not when it came');
  t.equal(chain.blocks.head.id, other.chain.blocks.head.id);
});
