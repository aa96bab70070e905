import { join, resolve } from 'node:path';
import '../../operations/index.js';
import { ChainError, check, defineErrors } from '../../base/errors.js';
import { BlockFacts } from '../../chain/facts.js';
import { decodeTrusted } from '../../codec/binary.js';
import { DEFAULT_DATA_DIR } from '../../node/settings/options.js';
import { signedBlock } from '../../protocol/block.js';
import { BlockLog } from '../../storage/block-log.js';
import { STORAGE_ERRORS } from '../../storage/errors.js';
import { readOnlyFiles } from '../../storage/read-only-files.js';
import { STORAGE_FOLDERS } from '../../storage/storage.js';
import type { Command } from '../command.js';
import { checkHasData } from './open.js';
import { Progress } from './progress.js';

export const VERIFY_BLOCKS_ERRORS = defineErrors(
  {
    blocks_damaged: {
      text: '${path}: ${count} of the blocks ${first} to ${last} are damaged, the first one is ${damaged}. ${advice}',
    },
    block_not_linked: { text: 'block ${number} follows ${previous}, and the block before it is ${found}' },
    block_not_its_id: { text: 'block ${number} has the id ${found}, and the log says ${logged}' },
    block_not_its_root: { text: 'the transactions of block ${number} are not those that its header names' },
  },
  'environment',
);

/** More lines than that say nothing more. */
const SHOWN_MAX = 20;

/** Reads every block as it lies on the disk, and compares what can be compared without a state. Nothing is written. */
export const verifyBlocksCommand: Command = {
  builder: (yargs) =>
    yargs.option('data-dir', {
      alias: 'd',
      type: 'string',
      default: DEFAULT_DATA_DIR,
      describe: 'Folder of the node, from the working directory',
    }),
  handler: (args, terminal) => {
    const dataDir = resolve(String(args.dataDir));
    const path = join(dataDir, STORAGE_FOLDERS.blockLog);
    checkHasData(dataDir, STORAGE_FOLDERS.blockLog);
    const log = BlockLog.openAsSource(readOnlyFiles, path);
    try {
      const { firstNumber: first, headNumber: last } = log;
      const progress = new Progress(process.stderr);
      const damaged: number[] = [];
      let before: string | undefined;
      for (let number = first; number > 0 && number <= last; number++) {
        let transactions = 0;
        try {
          ({ id: before, transactions } = intactBlock(log, number, before));
        } catch (error) {
          if (!(error instanceof ChainError)) throw error;
          damaged.push(number);
          // What follows is held against what the log says, so that one damaged block counts once.
          before = undefined;
          if (damaged.length <= SHOWN_MAX) terminal.out(`block ${number}: ${error.message}\n`);
        }
        progress.add(number, transactions, (number - first + 1) / (last - first + 1));
      }
      const [lowest] = damaged;
      check(lowest === undefined, VERIFY_BLOCKS_ERRORS.blocks_damaged, () => ({
        path,
        count: damaged.length,
        first,
        last,
        damaged: lowest,
        advice: adviceFor(lowest as number, first),
      }));
      terminal.out(last === 0 ? 'the block log is empty\n' : `blocks ${first} to ${last} are intact, ${log.headId}\n`);
    } finally {
      log.abandon();
    }
  },
};

interface Intact {
  readonly id: string;
  readonly transactions: number;
}

function intactBlock(log: BlockLog, number: number, before: string | undefined): Intact {
  const bytes = log.read(number);
  check(bytes !== undefined, STORAGE_ERRORS.storage_missing, { path: `${log.path}, block ${number}` });
  const block = decodeTrusted(signedBlock, bytes);
  const facts = new BlockFacts(block);
  const { id } = facts;
  const logged = log.idOf(number);
  check(id === logged, VERIFY_BLOCKS_ERRORS.block_not_its_id, { number, found: id, logged });
  const { previous, transaction_merkle_root } = block;
  const isLinked = before === undefined || previous === before;
  check(isLinked, VERIFY_BLOCKS_ERRORS.block_not_linked, { number, previous, found: before });
  check(facts.merkleRoot === transaction_merkle_root, VERIFY_BLOCKS_ERRORS.block_not_its_root, { number });
  return { id, transactions: block.transactions.length };
}

/** First what keeps the most. */
function adviceFor(lowest: number, first: number): string {
  const kept =
    lowest > first
      ? `The blocks ${first} to ${lowest - 1} can be kept: stop the node and start it once with --truncate ${lowest}, then as always; what is missing comes from its peers, or from a file of another node (trustnode export-blocks there, import-blocks here)`
      : 'No block before it can be kept: start the node with --resync-blockchain, which sets the log aside and fetches all blocks again';
  return `A copy of the file, or that of another node, mends it without any loss. ${kept}`;
}
