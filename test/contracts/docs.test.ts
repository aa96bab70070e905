import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { HOST_FUNCTIONS } from '../../src/vm/host/index.js';
import { EMPTY, type FunctionType, typeName } from '../../src/vm/wasm/module.js';
import { projectPath } from '../support/paths.js';

const read = (path: string): string => readFileSync(projectPath('docs/contracts', path), 'utf8');

const typeText = ({ parameters, result }: FunctionType): string =>
  `(${parameters.map(typeName).join(' ')})${result === EMPTY ? '' : ` -> ${typeName(result)}`}`;

t.test('the reference lists exactly the host functions, with their types', async (t) => {
  const rows = [...read('reference.md').matchAll(/^\| `(\w+)` \| `(\([^`]*)` \|/gm)].map((row) => [row[1], row[2]]);
  const wanted = [...HOST_FUNCTIONS.values()].map(({ name, type }) => [name, typeText(type)]);
  t.same(new Map(rows as [string, string][]), new Map(wanted as [string, string][]));
  t.equal(rows.length, HOST_FUNCTIONS.size, 'each of them once');
});

t.test('both kits declare the functions that contracts call themselves', async (t) => {
  const assemblyScript = new Set(
    [...read('kit/host.ts').matchAll(/@external\("env", "(\w+)"\)/g)].map(([, name]) => name),
  );
  const c = new Set([...read('c/contract.h').matchAll(/^extern [^(]*?(\w+)\(/gm)].map(([, name]) => name));
  for (const name of HOST_FUNCTIONS.keys()) {
    if (name.startsWith('__')) continue;
    t.ok(assemblyScript.has(name), `kit/host.ts: ${name}`);
  }
  for (const name of [...assemblyScript, ...c]) t.ok(HOST_FUNCTIONS.has(String(name)), `there is a ${name}`);
  t.ok(c.size > 60);
});

t.test('links lead somewhere', async (t) => {
  const folder = projectPath('docs/contracts');
  for (const page of ['tutorial.md', 'reference.md', 'testing.md']) {
    const text = read(page);
    for (const [, target = ''] of text.matchAll(/\]\(([^)]+)\)/g)) {
      const [file = '', anchor] = target.split('#');
      if (file !== '') t.ok(existsSync(join(folder, file)), `${page}: ${target}`);
      if (anchor === undefined) continue;
      const headings = read(file === '' ? page : file)
        .toLowerCase()
        .replaceAll(' ', '-');
      t.match(headings, `#-${anchor}\n`, `${page}: ${target}`);
    }
  }
});
