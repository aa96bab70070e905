import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Counter } from 'prom-client';
import t, { type Test } from 'tap';
import { ChainError } from '../../src/base/errors.js';
import { defineOptions, flag, OPTION_ERRORS, textOption } from '../../src/config/define.js';
import { configExample, loadSettings } from '../../src/node/load-settings.js';
import { startNode } from '../../src/node/node.js';
import { Assembly, PART_ERRORS } from '../../src/node/parts/assembly.js';
import { NODE_PARTS, nodeParts } from '../../src/node/parts/list.js';
import { loadPlugins, PLUGIN_ERRORS } from '../../src/node/parts/plugins.js';
import { systemRandom } from '../../src/node/runtime/random.js';
import { optionSections, SECTION_ERRORS } from '../../src/node/settings/sections.js';
import { type AnyPart, definePart, type OpenPart, optional, partRef } from '../../src/plugin/part.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { type Line, lineOf } from '../support/dev-node.js';
import { FakeClock } from '../support/fake-clock.js';
import { MemoryLog } from '../support/memory-log.js';
import { projectPath } from '../support/paths.js';
import { refused, refusedLater } from '../support/refused.js';
import { rpcCall } from '../support/rpc-call.js';

/** A part that writes down what happens to it. */
function noted(notes: string[], name: string, how: Partial<AnyPart> = {}, open: Partial<OpenPart<string>> = {}) {
  return definePart({
    name,
    needs: {},
    open() {
      notes.push(`open ${name}`);
      return { value: `value of ${name}`, close: () => void notes.push(`close ${name}`), ...open };
    },
    ...how,
  }) as AnyPart;
}

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

function assemblyOf(t: Test, parts: readonly AnyPart[], line: Line = {}, config = '') {
  const log = new MemoryLog();
  const folder = join(t.testdir({ data: { 'config.ini': config } }), 'data');
  const settings = loadSettings(lineOf({ 'data-dir': folder, ...line }), [...NODE_PARTS, ...parts]);
  const assembly = new Assembly(settings, { clock: new FakeClock(0), random: systemRandom, log });
  return { log, assembly, open: (signal = new AbortController().signal) => assembly.open(parts, signal) };
}

t.test('parts are opened in order, given what they need, and closed the other way round', async (t) => {
  const notes: string[] = [];
  const first = definePart({ name: 'first', needs: {}, open: () => ({ value: 7, close: () => void notes.push('1') }) });
  const second = definePart({
    name: 'second',
    needs: { first, byName: partRef<number>('first'), none: optional(partRef<number>('nobody')) },
    open({ needs }) {
      notes.push(`${needs.first + needs.byName} ${String(needs.none)}`);
      return { value: undefined, close: () => void notes.push('2') };
    },
  });
  const { assembly, open } = assemblyOf(t, [first, second]);
  t.equal(await open(), true);
  t.equal(assembly.value(first), 7);
  t.equal(await assembly.stop(), true);
  t.same(notes, ['14 undefined', '2', '1']);
});

t.test('a part that cannot be opened is named, and those before it are closed', async (t) => {
  const notes: string[] = [];
  const row = STORAGE_ERRORS.storage_in_use;
  const bad = noted(notes, 'bad', {
    open() {
      throw new ChainError(row, {});
    },
  });
  const parts = [noted(notes, 'a'), noted(notes, 'b'), bad, noted(notes, 'c')];
  const { assembly, open, log } = assemblyOf(t, parts);
  t.match(await refusal(open()), { row, context: [{ text: 'while bad was opened' }] });
  t.match(log.entries.at(-1), { text: 'a part cannot be opened', values: { part: 'bad' } });
  await assembly.stop();
  t.same(notes, ['open a', 'open b', 'close b', 'close a']);
});

t.test('a part that cannot be closed keeps no other one open', async (t) => {
  const notes: string[] = [];
  const close = () => {
    throw new Error('stuck');
  };
  const { assembly, open, log } = assemblyOf(t, [noted(notes, 'a'), noted(notes, 'b', {}, { close })]);
  await open();
  t.equal(await assembly.stop(), false);
  t.same(notes, ['open a', 'open b', 'close a']);
  t.match(
    log.entries.find(({ text }) => text === 'could not stop'),
    { values: { part: 'b' } },
  );
});

t.test('a signal between two parts ends the start', async (t) => {
  const notes: string[] = [];
  const stop = new AbortController();
  const last = noted(notes, 'b', {
    open() {
      stop.abort();
      return { value: undefined };
    },
  });
  const { open } = assemblyOf(t, [noted(notes, 'a'), last, noted(notes, 'c')]);
  t.equal(await open(stop.signal), false);
  t.same(notes, ['open a']);
});

t.test('a list that cannot be opened to its end is not begun', async (t) => {
  const notes: string[] = [];
  const needs = (name: string) => ({ needs: { it: partRef(name) } });
  const begin = (parts: readonly AnyPart[], line: Line = {}) => assemblyOf(t, parts, line).open();
  const late = [noted(notes, 'a', needs('b')), noted(notes, 'b')];
  await refusedLater(t, PART_ERRORS.part_need, begin(late), 'it stands behind');
  const twice = [noted(notes, 'a'), noted(notes, 'a')];
  await refusedLater(t, PART_ERRORS.part_repeated, begin(twice), 'two of one name');
  const left = [noted(notes, 'a', { plugin: { isDefault: true } }), noted(notes, 'b', needs('a'))];
  await refusedLater(t, PART_ERRORS.part_left_out, begin(left, { plugins: 'none' }), 'left out by the operator');
  t.same(notes, []);
});

t.test('options, plugin names and defaults come from the list', async (t) => {
  const options = { title: 'Tea', table: defineOptions({ kettle: { kind: flag, initial: false, help: 'Boil.' } }) };
  const notes: string[] = [];
  const tea = noted(notes, 'tea', { options, plugin: { isDefault: false } });
  const milk = noted(notes, 'milk', {
    plugin: { isDefault: false, isAskedFor: (values) => values.kettle === true },
  });
  const parts = [...NODE_PARTS, tea, milk];
  t.match(optionSections(parts).at(-1), ['Tea', { kettle: { help: 'Boil.' } }], 'behind the headings of the node');
  t.match(configExample(parts), /# Boil\.\n# Value: true or false\.\n# kettle = false/);
  t.match(configExample(parts), /of witness, debug_witness, tea, milk, or folders/);
  t.match(configExample(parts), /# plugins = witness\n/);
  const folder = t.testdir();
  const load = (line: Line) => loadSettings(lineOf({ 'data-dir': folder, ...line }), parts);
  t.match(load({ kettle: 'true', plugins: 'tea' }).options, { kettle: true, plugins: ['tea'] });
  refused(t, OPTION_ERRORS.option_value, () => load({ plugins: 'coffee' }), 'no such plugin');
  refused(t, SECTION_ERRORS.option_owners, () => optionSections([...parts, noted(notes, 'tee', { options })]));
  const { open } = assemblyOf(t, [tea, milk], { kettle: 'true', plugins: 'none' });
  await open();
  t.same(notes, ['open milk'], 'an option may ask for what --plugins does not name');
});

t.test('options of a plugin that does not run are named', async (t) => {
  const table = (name: string) => ({
    [`${name}-node`]: { kind: textOption, initial: '', help: 'Where.' },
    [`${name}-cups`]: { kind: textOption, initial: '1', help: 'How many.' },
    [`${name}-hours`]: { kind: textOption, initial: '5', help: 'When.' },
  });
  const partsOf = (notes: string[]) =>
    ['tea', 'milk'].map((name) =>
      noted(notes, name, { options: { title: name, table: table(name) }, plugin: { isDefault: false } }),
    );
  const said = async (line: Line, config = '') => {
    const { open, log } = assemblyOf(t, partsOf([]), line, config);
    await open();
    return log.entries.filter(({ text }) => text.includes('no effect')).map(({ level, values }) => [level, values]);
  };
  const tea = { plugin: 'tea', options: 'tea-node tea-cups' };
  t.same(await said({ plugins: 'milk', 'tea-node': 'here', 'milk-node': 'there' }, 'tea-cups = 1\nmilk-cups = 2'), [
    ['warn', tea],
  ]);
  t.same(await said({ plugins: 'milk tea', 'tea-node': 'here' }), [], 'it runs');
  t.same(await said({ plugins: 'none' }, 'tea-node =\n# milk-node = 1'), [], 'nobody has said anything');
});

t.test('health, metrics and methods are those of all parts, also of later ones', async (t) => {
  const counter = (name: string) => new Counter({ name, help: name, registers: [] });
  const shown: unknown[] = [];
  const notes: string[] = [];
  let isIll = false;
  const parts = [
    noted(notes, 'a', {}, { metrics: [counter('early')], health: () => (isIll ? 'a is ill' : undefined) }),
    definePart({
      name: 'b',
      needs: { view: partRef<Assembly>('node view') },
      open({ needs: { view } }) {
        view.onMetric((metric) => shown.push((metric as unknown as { name: string }).name));
        return { value: undefined, health: () => (isIll ? 'b as well' : undefined) };
      },
    }),
    noted(notes, 'c', {}, { metrics: [counter('late')], warning: () => (isIll ? 'c should be looked at' : undefined) }),
  ];
  const { assembly, open } = assemblyOf(t, parts);
  await open();
  t.same(shown, ['early', 'late']);
  t.equal(assembly.notReady(), undefined);
  t.equal(assembly.warning(), undefined);
  isIll = true;
  t.equal(assembly.notReady(), 'a is ill; b as well');
  t.equal(assembly.warning(), 'c should be looked at');
});

t.test('the part that ends the node is named', async (t) => {
  let fail: (error: unknown) => void = () => undefined;
  const bad = noted([], 'bad', {
    open(context) {
      fail = context.fail;
      return { value: undefined };
    },
  });
  const { assembly, open, log } = assemblyOf(t, [bad]);
  await open();
  const reason = new Error('no disk');
  fail(reason);
  t.equal(await assembly.failed, reason);
  t.match(log.entries.at(-1), { module: 'node', values: { part: 'bad' } });
});

/** As somebody else would write it, against the compiled program. */
const pluginText = (name: string): string => {
  const from = (path: string): string => JSON.stringify(pathToFileURL(projectPath('dist', 'src', path)).href);
  return `
import { definePart } from ${from('plugin/part.js')};
import { CHAIN_VIEW } from ${from('plugin/api.js')};
import { api, method } from ${from('rpc/define.js')};
import { u32 } from ${from('codec/scalars.js')};
export default definePart({
  name: ${JSON.stringify(name)},
  needs: { chain: CHAIN_VIEW },
  options: { title: 'Counting', table: { 'count-from': {
    kind: { wanted: 'a number', parse: Number, format: String }, initial: 0, help: 'Where counting begins.',
  } } },
  plugin: { isDefault: false },
  open({ needs, options, log }) {
    let count = options['count-from'];
    const stop = needs.chain.subscribe((event) => { if (event.kind === 'applied') count++; });
    const counted = method({ about: 'Blocks seen.', params: {}, result: u32, run: () => count });
    return {
      value: undefined,
      close: () => { stop(); log.info('counted', { count }); },
      apis: [api({ name: 'counter', about: 'Counts blocks.', methods: { counted } })],
    };
  },
});
`;
};

t.test('a folder with a part in it is a plugin: options, methods, events', async (t) => {
  const folder = t.testdir({ plugins: { counter: { 'index.js': pluginText('counter') }, notes: {} } });
  const parts = nodeParts(await loadPlugins(join(folder, 'plugins')));
  t.equal(parts.length, NODE_PARTS.length + 1);
  const settings = loadSettings(
    lineOf({
      dev: 'true',
      'data-dir': join(folder, 'data'),
      'rpc-endpoint': '127.0.0.1:0',
      'verify-threads': '0',
      plugins: 'witness counter',
      'count-from': '100',
    }),
    parts,
  );
  const clock = new FakeClock(Date.now());
  const log = new MemoryLog();
  const node = await startNode(settings, { clock, random: systemRandom, log }, undefined, parts);
  if (node === undefined) throw new Error('nobody stopped the start');
  t.teardown(() => node.stop());
  clock.advance(9_000);
  const blocks = node.chain.queries.head.number;
  t.ok(blocks >= 2);
  t.equal(await rpcCall(node.endpoints.plain, 'call', ['counter', 'counted', []]), 100 + blocks);
  t.equal(await node.stop(), true);
  t.match(
    log.entries.find(({ module }) => module === 'counter'),
    { text: 'counted', values: { count: 100 + blocks } },
  );
});

t.test('a folder whose entry is no plugin is refused by its path', async (t) => {
  const folder = t.testdir({
    other: { 'index.js': pluginText('counter') },
    third: { 'index.js': 'export default 5;' },
  });
  const path = join(folder, 'other', 'index.js');
  t.match(await refusal(loadPlugins(folder)), { row: PLUGIN_ERRORS.plugin_shape, data: { path } });
});

t.test('there is no folder of plugins: a node has its own parts', async (t) => {
  t.same(await loadPlugins(join(t.testdir(), 'none')), []);
});
