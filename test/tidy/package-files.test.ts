import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import t from 'tap';
import { PROJECT_ROOT, projectPath } from '../support/paths.js';

/** Examples that are read in an installed package find there what they read in a clone. */

const { files } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as {
  readonly files: readonly string[];
};

const isPackaged = (path: string): boolean =>
  files.some((one) => path === one || path.startsWith(one.endsWith('*') ? one.slice(0, -1) : `${one}/`));

t.test('the files that examples of the documents name', (t) => {
  const examples = readdirSync(projectPath('docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.mjs$/.test(name),
  );
  let found = 0;
  for (const name of examples) {
    const path = projectPath('docs', name);
    const text = readFileSync(path, 'utf8');
    const [, folder] = /new URL\(`(\.\.\/[\w/.]+)\/\$\{name\}`, import\.meta\.url\)/.exec(text) ?? [];
    if (folder === undefined) continue;
    for (const [, stem = ''] of text.matchAll(/file(?:sOf)?\('([\w.]+)'\)/g)) {
      const wanted = relative(PROJECT_ROOT, resolve(dirname(path), folder, stem));
      t.ok(isPackaged(stem.includes('.') ? wanted : `${wanted}.wasm`), `${basename(name)} reads ${wanted}`);
      found++;
    }
  }
  t.ok(found >= 6, `${found} of them`);
  t.end();
});

/** npm packs these whatever `files` says. */
const ALWAYS = ['README.md', 'CHANGELOG.md', 'LICENSE', 'package.json'];

t.test('the pages for those who write contracts and plugins lead to what is in the package', (t) => {
  let found = 0;
  for (const page of ['plugins.md', 'contracts/tutorial.md', 'contracts/testing.md', 'contracts/reference.md']) {
    const path = projectPath('docs', page);
    for (const [, link = ''] of readFileSync(path, 'utf8').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
      const wanted = relative(PROJECT_ROOT, resolve(dirname(path), link));
      t.ok(ALWAYS.includes(wanted) || isPackaged(wanted), `${page} leads to ${wanted}`);
      found++;
    }
  }
  t.ok(found >= 10, `${found} of them`);
  t.end();
});

interface LockedPackage {
  readonly version: string;
  readonly gypfile?: boolean;
  readonly hasInstallScript?: boolean;
}

const locked = (folder: string): Record<string, LockedPackage> =>
  (
    JSON.parse(readFileSync(projectPath(folder, 'package-lock.json'), 'utf8')) as {
      readonly packages: Record<string, LockedPackage>;
    }
  ).packages;

// It comes built. npm does not keep that in a lock file: add "gypfile": false there by hand after each change by npm.
t.test('SQLite that comes built is not compiled by npm ci, which drops it where no compiler is', (t) => {
  const versions = readdirSync(projectPath('test', 'versions'));
  t.ok(versions.length > 2);
  for (const folder of ['.', ...versions.map((version) => join('test', 'versions', version))]) {
    t.equal(locked(folder)['node_modules/better-sqlite3-node-api']?.gypfile, false, join(folder, 'package-lock.json'));
  }
  t.end();
});

t.test('of each dependency that has scripts it is said whether npm may run them', (t) => {
  const { allowScripts } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as {
    readonly allowScripts: Record<string, boolean>;
  };
  const withScripts = Object.entries(locked('.')).filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const names = [...new Set(withScripts.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 13)))].sort();
  t.ok(names.length > 3);
  t.same(
    names.filter((name) => name !== '' && !Object.hasOwn(allowScripts, name)),
    [],
  );
  t.end();
});
