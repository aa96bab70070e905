import { fullBlock } from '../../api/chain.js';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import { decodeTrusted } from '../../codec/binary.js';
import type { Network } from '../../codec/type.js';
import { signedBlock } from '../../protocol/block.js';
import { describeBlock } from '../../rpc/apis/database/blocks.js';
import type { BlockLog } from '../../storage/block-log.js';
import type { Command } from '../command.js';
import { writeNamed } from './line-file.js';
import { chainOptions, openBlocks } from './open.js';

export const EXPORT_BLOCKS_ERRORS = defineErrors({
  export_range: {
    ...FAMILY.invalidArgument,
    text: 'blocks ${from} to ${to}: the chain has the blocks ${first} to ${last}',
  },
});

function* blockLines(log: BlockLog, network: Network, from: number, to: number): Generator<string> {
  for (const { id, bytes } of log.walk(from, to)) {
    const block = describeBlock(id, decodeTrusted(signedBlock, bytes));
    yield JSON.stringify(fullBlock.toJson(block, network));
  }
}

export const exportBlocksCommand: Command = {
  builder: (yargs) =>
    chainOptions(yargs)
      .positional('file', {
        type: 'string',
        demandOption: true,
        describe: 'Gzipped if the name ends with .gz; - is the standard output',
      })
      .option('from', { type: 'number', describe: 'First block; by default the first of the block log' })
      .option('to', { type: 'number', describe: 'Last block; by default the head' }),
  handler: async (args, terminal) => {
    const { log, genesis } = openBlocks(args);
    try {
      const first = log.firstNumber;
      const last = log.headNumber;
      const from = (args.from as number | undefined) ?? first;
      const to = (args.to as number | undefined) ?? last;
      const fits =
        Number.isInteger(from) && Number.isInteger(to) && from >= first && from <= to && to <= last && first > 0;
      check(fits, EXPORT_BLOCKS_ERRORS.export_range, { from, to, first, last });
      const lines = blockLines(log, genesis.network, from, to);
      await writeNamed(String(args.file), lines, terminal, (count) => `${count} blocks`);
    } finally {
      log.abandon();
    }
  },
};
