import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { signedBlock } from '../../src/protocol/block.js';
import type { Assembler } from '../../src/vm/wasm/assembler.js';
import { EMPTY, I32 } from '../../src/vm/wasm/module.js';
import { OP } from '../../src/vm/wasm/opcodes.js';
import { commandLine } from '../support/command-line.js';
import { startDevNode } from '../support/dev-node.js';
import { CONTRACT_WORLD, callExample, deployExample } from '../support/example-contracts.js';
import { NETWORK } from '../support/network.js';
import { projectPath } from '../support/paths.js';
import type { Outcome } from '../support/run-trustnode.js';
import { buildModule, type ModuleSource } from '../support/wasm-builder.js';
import { TestWorld } from '../support/world.js';
import { worldGenesisBytes } from '../support/world-genesis.js';

// The commands as a user types them; what they find is tested in test/unit/commands.

const folder = mkdtempSync(join(tmpdir(), 'trustnode-contract-'));
t.teardown(() => rmSync(folder, { recursive: true }));
const fixture = (name: string): string => projectPath('test/fixtures/contracts', name);
const contract = (...args: readonly string[]): Promise<Outcome> => commandLine(['contract', ...args]);

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function json(expectedCode: number, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await contract(...args, '--json');
  if (code !== expectedCode) throw new Error(`exit code ${code}: ${stdout}${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

t.test('inspect', async (t) => {
  const bytes = readFileSync(fixture('notes.wasm')).length;
  t.match(await json(0, 'inspect', fixture('notes.wasm')), { bytes, refused: [], fails_when_called: null });
  const text = await contract('inspect', fixture('hello.wasm'));
  t.match(text.stdout, /memory pages: 1, no maximum/);
  t.match(text.stdout, /the chain takes it\n$/);
  const garbage = await contract('inspect', file('garbage.wasm', 'this is no module'));
  t.match(garbage, { code: 1, stdout: /refused: wasm_serialization_error \(3070003\) bad magic number/ });
  const missing = await contract('inspect', join(folder, 'missing.wasm'));
  t.match(missing, { code: 1, stderr: /input_file: cannot read .*missing\.wasm/ });
});

t.test('inspect says why a contract is interpreted', async (t) => {
  const inspected = async (name: string, source: ModuleSource) => {
    const path = file(`${name}.wasm`, buildModule(source));
    return { ...(await json(0, 'inspect', path)), text: (await contract('inspect', path)).stdout };
  };
  t.match(await inspected('plain', {}), { interpreted: null, text: /^(?!.*interpreted)/s });
  t.match(await inspected('parameters', { types: [{ parameters: new Array(1001).fill(I32), result: EMPTY }] }), {
    interpreted: { bound: 'parameters', found: 1001, max: 1000 },
    text: /\ninterpreted, each instruction at the price of 10: 1001 parameters in a type .*1000 are compiled\nthe chain takes it\n$/,
  });
  const operands = (a: Assembler) => {
    for (let i = 0; i < 2000; i++) a.i64(0n);
    a.op(OP.return);
  };
  t.match(await inspected('operands', { apply: operands }), {
    interpreted: { bound: 'frame_bytes', max: 20_887 },
    text: /interpreted, .* bytes in the frame of a function/,
  });
  const branches = (a: Assembler) => {
    for (let i = 0; i < 10_000; i++) a.op(OP.loop).u8(EMPTY).end();
  };
  t.match(await inspected('branches', { applyLocals: new Array(2000).fill(I32), apply: branches }), {
    interpreted: { bound: 'compile_steps' },
    text: /interpreted, .* steps to compile it/,
  });
});

t.test('abi', async (t) => {
  t.match(await json(0, 'abi', 'check', fixture('notes.abi')), { ok: true, warnings: [], tables: ['note'] });
  t.match(await contract('abi', 'check', file('empty.abi', '{}')), {
    code: 1,
    stdout: /^refused: contract has no act/,
  });
  const hex = '0c6778633a3a6162692f312e3000010268690001047573657206737472696e6701000000000000806b02686900000000';
  const hello = projectPath('test/vectors/contracts/hello.abi');
  t.equal((await contract('abi', 'to-hex', hello)).stdout, `${hex}\n`, 'the published vector');
  t.match(await json(0, 'abi', 'from-hex', hex), { structs: [{ name: 'hi' }], actions: [{ name: 'hi' }] });
});

t.test('profile with an amount that is none', async (t) => {
  for (const amount of ['x', '1.5', '{}', '-1', ' 5']) {
    const given = [
      'profile',
      'bank',
      'deposit',
      '--account',
      'alice',
      `--amount=${amount}`,
      '-d',
      join(folder, 'none'),
    ];
    t.match(
      await contract(...given),
      { code: 1, stdout: '', stderr: /^invalid_arg_exception \(5\) profile_amount: / },
      amount,
    );
  }
});

t.test('pack and unpack', async (t) => {
  const abi = projectPath('test/vectors/contracts/bank.abi');
  const args = { to_account: 'alice', amount: { amount: 1_234_567, asset_id: 1 } };
  const hex = '05616c69636587d61200000000000100000000000000';
  t.same(await json(0, 'pack', abi, 'withdraw', JSON.stringify(args)), { hex }, 'the published vector');
  t.same(await json(0, 'pack', abi, 'withdraw', file('args.json', JSON.stringify(args))), { hex }, 'from a file');
  const piped = await commandLine(['contract', 'pack', abi, 'withdraw', '-'], JSON.stringify(args));
  t.equal(piped.stdout, `${hex}\n`, 'from the standard input');
  t.same(await json(0, 'unpack', abi, 'withdraw', hex), args);
  t.equal((await contract('pack', abi, 'deposit')).stdout, '\n', 'no arguments');
  const row = '110000000000000001f4010000000000000100000000000000';
  const account = { owner: 17, balances: [{ amount: 500, asset_id: 1 }] };
  t.same(await json(0, 'unpack', abi, 'account', row, '--by-type'), account);
  t.match(await contract('pack', abi, 'steal'), { code: 1, stderr: /3070005.*Unknown action steal/ });
});

/** A data directory with the contract notes, in which alice has written once. */
async function dataDirectory(): Promise<string> {
  const w = new TestWorld(CONTRACT_WORLD);
  deployExample(w, 'notes');
  callExample(w, 'alice', 'notes', 'write', { text: 'milk', stars: 3 });
  // So many that the call is irreversible.
  w.blocks(30);
  const blocks = Array.from({ length: w.chain.blocks.head.number }, (_, i) => w.chain.queries.blockByNumber(i + 1));
  const lines = blocks.map((block) => (block === undefined ? '' : JSON.stringify(signedBlock.toJson(block, NETWORK))));
  const genesis = file('genesis.json', worldGenesisBytes(CONTRACT_WORLD));
  const path = join(folder, 'data');
  const source = file('blocks.jsonl', `${lines.join('\n')}\n`);
  const { code, stderr } = await commandLine([
    'import-blocks',
    source,
    '-d',
    path,
    '--genesis-json',
    genesis,
    '--verify-threads',
    '0',
  ]);
  if (code !== 0) throw new Error(stderr);
  return path;
}

t.test('profile runs a call on a stored state and leaves no trace', async (t) => {
  const data = await dataDirectory();
  const hash = (await commandLine(['state-hash', '-d', data])).stdout;
  const bread = JSON.stringify({ text: 'bread', stars: 5 });
  t.match(await json(0, 'profile', 'notes', 'write', bread, '--account', 'bob', '-d', data), {
    error: null,
    actions: [{ contract: 'notes', method: 'write' }],
    ram: [{ account: 'bob', bytes: 112 + 27 + 2 * 128 }],
  });
  const text = await contract('profile', 'notes', 'best', '{"count":1}', '--account', 'carol', '-d', data);
  t.match(text.stdout, /^notes\.best: \d+ instructions/);
  t.match(text.stdout, /console:\n {2}3 milk\n$/);
  const other = ['--code', fixture('hello.wasm'), '--abi', fixture('hello.abi')];
  const changed = await contract('profile', 'notes', 'hi', '{"user":"x"}', '--account', 'bob', '-d', data, ...other);
  t.match(changed, { code: 0, stdout: /console:\n {2}hi, x, from bob\n$/ }, 'code that is not deployed');
  const refused = await contract('profile', 'notes', 'erase', '{"id":0}', '--account', 'bob', '-d', data);
  t.match(refused, { code: 1, stdout: /the call fails: \(3070008\) .*this is not your note/ });
  t.equal((await commandLine(['state-hash', '-d', data])).stdout, hash, 'the state is as before');

  const running = await startDevNode(folder, { dev: 'false', 'data-dir': data });
  t.teardown(() => running.node.stop());
  t.match(await json(0, 'profile', 'notes', 'write', bread, '--account', 'bob', '-d', data), {
    error: null,
    ram: [{ account: 'bob', bytes: 112 + 27 + 2 * 128 }],
  });
});
