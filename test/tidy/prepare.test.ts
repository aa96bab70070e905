import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { projectPath } from '../support/paths.js';

/** What npm runs in a clone, with and without the development dependencies; nothing here asks a network. */

interface Manifest {
  readonly scripts: Record<string, string>;
  readonly [member: string]: unknown;
}
const manifest = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as Manifest;
const PROGRAM = 'dist/src/bin/trustnode.js';

/** A clone whose build leaves a mark instead of taking its time. */
function clone(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-clone-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const mark = `node -e "require('fs').mkdirSync('dist/src/bin',{recursive:true});require('fs').writeFileSync('${PROGRAM}','')"`;
  const scripts = { ...manifest.scripts, build: mark };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, scripts }));
  cpSync(projectPath('prepare.mjs'), join(folder, 'prepare.mjs'));
  writeFileSync(join(folder, 'tsconfig.json'), '{}');
  return folder;
}

function npmRun(folder: string, script: string): { readonly code: number | null; readonly text: string } {
  const args = ['run', '--silent', script];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  return { code: status, text: stdout + stderr };
}

const isBuilt = (folder: string): boolean => spawnSync(process.execPath, [join(folder, PROGRAM)]).status === 0;

t.test('with the compiler, an installation builds', async (t) => {
  for (const script of ['prepare', 'prestart', 'prepack']) {
    const folder = clone(t);
    symlinkSync(projectPath('node_modules'), join(folder, 'node_modules'));
    const { code, text } = npmRun(folder, script);
    t.equal(code, 0, script);
    t.match(text, script === 'prestart' ? /^trustnode: building the program, .* before it starts\n$/ : /^$/, script);
    t.ok(isBuilt(folder), script);
  }
});

t.test('a build that fails fails the installation', async (t) => {
  const folder = clone(t);
  symlinkSync(projectPath('node_modules'), join(folder, 'node_modules'));
  const scripts = { ...manifest.scripts, build: 'node -e "process.exit(3)"' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, scripts }));
  t.equal(npmRun(folder, 'prepare').code, 3);
});

t.test('an installed package that another one links to is not built, whoever has the compiler', async (t) => {
  t.ok((manifest.files as string[]).includes('prepare.mjs'), 'npm runs it there');
  const folder = clone(t);
  rmSync(join(folder, 'tsconfig.json'));
  symlinkSync(projectPath('node_modules'), join(folder, 'node_modules'));
  t.same(npmRun(folder, 'prepare'), { code: 0, text: '' });
  t.notOk(isBuilt(folder));
});

t.test('without it, an installation succeeds and says that nothing was built', async (t) => {
  const folder = clone(t);
  const installed = npmRun(folder, 'prepare');
  t.match(installed, { code: 0, text: /not built.* npm ci && npm run build && npm prune --omit=dev\n/ });
  t.notOk(isBuilt(folder));
  t.match(npmRun(folder, 'prestart'), { code: 1, text: /not built/ }, 'there is nothing to start');
});

t.test('without it, what was built before is started', async (t) => {
  const folder = clone(t);
  mkdirSync(join(folder, 'dist/src/bin'), { recursive: true });
  writeFileSync(join(folder, PROGRAM), '');
  for (const script of ['prepare', 'prestart']) {
    t.match(npmRun(folder, script), { code: 0, text: /what was built before/ }, script);
  }
});

t.test('of the native server only what fits this machine stays, or nothing', async (t) => {
  const folder = clone(t);
  const server = join(folder, 'node_modules/uWebSockets.js');
  mkdirSync(server, { recursive: true });
  const own = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
  for (const name of ['package.json', 'uws.js', own, 'uws_plan9_x64_115.node', 'uws_linux_x64_1.node', 'LICENSE']) {
    writeFileSync(join(server, name), name === 'package.json' ? '{"main":"uws.js"}' : '');
  }
  t.equal(npmRun(folder, 'prepare').code, 0);
  t.same(readdirSync(server).sort(), ['LICENSE', 'package.json', own, 'uws.js'].sort());
  const without = spawnSync(process.execPath, ['prepare.mjs', '--without-native-server'], {
    cwd: folder,
    encoding: 'utf8',
  });
  t.match(without, { status: 0, stdout: '', stderr: '' });
  t.notOk(existsSync(server));
  t.equal(npmRun(folder, 'prepare').code, 0, 'and nobody misses it');
});

t.test('the native server of a folder further up is left alone', async (t) => {
  const folder = clone(t);
  const inner = join(folder, 'inner');
  const server = join(folder, 'node_modules/uWebSockets.js');
  for (const made of [inner, server]) mkdirSync(made, { recursive: true });
  cpSync(projectPath('prepare.mjs'), join(inner, 'prepare.mjs'));
  writeFileSync(join(server, 'package.json'), '{"main":"uws_linux_x64_1.node"}');
  writeFileSync(join(server, 'uws_linux_x64_1.node'), '');
  for (const args of [[], ['--without-native-server']]) {
    const { status } = spawnSync(process.execPath, ['prepare.mjs', ...args], { cwd: inner });
    t.equal(status, 0);
    t.same(
      readdirSync(server).sort(),
      ['package.json', 'uws_linux_x64_1.node'],
      'whoever runs it may have another Node',
    );
  }
});

t.test('the lines of README.md are the scripts', async (t) => {
  const { prestart, prepare, test } = manifest.scripts;
  t.match(prestart, 'node prepare.mjs');
  t.match(prepare, 'node prepare.mjs');
  t.match(test, /^npm run build && /, 'tests run what is there, not what was there');
});
