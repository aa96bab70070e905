import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import '../../operations/index.js';
import { ChainError, check, defineErrors, FAMILY } from '../../base/errors.js';
import { readGenesis } from '../../chain/genesis-source.js';
import { type Json, type JsonObject, parseJson } from '../../codec/json.js';
import { MAINNET_FORKS } from '../../protocol/forks.js';
import { genesisFile } from '../../protocol/genesis-file.js';
import { networkOf } from '../../protocol/network-definition.js';
import { useKeyPrefix } from '../../protocol/networks.js';
import { guarded } from '../../storage/errors.js';
import { PUBLIC_TEST_KEY } from '../../witness/options.js';
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
  const text = guarded(path, () => readFileSync(path, 'utf8'));
  let completed: JsonObject;
  try {
    completed = completedGenesis(text);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const mayReplace = await confirmed(`${path} is not a genesis file: ${error.message}. Replace it? [y/N] `);
    check(mayReplace, GENESIS_COMPLETE_ERRORS.genesis_file_malformed, { path, reason: error.message });
    write(path, exampleGenesis());
    return `replaced ${path} with an example genesis file; its keys are the test key that everybody knows`;
  }
  write(path, completed);
  const { chainId } = readGenesis(new Uint8Array(readFileSync(path)));
  return `${path} has all members now; chain id ${chainId}`;
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

/** Members that the file does not have get their defaults; what a genesis file does not define is kept. */
function completedGenesis(text: string): JsonObject {
  useKeyPrefix(networkOf(text).keyPrefix);
  const given = parseJson(text, 'reference');
  const known = genesisFile.toJson(genesisFile.fromJson(given)) as JsonObject;
  return { ...(given as JsonObject), ...known };
}

function write(path: string, file: Json): void {
  guarded(path, () => writeFileSync(path, `${JSON.stringify(file, null, 2)}\n`));
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
