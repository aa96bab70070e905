import t from 'tap';
import { encode } from '../../../src/codec/binary.js';
import { blockNumFromId } from '../../../src/crypto/digests.js';
import { RECEIVED_BYTES_MAX } from '../../../src/importer/border.js';
import { BlockImporter } from '../../../src/importer/importer.js';
import { networkView } from '../../../src/node/chain/network-view.js';
import { flushInBackground, openStoredChain } from '../../../src/node/chain/stored-chain.js';
import { ChainFeed } from '../../../src/node/network/chain-feed.js';
import { type SignedBlock, signedBlock } from '../../../src/protocol/block.js';
import { PackedBlock } from '../../../src/protocol/packed-block.js';
import { MemoryKv } from '../../../src/storage/memory-kv.js';
import { inlineVerifier } from '../../../src/verify/inline.js';
import { quietLog } from '../../crash/quiet-log.js';
import { GoldenChain } from '../../p2p/support/golden-chain.js';
import { goldenBlocks, goldenGenesis } from '../../support/golden.js';
import { MemoryFiles } from '../../support/memory-files.js';

t.test('a block is announced and can be served before anything of it is synced to the disk', async (t) => {
  const files = new MemoryFiles();
  const kv = new MemoryKv();
  const stored = await openStoredChain({
    dataDir: 'data',
    genesis: goldenGenesis(),
    log: quietLog,
    storage: { files, openKv: async () => kv },
  });
  const { chain } = stored;
  const view = networkView({ queries: chain.queries, pending: chain.pending, genesisTime: 0 });
  const syncsOf = (): number => files.syncs + files.syncsLater;
  const announced: { readonly id: string; readonly isServed: boolean; readonly syncs: number }[] = [];
  const before = syncsOf();
  const feed = new ChainFeed({
    importer: { import: async () => t.fail('nobody has sent one') as never },
    pushTransaction: async () => t.fail('nobody has sent one') as never,
    publishBlock: (id) =>
      announced.push({ id, isServed: view.blockBytes(id) !== undefined, syncs: syncsOf() - before }),
    publishTransaction: () => undefined,
  });
  chain.blocks.subscribe((event) => feed.listen(event));
  const ids: string[] = [];
  for (const block of goldenBlocks()) {
    chain.blocks.push({ block });
    ids.push(chain.queries.head.id);
    await new Promise(setImmediate);
    if (ids.length === 10) break;
  }
  t.same(
    announced,
    ids.map((id) => ({ id, isServed: true, syncs: 0 })),
  );
  // The disk follows in its own time.
  const stop = flushInBackground(stored, (error) => t.fail(String(error)));
  for (const block of [...goldenBlocks()].slice(10, 80)) {
    chain.blocks.push({ block });
    await new Promise(setImmediate);
  }
  await stored.storage.flush();
  t.ok(syncsOf() > before);
  stop();
  await stored.close();
});

t.test('a block that a peer brings is not announced as the own one, nor kept quiet for a forged copy', async (t) => {
  const { chain } = new GoldenChain(60);
  const importer = new BlockImporter({
    door: chain.blocks,
    network: goldenGenesis().network,
    chainId: goldenGenesis().chainId,
    verifier: inlineVerifier(),
    nowMs: () => Number.MAX_SAFE_INTEGER,
    bytesMax: () => RECEIVED_BYTES_MAX,
  });
  const announced: number[] = [];
  const feed = new ChainFeed({
    importer,
    pushTransaction: async () => t.fail('nobody has sent one') as never,
    publishBlock: (id) => announced.push(blockNumFromId(id)),
    publishTransaction: () => undefined,
  });
  chain.blocks.subscribe((event) => feed.listen(event));
  const golden = [...goldenBlocks()];
  const at = (number: number) => golden[number - 1] as SignedBlock;
  const push = (number: number, block: SignedBlock) => {
    const id = golden[number]?.previous ?? '';
    const bytes = encode(signedBlock, block);
    return feed.pushBlock({
      kind: 'push_block',
      ticket: 0,
      id,
      number,
      block: PackedBlock.scan(bytes) ?? bytes,
      from: 'x',
      isSync: false,
    });
  };
  const forged = (number: number): SignedBlock => ({
    ...at(number),
    transactions: golden.flatMap((one) => one.transactions).slice(0, 1),
  });
  t.match(await push(61, at(61)), { kind: 'accepted' });
  t.match(await push(62, forged(62)), { kind: 'refused' });
  await importer.import(at(62), { kind: 'rpc' });
  // The true one is applied before anybody hears what became of the other.
  const [refused] = await Promise.all([push(63, forged(63)), importer.import(at(63), { kind: 'rpc' })]);
  t.match(refused, { kind: 'refused' });
  await new Promise(setImmediate);
  t.equal(chain.queries.head.number, 63);
  t.same(announced, [62, 63]);
});

t.test('a transaction that a peer brings is not announced as the own one, one of a client is, once', async (t) => {
  const [transaction] = [...goldenBlocks()].flatMap(({ transactions }) => transactions);
  if (transaction === undefined) return t.fail('there is none');
  const tell = (id: string): void => feed.listen({ kind: 'pending', transaction: { id, transaction }, operations: [] });
  const announced: string[] = [];
  const feed: ChainFeed = new ChainFeed({
    importer: { import: async () => t.fail('nobody has sent one') as never },
    // As the chain does: it tells of it before whoever has sent it hears that it was taken.
    pushTransaction: async () => {
      tell('of a peer');
      return { id: 'of a peer' };
    },
    publishBlock: () => undefined,
    publishTransaction: (id) => announced.push(id),
  });
  t.same(await feed.pushTransactions([{ ticket: 7, transaction }]), [{ ticket: 7, error: undefined }]);
  tell('of a client');
  await new Promise(setImmediate);
  const returned = ['of a client', 'of a peer'].map((id) => ({ id, transaction }));
  feed.listen({ kind: 'waiting', returned, transactions: () => [] });
  await new Promise(setImmediate);
  t.same(announced, ['of a client']);
});
