import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import {
  CONTRACT_WORLD,
  callExample,
  callGiven,
  deployContract,
  exampleContract,
  ramOf,
  rowsOf,
} from '../support/example-contracts.js';
import { projectPath } from '../support/paths.js';
import { worldTest } from '../support/world.js';

const MISSING =
  'there is no clang that makes WebAssembly: install one with its linker (Debian: apt-get install clang lld) or name it in CLANG';

const output = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { stdio: 'pipe' }).toString();

/** The first clang of the machine that can make WebAssembly and finds the linker for it. */
function findClang(): string | undefined {
  for (const clang of [process.env.CLANG, 'clang', 'clang-19', 'clang-16', 'clang-14']) {
    try {
      if (clang === undefined || !/\bwasm32\b/.test(output(clang, '--print-targets'))) continue;
      output(output(clang, '--target=wasm32', '--print-prog-name=wasm-ld').trim(), '--version');
      return clang;
    } catch {
      // Not on this machine.
    }
  }
  return undefined;
}

function testCounter(what: string, code: Uint8Array): void {
  worldTest(`the contract in C counts: ${what}`, CONTRACT_WORLD, (t, w) => {
    const { abi } = exampleContract('counter');
    deployContract(w, 'counter', { code, abi });
    t.same(ramOf(w, callExample(w, 'bob', 'counter', 'add', { step: 5 })), { bob: 112 + 112 + 16 });
    callExample(w, 'bob', 'counter', 'add', { step: 7 });
    callExample(w, 'carol', 'counter', 'add', { step: 1000 });
    w.block();
    t.same(rowsOf(w, 'counter', 'count'), [
      { owner: w.id('bob'), value: 12 },
      { owner: w.id('carol'), value: 1000 },
    ]);
    t.throws(() => callExample(w, 'bob', 'counter', 'add', { step: 0 }), { message: /in steps from 1 to 1000/ });
    t.throws(() => callExample(w, 'alice', 'counter', 'reset'), { message: /you have counted nothing/ });
    const given = callGiven(w, 'bob', 'counter', 'add', { step: 1 });
    const short = { ...given, data: given.data.subarray(0, 7) };
    t.throws(() => w.push('contract_call', short), { message: /message: read/ });
    const long = { ...given, data: new Uint8Array(1025) };
    t.throws(() => w.push('contract_call', long), { message: /the arguments are too long/ });
    callExample(w, 'bob', 'counter', 'hi', { user: 'λ' });
    callExample(w, 'bob', 'counter', 'reset');
    t.same(rowsOf(w, 'counter', 'count'), [{ owner: w.id('carol'), value: 1000 }]);
    w.block();
  });
}

testCounter('as it is kept', exampleContract('counter').code);

t.test('the ABI in the folder is the one that is tested', async (t) => {
  const text = readFileSync(projectPath('docs/contracts/c/counter.abi'), 'utf8');
  t.equal(readFileSync(projectPath('test/fixtures/contracts/counter.abi'), 'utf8'), text);
});

const clang = findClang();
if (clang === undefined) {
  t.test('compiling with clang', { skip: MISSING }, async () => {});
} else {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-c-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const out = join(folder, 'counter.wasm');
  const source = projectPath('docs/contracts/c/counter.c');
  execFileSync(projectPath('docs/contracts/c/build.sh'), [source, out], { env: { ...process.env, CLANG: clang } });
  testCounter('as this machine compiles it', Uint8Array.from(readFileSync(out)));
}
