import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { commandLine } from '../support/command-line.js';
import { projectPath } from '../support/paths.js';

/** `trustnode check-config`: all that a start would refuse or warn of, at once, and nothing changed. */

const KEY = PrivateKey.fromSeed('check-config').toWif();
const MAINNET = ['--genesis-json', projectPath('genesis', 'mainnet.json')];

function folderWith(t: Test, lines: readonly string[]): string {
  const folder = t.testdir({ data: { 'config.ini': `${lines.join('\n')}\n` } });
  chmodSync(join(folder, 'data', 'config.ini'), 0o600);
  return join(folder, 'data');
}

const checked = (dataDir: string, ...words: string[]) => commandLine(['check-config', '--data-dir', dataDir, ...words]);

t.test('every mistake with its line, and every warning', async (t) => {
  const dataDir = folderWith(t, [
    '# mine',
    'rpc-endpoint = 8090',
    'witness-id = "1.6.5"',
    'witness-id = init0',
    'private-key = 5Kbogus',
    'private-key-file = none',
    'log-lvel = warn',
    'server-pem-password',
    'truncate = 5',
    'required-participation = 33',
    'required-participation = 34',
    'rpc-tls-endpoint = 127.0.0.1:8443',
    'api-access = nowhere.json',
    'log-file = nowhere/node.log',
    'monitor-endpoint = 127.0.0.1:8443',
  ]);
  const { code, stdout } = await checked(dataDir, ...MAINNET, '--replay-blockchain', '--resync-blockchain');
  t.equal(code, 1);
  const lines = stdout.trimEnd().split('\n');
  const mistakes = lines.filter((line) => line.startsWith('mistake: '));
  const warnings = lines.filter((line) => line.startsWith('warning: '));
  for (const expected of [
    /^mistake: config.ini line 2: option rpc-endpoint: .* is not an address/,
    /^mistake: config.ini line 4: option witness-id: /,
    /^mistake: config.ini line 5: option private-key: \(not shown\) is not a pair/,
    /^mistake: .*config.ini line 8: expected name = value/,
    /^mistake: config.ini line 11: option required-participation is given 2 times/,
    /^mistake: options replay-blockchain and resync-blockchain cannot be used together/,
    /^mistake: option private-key-file: a file that it names is not in /,
    /^mistake: rpc-tls-endpoint needs server-pem/,
    /^mistake: option api-access: cannot read the file that it names/,
    /^mistake: option log-file: there is no folder .*nowhere \(make it/,
    /^mistake: options rpc-tls-endpoint and monitor-endpoint name one port, 127.0.0.1:8443/,
  ]) {
    t.equal(mistakes.filter((line) => expected.test(line)).length, 1, String(expected));
  }
  t.equal(mistakes.length, 11, 'and no other', { mistakes });
  for (const expected of [
    /line 7: option log-lvel is passed over: this node does not know it; is log-level meant\?/,
    /line 9: option truncate is passed over: only the command line takes it/,
    /no signing key but the one that everybody knows/,
  ]) {
    t.ok(
      warnings.some((line) => expected.test(line)),
      String(expected),
    );
  }
  t.match(lines.at(-1), /11 mistakes, 3 warnings: a start would be refused$/);
  t.notMatch(stdout, /5Kbogus/, 'no key is told');
});

t.test('what does nothing where it stands, and the transactions of the first block', async (t) => {
  const dataDir = folderWith(t, [
    'searchdb-shards = 2',
    'state-snapshot-every = 5',
    'log-level-module = p2pp=debug',
    'log-level-module = search_db=debug',
    'first-transactions = config.ini',
  ]);
  const { stdout } = await checked(dataDir, ...MAINNET);
  t.match(stdout, /mistake: option first-transactions: .*config.ini is no JSON list of signed transactions/);
  for (const expected of [
    'warning: no effect of searchdb-shards: the plugin search_db does not run',
    'warning: no effect of state-snapshot-every: it needs state-snapshots-dir',
    'warning: no effect of log-level-module p2pp: there is no such module; is p2p meant?',
  ]) {
    t.match(stdout, expected);
  }
  t.match(stdout, /1 mistake, 3 warnings/);
});

t.test('files that options name are read: access, TLS, genesis', async (t) => {
  const dataDir = folderWith(t, ['api-access = nowhere.json']);
  const access = await checked(dataDir, ...MAINNET);
  t.match(access.stdout, /mistake: option api-access: cannot read the file that it names/);
  const genesis = await checked(folderWith(t, []), '--genesis-json', join(dataDir, 'config.ini'));
  t.match(genesis, { code: 1, stdout: /while the genesis file .*config.ini was read/ });
  const none = await checked(folderWith(t, []));
  t.match(none.stdout, /mistake: no genesis file: give --network/);
});

t.test('what a start would go by is fine, beside a chain of this network too', async (t) => {
  const dataDir = folderWith(t, ['witness-id = 1.6.5', `private-key = ${KEY}`]);
  const { code, stdout } = await checked(dataDir, ...MAINNET);
  t.equal(code, 0, stdout);
  t.match(stdout, /config\.ini\n4 options set, 0 mistakes, 0 warnings: a start would go by this\n$/);
  t.notMatch(stdout, KEY);
});

t.test('JSON for scripts', async (t) => {
  const dataDir = folderWith(t, ['log-level = loud', `private-key = ${KEY}`]);
  const { code, stdout } = await checked(dataDir, ...MAINNET, '--json');
  t.equal(code, 1);
  const { mistakes, warnings, options, config } = JSON.parse(stdout) as Record<string, unknown>;
  t.match(mistakes, [{ key: 'option_value', where: 'config.ini line 1', text: /log-level/ }]);
  t.same(warnings, []);
  t.same(options, ['data-dir', 'genesis-json', 'private-key']);
  t.equal(config, join(dataDir, 'config.ini'));
});

t.test('it writes nothing', async (t) => {
  const folder = t.testdir();
  const { code, stdout } = await checked(join(folder, 'data'), '--network', 'mainnet');
  t.equal(code, 0);
  t.match(stdout, /config\.ini is not there/);
  t.notOk(existsSync(join(folder, 'data')));
  writeFileSync(join(folder, 'file'), '');
  t.equal((await checked(join(folder, 'file'), '--network', 'mainnet')).code, 1, 'a file is no data directory');
});

t.test('options as other nodes of the family take them', async (t) => {
  const dataDir = folderWith(t, []);
  const given = async (...words: string[]) => {
    const { code, stdout, stderr } = await commandLine(['check-config', ...words, '--json']);
    t.equal(stderr, '');
    t.equal(code, 0, words.join(' '));
    return (JSON.parse(stdout) as { config: string | null; options: string[] }).options;
  };
  t.same(
    await given(
      `-d${dataDir}`,
      ...MAINNET,
      '-s192.0.2.1:6789',
      '-w"1.6.5"',
      '--replay',
      '--enable-sta',
      '--required-p=33',
    ),
    [
      'data-dir',
      'enable-stale-production',
      'genesis-json',
      'replay-blockchain',
      'required-participation',
      'seed-node',
      'witness-id',
    ],
  );
  t.same(await given('-d', dataDir, ...MAINNET, '--log-file'), ['data-dir', 'genesis-json'], 'a flag without effect');
  t.same(await given('-d', dataDir, ...MAINNET, '--log-file', 'node.log'), ['data-dir', 'genesis-json', 'log-file']);
  for (const words of [['--seed', '192.0.2.1:6789'], ['--enable', 'true'], ['--replay-blokchain']]) {
    t.match(
      await commandLine(['check-config', ...words]),
      { code: 2, stdout: '' },
      `${words[0]} may be several, or none`,
    );
  }
});

t.test('a data directory that cannot be there is said in a sentence, here and at a start', async (t) => {
  const folder = folderWith(t, []);
  const below = join(folder, 'config.ini', 'data');
  const { code, stdout } = await checked(below, '--dev');
  t.equal(code, 1);
  t.match(stdout, /^mistake: .*config\.ini/m);
  t.notMatch(stdout, /access denied/, 'nobody can give rights to it');
  for (const [dataDir, reason] of [
    [below, /a file is where a folder should be \(ENOTDIR\)/],
    [join(folder, 'x'.repeat(300)), /the name is too long \(ENAMETOOLONG\)/],
    [join(folder, 'missing', 'x'.repeat(300)), /the name is too long \(ENAMETOOLONG\)/],
  ] as const) {
    const { code, stdout } = await checked(dataDir, '--dev');
    t.equal(code, 1, stdout);
    t.match(stdout, reason);
    const started = await commandLine(['start', '--dev', '--rpc-endpoint', '127.0.0.1:0', '--data-dir', dataDir]);
    t.equal(started.code, 1);
    t.match(started.stderr, /storage_io: /);
    t.match(started.stderr, reason);
  }
});
