import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { STACK_SIZE } from '../runner/stack-size.js';
import { PROJECT_ROOT } from './paths.js';
import { TRUSTNODE } from './run-trustnode.js';

const asModule = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;

/** Notes the address of every module before it is loaded; runs in the thread of the loader. */
const hooks = (file: string): string =>
  asModule(`import { appendFileSync } from 'node:fs';
    export function load(url, context, next) {
      appendFileSync(${JSON.stringify(file)}, url + '\\n');
      return next(url, context);
    }`);

/** What modules of the older kind load among themselves is seen only in their cache. */
const watch = (file: string): string =>
  asModule(`import { appendFileSync } from 'node:fs';
    import { createRequire, register } from 'node:module';
    register(${JSON.stringify(hooks(file))});
    const { cache } = createRequire(${JSON.stringify(pathToFileURL(TRUSTNODE).href)});
    process.on('exit', () => {
      for (const path of Object.keys(cache)) appendFileSync(${JSON.stringify(file)}, 'file://' + path + '\\n');
    });`);

/** The files that a command line of `trustnode` loads, from the project's folder on. */
export function loadedModules(args: readonly string[]): string[] {
  return loadedBy([TRUSTNODE, ...args]);
}

/** The files that a program loads which imports these files of the project and does nothing else. */
export function importedModules(entries: readonly string[]): string[] {
  const imports = entries.map((entry) => `import ${JSON.stringify(pathToFileURL(join(PROJECT_ROOT, entry)).href)};`);
  return loadedBy(['--input-type=module', '--eval', imports.join('')]);
}

function loadedBy(args: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-modules-'));
  try {
    const file = join(folder, 'urls');
    spawnSync(process.execPath, [STACK_SIZE, '--import', watch(file), ...args], { stdio: 'ignore' });
    const root = pathToFileURL(PROJECT_ROOT).href;
    const urls = new Set(readFileSync(file, 'utf8').trimEnd().split('\n'));
    // Where the packages of several clones are one folder, it lies outside of the project.
    return [...urls].flatMap((url) => {
      const inPackages = url.lastIndexOf('/node_modules/');
      if (inPackages >= 0) return [url.slice(inPackages + 1)];
      return url.startsWith(root) ? [url.slice(root.length + 1)] : [];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
