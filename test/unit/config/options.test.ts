import t from 'tap';
import yargs from 'yargs';
import { addOptions, givenOptions } from '../../../src/config/command-line.js';
import {
  defineOptions,
  endpoint,
  flag,
  integer,
  listOf,
  maybe,
  OPTION_ERRORS,
  oneOf,
  pathOption,
  textOption,
} from '../../../src/config/define.js';
import { exampleIni } from '../../../src/config/example.js';
import { LOAD_ERRORS, parseIni, resolveOptions, unknownOptions } from '../../../src/config/load.js';
import { rpcOptions } from '../../../src/rpc/serving/options.js';
import { refused } from '../../support/refused.js';

const ROWS = { ...OPTION_ERRORS, ...LOAD_ERRORS };

const table = defineOptions({
  name: { kind: textOption, initial: 'node', help: 'Name of the node.' },
  count: { kind: integer(1, 10, 'things'), initial: 3, help: 'How many things.' },
  on: { kind: flag, initial: false, help: 'Turns it on.' },
  at: { kind: maybe(endpoint), initial: undefined, help: 'Where to listen.' },
  peer: { kind: listOf(endpoint), initial: [], help: 'First peers.' },
  level: { kind: oneOf('low', 'high'), initial: 'low', help: 'How loud.' },
  resync: { kind: flag, initial: false, help: 'Once only.', commandLineOnly: true },
});
const none = new Map<string, string[]>();
const resolve = (ini: string, line = none) => resolveOptions(table, line, parseIni(ini, 'config.ini').given);

t.test('command line over file over default', async (t) => {
  const values = resolve(
    '# note\ncount = 5\npeer=1.2.3.4:1\npeer = [::1]:2\nat =\n',
    new Map([
      ['count', ['7']],
      ['on', ['true']],
    ]),
  );
  t.same(values, {
    name: 'node',
    count: 7,
    on: true,
    at: undefined,
    peer: [
      { host: '1.2.3.4', port: 1 },
      { host: '::1', port: 2 },
    ],
    level: 'low',
    resync: false,
  });
});

t.test('an option under the name that another program of the family gives it', async (t) => {
  const renamed = defineOptions({
    'new-count': { kind: integer(1, 10, 'things'), initial: 3, help: 'How many.', alias: 'old-count' },
    'new-peer': { kind: listOf(textOption), initial: [], help: 'Who.', alias: 'old-peer' },
  });
  const { given } = parseIni('old-count = 5\nold-peer = a\nnew-peer = b\n', 'config.ini');
  t.same(resolveOptions(renamed, none, given), { 'new-count': 5, 'new-peer': ['a', 'b'] });
  t.same(unknownOptions(renamed, given), [], 'the file is told nothing');
  const parsed = addOptions(yargs([]), [['All', renamed]]).parseSync(['--old-count', '7']);
  t.same(givenOptions(parsed, renamed).get('new-count'), ['7']);
  const both = parseIni('old-count = 5\nnew-count = 6\n', 'config.ini').given;
  refused(t, OPTION_ERRORS.option_repeated, () => resolveOptions(renamed, none, both), {
    data: { option: 'new-count', count: 2 },
  });
});

t.test('lists join what file and command line say', async (t) => {
  const peers = resolve('peer = 1.2.3.4:1', new Map([['peer', ['5.6.7.8:2', '9.9.9.9:3']]])).peer;
  t.same(
    peers.map(({ port }) => port),
    [1, 2, 3],
  );
  t.same(resolve('', new Map([['peer', ['5.6.7.8:2']]])).peer.length, 1);
});

t.test('what the file should not have is passed over, and can be told of', async (t) => {
  const ini = 'cuont = 9\nresync = true\nfar-away-thing = 1\ncount = 3';
  const values = resolve(ini);
  t.equal(values.count, 3);
  t.equal(values.resync, false, 'an option of the command line does nothing');
  t.same(unknownOptions(table, parseIni(ini, 'x').given), [
    { name: 'cuont', commandLineOnly: false, nearest: 'count' },
    { name: 'resync', commandLineOnly: true, nearest: undefined },
    { name: 'far-away-thing', commandLineOnly: false, nearest: undefined },
  ]);
});

t.test('mistakes are named', async (t) => {
  refused(t, ROWS.option_value, () => resolve('count = 11'), { data: { option: 'count' } });
  refused(t, ROWS.option_repeated, () => resolve('count = 1\ncount = 2'));
  refused(t, ROWS.option_unknown, () => resolve('', new Map([['bogus', ['1']]])));
  refused(t, ROWS.option_value, () => resolve('at = nowhere'));
  refused(t, ROWS.option_value, () => resolve('at = 1.1.1.1:99999'));
  refused(t, ROWS.option_value, () => resolve('on = maybe'));
  refused(t, ROWS.option_value, () => resolve('level = mid'));
  refused(t, ROWS.config_line, () => resolve('what is this'), { data: { line: 1 } });
  refused(t, ROWS.config_section, () => resolve('[section]'));
  const brought = parseIni('count = 2\n[log.console_appender.stderr]\nstream=std_error\n[logger.p2p]\nlevel=info', 'x');
  t.same(brought.foreignSections, ['log.console_appender.stderr', 'logger.p2p'], 'log settings of other programs');
  t.same([...brought.given], [['count', ['2']]]);
});

t.test('the example explains every option and parses to the defaults', async (t) => {
  const text = exampleIni([['Node', table]]);
  for (const name of Object.keys(table)) t.equal(text.includes(`# ${name} =`), name !== 'resync', name);
  const uncommented = text.replace(/^# (\S+ =)/gm, '$1');
  t.same(resolve(uncommented), resolve(''));
});

t.test(
  'a relative path of the file is meant from its folder, one of the command line stays as it was typed',
  async (t) => {
    const paths = defineOptions({
      one: { kind: pathOption, initial: '', help: 'A file.' },
      many: { kind: listOf(pathOption), initial: [], help: 'Files.' },
      text: { kind: textOption, initial: '', help: 'No file.' },
    });
    const { given } = parseIni('one = a/b\nmany = c\nmany = /d\ntext = a/b\n', 'config.ini');
    t.same(resolveOptions(paths, none, given, '/data'), { one: '/data/a/b', many: ['/data/c', '/d'], text: 'a/b' });
    const line = new Map([['one', ['x']]]);
    t.match(resolveOptions(paths, line, given, '/data'), { one: 'x' });
    t.match(resolveOptions(paths, none, parseIni('one =\n', 'config.ini').given, '/data'), { one: '' });
  },
);

t.test('the market that pages link to is an address of the web, and nothing that runs', async (t) => {
  const { kind, initial } = rpcOptions['explorer-market'];
  t.equal(initial, '');
  for (const [given, taken] of [
    ['https://market.example.com', 'https://market.example.com'],
    ['https://market.example.com/', 'https://market.example.com'],
    ['HTTP://10.0.0.1:8080/of/ours/', 'HTTP://10.0.0.1:8080/of/ours'],
    ['', ''],
  ] as const) {
    t.equal(kind.parse(given), taken, given);
  }
  for (const text of [
    ...[
      'javascript:alert(1)',
      'javascript://market.example.com',
      'ftp://market.example.com',
      'ws://market.example.com',
    ],
    ...[
      'market.example.com',
      '//market.example.com',
      'https://',
      'https://a b',
      'https://a/"onclick="',
      'https://a/<b>',
    ],
    ...['https://a?x=1', 'https://a/#/products', ' https://a'],
  ]) {
    t.equal(kind.parse(text), undefined, text);
  }
});
