import { constants, copyFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import '../../operations/index.js';
import { ChainError, check, defineErrors, FAMILY } from '../../base/errors.js';
import { readGenesis } from '../../chain/genesis-source.js';
import { type Json, type JsonObject, parseJson } from '../../codec/json.js';
import { MAINNET_FORKS } from '../../protocol/forks.js';
import { genesisFile } from '../../protocol/genesis-file.js';
import { networkOf } from '../../protocol/network-definition.js';
import { guarded } from '../../storage/errors.js';
import { nodeFiles } from '../../storage/files.js';
import { PUBLIC_TEST_KEY } from '../../witness/options.js';
import { completedJson, referenceText } from './merge.js';
import { newGenesis } from './template.js';

export const GENESIS_COMPLETE_ERRORS = defineErrors({
  genesis_file_malformed: {
    ...FAMILY.invalidArgument,
    text: '${path} is not a genesis file (${reason}) and was not replaced',
  },
});

const KEY_PREFIX = 'GXC';
const UNIT = 100_000n;
const EXAMPLE_SUPPLY = 100_000_000n * UNIT;
const EXAMPLE_WITNESSES = 11;

/** `start --create-genesis-json`: an example file, or an existing one with all its members. Says what was done. */
export async function createOrCompleteGenesis(path: string): Promise<string> {
  if (!existsSync(path)) {
    write(path, exampleGenesis());
    return `wrote an example genesis file to ${path}; its keys are the test key that everybody knows`;
  }
  const bytes = guarded(path, () => readFileSync(path));
  let completed: Json | undefined;
  let before: string;
  try {
    completed = completedGenesis(bytes.toString('utf8'));
    before = readGenesis(bytes).chainId;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const mayReplace = await confirmed(`${path} is not a genesis file: ${error.message}. Replace it? [y/N] `);
    check(mayReplace, GENESIS_COMPLETE_ERRORS.genesis_file_malformed, { path, reason: error.message });
    const old = keepOld(path);
    write(path, exampleGenesis());
    return `replaced ${path} with an example genesis file, the old one is ${old}; its keys are the test key that everybody knows`;
  }
  if (completed === undefined) return `${path} has all members, nothing was written; chain id ${before}`;
  const old = keepOld(path);
  write(path, completed);
  const { chainId } = readGenesis(new Uint8Array(readFileSync(path)));
  return `${path} has all members now and is the file of another chain: id ${chainId}. The old file is ${old}, its chain id ${before}`;
}

/** A copy beside the file, which never takes the place of an older one: the bytes of a genesis file are its chain's id. */
function keepOld(path: string): string {
  let copy = `${path}.bak`;
  for (let i = 2; existsSync(copy); i++) copy = `${path}.bak${i}`;
  guarded(copy, () => copyFileSync(path, copy, constants.COPYFILE_EXCL));
  return copy;
}

/** All active witnesses sign with the default of the option private-key. */
function exampleGenesis(): JsonObject {
  const choice = {
    // The latest at which nodes of the reference can begin a chain.
    timestamp: MAINNET_FORKS.HF_1008,
    blockInterval: 3,
    maintenanceInterval: 3600,
    witnesses: EXAMPLE_WITNESSES,
    accounts: ['nathan'],
    symbol: 'GXS',
    supply: EXAMPLE_SUPPLY,
    prefix: KEY_PREFIX,
    network: undefined,
  };
  return newGenesis(choice, () => PUBLIC_TEST_KEY).file;
}

/** Members that the file does not have get their defaults, all else is kept; undefined when it has them all. */
function completedGenesis(text: string): Json | undefined {
  const network = networkOf(text);
  const given = parseJson(text, 'reference');
  const known = genesisFile.toJson(genesisFile.fromJson(given, network), network);
  const merged = completedJson(given, known);
  if (merged === given) return undefined;
  // A list that the file has in another order than ours cannot be completed place by place.
  const isSame =
    referenceText(genesisFile.toJson(genesisFile.fromJson(merged, network), network)) === referenceText(known);
  return isSame ? merged : { ...(given as JsonObject), ...(known as JsonObject) };
}

/** The whole text or none of it. */
function write(path: string, file: Json): void {
  nodeFiles.writeText(path, `${referenceText(file)}\n`);
}

/** Nobody there to answer means no. */
async function confirmed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const gone = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  try {
    const answer = await Promise.race([terminal.question(question), gone]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
