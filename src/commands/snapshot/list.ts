import { readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ChainError } from '../../base/errors.js';
import { isFolder } from '../../node/chain/checked-snapshot.js';
import { readSnapshotHead } from '../../node/chain/snapshot-file.js';
import { SNAPSHOT } from '../../node/ports/snapshot-port.js';
import { guarded } from '../../storage/errors.js';
import type { Command } from '../command.js';

const NUMBER_DIGITS = 8;
const HEX = 16;

const madeAt = (path: string): string => guarded(path, () => statSync(path)).mtime.toISOString();

function folderRow(path: string): object {
  const name = basename(path);
  const id = name.slice(name.indexOf('-') + 1);
  const block = Number.parseInt(id.slice(0, NUMBER_DIGITS), HEX);
  const bytes = readdirSync(path).reduce((sum, file) => sum + statSync(join(path, file)).size, 0);
  return { path, kind: 'folder', block, block_id: id, bytes, made: madeAt(path) };
}

async function packedRow(path: string): Promise<object> {
  const { block, block_id, chain_id, state_hash } = await readSnapshotHead(path);
  const bytes = statSync(path).size;
  return { path, kind: 'packed', block, block_id, chain_id, state_hash, bytes, made: madeAt(path) };
}

const isSnapshotFolder = (path: string): boolean => SNAPSHOT.test(basename(path)) && isFolder(path);

/** Undefined where something else lies. */
async function rowOf(path: string): Promise<object | undefined> {
  if (isFolder(path)) return isSnapshotFolder(path) ? folderRow(path) : undefined;
  try {
    return await packedRow(path);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return undefined;
  }
}

async function* rowsOf(path: string): AsyncGenerator<object | undefined> {
  guarded(path, () => statSync(path));
  // One that is named by itself is shown, or refused with the reason.
  if (isSnapshotFolder(path)) yield folderRow(path);
  else if (!isFolder(path)) yield await packedRow(path);
  else for (const name of guarded(path, () => readdirSync(path)).sort()) yield await rowOf(join(path, name));
}

export const listCommand: Command = {
  builder: (yargs) =>
    yargs.positional('folder', {
      type: 'string',
      demandOption: true,
      describe: 'As in state-snapshots-dir; or one snapshot, packed or not',
    }),
  handler: async (args, terminal) => {
    for await (const row of rowsOf(resolve(String(args.folder)))) {
      if (row !== undefined) terminal.out(`${JSON.stringify(row)}\n`);
    }
  },
};
