import t from 'tap';
import '../../src/operations/index.js';
import { ChainError } from '../../src/base/errors.js';
import { TRANSACTION_ERRORS } from '../../src/chain/apply-transaction.js';
import { Chain } from '../../src/chain/chain.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { SKIP } from '../../src/operations/define.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import type { SignedTransaction } from '../../src/protocol/transaction.js';
import { operationOf, signedTransactionOf } from '../sim/transactions.js';
import { claimTransactions, USERS } from '../sim/workload.js';
import { testEngine } from '../support/engine.js';
import { MemoryDisk } from '../support/memory-disk.js';
import { core } from '../support/world.js';
import { accountKey, witnessKey, worldGenesis } from '../support/world-genesis.js';

/**
 * A transaction that has expired at the head has not at the block where another branch begins: until that block can no
 * longer be undone it is remembered, also by a node that was started again. Else that node alone would take the branch in
 * which the transaction stands a second time.
 */

/** So many that nothing becomes irreversible. */
const genesis = worldGenesis({
  witnesses: 27,
  accounts: Object.fromEntries(USERS.map((name) => [name, 100n])),
});
const LENGTH = 10;
const FORK = 3;
const LIFETIME_SEC = 12;

const openChain = (of = genesis): Chain =>
  new Chain({ genesis: of, engine: testEngine(), blocks: new MemoryBlockStore(), saveBlocks: 1_000_000 });

function produce(chain: Chain, missed = 0, skip: number = SKIP.none): SignedBlock {
  const witness = chain.queries.scheduledWitness(missed + 1);
  const key = witnessKey(`init${witness - 1}`);
  const signer = { publicKey: key.publicKey, sign: (digest: Uint8Array) => signatureBackend().sign(digest, key) };
  return chain.blocks.produce({ when: chain.queries.slotTime(missed + 1), witness, signer }, skip).block;
}

function transferOf({ queries }: Chain, expiration = queries.head.time + LIFETIME_SEC): SignedTransaction {
  const [from, to] = USERS as unknown as [string, string];
  return signedTransactionOf(queries, {
    operations: [operationOf(queries.state, 'transfer', { from, to, amount: core(1) })],
    keys: [accountKey(from)],
    expiration,
    reference: queries.head.id,
  });
}

/** The branch that everybody has, and a longer one whose witness puts the transaction of block 2 into a block once more. */
function branches(): { readonly known: SignedBlock[]; readonly other: SignedBlock[] } {
  const chain = openChain();
  for (const claim of claimTransactions(chain.queries)) chain.pending.push({ transaction: claim });
  const known = [produce(chain)];
  const transaction = transferOf(chain);
  chain.pending.push({ transaction });
  while (known.length < LENGTH) known.push(produce(chain));

  const cheat = openChain();
  for (const block of known.slice(0, FORK)) cheat.blocks.push({ block });
  cheat.pending.push({ transaction }, SKIP.transactionDupeCheck);
  const other = [produce(cheat, 1, SKIP.transactionDupeCheck)];
  while (other.length <= LENGTH - FORK) other.push(produce(cheat));
  return { known, other };
}

const { known, other } = branches();

/** What comes of the other branch, and where the chain stands then. */
function offered(chain: Chain, branch = other): { readonly refused: unknown; readonly head: string } {
  let refused: unknown;
  for (const block of branch) {
    try {
      chain.blocks.push({ block });
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      refused ??= error.row;
    }
  }
  return { refused, head: chain.queries.head.id };
}

t.test('a node that was never stopped refuses the branch', (t) => {
  t.equal(other[0]?.transactions.length, 1);
  t.ok((known.at(-1)?.timestamp ?? 0) > (other[0]?.transactions[0]?.expiration ?? 0), 'at the head it has expired');
  const chain = openChain();
  for (const block of known) chain.blocks.push({ block });
  const head = chain.queries.head.id;
  t.same(offered(chain), { refused: TRANSACTION_ERRORS.transaction_duplicate, head });
  t.end();
});

for (const start of ['normal', 'replay'] as const) {
  t.test(`and so does one that was started again: ${start}`, async (t) => {
    const disk = new MemoryDisk(genesis);
    const first = await disk.open();
    for (const block of known) first.chain.blocks.push({ block });
    const head = first.chain.queries.head.id;
    await first.close();
    const second = await disk.open({ start });
    t.same(offered(second.chain), { refused: TRANSACTION_ERRORS.transaction_duplicate, head });
    await second.close();
  });
}

/**
 * With few witnesses the last irreversible block may have the very time at which a transaction expires that stands in an
 * earlier one: a block behind it is not too late for that transaction.
 */
t.test('also where it expires in the very second of the last irreversible block', async (t) => {
  const world = worldGenesis({ witnesses: 3, accounts: Object.fromEntries(USERS.map((name) => [name, 100n])) });
  const grown = (expiration?: number) => {
    const chain = openChain(world);
    for (const claim of claimTransactions(chain.queries)) chain.pending.push({ transaction: claim });
    const blocks = [produce(chain)];
    const transaction = transferOf(chain, expiration);
    chain.pending.push({ transaction });
    while (blocks.length < LENGTH) blocks.push(produce(chain));
    return { blocks, transaction, last: chain.queries.head.irreversible };
  };
  const { blocks: trial, last } = grown();
  const { blocks, transaction } = grown(trial[last - 1]?.timestamp);
  const cheat = openChain(world);
  for (const block of blocks.slice(0, last)) cheat.blocks.push({ block });
  cheat.pending.push({ transaction }, SKIP.transactionDupeCheck);
  const rest = [produce(cheat, 1, SKIP.transactionDupeCheck)];
  while (rest.length <= LENGTH - last) rest.push(produce(cheat));
  t.equal(rest[0]?.transactions.length, 1);

  const disk = new MemoryDisk(world);
  const first = await disk.open();
  for (const block of blocks) first.chain.blocks.push({ block });
  const head = first.chain.queries.head.id;
  await first.close();
  for (const start of ['normal', 'replay'] as const) {
    const again = await disk.open({ start });
    t.same(offered(again.chain, rest), { refused: TRANSACTION_ERRORS.transaction_duplicate, head }, start);
    await again.close();
  }
});
