import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectPath } from '../../support/paths.js';

/** A public IPFS client, installed beside the project because it needs a newer Node, which comes with it. */

const SOURCES = projectPath('test', 'services', 'helia');
const CACHE = projectPath('.cache');
const FILES = ['package.json', 'package-lock.json'] as const;
const INSTALL_MS = 900_000;
const READ_MS = 600_000;

const run = promisify(execFile);

function folderOf(): string {
  const lock = readFileSync(join(SOURCES, 'package-lock.json'));
  return join(CACHE, `helia-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`);
}

/** False, or why there is none. Installs it when it is first asked for. */
export async function cannotReadWithHelia(): Promise<string | false> {
  const folder = folderOf();
  if (existsSync(folder)) return false;
  mkdirSync(CACHE, { recursive: true });
  const unfinished = mkdtempSync(join(CACHE, 'unfinished-'));
  try {
    for (const name of FILES) copyFileSync(join(SOURCES, name), join(unfinished, name));
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: unfinished, timeout: INSTALL_MS });
    renameSync(unfinished, folder);
    return false;
  } catch (error) {
    return `the public IPFS client could not be installed: ${(error as Error).message.split('\n')[0]}`;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

export interface ReadFile {
  readonly cid: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Throws where the client could not read one of them, or found a block that is not what its id says. */
export async function readWithHelia(gateway: string, ids: readonly string[]): Promise<ReadFile[]> {
  const folder = folderOf();
  const script = join(folder, 'read.mjs');
  // Beside its packages, which it would not find from here.
  copyFileSync(join(SOURCES, 'read.mjs'), script);
  const { stdout } = await run(join(folder, 'node_modules', 'node', 'bin', 'node'), [script, gateway, ...ids], {
    timeout: READ_MS,
  });
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([cid = '', bytes = '', sha256 = '']) => ({ cid, bytes: Number(bytes), sha256 }));
}
