import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../../support/eventually.js';
import { projectPath } from '../../support/paths.js';

/** The server as Maven has it: no package of a system, no container, 40 MB. */
const VERSION = '8.19.0';
const CACHE = projectPath('.cache');
const SOURCES = projectPath('test', 'services', 'elasticsearch');
const MODULE = 'transport-netty4';
const LOOK_MS = 200;

export const LAUNCHER = 'RunElastic';
const LAUNCHER_SOURCE = join(SOURCES, `${LAUNCHER}.java`);

/** The tests of the search database run against this server instead of one of their own. */
export const GIVEN_URL_VARIABLE = 'TRUSTNODE_TEST_ELASTIC_URL';
export const GIVEN_URL = process.env[GIVEN_URL_VARIABLE];

const DESCRIPTOR = `description=Netty 4 transport
version=${VERSION}
name=${MODULE}
classname=org.elasticsearch.transport.netty4.Netty4Plugin
java.version=17
elasticsearch.version=${VERSION}
extended.plugins=
has.native.controller=false
`;

const starts = (command: string, args: readonly string[]): boolean => spawnSync(command, args).status === 0;

function missingTools(): string | undefined {
  const missing = [
    starts('java', ['-version']) ? [] : ['Java 17 (Debian: openjdk-17-jdk-headless)'],
    existsSync(join(serverFolder(), 'lib')) || starts('mvn', ['-version']) ? [] : ['Maven (Debian: maven)'],
  ].flat();
  return missing.length === 0 ? undefined : `no Elasticsearch can be started without ${missing.join(' and ')}`;
}

function serverFolder(): string {
  return join(CACHE, `elasticsearch-${VERSION}`);
}

/** For `skip`: false, or what is missing for a server of the test's own. */
export const cannotStartElastic: string | false = missingTools() ?? false;

/** For `skip` of tests that are content with a server that is given. */
export const hasNoElastic: string | false = GIVEN_URL === undefined ? cannotStartElastic : false;

/** What a server is started from. */
export interface ElasticFiles {
  /** `lib` and `modules` are in it. */
  readonly server: string;
  readonly launcher: string;
  /** Classes as the virtual machine has read and checked them once: more than half of what a start takes. */
  readonly classes: string;
}

/** Fetches and makes once what a server needs; `archive` starts one that leaves its classes in a file at its end. */
export async function elasticFiles(
  archive: (files: ElasticFiles, file: string) => Promise<void>,
): Promise<ElasticFiles> {
  const server = serverFolder();
  await madeOnce(server, fetchInto);
  // Another launcher is another file. Classes of another Java are not taken, and a start takes longer then.
  const made = `${server}-${createHash('sha256').update(readFileSync(LAUNCHER_SOURCE)).digest('hex').slice(0, 8)}`;
  const files = { server, launcher: `${made}.jar`, classes: `${made}.jsa` };
  await madeOnce(files.launcher, (file) => compile(server, file));
  await madeOnce(files.classes, (file) => archive(files, file));
  return files;
}

/** Makes a file or folder that is not there under another name; several test files may ask for it at the same time. */
async function madeOnce(path: string, make: (unfinished: string) => Promise<void>): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  if (existsSync(path)) return;
  await alone(join(CACHE, 'fetching'), async () => {
    if (existsSync(path)) return;
    const folder = mkdtempSync(join(CACHE, 'unfinished-'));
    try {
      await make(join(folder, 'made'));
      renameSync(join(folder, 'made'), path);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** One process at a time: Maven's own folder is not made for several that fill it at once. */
async function alone(lock: string, run: () => Promise<void>): Promise<void> {
  await eventually('the end of the fetching by another process', () => takes(lock), LOOK_MS);
  try {
    await run();
  } finally {
    rmSync(lock, { force: true });
  }
}

function takes(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!isOwned(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/** False: who took it was ended before it could give it back. */
function isOwned(lock: string): boolean {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return true;
  } catch {
    return false;
  }
}

const run = promisify(execFile);

async function fetchInto(folder: string): Promise<void> {
  const project = join(folder, 'project');
  const lib = join(folder, 'lib');
  const module = join(folder, 'modules', MODULE);
  for (const one of [project, lib, module]) mkdirSync(one, { recursive: true });
  copyFileSync(join(SOURCES, 'pom.xml'), join(project, 'pom.xml'));
  const goal = ['-q', '-B', '-f', join(project, 'pom.xml'), 'dependency:copy-dependencies', `-DoutputDirectory=${lib}`];
  await run('mvn', goal, { maxBuffer: 1 << 24 });
  for (const jar of readdirSync(lib)) {
    if (jar.startsWith('netty-') || jar.startsWith(`${MODULE}-`)) renameSync(join(lib, jar), join(module, jar));
  }
  writeFileSync(join(module, 'plugin-descriptor.properties'), DESCRIPTOR);
}

async function compile(server: string, file: string): Promise<void> {
  const classes = `${file}-classes`;
  await run('javac', ['-cp', join(server, 'lib', '*'), '-d', classes, LAUNCHER_SOURCE]);
  await run('jar', ['--create', '--file', file, '-C', classes, '.']);
}
