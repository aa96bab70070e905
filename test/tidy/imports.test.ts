import t from 'tap';
import { PROJECT_ROOT } from '../support/paths.js';
import { sourcesOf } from './draw-imports.js';
import { drawing, drawn, ROOMS } from './imports.js';
import type { SourceFile } from './layers.js';

/** docs/decisions/imports.md says why. */

const LAYERS_MAX = 10;
/** Houses that may stand higher, with the reason. */
const HIGHER: Readonly<Record<string, string>> = {
  rpc: 'clients are told the events of the chain as they are: notices, what is remembered of them, and methods stand on it',
  node: 'joins everything below it into one program',
  testing: 'a whole node for tests of others',
  commands: 'what can be typed; each stands on the node or on what the node stands on',
  bin: 'the entrance',
};

const files = sourcesOf(PROJECT_ROOT, 'src');

t.test('no arrow climbs back, and no room lies deeper than it must', async (t) => {
  const found = drawing(files, ROOMS);
  t.ok(found.layers.size > 30, 'the rooms were found');
  t.same(found.climbing, []);
  const high = [...found.layers].filter(([, layer]) => layer > LAYERS_MAX).map(([room]) => room.split('/')[0] ?? '');
  t.same(
    high.filter((house) => HIGHER[house] === undefined),
    [],
    drawn(found),
  );
  t.same([...new Set(high)].sort(), Object.keys(HIGHER).sort(), 'no reason is left over');
});

const file = (path: string, ...imports: readonly string[]): SourceFile => ({
  path,
  text: imports.map((from) => `import { x } from '${from}';\n`).join(''),
});

t.test('rooms in a circle share a layer, and the arrow to the higher one climbs back', async (t) => {
  const found = drawing(
    [
      file('src/base/a.ts'),
      file('src/low/a.ts', '../base/a.js'),
      file('src/low/b.ts', '../high/b.js'),
      file('src/low/c.ts'),
      file('src/high/a.ts', '../low/a.js', '../high/b.js'),
      file('src/high/b.ts', '../low/c.js'),
      file('src/high/c.ts', './a.js'),
      file('src/top/a.ts', '../high/a.js'),
      file('src/top/inner/a.ts', '../a.js'),
      file('src/top/b.ts', './inner/a.js'),
    ],
    ROOMS,
  );
  t.same(Object.fromEntries(found.layers), { base: 1, low: 2, high: 2, top: 3, 'top/inner': 1 });
  t.same(found.climbing, [{ from: 'low', to: 'high', imports: 1 }], 'a folder and its own rooms are one house');
});
