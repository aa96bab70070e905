import t from 'tap';
import type { ChainView } from '../../src/p2p/ports.js';
import { Bench, SHORT_HEIGHT, shortChain, type TestPeer } from './support/test-peer.js';

/** What a peer is asked for that is on a branch which this node knows and has not taken. */

const LENGTH = 5;
const PERMANENT = SHORT_HEIGHT - 20;
const ITEM_BLOCK = 1001;

const sideId = (number: number): string => number.toString(16).padStart(8, '0').padEnd(40, 'b');

/** The short chain, and blocks of a branch that leaves it behind block `fork`. */
function viewWith(
  fork: number,
  permanent: { readonly number: number },
): { readonly view: ChainView; readonly side: readonly string[] } {
  const side = Array.from({ length: LENGTH }, (_, i) => sideId(fork + 1 + i));
  const { view: main } = shortChain();
  const view = Object.create(main, {
    permanent: { get: () => permanent.number },
    isKnownBlock: { value: (id: string) => side.includes(id) || main.isKnownBlock(id) },
    branchTo: {
      value: (id: string) =>
        side.includes(id) ? { forkNumber: fork, ids: side.slice(0, side.indexOf(id) + 1) } : undefined,
    },
  }) as ChainView;
  return { view, side };
}

/** A peer that has listed the branch, and more that it did not name yet. */
function peerOn(fork: number, permanentThen = PERMANENT) {
  const permanent = { number: PERMANENT };
  const { view, side } = viewWith(fork, permanent);
  const bench = new Bench({}, shortChain(), view);
  const peer = bench.connect('8.8.8.8:1') as TestPeer;
  peer.key();
  peer.hello();
  peer.say('connection_accepted', {});
  peer.say('address', { addresses: [] });
  const [common = ''] = peer.last('fetch_blockchain_item_ids')?.blockchain_synopsis ?? [];
  const between = Array.from({ length: fork - PERMANENT }, (_, i) => view.blockIdOf(PERMANENT + 1 + i) ?? '');
  permanent.number = permanentThen;
  peer.ids([common, ...between, ...side], 100);
  return { view, side, peer };
}

t.test('the synopsis goes along its branch, from the last block that cannot be undone on', async (t) => {
  for (const fork of [PERMANENT, PERMANENT + 1, SHORT_HEIGHT - LENGTH, SHORT_HEIGHT - 1]) {
    const { view, side, peer } = peerOn(fork);
    const high = fork + LENGTH;
    const wanted: (string | undefined)[] = [];
    for (let l = PERMANENT; l <= high; l += Math.floor((high - l + 2) / 2)) {
      wanted.push(l <= fork ? view.blockIdOf(l) : side[l - fork - 1]);
    }
    t.equal(peer.closedWith, undefined);
    const { item_type, blockchain_synopsis } = peer.last('fetch_blockchain_item_ids') ?? {};
    t.equal(item_type, ITEM_BLOCK);
    t.same(blockchain_synopsis, wanted, `behind block ${fork}`);
    t.equal(blockchain_synopsis?.at(-1), side.at(-1));
  }
});

t.test('a branch that leaves the chain before that block cannot be gone along', async (t) => {
  const FORK = SHORT_HEIGHT - LENGTH;
  t.equal(peerOn(FORK, FORK + 1).peer.closedWith, 'fork_unreachable');
  const { view, side, peer } = peerOn(FORK, FORK);
  t.equal(peer.closedWith, undefined);
  t.same(peer.last('fetch_blockchain_item_ids')?.blockchain_synopsis, [view.blockIdOf(FORK), side[2], side[4]]);
});
