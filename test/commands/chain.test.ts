import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import type { JsonObject } from '../../src/codec/json.js';
import { duration, Progress } from '../../src/commands/chain/progress.js';
import { commandLine } from '../support/command-line.js';
import { projectPath } from '../support/paths.js';
import type { Outcome } from '../support/run-trustnode.js';

/** The commands as an operator uses them, on the recorded chain. */

const golden = (name: string): string => projectPath('test', 'vectors', 'golden', 'main', name);
const LIFETIME = ['--data-transaction-lifetime', '0'];
const NO_THREADS = ['--verify-threads', '0'];

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), 'trustnode-commands-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const jsonLines = (path: string): JsonObject[] => {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonObject);
};

async function succeeds(t: Test, args: readonly string[]): Promise<Outcome> {
  const outcome = await commandLine(args);
  t.equal(outcome.code, 0, `${args[0]}: ${outcome.stderr}`);
  return outcome;
}

async function fails(t: Test, expected: RegExp, args: readonly string[]): Promise<void> {
  const outcome = await commandLine(args);
  t.equal(outcome.code, 1, args.join(' '));
  t.match(outcome.stderr, expected);
}

t.test('import, hash, export and back', async (t) => {
  const home = folder(t);
  const dir = join(home, 'a');
  const at = ['--data-dir', dir];
  const first = [
    'import-blocks',
    golden('blocks.jsonl.gz'),
    '--genesis-json',
    golden('genesis.json'),
    ...at,
    ...LIFETIME,
  ];
  const half = await succeeds(t, [...first, '--stop-at', '150', ...NO_THREADS]);
  t.match(half.stderr, /150 blocks with \d+ transactions in .* blocks\/s, .* tx\/s\), head is block 150/);
  const rest = await succeeds(t, [...first, '--stop-at', '288', '--verify-threads', '1']);
  t.match(rest.stderr, /138 blocks with/, 'an import goes on where the last one ended');

  const hash = JSON.parse((await succeeds(t, ['state-hash', '--json', ...at])).stdout) as JsonObject;
  t.match(hash, { block: 288, chain_id: /^e378479b/, state_hash: /^[0-9a-f]{64}$/ });

  const state = join(home, 'state.jsonl.gz');
  for (const [height, more] of [
    [288, []],
    [192, ['--at-block', '192']],
  ] as const) {
    await succeeds(t, ['export-state', state, ...at, ...more]);
    const exported = gunzipSync(readFileSync(state)).toString('utf8').trim().split('\n');
    const isHistory = (line: string): boolean => /^\{"id":"(?:1\.11|2\.9|2\.6)\./.test(line);
    const recorded = gunzipSync(readFileSync(golden(`state-${height}.jsonl.gz`)))
      .toString('utf8')
      .trim()
      .split('\n');
    t.strictSame(
      exported.filter((line) => !isHistory(line)),
      recorded.filter((line) => !isHistory(line)),
      `the state of block ${height}, text for text`,
    );
  }
  const plain = join(home, 'accounts.jsonl');
  await succeeds(t, ['export-state', plain, ...at, '--with-ids', '1.2', '2.0.0']);
  const ids = jsonLines(plain).map(({ id }) => String(id));
  t.ok(ids.every((id) => /^1\.2\.\d+$|^2\.0\.0$/.test(id)) && ids.includes('1.2.6') && ids.includes('2.0.0'));

  const blocks = join(home, 'blocks.jsonl');
  await succeeds(t, ['export-blocks', blocks, ...at, '--from', '5', '--to', '20']);
  const recorded = gunzipSync(readFileSync(golden('blocks.jsonl.gz')))
    .toString('utf8')
    .split('\n');
  t.equal(readFileSync(blocks, 'utf8'), `${recorded.slice(4, 20).join('\n')}\n`, 'as get_block gives them');

  // Another node takes the blocks from a copy of this one's log, and from lines.
  const copy = join(home, 'copy-of-the-log');
  cpSync(join(dir, 'blockchain', 'block_log', 'blocks'), copy);
  const second = ['--data-dir', join(home, 'b'), '--genesis-json', golden('genesis.json'), ...LIFETIME];
  await succeeds(t, ['import-blocks', copy, '--trusted', '--stop-at', '100', ...second]);
  await succeeds(t, ['import-blocks', join(dir, 'blockchain', 'block_log'), '--trusted', ...second]);
  const same = JSON.parse((await succeeds(t, ['state-hash', '--json', ...second])).stdout) as JsonObject;
  t.equal(same.state_hash, hash.state_hash);
  const before = (await succeeds(t, ['state-hash', ...second, '--at-block', '192'])).stdout.split(' ')[0];
  const third = ['--data-dir', join(home, 'c'), '--genesis-json', golden('genesis.json'), ...LIFETIME];
  await succeeds(t, ['import-blocks', golden('blocks.jsonl.gz'), '--stop-at', '192', ...third, ...NO_THREADS]);
  const direct = await succeeds(t, ['state-hash', '--by-type', ...third]);
  t.equal(direct.stdout.split(' ')[0], before);
  t.match(direct.stdout, / 1\.2 account \(\d+\)/);

  await fails(t, /at_block: --at-block 9999/, ['export-state', state, ...at, '--at-block', '9999']);
  await fails(t, /export_range: .* 1 to 288/, ['export-blocks', blocks, ...at, '--to', '289']);
  await fails(t, /storage_missing|storage_io/, ['export-state', join(home, 'no', 'folder', 'x'), ...at]);
  await fails(t, /storage_io: .*ENOTDIR/, ['export-state', join(state, 'below a file', 'x'), ...at]);
});

t.test('refusals say what is wrong and change nothing', async (t) => {
  const home = folder(t);
  const at = ['--data-dir', join(home, 'a')];
  const genesis = ['--genesis-json', golden('genesis.json'), ...LIFETIME];
  await fails(t, /node_data_missing/, ['state-hash', ...at]);
  await fails(t, /storage_missing: .*blockchain/, ['state-hash', ...at, ...genesis]);
  await fails(t, /storage_missing/, ['import-blocks', join(home, 'nothing'), ...at, ...genesis]);
  const text = join(home, 'text');
  writeFileSync(text, 'hello');
  await fails(t, /block_source_kind/, ['import-blocks', text, ...at, ...genesis]);
  const lines = gunzipSync(readFileSync(golden('blocks.jsonl.gz')))
    .toString('utf8')
    .split('\n');
  const bad = join(home, 'bad.jsonl.gz');
  const forged = (lines[2] ?? '').replace('"timestamp":"2017', '"timestamp":"2018');
  writeFileSync(bad, gzipSync([...lines.slice(0, 2), forged].join('\n')));
  await fails(t, /block 3 of the file/, ['import-blocks', bad, ...at, ...genesis, ...NO_THREADS]);
  writeFileSync(bad, gzipSync(`${lines[0]}\n${lines[1]}\n{"previous":7}\n`));
  await fails(t, /block_line: .*bad.jsonl.gz line 3/, ['import-blocks', bad, ...at, ...genesis, ...NO_THREADS]);
  writeFileSync(bad, gzipSync(lines.slice(0, 50).join('\n')).subarray(0, -200));
  await fails(t, /bad.jsonl.gz/, ['import-blocks', bad, ...at, ...genesis, ...NO_THREADS]);
  const hash = await succeeds(t, ['state-hash', '--json', ...at]);
  t.ok(Number((JSON.parse(hash.stdout) as JsonObject).block) >= 2, 'the good blocks before it are kept');
  const other = ['--genesis-json', projectPath('genesis', 'private.json')];
  await fails(t, /genesis_differs/, ['state-hash', ...at, ...other]);
  rmSync(join(home, 'a', 'genesis.json'));
  await fails(t, /storage_other_chain/, ['state-hash', ...at, ...other]);
  const again = await succeeds(t, ['state-hash', '--json', ...at, ...genesis]);
  t.equal(again.stdout, hash.stdout, 'the refused commands have left no trace');
});

t.test('progress: a bar on a terminal, lines elsewhere', async (t) => {
  const run = (isTTY: boolean): string => {
    let now = 0;
    let text = '';
    const write = (part: string): void => {
      text += part;
    };
    const progress = new Progress({ isTTY, write }, () => now);
    for (let number = 1; number <= 100; number++) {
      now += 100;
      progress.add(number, 7, number / 200);
    }
    progress.finish(100);
    return text;
  };
  const terminal = run(true);
  t.match(terminal, /\r\[#+\.+\] block 50 {2}25\.0 % {2}10\.0 blocks\/s {2}70\.0 tx\/s {2}15 s left/);
  const lines = run(false).split('\n');
  t.match(lines[0] ?? '', /^block 50 /);
  t.equal(lines.length, 4, 'two lines in ten seconds, the last one, and the end');
  t.match(lines[2] ?? '', /^100 blocks with 700 transactions in 10 s/);
  t.strictSame([5, 59, 61, 3700, Number.POSITIVE_INFINITY].map(duration), [
    '5.0 s',
    '59 s',
    '1 min 1 s',
    '1 h 1 min',
    '?',
  ]);
});

t.test('verify-blocks reads every block, and says what of a damaged log can be kept', async (t) => {
  const dir = join(folder(t), 'a');
  const at = ['--data-dir', dir];
  const genesis = ['--genesis-json', golden('genesis.json')];
  await succeeds(t, [
    'import-blocks',
    golden('blocks.jsonl.gz'),
    ...genesis,
    ...at,
    ...LIFETIME,
    ...NO_THREADS,
    '--stop-at',
    '40',
  ]);
  const whole = await succeeds(t, ['verify-blocks', ...at]);
  t.match(whole.stdout, /^blocks 1 to 40 are intact, 00000028[0-9a-f]{32}\n$/);

  const file = join(dir, 'blockchain', 'block_log', 'blocks');
  const bytes = readFileSync(file);
  // The same bytes in another place: in the middle of the file lies some block between the first and the last one.
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
  writeFileSync(file, bytes);
  const damaged = await commandLine(['verify-blocks', ...at]);
  t.equal(damaged.code, 1);
  const number = Number(/^block (\d+): /.exec(damaged.stdout)?.[1]);
  t.ok(number > 1 && number < 40, damaged.stdout);
  t.equal(damaged.stdout.split('\n').length, 2, 'one damaged block is one line');
  t.notMatch(damaged.stdout, '--truncate', 'what to do is said once, at the end');
  t.match(damaged.stderr, `1 of the blocks 1 to 40 are damaged, the first one is ${number}`);
  t.match(
    damaged.stderr,
    `The blocks 1 to ${number - 1} can be kept: stop the node and start it once with --truncate ${number}`,
  );
  t.ok(readFileSync(file).equals(bytes), 'nothing is written');
  for (const command of ['verify-blocks', 'state-hash']) {
    await fails(t, /node_data_missing: .*nope has no data of a node/, [command, '--data-dir', join(dir, 'nope')]);
  }
});

t.test('a group of commands that is named alone says what it can do', async (t) => {
  const outcome = await commandLine(['keys']);
  t.equal(outcome.code, 2);
  t.equal(outcome.stdout, '');
  for (const word of ['trustnode keys', 'new', 'suggest-brain-key']) t.match(outcome.stderr, word);
});
