import t from 'tap';
import type { JsonObject } from '../../src/codec/json.js';
import { findCommand, readArguments } from '../../src/wallet/commands/define.js';
import { helpOf, listOf } from '../../src/wallet/commands/help.js';
import { COMMAND_GROUPS, COMMANDS } from '../../src/wallet/commands/index.js';
import { openRpc } from '../../src/wallet/commands/open-rpc.js';
import { COMMAND_ERRORS, LINE_ERRORS } from '../../src/wallet/errors.js';
import { isUnfinished, parseLine } from '../../src/wallet/text/line.js';
import { NETWORK } from '../support/network.js';
import { refused } from '../support/refused.js';
import { recordedCalls } from '../support/wallet-vectors.js';

t.test('one table for help, arguments and machines', (t) => {
  const total = COMMAND_GROUPS.reduce((sum, [, table]) => sum + Object.keys(table).length, 0);
  t.equal(Object.keys(COMMANDS).length, total, 'no name stands twice');
  const { methods } = openRpc(COMMANDS, '1') as unknown as { methods: { name: string; params: JsonObject[] }[] };
  t.equal(methods.length, total);
  for (const [name, definition] of Object.entries(COMMANDS)) {
    t.match(definition.help, /\.$/, `${name} has a sentence`);
    t.match(helpOf(name, definition), new RegExp(`usage: ${name.replace('.', '\\.')}`));
    const params = Object.keys(definition.params as object);
    for (const secret of definition.secret ?? []) t.ok(params.includes(secret), `${name}: ${secret}`);
    for (const example of definition.examples ?? []) {
      const [word, ...given] = parseLine(example);
      t.equal(word, name, example);
      t.equal(given.length, params.length, `${example}: all arguments`);
    }
    t.equal(methods.find((method) => method.name === name)?.params.length, params.length);
  }
  t.equal(listOf(COMMANDS).split('\n').length, total + 1);
  t.end();
});

t.test('all commands of the reference', (t) => {
  const help = recordedCalls().find(({ request }) => request?.method === 'help')?.result as string;
  const theirs = [...help.matchAll(/ (\w+)\(.*\)$/gm)].map(([, name = '']) => name);
  const missing = theirs.filter((name) => !(name in COMMANDS));
  t.ok(theirs.length > 170, `${theirs.length} commands`);
  t.same(missing, []);
  t.end();
});

t.test('what is typed', (t) => {
  t.same(parseLine('transfer nathan alice 1.5 GXC "with \\"quotes\\"" true'), [
    'transfer',
    'nathan',
    'alice',
    '1.5',
    'GXC',
    'with "quotes"',
    true,
  ]);
  t.same(parseLine('a 1 -2 1.2.17 3x null false,b'), ['a', 1, -2, '1.2.17', '3x', null, false, 'b']);
  t.same(parseLine('x [["bb1","1"],[bb2 2]] {"a":[1]}'), [
    'x',
    [
      ['bb1', '1'],
      ['bb2', 2],
    ],
    { a: [1] },
  ]);
  t.same(parseLine('nathan" 99999999999999999999'), ['nathan', 99_999_999_999_999_999_999n]);
  t.same(parseLine('   '), []);
  for (const line of ['# x', "transfer 'x'", 'x @y', 'ä', ';'])
    refused(t, LINE_ERRORS.line_character, () => parseLine(line), line);
  t.ok(isUnfinished('x {"a":[1,'));
  t.notOk(isUnfinished('x {"a":[1]}'));
  refused(t, COMMAND_ERRORS.command_arguments, () =>
    readArguments('transfer', findCommand(COMMANDS, 'transfer'), ['a', 'b'], NETWORK),
  );
  refused(t, COMMAND_ERRORS.command_unknown, () => findCommand(COMMANDS, 'toString'));
  // Who wants to leave is told how.
  refused(t, COMMAND_ERRORS.command_unknown, () => findCommand(COMMANDS, 'quit'), { data: { nearest: /Ctrl-D/ } });
  t.end();
});
