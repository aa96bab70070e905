import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { sealKey } from '../../src/trade/key-file.js';
import { STACK_SIZE } from '../runner/stack-size.js';
import { commandLine } from '../support/command-line.js';
import { projectPath } from '../support/paths.js';
import { runTrustnode, TRUSTNODE } from '../support/run-trustnode.js';

interface KeyVector {
  readonly wif: string;
  readonly public_text: string;
  readonly public_hex: string;
}
interface TransactionVector {
  readonly chain_id: string;
  readonly tx: { readonly signatures?: readonly string[] };
  readonly unsigned_hex: string;
  readonly transaction_id: string;
}
const vectors = JSON.parse(readFileSync(projectPath('test/vectors/protocol.json'), 'utf8')) as {
  keys: KeyVector[];
  transactions: TransactionVector[];
};
const A = vectors.keys[0] as KeyVector;

async function json(args: readonly string[], input?: string): Promise<Record<string, unknown>> {
  const outcome = await commandLine([...args, '--json'], input);
  if (outcome.code !== 0) throw new Error(outcome.stderr);
  return JSON.parse(outcome.stdout) as Record<string, unknown>;
}

t.test('help and version', async (t) => {
  const [help, version, nothing] = await Promise.all([
    runTrustnode(['--help']),
    runTrustnode(['--version']),
    runTrustnode([]),
  ]);
  t.equal(help.code, 0);
  t.match(help.stdout, /trustnode keys/);
  t.match(version.stdout, /^\d+\.\d+\.\d+\s*$/);
  t.equal(nothing.code, 2, 'a command is asked for');
});

t.test('show, new, derive', async (t) => {
  t.match(await json(['keys', 'show', A.wif]), { public_key: A.public_text, public_key_hex: A.public_hex });
  t.match(await json(['keys', 'show', '-'], `${A.wif}\n`), { public_key: A.public_text }, 'from the standard input');
  const made = await json(['keys', 'new']);
  t.match(await json(['keys', 'show', String(made.wif)]), { public_key: made.public_key });
  const words = '  witch  collapse practice\tfeed shame open despair creek road again ice least ';
  t.match(await json(['keys', 'derive', words]), { wif: '5Jnmnmkq1RFHmxmowAUSKsJa2W9ptRA5M18DqvGi3eXS1NpUeyt' });
  t.match(await json(['keys', 'derive', words, '--form', 'client', '--sequence', '1']), {
    public_key: 'GXC7gqiXgHxKzW2fBeEMxMtVub81yAM9BBM1HeFw2GKKE9FnW2nV8',
  });
  const suggested = await json(['keys', 'suggest-brain-key']);
  t.match(await json(['keys', 'derive', String(suggested.brain_key)]), { wif: suggested.wif });
});

t.test('a key file of the page of a market', async (t) => {
  const key = PrivateKey.fromWif(A.wif);
  const file = join(t.testdir(), 'alice.key.json');
  writeFileSync(file, await sealKey({ account: '1.2.9', name: 'alice', key }, 'correct horse battery'));
  t.notMatch(readFileSync(file, 'utf8'), A.wif);
  const opened = await commandLine(['keys', 'open', file], 'correct horse battery\n');
  t.same([opened.code, opened.stdout], [0, `${A.wif}\n`]);
  const wrong = await commandLine(['keys', 'open', file], 'wrong\n');
  t.same([wrong.code, wrong.stdout], [1, '']);
  t.match(wrong.stderr, /sealed_key_password: the password is not the one of this file/);
  writeFileSync(file, '{}');
  t.match((await commandLine(['keys', 'open', file], '\n')).stderr, /sealed_key_form/);
});

t.test('messages', async (t) => {
  const { signature } = await json(['keys', 'sign-message', 'hello', '--wif', A.wif]);
  t.match(await json(['keys', 'verify-message', String(signature), 'hello']), { public_key: A.public_text });
  const other = await commandLine(['keys', 'verify-message', String(signature), 'bye', '--public-key', A.public_text]);
  t.equal(other.code, 1);
  t.match(other.stderr, /signer_mismatch/);
});

t.test('transactions', async (t) => {
  const folder = t.testdir();
  const vector = vectors.transactions[0] as TransactionVector;
  const decoded = await json(['keys', 'decode', 'unsigned-transaction', vector.unsigned_hex]);
  const file = join(folder, 'tx.json');
  writeFileSync(file, JSON.stringify(decoded));
  const encoded = await commandLine(['keys', 'encode', 'unsigned-transaction', file]);
  t.equal(encoded.stdout.trim(), vector.unsigned_hex);
  const out = join(folder, 'signed.json');
  const signed = await json([
    'keys',
    'sign-transaction',
    file,
    '--wif',
    A.wif,
    '--chain-id',
    vector.chain_id,
    '--out',
    out,
  ]);
  t.equal(signed.id, vector.transaction_id);
  t.same(await json(['keys', 'verify-transaction', out, '--chain-id', vector.chain_id]), {
    id: signed.id,
    signed_by: [A.public_text],
  });
  const words = ['keys', 'sign-transaction', '--wif', A.wif, '--wif', A.wif, out, '--chain-id'];
  const again = await json([...words, vector.chain_id]);
  t.same(again, JSON.parse(readFileSync(out, 'utf8')), 'a key signs once, and takes no word for another key');
  const lost = await commandLine([...words, vector.chain_id, '--out', join(folder, 'none', 'signed.json')]);
  t.match(lost, { code: 1, stdout: '', stderr: /storage_missing: .*signed\.json/ });
  for (const id of ['', '00', `${vector.chain_id}00`]) {
    t.match(await commandLine([...words, id]), { code: 1, stdout: '', stderr: /chain_id_invalid/ }, `chain id ${id}`);
  }
});

t.test('whoever reads the results may leave before their end', async (t) => {
  const child = spawn(process.execPath, [STACK_SIZE, TRUSTNODE, 'keys', 'new', '--count', '20000'], { stdio: 'pipe' });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.once('data', () => child.stdout.destroy());
  const [code] = await once(child, 'close');
  t.equal(stderr, '');
  t.equal(code, 0);
});

t.test('mistakes on the command line give exit code 2 and no stack', async (t) => {
  for (const [args, message] of [
    [['start', '--log-level'], 'Not enough arguments following: log-level'],
    [['bogus'], 'There is no command bogus\n'],
    [['kyes'], 'There is no command kyes, did you mean keys?\n'],
    [['keys', 'nwe'], 'There is no command keys nwe, did you mean keys new?\n'],
    [['keys', '--json'], 'What of keys? It has new, '],
    [['keys', 'decode', 'blck', '00'], 'Invalid values:'],
    [['keys', 'show'], 'Not enough non-option arguments'],
    [['keys', 'new', '--bogus'], 'Unknown argument: bogus\n'],
    [['keys', 'new', '--more-yet'], 'Unknown argument: more-yet\n'],
    [['contract', 'abi'], 'What of contract abi? It has check, '],
    [['keys', 'something-else'], 'There is no command keys something-else, but new, '],
    [['keys', 'new', '--count', 'two'], '--count takes a whole number\n'],
    [['keys', 'new', '--count', '1.5'], '--count takes a whole number\n'],
    [['keys', 'derive', 'a b', '--sequence', '-1'], '--sequence takes a whole number\n'],
    [['keys', 'new', '--count', '1', '--count', '2'], '--count takes one value and is given 2 times\n'],
    [['state-hash', '-d', 'a', '-d', 'b'], '--data-dir takes one value and is given 2 times\n'],
    [['buy', 'x', '--account', 'a'], 'product takes a whole number\n'],
  ] as const) {
    const { code, stdout, stderr } = await commandLine(args);
    t.equal(code, 2, args.join(' '));
    t.equal(stdout, '');
    t.match(stderr, message);
    const names = args.filter((word: string) =>
      ['start', 'keys', 'decode', 'show', 'new', 'derive', 'contract', 'abi', 'state-hash', 'buy'].includes(word),
    );
    t.ok(stderr.endsWith(`\nTry: ${['trustnode', ...names].join(' ')} --help\n`), stderr);
    t.notMatch(stderr, /\bat .*\.js:\d+/, 'no stack trace');
  }
});

t.test('mistakes are coded and give exit code 1', async (t) => {
  for (const [args, key] of [
    [['keys', 'show', `${A.wif.slice(0, -1)}9`], 'wif_checksum_wrong'],
    [['keys', 'show', 'not-a-key'], 'base58_'],
    [['keys', 'decode', 'block', '00'], 'read_past_end'],
    [['keys', 'decode', 'block', 'no-such-file'], 'input_file'],
    [['keys', 'derive', ' '], 'no_words'],
    [['keys', 'verify-message', '1f00', 'hello'], 'signature_length_wrong'],
  ] as const) {
    const outcome = await commandLine(args);
    t.equal(outcome.code, 1, args.join(' '));
    t.match(outcome.stderr, key);
    t.notMatch(outcome.stderr, /\bat .*\.js:\d+/, 'no stack trace');
  }
});
