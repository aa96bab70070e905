import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { fromHex, toHex } from '../../src/base/bytes.js';
import { ChainError } from '../../src/base/errors.js';
import { encode } from '../../src/codec/binary.js';
import { type Json, parseJson } from '../../src/codec/json.js';
import { abiDef } from '../../src/protocol/abi.js';
import { makeAsset } from '../../src/protocol/asset.js';
import { contractName, nameFromText } from '../../src/protocol/name.js';
import { operationResult } from '../../src/protocol/results.js';
import { stateHash } from '../../src/state/state-hash.js';
import { contractFile } from '../support/contract-world.js';
import { CONTRACT_WORLD, callExample, deployContract, deployExample } from '../support/example-contracts.js';
import { projectPath } from '../support/paths.js';
import { TestWorld } from '../support/world.js';

/**
 * The same calls on a whole chain in processes that compile differently, have different heaps and compete for the
 * machine: receipts with their metered times, refusals, block ids and state hashes must be the same to the letter.
 */

const SEED = 20_240_603;
const CALLS = 110;

function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** Infinities, subnormals, signalling and quiet NaNs with payloads, numbers on the edge of an int32. */
const DOUBLES = [
  '000000000000f07f',
  '010000000000f07f',
  '010000000000f8ff',
  '0000000000000080',
  '0100000000000000',
  '0000c0ffffffdf41',
  '0000e0ffffffef41',
  '9a9999999999b93f',
  '00000000000004c0',
  'a85bf357346f9d41',
];

const EXIT = toHex(encode(contractName, nameFromText('exitc')));

type Call = readonly [contract: string, method: string, data: string];

function word(value: number): string {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return Buffer.from(bytes).toString('hex');
}

function someCall(w: TestWorld, next: (below: number) => number): Call {
  const contract = `lab${next(2)}`;
  const number = (): string => word(next(12));
  const double = (): string => DOUBLES[next(DOUBLES.length)] as string;
  switch (next(9)) {
    case 0:
    case 1:
      return [contract, 'put', number() + number() + number()];
    case 2:
      return [contract, 'upd', number() + number() + number()];
    case 3:
      return [contract, 'del', number()];
    case 4:
    case 5:
      return [contract, 'math', number() + double() + double()];
    case 6: {
      const other = w.id(`lab${next(2)}`);
      return [contract, 'relay', `0${next(6)}${word(0)}${word(other)}${word(0)}${word(1)}${EXIT}00`];
    }
    case 7:
      return ['hello', 'hi', '03616263'];
    default:
      return [contract, ['exitc', 'failm', 'failc', 'trapc', 'spin', 'abortc'][next(6)] as string, ''];
  }
}

/** All that there is to see, one line each. */
function outcome(): string {
  const lines: string[] = [];
  const attempt = (what: string, work: () => unknown): void => {
    try {
      lines.push(`${what}: ${JSON.stringify(work())}`);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      lines.push(`${what}: ${error.code} ${error.message}`);
    }
  };
  const w = new TestWorld({ ...CONTRACT_WORLD, fees: true });
  const abiOf = (name: string) =>
    abiDef.fromJson(parseJson(readFileSync(projectPath('test/vectors/contracts', `${name}.abi`), 'utf8')));
  for (const name of ['lab0', 'lab1', 'hello']) {
    const file = name.replace(/\d/, '');
    deployContract(w, name, { code: contractFile(`${file}.wasm`), abi: abiOf(file) });
  }
  deployExample(w, 'notes');
  for (const name of ['lab0', 'lab1'])
    w.push('transfer', { from: 'alice', to: name, amount: makeAsset(10_000_000n, 1) });
  w.block();
  const next = random(SEED);
  for (let i = 0; i < CALLS; i++) {
    const [contract, method, data] = someCall(w, next);
    attempt(`${contract} ${method}`, () =>
      operationResult.toJson(
        w.push('contract_call', {
          account: ['alice', 'bob'][next(2)],
          contract_id: contract,
          method_name: nameFromText(method),
          data: fromHex(data),
        }),
      ),
    );
    const note: Json = { text: `note ${i}`, stars: next(5) + 1 };
    if (i % 5 === 0) attempt('note', () => operationResult.toJson(callExample(w, 'carol', 'notes', 'write', note)));
    if (i % 10 === 9) {
      w.block();
      lines.push(`${w.chain.blocks.head.id} ${w.chain.snapshots.withHeadState(stateHash)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

const SETTINGS: readonly (readonly string[])[] = [
  ['--no-opt', '--max-old-space-size=96'],
  ['--max-lazy', '--max-old-space-size=1024'],
  ['--no-opt', '--max-lazy', '--liftoff-only'],
  ['--no-liftoff', '--max-semi-space-size=1'],
];

if (process.argv.includes('outcome')) {
  process.stdout.write(outcome());
} else {
  t.test('calls have the same receipts and states in processes that differ', async (t) => {
    const expected = outcome();
    const results = expected.split('\n').filter((line) => /: \[4,/.test(line));
    t.ok(results.length > CALLS / 2, `${results.length} calls have succeeded`);
    t.ok(new Set(results.map((line) => /billed_cpu_time_us":(\d+)/.exec(line)?.[1])).size > 8, 'times are metered');
    t.match(expected, /spin: 3080004 /, 'an endless loop ends');
    t.match(expected, /trapc: 3070020 /);
    const file = fileURLToPath(import.meta.url);
    // Two at once, so that they are in each other's way.
    for (let i = 0; i < SETTINGS.length; i += 2) {
      await Promise.all(
        SETTINGS.slice(i, i + 2).map(async (flags) => {
          const run = promisify(execFile)(process.execPath, ['--stack-size=6500', ...flags, file, 'outcome'], {
            maxBuffer: 1 << 26,
          });
          t.equal((await run).stdout, expected, flags.join(' '));
        }),
      );
    }
  });
}
