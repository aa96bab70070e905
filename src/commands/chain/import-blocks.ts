import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { check, defineErrors } from '../../base/errors.js';
import { nextBlockNum } from '../../crypto/digests.js';
import { BlockImporter, NO_SENDERS } from '../../importer/importer.js';
import { REPLAY_SKIP } from '../../importer/recover.js';
import { BULK_SAVE, type StoredChain } from '../../node/chain/stored-chain.js';
import { letObjectsDieYoung } from '../../node/runtime/young-space.js';
import { SKIP } from '../../operations/define.js';
import type { SourceBlock } from '../../protocol/source-block.js';
import { BULK_FLUSH } from '../../storage/storage.js';
import { inlineVerifier } from '../../verify/inline.js';
import { PoolVerifier } from '../../verify/pool.js';
import type { Command } from '../command.js';
import type { Terminal } from '../terminal.js';
import { type BlockSource, openBlockSource } from './block-source.js';
import { chainOptions, openChain } from './open.js';
import { Progress } from './progress.js';

export const IMPORT_ERRORS = defineErrors({
  import_other_block: {
    text: 'block ${number} of the file is ${found}, this chain has ${known} there: the file belongs to another branch or chain',
  },
});

interface ImportOptions {
  readonly stopAt: number;
  readonly isTrusted: boolean;
  readonly flushBlocks: number;
  readonly threads: number;
}

export const importBlocksCommand: Command = {
  builder: (yargs) =>
    chainOptions(yargs)
      .positional('file', { type: 'string', demandOption: true })
      .option('stop-at', { type: 'number', describe: 'Last block to apply' })
      .option('trusted', {
        type: 'boolean',
        default: false,
        describe: 'Skip what blocks of the own log need not prove: signatures, authorities, Merkle roots, schedule',
      })
      .option('flush-blocks', {
        type: 'number',
        default: BULK_FLUSH.blocks,
        describe: 'Irreversible blocks after which the state is written to the disk',
      })
      .option('verify-threads', { type: 'number', describe: 'Threads that recover keys; 0 for none' }),
  handler: async (args, terminal) => {
    const source = openBlockSource(resolve(String(args.file)));
    const flushBlocks = Math.max(1, Number(args.flushBlocks));
    const saveBlocks = Math.min(BULK_SAVE.blocks, flushBlocks);
    const opened = await openChain(terminal, args, { mustExist: false, chain: { saveBlocks } });
    try {
      await importBlocks(terminal, opened, source, {
        stopAt: (args.stopAt as number | undefined) ?? Number.POSITIVE_INFINITY,
        isTrusted: args.trusted === true,
        flushBlocks,
        // A core each: this thread needs only a fifth of what they need.
        threads: (args.verifyThreads as number | undefined) ?? cpus().length,
      });
    } catch (error) {
      // What came before a refused block is kept. Where the machine has failed that cannot be, and its failure is what is told.
      await opened.close().catch(() => undefined);
      throw error;
    }
    await opened.close();
  },
};

async function importBlocks(
  terminal: Terminal,
  opened: StoredChain,
  source: BlockSource,
  options: ImportOptions,
): Promise<void> {
  const { chain, storage, genesis } = opened;
  const { stopAt, isTrusted, threads, flushBlocks } = options;
  const verifier = isTrusted || threads === 0 ? inlineVerifier() : new PoolVerifier({ workers: threads });
  letObjectsDieYoung();
  const wanted = newBlocks(opened, source, stopAt);
  const first = chain.queries.head.number;
  const progress = new Progress({ isTTY: terminal.isTTY, write: terminal.err });
  const skip = isTrusted ? REPLAY_SKIP & ~SKIP.transactionDupeCheck : SKIP.none;
  storage.flushLimits = { ...BULK_FLUSH, blocks: flushBlocks };
  storage.log.keepsBack = 'everything';
  const importer = new BlockImporter({
    door: chain.blocks,
    network: genesis.network,
    chainId: genesis.chainId,
    verifier,
    ...NO_SENDERS,
  });
  try {
    await importer.pull(
      wanted,
      { kind: 'file' },
      {
        isTrusted,
        skip: () => skip,
        after: ({ number }, block) => {
          const share = Number.isFinite(stopAt) ? (number - first) / Math.max(1, stopAt - first) : source.progress();
          progress.add(number, block.transactions.length, share);
          return storage.throttle();
        },
      },
    );
  } finally {
    await verifier.close();
    storage.log.keepsBack = 'nothing';
  }
  progress.finish(chain.queries.head.number);
}

/** Leaves out what the chain has already, so that an interrupted import can simply be repeated. */
async function* newBlocks(
  { chain, genesis }: StoredChain,
  source: BlockSource,
  stopAt: number,
): AsyncGenerator<SourceBlock> {
  const head = chain.queries.head.number;
  for await (const pulled of source.blocks(genesis.network)) {
    const { previous } = pulled;
    const number = nextBlockNum(previous);
    if (number > stopAt) return;
    if (number > head) {
      yield pulled;
    } else if (number > 1) {
      const known = chain.queries.blockIdOf(number - 1) ?? 'none';
      check(known === previous, IMPORT_ERRORS.import_other_block, { number: number - 1, found: previous, known });
    }
  }
}
