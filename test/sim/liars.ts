import { blockNumFromId } from '../../src/crypto/digests.js';
import type { Machine } from '../../src/p2p/machine.js';
import type { ChainView } from '../../src/p2p/ports.js';
import { ITEM_BLOCK, ITEM_TRANSACTION } from '../../src/p2p/wire/messages.js';
import type { SeededRandom } from './random.js';

/** What is wrong with a node that means harm. Its network speaks the protocol; what it says is not so. */
export interface Lie {
  /** What it says of its chain. */
  readonly view?: (truth: ChainView) => ChainView;
  /** What it does beside, once a second. */
  readonly mischief?: (machine: Machine, random: SeededRandom) => void;
}

const inventedId = (number: number, salt = 'ab'): string => number.toString(16).padStart(8, '0') + salt.repeat(16);

/** Lists blocks that nobody has. */
const withInventedBlocks =
  (count: number) =>
  (truth: ChainView): ChainView =>
    Object.create(truth, {
      head: {
        get: () => ({ ...truth.head, number: truth.head.number + count, id: inventedId(truth.head.number + count) }),
      },
      blockIdOf: {
        value: (number: number) => (number > truth.head.number ? inventedId(number) : truth.blockIdOf(number)),
      },
    }) as ChainView;

/** Serves blocks whose witness has signed something else: every `each`th. */
const withForgedBlocks =
  (each: number) =>
  (truth: ChainView): ChainView =>
    Object.create(truth, {
      blockBytes: {
        value: (id: string) => {
          const bytes = truth.blockBytes(id);
          if (bytes === undefined || blockNumFromId(id) % each !== 0) return bytes;
          const forged = bytes.slice();
          forged[30] = (forged[30] as number) ^ 1;
          return forged;
        },
      },
    }) as ChainView;

/** Takes requests for blocks and has none. */
const withoutBlocks = (truth: ChainView): ChainView =>
  Object.create(truth, { blockBytes: { value: () => undefined } }) as ChainView;

/** A chain of its own from the first block on. */
const withAnotherChain = (truth: ChainView): ChainView =>
  Object.create(truth, {
    head: {
      get: () => ({ ...truth.head, number: truth.head.number + 20, id: inventedId(truth.head.number + 20, 'cd') }),
    },
    blockIdOf: { value: (number: number) => inventedId(number, 'cd') },
  }) as ChainView;

const randomId = (random: SeededRandom): string =>
  Array.from({ length: 40 }, () => random.below(16).toString(16)).join('');
const randomIds = (random: SeededRandom, count: number): string[] =>
  Array.from({ length: count }, () => randomId(random));

const endlessSynopses: Lie = {
  mischief(machine, random) {
    for (const peer of machine.activePeers()) {
      const blockchain_synopsis = randomIds(random, 1000);
      machine.send(peer, 'fetch_blockchain_item_ids', { item_type: ITEM_BLOCK, blockchain_synopsis });
    }
  },
};

const announcesWhatIsNot: Lie = {
  mischief(machine, random) {
    for (const peer of machine.activePeers()) {
      const item_type = random.chance(0.5) ? ITEM_BLOCK : ITEM_TRANSACTION;
      const item_hashes_available = randomIds(random, 300);
      machine.send(peer, 'item_ids_inventory', { item_type, item_hashes_available });
    }
  },
};

const FLOOD_MESSAGES = 1500;
const floods: Lie = {
  mischief(machine, random) {
    for (const peer of machine.activePeers()) {
      for (let i = 0; i < FLOOD_MESSAGES; i++) machine.send(peer, 'address_request', {});
      if (random.chance(0.3)) machine.send(peer, 'trx', { trx: EMPTY_TRANSACTION });
    }
  },
};

const EMPTY_TRANSACTION = {
  ref_block_num: 0,
  ref_block_prefix: 0,
  expiration: 0,
  operations: [],
  extensions: [],
  signatures: [],
};

export const LIES = {
  invents_ids: { view: withInventedBlocks(200) },
  endless_ids: { view: withInventedBlocks(1_000_000) },
  forges_blocks: { view: withForgedBlocks(3) },
  withholds_blocks: { view: withoutBlocks },
  another_chain: { view: withAnotherChain },
  endless_synopses: endlessSynopses,
  announces_what_is_not: announcesWhatIsNot,
  floods,
} as const satisfies Readonly<Record<string, Lie>>;
export type LieName = keyof typeof LIES;
