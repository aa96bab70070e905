import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ArgumentsCamelCase } from 'yargs';
import '../../operations/index.js';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import { readGenesis } from '../../chain/genesis-source.js';
import type { JsonObject } from '../../codec/json.js';
import { timeFromText } from '../../codec/time.js';
import { PrivateKey } from '../../crypto/private-key.js';
import { publicKeyToText } from '../../crypto/public-key.js';
import { MAINNET_FORKS } from '../../protocol/forks.js';
import { guarded } from '../../storage/errors.js';
import { nodeFiles, PRIVATE } from '../../storage/files.js';
import type { Command } from '../command.js';
import type { Terminal } from '../terminal.js';
import { describeGenesis, printFacts } from './describe.js';
import { type NamedKey, newGenesis } from './template.js';

export const GENESIS_CREATE_ERRORS = defineErrors({
  genesis_file_exists: { ...FAMILY.invalidArgument, text: '${path} exists; --force replaces it' },
  genesis_option: { ...FAMILY.invalidArgument, text: 'option ${option}: ${what}' },
});

const UNIT = 100_000n;

export const createCommand: Command = {
  builder: (yargs) =>
    yargs
      .positional('file', { type: 'string', demandOption: true })
      .option('timestamp', {
        type: 'string',
        describe:
          'Genesis time, YYYY-MM-DDTHH:MM:SS; by default the latest at which reference nodes can begin a chain. With --all-forks also: now',
      })
      .option('witnesses', { type: 'number', default: 11, describe: 'How many witnesses, named init0, init1, …' })
      .option('account', {
        type: 'string',
        array: true,
        default: ['treasury'],
        describe: 'Funded account; may be repeated',
      })
      .option('symbol', { type: 'string', default: 'GXS', describe: 'Symbol of the core asset 1.3.1' })
      .option('supply', { type: 'number', default: 100_000_000, describe: 'Coins that the accounts share' })
      .option('block-interval', { type: 'number', default: 3, describe: 'Seconds from block to block' })
      .option('maintenance-interval', { type: 'number', default: 3600, describe: 'Seconds' })
      .option('all-forks', {
        type: 'boolean',
        default: false,
        describe: 'All rules from the start; reference nodes cannot join such a chain',
      })
      .option('prefix', { type: 'string', default: 'GXC', describe: 'Text in front of public keys' })
      .option('name', { type: 'string', describe: 'Name of the network' })
      .option('seed', {
        type: 'string',
        describe: 'Derive all keys from this text instead of making new ones: for tests, everybody can do the same',
      })
      .option('force', { type: 'boolean', default: false, describe: 'Replace an existing file' })
      .option('json', { type: 'boolean', default: false, describe: 'Print JSON for scripts' }),
  handler: create,
};

function create(args: ArgumentsCamelCase, terminal: Terminal): void {
  const path = resolve(String(args.file));
  const keyPath = `${path.replace(/\.json$/, '')}.keys.json`;
  const isSeeded = typeof args.seed === 'string';
  for (const one of isSeeded ? [path] : [path, keyPath]) {
    check(args.force === true || !existsSync(one), GENESIS_CREATE_ERRORS.genesis_file_exists, { path: one });
  }
  const prefix = String(args.prefix);
  const allForks = args.allForks === true;
  const network = networkMember(args, prefix, allForks);
  const keyOf = (seed: string): PrivateKey =>
    isSeeded ? PrivateKey.fromSeed(`${String(args.seed)} ${seed}`) : PrivateKey.fromBytes(randomBytes(32));
  const genesis = newGenesis(
    {
      timestamp: timestampOf(args, allForks),
      blockInterval: Number(args.blockInterval),
      maintenanceInterval: Number(args.maintenanceInterval),
      witnesses: count(args, 'witnesses', 1, 1001),
      accounts: (args.account as string[]).filter((name) => name !== ''),
      symbol: String(args.symbol),
      supply: BigInt(count(args, 'supply', 1, 1_000_000_000_000)) * UNIT,
      prefix,
      network,
    },
    keyOf,
  );
  const text = `${JSON.stringify(genesis.file, null, 2)}\n`;
  const bytes = new TextEncoder().encode(text);
  // Nothing is written before a chain could be begun with it.
  const facts = describeGenesis(readGenesis(bytes));
  guarded(path, () => writeFileSync(path, bytes));
  if (!isSeeded) nodeFiles.writeText(keyPath, keyFile(genesis.keys, prefix), PRIVATE);
  printFacts(terminal, { file: path, ...(isSeeded ? {} : { keys: keyPath }), ...facts }, args.json === true);
}

function networkMember(args: ArgumentsCamelCase, prefix: string, allForks: boolean): JsonObject | undefined {
  const name = args.name as string | undefined;
  if (name === undefined && prefix === 'GXC' && !allForks) return undefined;
  return { name: name ?? 'private network', key_prefix: prefix, forks: allForks ? 'all_active' : 'mainnet' };
}

function timestampOf(args: ArgumentsCamelCase, allForks: boolean): number {
  const given = args.timestamp as string | undefined;
  if (given === 'now') {
    const what = 'now needs --all-forks: under the rules of the main network no chain begins after fork 1008';
    check(allForks, GENESIS_CREATE_ERRORS.genesis_option, { option: 'timestamp', what });
    const now = Math.floor(Date.now() / 1000);
    return now - (now % 5);
  }
  return given === undefined ? MAINNET_FORKS.HF_1008 : timeFromText(given);
}

function count(args: ArgumentsCamelCase, option: string, min: number, max: number): number {
  const value = Number(args[option]);
  const what = `${String(args[option])} is not a whole number from ${min} to ${max}`;
  const fits = Number.isInteger(value) && value >= min && value <= max;
  check(fits, GENESIS_CREATE_ERRORS.genesis_option, { option, what });
  return value;
}

function keyFile(keys: readonly NamedKey[], prefix: string): string {
  const rows = keys.map(({ name, purpose, key }) => ({
    name,
    purpose,
    wif: key.toWif(),
    public_key: publicKeyToText(key.publicKey, prefix),
  }));
  return `${JSON.stringify(rows, null, 2)}\n`;
}
