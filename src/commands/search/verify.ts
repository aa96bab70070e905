import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { searchClient } from '../../../plugins/search_db/client.js';
import { stateIndexName } from '../../../plugins/search_db/names.js';
import { searchOptions } from '../../../plugins/search_db/options.js';
import { Retry } from '../../../plugins/search_db/retry.js';
import { type VerifySettings, verifySearch } from '../../../plugins/search_db/verify.js';
import '../../operations/index.js';
import { ChainError, check, defineErrors, FAMILY } from '../../base/errors.js';
import { decodeTrusted } from '../../codec/binary.js';
import { addOptions, givenOptions } from '../../config/command-line.js';
import { parseIni, resolveOptions } from '../../config/load.js';
import { GENESIS_COPY, keptGenesisChanges, NODE_GENESIS_ERRORS } from '../../node/chain/genesis.js';
import { loggedBlocks } from '../../node/chain/logged-blocks.js';
import { systemClock } from '../../node/runtime/clock.js';
import { CONFIG_FILE, DEFAULT_DATA_DIR } from '../../node/settings/options.js';
import { type BlockPlace, NO_BLOCK } from '../../plugin/follower.js';
import { signedBlock } from '../../protocol/block.js';
import { BlockLog } from '../../storage/block-log.js';
import { readCarried } from '../../storage/carried.js';
import { guarded, STORAGE_ERRORS } from '../../storage/errors.js';
import type { LevelKv } from '../../storage/level-kv.js';
import { JOURNAL } from '../../storage/log-kind.js';
import { readOnlyFiles } from '../../storage/read-only-files.js';
import { STORAGE_FOLDERS } from '../../storage/storage.js';
import { plainLog, readGenesisFile } from '../chain/open.js';
import type { Command } from '../command.js';
import { openFolder } from '../snapshot/opened.js';
import { EXIT } from '../terminal.js';

export const VERIFY_ERRORS = defineErrors({
  verify_range: {
    ...FAMILY.invalidArgument,
    text: 'blocks ${from} to ${to}: this folder and the search database have the blocks ${first} to ${last} together',
  },
  verify_counts_missing: {
    ...FAMILY.invalidArgument,
    text: 'the blocks of this folder begin behind a snapshot of block ${number}, and ${path} does not say what accounts had done up to there: give that snapshot with --snapshot, one of a node that had account_history for all accounts',
  },
  verify_counts_in_use: {
    ...FAMILY.invalidArgument,
    text: 'the blocks of this folder begin behind a snapshot of block ${number}, and a running node has ${path} open: stop it, or give that snapshot with --snapshot',
  },
});

const RETRIES = 5;

const HISTORY = 'account_history';

function previousOf(log: BlockLog, number: number): string {
  const block = log.read(number);
  return block === undefined ? '' : decodeTrusted(signedBlock, block).previous;
}

/** The number of the last block that the search database says it has. */
async function cursorOf(client: Awaited<ReturnType<typeof searchClient>>, prefix: string): Promise<number | undefined> {
  const found = await client.get<{ place: { number: number } }>(
    { index: stateIndexName(prefix), id: 'cursor' },
    { ignore: [404] },
  );
  return found._source?.place.number;
}

/** Numbers count from the first block of the chain on: where the blocks begin later, the snapshot before them knows them. */
async function withBegin<T>(
  { path, place }: { readonly path: string; readonly place: BlockPlace },
  work: (begin: VerifySettings['begin']) => Promise<T>,
): Promise<T> {
  if (place.number === 0) return work(undefined);
  let kv: LevelKv;
  try {
    kv = await openFolder(path);
  } catch (error) {
    const isInUse = error instanceof ChainError && error.row === STORAGE_ERRORS.storage_in_use;
    check(!isInUse, VERIFY_ERRORS.verify_counts_in_use, { number: place.number, path });
    throw error;
  }
  try {
    const carried = readCarried(kv, HISTORY, place);
    check(carried !== undefined, VERIFY_ERRORS.verify_counts_missing, { number: place.number, path });
    return await work({ place, carried });
  } finally {
    await kv.close();
  }
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
        .option('snapshot', {
          type: 'string',
          describe:
            'Folder of the snapshot that the node has begun with, where its blocks begin behind one; by default the store of the node, which a running node has open',
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
      const first = Math.max(log.firstNumber, journal.firstNumber, 1);
      const from = (args.from as number | undefined) ?? first;
      const to = (args.to as number | undefined) ?? last;
      const fits = Number.isInteger(from) && Number.isInteger(to) && from >= first && from <= to && to <= written;
      check(fits, VERIFY_ERRORS.verify_range, { from, to, first, last: written });
      const place = first === 1 ? NO_BLOCK : { number: first - 1, id: previousOf(log, first) };
      const path = resolve(typeof args.snapshot === 'string' ? args.snapshot : join(dataDir, STORAGE_FOLDERS.objects));
      const settings: Omit<VerifySettings, 'begin'> = {
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
      };
      const verified = await withBegin({ path, place }, (begin) =>
        verifySearch(loggedBlocks(log, journal, first, to), { ...settings, begin }),
      );
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
