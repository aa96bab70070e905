import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { tellLostWork } from '../runner/lost-work.js';
import { endWithUs, exitOnSignals } from '../support/ends-with-us.js';

/**
 * What tries random things, for longer than a test run has time. Without a seed each run takes another one; a failure
 * prints what repeats it.
 *
 * - `npm run fuzz -- vm --rounds 10000 --seed 7`: hostile contract modules, random ones compiled and interpreted, rows
 *   with undo against a model.
 * - `npm run fuzz -- curve --rounds 1000000 --seed 7`: signatures, good and malformed, before all curve libraries.
 * - `npm run fuzz -- chain --chains 1000 --seed 7 --minutes 60 --keep-going`: whole chains with operations of all
 *   kinds, fork switches and restarts; a chain is one seed, those of a run follow each other.
 */

const TARGETS: Readonly<Record<string, readonly string[]>> = {
  vm: ['../vm/hostile.test.js', '../vm/interpreted.test.js', '../vm/tables-undo.test.js'],
  curve: ['../unit/crypto/libraries.test.js'],
  chain: ['./chain/main.js'],
};
const STACK_KB = 6500;
/** For the runner of a single file, which gives up after half a minute otherwise. */
const TIMEOUT_SEC = 7 * 24 * 3600;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '10000' },
    seed: { type: 'string' },
    chains: { type: 'string', default: '1000' },
    minutes: { type: 'string' },
    'keep-going': { type: 'boolean', default: false },
  },
});
const seed = values.seed ?? String(Date.now() % 1_000_000_000);
const names = positionals.length === 0 ? Object.keys(TARGETS) : positionals;

/** For the chains; the tests of the engine are told by their environment. */
const chainArguments = [
  ...['--seed', seed, '--chains', values.chains],
  ...(values.minutes === undefined ? [] : ['--minutes', values.minutes]),
  ...(values['keep-going'] ? ['--keep-going'] : []),
];

function run(name: string, file: string): Promise<number> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const env = {
    ...process.env,
    VM_FUZZ_ROUNDS: values.rounds,
    VM_FUZZ_SEED: seed,
    CURVE_FUZZ_ROUNDS: values.rounds,
    CURVE_FUZZ_SEED: seed,
    TAP_TIMEOUT: String(TIMEOUT_SEC),
  };
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      [`--stack-size=${STACK_KB}`, path, ...(name === 'chain' ? chainArguments : [])],
      {
        stdio: 'inherit',
        env,
      },
    );
    endWithUs(child);
    child.on('exit', (code) => resolve(code ?? 1)).on('error', () => resolve(1));
  });
}

exitOnSignals();
tellLostWork();
for (const name of names) {
  const files = TARGETS[name];
  if (files === undefined) throw new Error(`there is no target ${name}; there are ${Object.keys(TARGETS).join(', ')}`);
  for (const file of files) {
    if (name !== 'chain') process.stdout.write(`== ${file.slice(3)}, ${values.rounds} rounds, seed ${seed}\n`);
    if ((await run(name, file)) !== 0) process.exitCode = 1;
  }
}
