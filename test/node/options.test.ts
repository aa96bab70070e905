import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ChainError, type ErrorRow } from '../../src/base/errors.js';
import { OPTION_ERRORS } from '../../src/config/define.js';
import { LOAD_ERRORS } from '../../src/config/load.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { configExample, loadSettings, SETTINGS_ERRORS } from '../../src/node/load-settings.js';
import { NODE_PARTS } from '../../src/node/parts/list.js';
import { looseKeyFiles } from '../../src/node/settings/key-files.js';
import { checkpointsOf } from '../../src/node/settings/options.js';
import { optionTable } from '../../src/node/settings/sections.js';
import { publicSeeds } from '../../src/p2p/options.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { type Line, lineOf } from '../support/dev-node.js';
import { projectPath } from '../support/paths.js';
import { refused } from '../support/refused.js';

const WINDOWS = process.platform === 'win32' && 'files have no such modes there';
const ID = `00000005${'ab'.repeat(16)}`;
const OTHER_ID = `00000005${'cd'.repeat(16)}`;
const ZERO_ID = '0'.repeat(40);
const load = (folder: string, line: Line = {}) => loadSettings(lineOf({ 'data-dir': join(folder, 'data'), ...line }));

const BAD: readonly (readonly [name: string, line: Line, row: ErrorRow])[] = [
  ['no such option', { bogus: '1' }, OPTION_ERRORS.option_unknown],
  ['endpoint without a port', { 'rpc-endpoint': '127.0.0.1' }, OPTION_ERRORS.option_value],
  ['endpoint with too large a port', { 'rpc-endpoint': '127.0.0.1:70000' }, OPTION_ERRORS.option_value],
  ['two endpoints', { 'rpc-endpoint': ['127.0.0.1:1', '127.0.0.1:2'] }, OPTION_ERRORS.option_repeated],
  ['witness that is an account', { 'witness-id': '1.2.5' }, OPTION_ERRORS.option_value],
  ['one good witness and one bad', { 'witness-id': ['1.6.1', 'init0'] }, OPTION_ERRORS.option_value],
  ['no private key', { 'private-key': 'secret' }, OPTION_ERRORS.option_value],
  ['too much participation', { 'required-participation': '101' }, OPTION_ERRORS.option_value],
  ['unknown plugin', { plugins: 'witness elastic_search' }, OPTION_ERRORS.option_value],
  ['unknown level', { 'log-level': 'loud' }, OPTION_ERRORS.option_value],
  ['unknown level of a module', { 'log-level-module': 'p2p=loud' }, OPTION_ERRORS.option_value],
  ['module without a level', { 'log-level-module': 'p2p' }, OPTION_ERRORS.option_value],
  ['checkpoint without an id', { checkpoint: '[5]' }, OPTION_ERRORS.option_value],
  ['checkpoint whose id is of another block', { checkpoint: `[6,"${ID}"]` }, OPTION_ERRORS.option_value],
  ['two checkpoints', { checkpoint: [`[5,"${ID}"]`, `5:${OTHER_ID}`] }, SETTINGS_ERRORS.options_exclude],
  ['zero below another', { checkpoint: [`[4,"${ZERO_ID}"]`, `5:${ID}`] }, SETTINGS_ERRORS.option_needs],
  ['replay and resync', { 'replay-blockchain': 'true', 'resync-blockchain': 'true' }, SETTINGS_ERRORS.options_exclude],
  ['truncate and replay', { truncate: '5', 'replay-blockchain': 'true' }, SETTINGS_ERRORS.options_exclude],
  ['truncate and resync', { truncate: '5', 'resync-blockchain': 'true' }, SETTINGS_ERRORS.options_exclude],
  ['truncate at no number', { truncate: 'x' }, OPTION_ERRORS.option_value],
  ['genesis time in the past', { 'genesis-timestamp': '-5' }, OPTION_ERRORS.option_value],
  ['initial key that is none', { 'dbg-init-key': 'GXC123' }, OPTION_ERRORS.option_value],
  ['dev with another genesis', { dev: 'true', 'genesis-json': 'x.json' }, SETTINGS_ERRORS.options_exclude],
  ['no such network', { network: 'mainet' }, OPTION_ERRORS.option_value],
  [
    'the development network with another genesis',
    { network: 'dev', 'genesis-json': 'x.json' },
    SETTINGS_ERRORS.options_exclude,
  ],
  [
    'one port twice',
    { 'rpc-endpoint': '127.0.0.1:9', 'monitor-endpoint': '127.0.0.1:9' },
    SETTINGS_ERRORS.endpoint_twice,
  ],
  [
    'a port of all addresses',
    { 'rpc-endpoint': '127.0.0.1:9', 'p2p-endpoint': '0.0.0.0:9' },
    SETTINGS_ERRORS.endpoint_twice,
  ],
  ['two networks', { dev: 'true', network: 'testnet' }, SETTINGS_ERRORS.options_exclude],
  ['negative contract time', { 'max-transaction-time': '-1' }, OPTION_ERRORS.option_value],
];

t.test('mistakes are refused before anything is written', async (t) => {
  const folder = t.testdir();
  for (const [name, line, row] of BAD) refused(t, row, () => load(folder, line), name);
  t.notOk(existsSync(join(folder, 'data')));
});

t.test('of several plugins the one is named that there is not', async (t) => {
  const message = (plugins: string): unknown => {
    try {
      return load(t.testdir(), { plugins });
    } catch (error) {
      return (error as Error).message;
    }
  };
  t.match(message('witness elastic_search account_history'), 'option plugins: elastic_search is not names');
  t.match(message('witness Tr0ub4dor&3'), /^option plugins: a name of 11 characters \(not shown\) is not /);
});

const BAD_LINES: readonly (readonly [line: string, row: ErrorRow])[] = [
  ['rpc-endpoint = nowhere', OPTION_ERRORS.option_value],
  ['rpc-endpoint', OPTION_ERRORS.config_line],
  ['[default]', LOAD_ERRORS.config_section],
];

t.test('no message repeats what could be a key or a password', async (t) => {
  const folder = t.testdir({ data: {} });
  const path = join(folder, 'data', 'config.ini');
  const wif = PrivateKey.fromSeed('a key that nobody may see').toWif();
  const secrets = [wif, 'a'.repeat(64), 'Tr0ub4dor&3', 'correct horse battery staple'];
  const valuesOf = (secret: string): string[] => [
    secret,
    `"1.6.1" private-key = ${secret}`,
    `1.6.1 private-key = ["GXC6MRyAjQq8ud7hVNYcfnVPJqcVpscN5So8BhtHuGYqET5GDW5CV","${secret}"]`,
    `[["GXC","${secret}"],{"key":"${secret}"}]`,
    `${secret}:8090`,
  ];
  const linesOf = (name: string, value: string): string[] => [
    `${name} = ${value}`,
    `${name} = ${value}\n${name} = ${value}`,
    `${name} ${value}`,
    `${name}${value} = 1`,
    `${value} = ${name}`,
    `[logger.${value}]`,
  ];
  let refusals = 0;
  const told = (work: () => unknown, secret: string, what: string): void => {
    let text: string;
    try {
      const { unknownOptions, foreignSections } = work() as ReturnType<typeof loadSettings>;
      text = JSON.stringify([unknownOptions, foreignSections]);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      text = `${error.message} ${JSON.stringify([error.data, error.context])}`;
      refusals++;
    }
    if (text.includes(secret)) t.fail(`${what}: ${text}`);
  };
  for (const name of Object.keys(optionTable(NODE_PARTS))) {
    for (const secret of secrets) {
      for (const value of valuesOf(secret)) {
        // The folder's name is the one thing that must be told.
        if (name !== 'data-dir') told(() => load(folder, { [name]: value }), secret, `--${name}`);
        for (const line of linesOf(name, value)) {
          writeFileSync(path, line);
          told(() => load(folder), secret, line.slice(0, 40));
        }
      }
    }
  }
  t.ok(refusals > 1000, `${refusals} refusals`);
});

t.test('files with keys are for the own user alone, and others are told of', { skip: WINDOWS }, async (t) => {
  const folder = t.testdir({ 'server.pem': 'x', 'access.json': '{}' });
  const modeOf = (path: string): number => statSync(path).mode & 0o777;
  const settings = load(folder);
  t.equal(modeOf(settings.configPath), 0o600, 'a new config.ini');
  t.same(looseKeyFiles(settings), []);
  const [pem, access] = ['server.pem', 'access.json'].map((name) => join(folder, name)) as [string, string];
  chmodSync(settings.configPath, 0o640);
  chmodSync(pem, 0o604);
  chmodSync(access, 0o600);
  const given = load(folder, { 'server-pem': pem, 'api-access': access });
  t.same(looseKeyFiles(given), [settings.configPath, pem]);
  chmodSync(access, 0o660);
  t.same(looseKeyFiles(given), [settings.configPath, pem, access]);
  t.same(looseKeyFiles(load(folder, { 'server-pem': join(folder, 'none') })), [settings.configPath]);
});

t.test('so are mistakes in config.ini, with the place', async (t) => {
  const folder = t.testdir({ data: {} });
  const path = join(folder, 'data', 'config.ini');
  for (const [line, row] of BAD_LINES) {
    writeFileSync(path, `# a comment\n${line}\n`);
    refused(t, row, () => load(folder), line);
  }
});

t.test('unknown names in config.ini stop nobody', async (t) => {
  const folder = t.testdir({ data: {} });
  const lines = [
    'rpc-endpiont = 127.0.0.1:8090',
    'data-dir = /elsewhere',
    'replay-blockchain = true',
    'bucket-size = [15,60]',
  ];
  writeFileSync(join(folder, 'data', 'config.ini'), lines.join('\n'));
  const { options, unknownOptions } = load(folder);
  t.same(
    unknownOptions.map(({ name, nearest }) => [name, nearest]),
    [
      ['rpc-endpiont', 'rpc-endpoint'],
      ['data-dir', undefined],
      ['replay-blockchain', undefined],
      ['bucket-size', undefined],
    ],
  );
  t.equal(options['rpc-endpoint'], undefined);
  t.equal(options['replay-blockchain'], false);
});

t.test('checkpoints of file and command line join, and the zero id turns them off', async (t) => {
  const folder = t.testdir({ data: {} });
  writeFileSync(join(folder, 'data', 'config.ini'), `checkpoint = [5,"${ID}"]`);
  const seven = `00000007${'ab'.repeat(16)}`;
  const both = load(folder, { checkpoint: [`7:${seven}`, `5:${ID}`] }).options.checkpoint;
  t.same([...checkpointsOf(both)].sort(), [
    [5, ID],
    [7, seven],
  ]);
  t.same([...checkpointsOf(load(folder, { checkpoint: [`7:${ZERO_ID}`] }).options.checkpoint)], []);
});

t.test('a first start writes a config file that changes nothing; later ones read it', async (t) => {
  const folder = t.testdir();
  const first = load(folder);
  t.equal(first.isFirstStart, true);
  const path = join(folder, 'data', 'config.ini');
  t.equal(readFileSync(path, 'utf8'), configExample());
  const second = load(folder);
  t.equal(second.isFirstStart, false);
  t.equal(JSON.stringify(second.options), JSON.stringify(first.options));
  writeFileSync(path, 'rpc-endpoint = 127.0.0.1:1234\nwitness-id = "1.6.5"\nwitness-id = 1.6.7\nlog-level = warn\n');
  const third = load(folder, { 'log-level': 'debug' });
  t.same(third.options['rpc-endpoint'], { host: '127.0.0.1', port: 1234 });
  t.same(third.options['witness-id'], [5, 7]);
  t.equal(third.options['log-level'], 'debug', 'the command line wins');
});

t.test('the development network has defaults of its own, below file and command line', async (t) => {
  const folder = t.testdir({ data: { 'config.ini': 'rpc-endpoint = 127.0.0.1:1234\n' } });
  const { options } = load(folder, { dev: 'true' });
  t.same(options['rpc-endpoint'], { host: '127.0.0.1', port: 1234 });
  t.same(options['witness-id'], [1, 2, 3]);
  t.equal(options['enable-stale-production'], true);
  t.equal(options['private-key'].length, 3);
  t.same(load(folder, { dev: 'true', 'witness-id': '1.6.2' }).options['witness-id'], [2]);
  t.equal(load(t.testdir(), {}).options['rpc-endpoint'], undefined);
});

t.test('a network sets what belongs to it, in the file as well as on the command line', async (t) => {
  const folder = t.testdir({ data: { 'config.ini': 'network = testnet\n' } });
  const genesisOf = (line: Line): string => load(folder, line).options['genesis-json'] ?? '';
  t.equal(genesisOf({}), projectPath('genesis', 'testnet.json'));
  t.equal(genesisOf({ network: 'mainnet' }), projectPath('genesis', 'mainnet.json'), 'the command line counts');
  t.equal(genesisOf({ network: 'mainnet', 'genesis-json': 'own.json' }), 'own.json', 'each can be given by itself');
  const here = load(folder).options;
  t.same(here['p2p-endpoint'], { host: '0.0.0.0', port: 6789 });
  t.same(here['seed-nodes'], [{ host: 'testnet.gxchain.org', port: 6789 }]);
  const main = load(folder, { network: 'mainnet' }).options;
  t.same(main['p2p-endpoint'], { host: '0.0.0.0', port: 6789 });
  t.equal(main['seed-nodes'], undefined, 'its seeds belong to its chain id, whatever the network is called');
  const own = load(folder, { 'p2p-endpoint': '127.0.0.1:7000', 'seed-nodes': '["127.0.0.1:7001"]' }).options;
  t.same(own['p2p-endpoint'], { host: '127.0.0.1', port: 7000 }, 'each can be given by itself');
  t.same(own['seed-nodes'], [{ host: '127.0.0.1', port: 7001 }]);
  t.equal(own['genesis-json'], projectPath('genesis', 'testnet.json'));
  t.equal(load(folder).isDev, false);
  refused(t, SETTINGS_ERRORS.options_exclude, () => load(folder, { dev: 'true' }), 'the file says another one');
  const named = load(folder, { network: 'dev' });
  t.equal(named.options['genesis-json'], projectPath('genesis', 'dev.json'));
  t.ok(named.isDev, 'another name for --dev');
  t.equal(named.options['p2p-endpoint'], undefined, 'an island');
});

t.test('seeds that are built in belong to the chain id of the main network', (t) => {
  const idOf = (network: string): string =>
    createHash('sha256')
      .update(readFileSync(projectPath('genesis', `${network}.json`)))
      .digest('hex');
  t.same(
    publicSeeds(idOf('mainnet')).map(({ host, port }) => `${host}:${port}`),
    [
      ...['node1.gxb.io:6789', 'node5.gxb.io:6789', 'node8.gxb.io:6789', '47.254.18.74:6789', '47.74.22.124:6789'],
      ...['47.88.158.101:6789', 'node23.gxb.io:6789', '47.52.114.135:6789'],
    ],
  );
  for (const network of ['testnet', 'dev', 'private']) t.same(publicSeeds(idOf(network)), []);
  t.end();
});

t.test('a data directory that cannot be made is named', async (t) => {
  const folder = t.testdir({ data: 'a file' });
  refused(t, STORAGE_ERRORS.storage_io, () => load(folder));
});
