import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ChainError } from '../../base/errors.js';
import { readSnapshotHead } from '../../node/chain/snapshot-file.js';
import { SNAPSHOT } from '../../node/ports/snapshot-port.js';
import { guarded } from '../../storage/errors.js';
import type { Command } from '../command.js';
import { isFolder } from './opened.js';

const NUMBER_DIGITS = 8;
const HEX = 16;

function bytesOf(path: string): number {
  if (!isFolder(path)) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
}

export const listCommand: Command = {
  builder: (yargs) =>
    yargs.positional('folder', { type: 'string', demandOption: true, describe: 'As in state-snapshots-dir' }),
  handler: async (args, terminal) => {
    const folder = resolve(String(args.folder));
    for (const name of guarded(folder, () => readdirSync(folder)).sort()) {
      const path = join(folder, name);
      const made = guarded(path, () => statSync(path)).mtime.toISOString();
      if (isFolder(path)) {
        if (!SNAPSHOT.test(name)) continue;
        const id = name.slice(name.indexOf('-') + 1);
        const block = Number.parseInt(id.slice(0, NUMBER_DIGITS), HEX);
        terminal.out(`${JSON.stringify({ path, kind: 'folder', block, block_id: id, bytes: bytesOf(path), made })}\n`);
        continue;
      }
      try {
        const { block, block_id, chain_id, state_hash } = await readSnapshotHead(path);
        const row = { path, kind: 'packed', block, block_id, chain_id, state_hash, bytes: bytesOf(path), made };
        terminal.out(`${JSON.stringify(row)}\n`);
      } catch (error) {
        // Something else lies there.
        if (!(error instanceof ChainError)) throw error;
      }
    }
  },
};
