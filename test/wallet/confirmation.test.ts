import t from 'tap';
import { Chain } from '../../src/chain/chain.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { RpcConnectionError } from '../../src/client/connection.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import '../../src/operations/index.js';
import {
  CONFIRMATION_ERRORS,
  confirmTransaction,
  type TransactionStatus,
  TransactionWatch,
} from '../../src/client/confirmation.js';
import { idOfTransaction } from '../../src/client/transactions.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import type { SignedTransaction } from '../../src/protocol/transaction.js';
import { ChainView } from '../../src/wallet/chain-view.js';
import { NODE_ERRORS } from '../../src/wallet/errors.js';
import { connectionOver, nodeError } from '../../src/wallet/node-link.js';
import { operationOf, signedTransactionOf } from '../sim/transactions.js';
import { claimTransactions } from '../sim/workload.js';
import { testEngine } from '../support/engine.js';
import { FollowedChain } from '../support/followed-chain.js';
import { NETWORK } from '../support/network.js';
import { refusedLater } from '../support/refused.js';
import { restoredDisk } from '../support/restored-disk.js';
import { core } from '../support/world.js';
import { accountKey, witnessKey, worldGenesis } from '../support/world-genesis.js';
import { linkTo } from './support/frozen.js';

/** A sent transaction on chains that switch branches, against the real RPC of a real chain. */

const genesis = worldGenesis({ witnesses: 5, accounts: { alice: 100n, bob: 100n } });
const openChain = (): Chain => new Chain({ genesis, engine: testEngine(), blocks: new MemoryBlockStore() });

function produce(chain: Chain, missed = 0): void {
  const witness = chain.queries.scheduledWitness(missed + 1);
  const key = witnessKey(`init${witness - 1}`);
  const signer = { publicKey: key.publicKey, sign: (digest: Uint8Array) => signatureBackend().sign(digest, key) };
  chain.blocks.produce({ when: chain.queries.slotTime(missed + 1), witness, signer });
}

/** Both begin with the same blocks, in which alice has claimed her money. */
function twoChains(): [Chain, Chain] {
  const [one, other] = [openChain(), openChain()];
  for (const transaction of claimTransactions(one.queries, ['alice'])) one.pending.push({ transaction });
  produce(one);
  produce(one);
  follow(other, one);
  return [one, other];
}

/** The blocks of `from` that `to` does not have, oldest first. */
function follow(to: Chain, from: Chain): void {
  for (let n = 1; n <= from.blocks.head.number; n++) {
    const block = from.queries.blockByNumber(n);
    if (block !== undefined && to.queries.blockIdOf(n) !== from.queries.blockIdOf(n)) to.blocks.push({ block });
  }
}

function payment(chain: Chain, lifetimeSec = 600): SignedTransaction {
  const operations = [operationOf(chain.queries.state, 'transfer', { from: 'alice', to: 'bob', amount: core(1) })];
  const { head } = chain.queries;
  const expiration = head.time + lifetimeSec;
  return signedTransactionOf(chain.queries, {
    operations,
    keys: [accountKey('alice')],
    expiration,
    reference: head.id,
  });
}

const clientOf = (chain: Chain) => new ChainView(linkTo(chain), NETWORK).client;

t.test('into a block, out of it by a fork switch, into another one, and for ever', async (t) => {
  const [node, rival] = twoChains();
  const tx = payment(node);
  const watch = new TransactionWatch(clientOf(node), tx);
  t.same(await watch.poll(), { state: 'waiting' });
  node.pending.push({ transaction: tx });
  t.same(await watch.poll(), { state: 'waiting' }, 'to be on its way is not to be in a block');
  produce(node);
  const first = await watch.poll();
  t.match(first, { state: 'included', block_num: 3, block_id: node.blocks.head.id, confirmations: 1 });

  produce(rival, 1);
  produce(rival);
  follow(node, rival);
  t.equal(node.blocks.head.number, 4, 'the longer branch has won');
  t.same(await watch.poll(), { state: 'waiting' });
  produce(node);
  const second = await watch.poll();
  t.match(second, { state: 'included', block_num: 5, block_id: node.blocks.head.id });
  produce(node);
  t.match(await watch.poll(), { state: 'included', block_num: 5, confirmations: 2 });
  for (let n = 0; n < 8; n++) produce(node);
  const last = await watch.poll();
  t.match(last, { state: 'irreversible', block_num: 5, block_id: (second as { block_id: string }).block_id });
  produce(node);
  t.same(await watch.poll(), last, 'and so it stays');
  t.same(await new TransactionWatch(clientOf(node), tx).poll(), last, 'somebody who asks later finds it as well');
});

t.test('a block that is replaced by another one with it is told', async (t) => {
  const [node, rival] = twoChains();
  const tx = payment(node);
  node.pending.push({ transaction: tx });
  rival.pending.push({ transaction: tx });
  const watch = new TransactionWatch(clientOf(node), tx);
  produce(node);
  const before = (await watch.poll()) as { block_id: string };
  produce(rival, 1);
  produce(rival);
  follow(node, rival);
  const after = (await watch.poll()) as { block_id: string; block_num: number };
  t.equal(after.block_num, 3);
  t.not(after.block_id, before.block_id);
});

t.test('what expires is late at first, and expired when no branch can have it', async (t) => {
  const [node] = twoChains();
  const tx = payment(node, 10);
  const watch = new TransactionWatch(clientOf(node), tx);
  const states: string[] = [];
  for (let n = 0; n < 20; n++) {
    states.push((await watch.poll()).state);
    produce(node);
  }
  t.same([...new Set(states)], ['waiting', 'late', 'expired']);
  t.ok(states.indexOf('late') >= 10 / 5, 'not before its time');
  t.equal((await new TransactionWatch(clientOf(node), tx).poll()).state, 'expired');
});

t.test('what was done days ago is found: numbers of blocks that end alike are told apart', async (t) => {
  const [node] = twoChains();
  const done = payment(node, 20);
  node.pending.push({ transaction: done });
  produce(node);
  const included = node.blocks.head;
  const lost = payment(node, 25);
  for (let n = 0; n < 40; n++) produce(node);
  // The same blocks, with so many between the first and the last ones as are made in days.
  const NEW = 20;
  const GAP = 3 * 0x1_0000 - NEW + 1;
  const database = clientOf(node).database;
  const client = {
    database: {
      ...database,
      get_dynamic_global_properties: async () => {
        const dynamic = await database.get_dynamic_global_properties();
        const { head_block_number, last_irreversible_block_num } = dynamic;
        return {
          ...dynamic,
          head_block_number: head_block_number + GAP,
          last_irreversible_block_num: last_irreversible_block_num + GAP,
        };
      },
      get_block: ({ block_num }: { block_num: number }) =>
        database.get_block({ block_num: block_num < NEW ? block_num : NEW + ((block_num - NEW) % 20) }),
    },
  };
  t.match(await new TransactionWatch(client, done).poll(), { state: 'irreversible', block_id: included.id });
  t.match(await new TransactionWatch(client, lost).poll(), { state: 'expired' });
});

t.test('a node that lacks old blocks tells what it can, and that others know the rest', async (t) => {
  const [node] = twoChains();
  const included = (lifetimeSec: number): SignedTransaction => {
    const tx = payment(node, lifetimeSec);
    node.pending.push({ transaction: tx });
    produce(node);
    return tx;
  };
  const old = included(30);
  const living = payment(node, 500);
  const early = payment(node, 400);
  for (let n = 0; n < 30; n++) produce(node);
  const blocks = (): SignedBlock[] =>
    Array.from({ length: node.blocks.head.number }, (_, i) => node.queries.blockByNumber(i + 1) as SignedBlock);
  const whole = await FollowedChain.open(genesis);
  t.teardown(() => whole.close());
  whole.push(blocks());
  await whole.save();
  const begun = await FollowedChain.open(genesis, await restoredDisk(whole, t.testdir()));
  t.teardown(() => begun.close());
  const begin = begun.head;
  const { chain } = begun.stored;
  t.equal(chain.queries.blockIdOf(begin - 1), undefined, 'it has no block before its snapshot');
  node.pending.push({ transaction: early });
  const taker = node.blocks.head.number + 1;
  for (let n = 0; n < 20; n++) produce(node);
  begun.push(blocks());

  const statusOf = (tx: SignedTransaction) => new TransactionWatch(clientOf(chain), tx).poll();
  const missing = CONFIRMATION_ERRORS.client_blocks_missing;
  await t.rejects(
    statusOf(old),
    new RegExp(`lacks blocks \\d+ to ${begin - 1}, .* transaction ${idOfTransaction(old)}`),
  );
  await refusedLater(t, missing, confirmTransaction(clientOf(chain), old, { pollMs: 1 }), 'nobody waits for ever');
  t.same(await statusOf(living), { state: 'waiting' }, 'a block can still take it');
  t.match(await statusOf(early), { state: 'irreversible', block_num: taker }, 'a later block has it');
});

t.test('waiting for it: every change is told once, trouble is asked about, a signal ends it', async (t) => {
  const [node] = twoChains();
  const tx = payment(node);
  node.pending.push({ transaction: tx });
  const told: TransactionStatus['state'][] = [];
  let polls = 0;
  const client = clientOf(node);
  const database = {
    ...client.database,
    get_dynamic_global_properties: () => {
      if (++polls > 1) produce(node);
      return client.database.get_dynamic_global_properties();
    },
  };
  const onChange = ({ state }: TransactionStatus): void => void told.push(state);
  const status = await confirmTransaction({ database }, tx, { pollMs: 1, onChange });
  t.equal(status.state, 'irreversible');
  t.same(told, ['waiting', 'included', 'irreversible']);
  t.equal((await confirmTransaction({ database }, tx, { until: 'block', pollMs: 1 })).state, 'irreversible');

  const gone = new ChainView({ call: () => Promise.reject(nodeError(new RpcConnectionError('gone'))) }, NETWORK).client;
  await refusedLater(t, NODE_ERRORS.node_gone, confirmTransaction(gone, tx, { pollMs: 1 }));
  const inARow: number[] = [];
  const stop = new AbortController();
  const onTrouble = (_: unknown, count: number): void => {
    inARow.push(count);
    if (count === 3) stop.abort();
  };
  const ended = await confirmTransaction(gone, tx, { pollMs: 1, onTrouble, signal: stop.signal });
  t.same([ended.state, inARow], ['waiting', [1, 2, 3]]);
  t.throws(() => connectionOver({ call: async () => null }).subscribe(() => undefined), /no notices/);
});
