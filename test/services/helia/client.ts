import { execFile } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { InstalledBeside } from '../../support/installed-beside.js';
import { projectPath } from '../../support/paths.js';

/** A public IPFS client, installed beside the project because it needs a newer Node, which comes with it. */

const SOURCES = projectPath('test', 'services', 'helia');
const READ_MS = 600_000;

const run = promisify(execFile);
const client = new InstalledBeside(SOURCES, 'helia', 'the public IPFS client');

/** False, or why there is none. Installs it when it is first asked for. */
export const cannotReadWithHelia = (): Promise<string | false> => client.isMissing();

export interface ReadFile {
  readonly cid: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Throws where the client could not read one of them, or found a block that is not what its id says. */
export async function readWithHelia(gateway: string, ids: readonly string[]): Promise<ReadFile[]> {
  const { folder } = client;
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
