import t from 'tap';
import { PROJECT_ROOT } from '../support/paths.js';
import { sourcesOf } from './draw-imports.js';
import { cycles, findings, unusedPermissions } from './layers.js';

const files = [...sourcesOf(PROJECT_ROOT, 'src'), ...sourcesOf(PROJECT_ROOT, 'plugins')];

t.test('imports go in the allowed direction and consensus code is deterministic', async (t) => {
  t.ok(files.length > 30, 'the sources were found');
  t.same(files.flatMap(findings), []);
});

t.test('no import cycles', async (t) => {
  t.same(cycles(files), []);
});

t.test('every permission is used by somebody', async (t) => {
  t.same(unusedPermissions(files), []);
  const one = [{ path: 'src/config/x.ts', text: "import { check } from '../base/errors.js';" }];
  t.ok(
    unusedPermissions(one).some(({ house, place }) => house === 'storage' && place === 'codec'),
    'one that nobody uses is reported',
  );
  t.notOk(unusedPermissions(one).some(({ house, place }) => house === 'config' && place === 'base'));
});

/** Each fixture breaks one rule; the rule must say so. */
const BROKEN: readonly (readonly [path: string, line: string, rule: RegExp])[] = [
  ['src/base/x.ts', "import { struct } from '../codec/struct.js';", /base must not import codec/],
  ['src/codec/x.ts', "import type { Asset } from '../protocol/asset.js';", /codec must not import protocol/],
  ['src/operations/x.ts', "import { Chain } from '../chain/chain.js';", /operations must not import chain/],
  ['src/operations/transfer/x.ts', "import { Engine } from '../../vm/runtime.js';", /operations must not import vm/],
  ['src/chain/x.ts', "import { LevelKv } from '../storage/level-kv.js';", /chain must not import storage/],
  ['src/chain/x.ts', "import type { Clock } from '../base/world.js';", /consensus code must not import base\/world/],
  ['src/rpc/x.ts', "import { Node } from '../node/node.js';", /nothing imports node but/],
  ['src/state/x.ts', "import { keys } from '../commands/keys/index.js';", /nothing imports commands but/],
  ['plugins/a/index.ts', "import { b } from '../b/index.js';", /plugins never import each other/],
  ['src/unknown/x.ts', "import { check } from '../base/errors.js';", /not a known folder/],
  ['src/state/x.ts', 'const now = Date.now();', /no clock/],
  ['src/state/x.ts', 'const dice = Math.random();', /no randomness/],
  ['src/chain/x.ts', 'names.sort((a, b) => a.localeCompare(b));', /no locale/],
  ['src/chain/x.ts', 'export async function f(): Promise<void> {}', /synchronous/],
  ['src/chain/x.ts', 'setTimeout(run, 10);', /no timers/],
  ['src/vm/x.ts', 'const home = process.env.HOME;', /no environment/],
  ['src/vm/x.ts', 'console.log(1);', /no logging/],
  ['src/protocol/x.ts', "import { readFileSync } from 'node:fs';", /no node modules/],
  ['src/state/x.ts', 'ids.sort();', /no default sort/],
  ['src/state/x.ts', 'const x = Math.sqrt(2);', /no floating point/],
  ['src/rpc/x.ts', "import { Level } from 'level';", /level is imported only in/],
  ['src/storage/x.ts', "import { ClassicLevel } from 'classic-level';", /classic-level is imported only in no file/],
  ['src/client/x.ts', "const { WebSocket } = await import('ws');", /ws is imported only in/],
  ['src/client/x.ts', "import { start } from '../http/node-server.js';", /client must not import http/],
  ['src/chain/x.ts', "import * as s from '@noble/secp256k1';", /@noble\/secp256k1 is imported only in/],
];

t.test('every rule bites', async (t) => {
  for (const [path, line, rule] of BROKEN) {
    const found = findings({ path, text: `// a comment\n${line}\n` });
    t.ok(
      found.some((finding) => finding.line === 2 && rule.test(finding.rule)),
      `${line} in ${path} is reported: ${JSON.stringify(found)}`,
    );
  }
  const cycle = cycles([
    { path: 'src/base/a.ts', text: "import { b } from './b.js';" },
    { path: 'src/base/b.ts', text: "import type { A } from './a.js';" },
  ]);
  t.same(cycle, [['src/base/a.ts', 'src/base/b.ts', 'src/base/a.ts']]);
});

t.test('rules leave honest code alone', async (t) => {
  const honest: readonly (readonly [string, string])[] = [
    ['src/state/x.ts', "import { check } from '../base/errors.js';"],
    ['src/state/x.ts', ' * a Date in a comment'],
    ['src/state/x.ts', "const text = 'no Date here';"],
    ['src/chain/x.ts', 'ids.sort((a, b) => a - b);'],
    ['src/crypto/x.ts', "import { createHash } from 'node:crypto'; // nondet-ok: a pure function"],
    ['src/rpc/x.ts', 'const now = Date.now();'],
    ['src/node/x.ts', "import { Chain } from '../chain/chain.js';"],
  ];
  for (const [path, line] of honest) t.same(findings({ path, text: line }), [], line);
});
