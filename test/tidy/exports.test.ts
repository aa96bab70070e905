import { readFileSync } from 'node:fs';
import t from 'tap';
import { PROJECT_ROOT, projectPath } from '../support/paths.js';
import { sourcesOf } from './draw-imports.js';
import { looseExports } from './exports.js';

const { exports: entries } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
};
/** What the package hands out to programs of others. */
const handedOut = Object.values(entries).flatMap((entry) => {
  if (typeof entry === 'string') return [];
  const source = entry.default.replace('./dist/', '').replace(/\.js$/, '.ts');
  return [new RegExp(`^${source.replaceAll('.', '\\.').replace('*', '[^/]+')}$`)];
});

function isEntrance(path: string, name: string, text: string): boolean {
  if (handedOut.some((pattern) => pattern.test(path))) return true;
  // Sources as texts.
  if (path === 'test/mutate/mutants.test.ts') return true;
  // Found by the names of their files.
  if (path.endsWith('.rows.ts')) return name === 'refusals';
  if (path.startsWith('bench/')) return name === 'run';
  // The build of the page puts them in the place of others.
  if (path.startsWith('src/page/platform/')) return true;
  // Tables of refusals: the rows themselves are taken by who compares them.
  return new RegExp(`^export const ${name} = defineErrors\\(`, 'm').test(text);
}

const files = ['src', 'plugins', 'bench', 'test'].flatMap((folder) => sourcesOf(PROJECT_ROOT, folder));

t.test('what a file hands out is taken by another one', async (t) => {
  t.ok(files.length > 500, 'the sources were found');
  t.ok(handedOut.length > 3, 'so were the entrances of the package');
  t.same(looseExports(files, isEntrance), []);
});

/** Handed out for tests although the program does without: no test could do it from outside. */
const FOR_TESTS: ReadonlySet<string> = new Set([
  // A hook in the program's own state.
  'src/base/crash-point.ts disarmCrashPoints',
  'src/crypto/signature.ts chooseSignatureBackend',
  // The other ways to do the same, which must not be told apart.
  'src/codec/field-loops.ts fieldFunctions',
  'src/rpc/pieces/json.ts parseJsonPieces',
]);

t.test('what the program hands out is taken by the program, or used where it stands', async (t) => {
  const sources = files.filter(({ path }) => /^(?:src|plugins)\//.test(path));
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  const isUsedAtHome = (path: string, name: string): boolean => {
    const code = (texts.get(path) as string).replace(/^ *(?:\/?\*|\/\/).*$/gm, '');
    const declared = code.match(new RegExp(`^export (?:\\w+\\*? )+${name}\\b`, 'gm'))?.length ?? 0;
    return (code.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0) > declared;
  };
  const loose = looseExports(sources, isEntrance).filter(({ path, name }) => !isUsedAtHome(path, name));
  t.same(loose.map(({ path, name }) => `${path} ${name}`).sort(), [...FOR_TESTS].sort());
});

t.test('what nobody takes is found', async (t) => {
  const found = (...texts: string[]): string[] => {
    const sources = texts.map((text, i) => ({ path: `src/${'abc'[i]}.ts`, text }));
    return looseExports(sources, () => false).map(({ path, name }) => `${path} ${name}`);
  };
  const a = 'export const x = 1;\nexport function y() { return x; }\nexport type Z = 1;\n';
  t.same(found(a), ['src/a.ts x', 'src/a.ts y', 'src/a.ts Z']);
  t.same(found(a, "import { type Z, x as q } from './a.js';"), ['src/a.ts y']);
  t.same(found(a, "import * as all from './a.js';\nall.y();"), ['src/a.ts x', 'src/a.ts Z']);
  t.same(found(a, "import * as all from './a.js';\nuse(all);"), []);
  t.same(found(a, "const { x, y } = await import('./a.js');\nlet z: import('./a.js').Z;"), []);
  t.same(found(a, "void import('./a.js').then(({ y }) => y());"), ['src/a.ts x', 'src/a.ts Z']);
  t.same(found('export interface A { a: 1 }\nexport const of = (a: A) => a;', "import { of } from './a.js';"), []);
  t.same(
    looseExports([{ path: 'src/a.ts', text: a }], (_, name) => name === 'x').map(({ name }) => name),
    ['y', 'Z'],
  );
});
