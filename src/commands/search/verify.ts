import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { searchClient } from '../../../plugins/search_db/client.js';
import { stateIndexName } from '../../../plugins/search_db/names.js';
import { searchOptions } from '../../../plugins/search_db/options.js';
import { Retry } from '../../../plugins/search_db/retry.js';
import { verifySearch } from '../../../plugins/search_db/verify.js';
import '../../operations/index.js';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import { addOptions, givenOptions } from '../../config/command-line.js';
import { parseIni, resolveOptions } from '../../config/load.js';
import { GENESIS_COPY, keptGenesisChanges, NODE_GENESIS_ERRORS } from '../../node/chain/genesis.js';
import { loggedBlocks } from '../../node/chain/logged-blocks.js';
import { systemClock } from '../../node/runtime/clock.js';
import { CONFIG_FILE, DEFAULT_DATA_DIR } from '../../node/settings/options.js';
import { BlockLog } from '../../storage/block-log.js';
import { guarded } from '../../storage/errors.js';
import { JOURNAL } from '../../storage/log-kind.js';
import { readOnlyFiles } from '../../storage/read-only-files.js';
import { STORAGE_FOLDERS } from '../../storage/storage.js';
import { plainLog, readGenesisFile } from '../chain/open.js';
import type { Command } from '../command.js';
import { EXIT } from '../terminal.js';

export const VERIFY_ERRORS = defineErrors({
  verify_range: {
    ...FAMILY.invalidArgument,
    text: 'blocks ${from} to ${to}: this folder and the search database have the blocks ${first} to ${last} together',
  },
});

const RETRIES = 5;

/** The number of the last block that the search database says it has. */
async function cursorOf(client: Awaited<ReturnType<typeof searchClient>>, prefix: string): Promise<number | undefined> {
  const found = await client.get<{ place: { number: number } }>(
    { index: stateIndexName(prefix), id: 'cursor' },
    { ignore: [404] },
  );
  return found._source?.place.number;
}

export const verifyCommand: Command = {
  builder: (yargs) =>
    addOptions(
      yargs
        .option('data-dir', {
          alias: 'd',
          type: 'string',
          default: DEFAULT_DATA_DIR,
          describe: 'Folder of the node, which may be running',
        })
        .option('from', { type: 'number', describe: 'First block; by default the first one' })
        .option('to', { type: 'number', describe: 'Last block; by default the last one that both sides have' })
        .option('repair', {
          type: 'boolean',
          default: false,
          describe: 'Write what is missing or different, remove what is surplus',
        })
        .option('quiet', { type: 'boolean', default: false, describe: 'Print the counts alone, not every fault' }),
      [['Search database; as in config.ini of the folder if not given', searchOptions]],
    ),
  handler: async (args, terminal) => {
    const dataDir = resolve(String(args.dataDir));
    const copy = join(dataDir, GENESIS_COPY);
    check(existsSync(copy), NODE_GENESIS_ERRORS.genesis_missing);
    const genesis = readGenesisFile(copy, (bytes) => keptGenesisChanges(dataDir, { path: copy, bytes }));
    const configPath = join(dataDir, CONFIG_FILE);
    const config = existsSync(configPath) ? guarded(configPath, () => readFileSync(configPath, 'utf8')) : '';
    const options = resolveOptions(
      searchOptions,
      givenOptions(args, searchOptions),
      parseIni(config, configPath).given,
    );
    const prefix = options['searchdb-index-prefix'];
    const client = await searchClient(options, RETRIES);
    const log = new BlockLog(readOnlyFiles, join(dataDir, STORAGE_FOLDERS.blockLog), genesis.chainId);
    const journal = new BlockLog(readOnlyFiles, join(dataDir, STORAGE_FOLDERS.journal), genesis.chainId, JOURNAL);
    try {
      const written = Math.min(log.headNumber, journal.headNumber);
      const last = Math.min(written, (await cursorOf(client, prefix)) ?? written);
      // Numbers of entries count from the first block on.
      const first = Math.max(log.firstNumber, journal.firstNumber);
      const from = (args.from as number | undefined) ?? 1;
      const to = (args.to as number | undefined) ?? last;
      const fits =
        first === 1 && Number.isInteger(from) && Number.isInteger(to) && from >= 1 && from <= to && to <= written;
      check(fits, VERIFY_ERRORS.verify_range, { from, to, first, last: written });
      const verified = await verifySearch(loggedBlocks(log, journal, 1, to), {
        client,
        retry: new Retry({ clock: systemClock, log: plainLog(terminal) }),
        prefix,
        style: { network: genesis.network, hasObjects: options['searchdb-operation-object'] },
        from,
        to,
        startAfterBlock: options['searchdb-start-after-block'],
        repairs: args.repair === true,
        report: (line) => {
          if (args.quiet !== true) terminal.out(`${line}\n`);
        },
      });
      const { missing, different, surplus, repaired } = verified;
      terminal.out(`${JSON.stringify({ from, to, ...verified })}\n`);
      if (missing + different + surplus > repaired) terminal.exitCode = EXIT.refused;
    } finally {
      log.abandon();
      journal.abandon();
      await client.close();
    }
  },
};
