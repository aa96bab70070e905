import t from 'tap';
import { concatBytes, fromHex } from '../../src/base/bytes.js';
import { ChainError } from '../../src/base/errors.js';
import { FORK_ERRORS } from '../../src/chain/fork-db.js';
import { encode } from '../../src/codec/binary.js';
import { BlockImporter } from '../../src/importer/importer.js';
import { ChainFeed } from '../../src/node/network/chain-feed.js';
import { messageId } from '../../src/p2p/wire/messages.js';
import { AUTHORITY_ERRORS } from '../../src/protocol/authority-check.js';
import { type SignedBlock, signedBlock } from '../../src/protocol/block.js';
import { inlineVerifier } from '../../src/verify/inline.js';
import { goldenBlocks, goldenGenesis } from '../support/golden.js';
import { GoldenChain } from './support/golden-chain.js';
import { Bench, SHORT_HEIGHT, type TestPeer } from './support/test-peer.js';

/**
 * The id of a block covers its header alone. Whoever sends true headers with other bodies pays for it, those who have
 * listed the true block do not, and it is taken afterwards.
 */

const BLOCK = 1001;
const NEXT = SHORT_HEIGHT + 1;
const golden = [...goldenBlocks()];
const idOf = (number: number): string => golden[number]?.previous ?? '';
const at = (number: number): SignedBlock => golden[number - 1] as SignedBlock;

const payloadOf = (number: number, block = at(number)): Uint8Array =>
  concatBytes(encode(signedBlock, block), fromHex(idOf(number)));

const someTransaction = golden.flatMap(({ transactions }) => transactions)[0] as SignedBlock['transactions'][number];

const FORGED: Readonly<Record<string, (number: number) => Uint8Array>> = {
  'a byte too many': (number) => concatBytes(encode(signedBlock, at(number)), new Uint8Array(1), fromHex(idOf(number))),
  'other transactions': (number) =>
    payloadOf(number, { ...at(number), transactions: [...at(number).transactions, someTransaction] }),
};

interface Node {
  readonly bench: Bench;
  readonly chain: GoldenChain;
  /** Until the chain has said of everything what it makes of it. */
  decide(): Promise<void>;
}

/** With the way of blocks that a node has. */
function startNode(): Node {
  const chain = new GoldenChain(SHORT_HEIGHT);
  const bench = new Bench({}, chain);
  const importer = new BlockImporter({
    door: chain.chain.blocks,
    network: goldenGenesis().network,
    chainId: goldenGenesis().chainId,
    verifier: inlineVerifier(),
    nowMs: () => bench.now.wallMs,
    bytesMax: () => 2 * 1024 * 1024,
  });
  const feed = new ChainFeed({
    importer,
    pushTransaction: async () => ({ id: '' }),
    publishBlock: () => undefined,
    publishTransaction: () => undefined,
  });
  const decide = async () => {
    for (let some = bench.pushed.splice(0); some.length > 0; some = bench.pushed.splice(0)) {
      const decided = some.map(async (wish) => {
        const outcome = await feed.pushBlock(wish);
        bench.machine.blockDecided(bench.now, wish.ticket, outcome);
        bench.settle();
      });
      await Promise.all(decided);
    }
  };
  return { bench, chain, decide };
}

/** It has listed blocks up to this one. */
function ahead(bench: Bench, remote: string, last: number): TestPeer {
  const peer = bench.active(remote);
  peer.say('fetch_blockchain_item_ids', { item_type: BLOCK, blockchain_synopsis: [idOf(last)] });
  peer.ids(Array.from({ length: last - SHORT_HEIGHT + 1 }, (_, i) => idOf(SHORT_HEIGHT + i)));
  return peer;
}

/** It was asked for so many blocks since the last answer, and sends them. */
async function answer({ decide }: Node, peer: TestPeer): Promise<number> {
  const asked = peer.last('fetch_items')?.items_to_fetch ?? [];
  for (const id of asked) peer.frame(BLOCK, payloadOf(Number.parseInt(id.slice(0, 8), 16)));
  await decide();
  return asked.length;
}

const HONEST = ['8.8.8.8:1', '9.9.9.9:1', '7.7.7.7:1'];
const LAST = SHORT_HEIGHT + 40;

for (const [what, forge] of Object.entries(FORGED)) {
  t.test(`catching up, ${what}: only the sender pays, and another one is asked`, async (t) => {
    const node = startNode();
    const { bench, chain, decide } = node;
    const liar = ahead(bench, '66.6.6.6:1', LAST);
    const honest = HONEST.map((remote) => ahead(bench, remote, LAST));
    liar.frame(BLOCK, forge(NEXT));
    // What comes behind it is true, cannot be taken, and is nobody's fault.
    for (const number of [NEXT + 1, NEXT + 2]) liar.frame(BLOCK, payloadOf(number));
    await decide();
    t.equal(liar.closedWith, 'sync_block_forged');
    t.same(
      bench.machine.bans.map(({ address }) => address),
      ['66.6.6.6'],
    );
    for (const peer of honest) t.equal(peer.closedWith, undefined);
    for (const ip of ['8.8.8.8', '9.9.9.9', '7.7.7.7']) t.equal(bench.machine.scoreOf(ip), 0);
    t.equal(chain.chain.queries.head.number, SHORT_HEIGHT);
    t.equal(await answer(node, honest[0] as TestPeer), 38, 'without the two that are here already');
    t.equal(chain.chain.queries.head.id, idOf(LAST), 'the true one is taken');
    for (const peer of honest) t.equal(peer.closedWith, undefined);
  });

  t.test(`a new block, ${what}: only the sender pays, and the true one is taken afterwards`, async (t) => {
    const { bench, chain, decide } = startNode();
    const liar = bench.active('66.6.6.6:1');
    const listing = ahead(bench, '8.8.8.8:1', NEXT);
    const announcing = bench.active('9.9.9.9:1');
    const forged = forge(NEXT);
    liar.announce(BLOCK, [messageId(forged)]);
    liar.frame(BLOCK, forged);
    await decide();
    t.equal(liar.closedWith, 'block_forged');
    t.equal(listing.closedWith, undefined, 'although this very id is the next that it has listed');
    t.equal(bench.machine.scoreOf('8.8.8.8'), 0);
    const block = payloadOf(NEXT);
    announcing.announce(BLOCK, [messageId(block)]);
    announcing.frame(BLOCK, block);
    await decide();
    t.equal(chain.chain.queries.head.id, idOf(NEXT));
  });
}

t.test('whoever hangs up before the chain has looked at it is not spared', async (t) => {
  const { bench, decide } = startNode();
  const liar = ahead(bench, '66.6.6.6:1', LAST);
  liar.frame(BLOCK, (FORGED['other transactions'] as (number: number) => Uint8Array)(NEXT));
  liar.hangUp();
  await decide();
  t.match(bench.machine.bans, [{ address: '66.6.6.6', reason: 'sync_block_forged' }]);
});

/** One peer has sent the next block, the other one has listed it, and the chain refuses it. */
function refusedOfTwo(isNew: boolean, error: ChainError) {
  const bench = new Bench();
  const sender = isNew ? bench.active('66.6.6.6:1') : ahead(bench, '66.6.6.6:1', NEXT);
  const follower = ahead(bench, '8.8.8.8:1', NEXT);
  if (isNew) sender.announce(BLOCK, [messageId(payloadOf(NEXT))]);
  sender.frame(BLOCK, payloadOf(NEXT));
  bench.machine.blockDecided(bench.now, bench.pushed[0]?.ticket ?? 0, { kind: 'refused', error, isUnlinkable: false });
  bench.settle();
  const scores = { sender: bench.machine.scoreOf('66.6.6.6'), follower: bench.machine.scoreOf('8.8.8.8') };
  return { sender, follower, scores };
}

t.test(
  'a block that the state rules out ends the connections of all who follow it, and costs only its sender',
  async (t) => {
    for (const isNew of [false, true]) {
      const { sender, follower, scores } = refusedOfTwo(isNew, new ChainError(FORK_ERRORS.block_too_old));
      t.equal(sender.closedWith, isNew ? 'block_invalid' : 'sync_block_invalid');
      t.equal(follower.closedWith, 'invalid_block_listed');
      t.ok(scores.sender > 0);
      t.equal(scores.follower, 0);
    }
  },
);

t.test(
  'a block whose transactions nobody has signed costs nobody anything: who makes no blocks does not look',
  async (t) => {
    for (const isNew of [false, true]) {
      const error = new ChainError(AUTHORITY_ERRORS.signature_duplicate);
      const { sender, follower, scores } = refusedOfTwo(
        isNew,
        Object.assign(error, { isStateless: true, isOfSigners: true }),
      );
      t.equal(sender.closedWith, isNew ? 'block_unsigned' : 'sync_block_unsigned');
      t.equal(follower.closedWith, 'invalid_block_listed', 'its header names these very transactions');
      t.same(scores, { sender: 0, follower: 0 });
    }
  },
);

t.test('who has changed over to another branch meanwhile is asked anew', async (t) => {
  const { bench, decide } = startNode();
  const liar = ahead(bench, '66.6.6.6:1', LAST);
  const other = ahead(bench, '8.8.8.8:1', LAST);
  liar.frame(BLOCK, (FORGED['other transactions'] as (number: number) => Uint8Array)(NEXT));
  const asked = () => other.names().filter((name) => name === 'fetch_blockchain_item_ids').length;
  const before = asked();
  const { sync } = bench.machine.peers.get(other.id) ?? {};
  t.equal(sync?.processing.size, 1);
  const branch = [NEXT + 4, NEXT + 5].map((number) => number.toString(16).padStart(8, '0') + 'ee'.repeat(16));
  if (sync !== undefined) sync.pending = branch;
  await decide();
  t.equal(asked(), before + 1);
  t.same(sync?.pending, []);
});
