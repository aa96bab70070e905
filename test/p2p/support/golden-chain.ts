import '../../../src/operations/index.js';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { ChainError } from '../../../src/base/errors.js';
import { Chain } from '../../../src/chain/chain.js';
import { FORK_ERRORS } from '../../../src/chain/fork-db.js';
import { MemoryBlockStore } from '../../../src/chain/memory-block-store.js';
import { decode, encode } from '../../../src/codec/binary.js';
import type { Json } from '../../../src/codec/json.js';
import { type BlockId, blockNumFromId } from '../../../src/crypto/digests.js';
import { REPLAY_SKIP } from '../../../src/importer/recover.js';
import { networkView } from '../../../src/node/chain/network-view.js';
import type { BlockOutcome, ChainView, PushBlock } from '../../../src/p2p/ports.js';
import { type SignedBlock, signedBlock } from '../../../src/protocol/block.js';
import type { SignedTransaction } from '../../../src/protocol/transaction.js';
import { testEngine } from '../../support/engine.js';
import { goldenBlocks, goldenGenesis } from '../../support/golden.js';
import { NETWORK } from '../../support/network.js';
import { projectPath } from '../../support/paths.js';

/** The recorded chain behind the machine: the real one, with all its checks for whatever comes from a peer. */

const golden: readonly SignedBlock[] = [...goldenBlocks()];

/** Text of a recording. */
export function recorded(name: string): string {
  return gunzipSync(readFileSync(projectPath('test', 'vectors', 'p2p', 'golden', name))).toString('utf8');
}

export class GoldenChain {
  readonly chain: Chain;
  readonly #startedAt: number;
  readonly #permanent: Readonly<Record<number, number>>;

  /**
   * `permanent`: what the reference could no longer undo with a head, where it is neither the last irreversible block, as
   * after a start, nor the one before it, as later.
   */
  constructor(height: number, permanent: Readonly<Record<number, number>> = {}) {
    this.#permanent = permanent;
    this.chain = new Chain({
      genesis: goldenGenesis(),
      engine: testEngine(),
      blocks: new MemoryBlockStore(),
      saveBlocks: 5,
    });
    for (const block of golden.slice(0, height)) this.chain.blocks.push({ block }, REPLAY_SKIP);
    this.#startedAt = this.chain.queries.head.irreversible;
  }

  get view(): ChainView {
    const { queries, pending } = this.chain;
    const startedAt = this.#startedAt;
    const known = this.#permanent;
    const view = networkView({ queries, pending, genesisTime: goldenGenesis().file.initial_timestamp });
    return Object.create(view, {
      permanent: {
        get: () => {
          const { irreversible, number } = queries.head;
          return known[number] ?? (irreversible === startedAt ? irreversible : Math.max(startedAt, irreversible - 1));
        },
      },
    }) as ChainView;
  }

  pushBlock(given: PushBlock['block']): BlockOutcome {
    try {
      const bytes = given instanceof Uint8Array ? given : given.bytes;
      this.chain.blocks.push({ block: decode(signedBlock, bytes) });
      return { kind: 'accepted' };
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return { kind: 'refused', error, isUnlinkable: error.row === FORK_ERRORS.block_unlinkable };
    }
  }

  /** From a client of the node. */
  accept(block: SignedBlock): { readonly id: BlockId } {
    this.chain.blocks.push({ block });
    return { id: this.chain.queries.head.id };
  }

  pushTransaction(transaction: SignedTransaction): ChainError | undefined {
    try {
      this.chain.pending.push({ transaction });
      return undefined;
    } catch (error) {
      if (error instanceof ChainError) return error;
      throw error;
    }
  }
}

const forkBlocks: ReadonlyMap<number, SignedBlock> = new Map(
  recorded('fork-from-785-blocks.jsonl.gz')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const block = signedBlock.fromJson(JSON.parse(line) as Json, NETWORK);
      return [blockNumFromId(block.previous) + 1, block] as const;
    }),
);

/** Packed blocks of the recorded chain and of the fork that was made for the recordings. */
export function packedBlocks(number: number): Uint8Array[] {
  const out: Uint8Array[] = [];
  const main = golden[number - 1];
  const fork = forkBlocks.get(number);
  if (main !== undefined) out.push(encode(signedBlock, main));
  if (fork !== undefined) out.push(encode(signedBlock, fork));
  return out;
}
