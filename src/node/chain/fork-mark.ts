import { statSync } from 'node:fs';
import { join } from 'node:path';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import type { BlockId, ChainId } from '../../crypto/digests.js';
import { guarded } from '../../storage/errors.js';
import { type Files, nodeFiles } from '../../storage/files.js';
import { isFolder } from './checked-snapshot.js';

/** What a data directory says of itself when its chain is a fork of another one, with local keys for its witnesses. */

export const FORK_ERRORS = defineErrors({
  fork_data_dir: {
    ...FAMILY.invalidArgument,
    text: '${path} holds a fork of chain ${chain} from block ${block} on, which --dev --fork-snapshot alone starts',
    hint: 'a fork must not meet the nodes of the chain that it came from: use another --data-dir for those',
  },
  fork_other_snapshot: {
    ...FAMILY.invalidArgument,
    text: 'the fork in ${path} began with block ${block} ${id}, and the snapshot ${file} is of block ${otherBlock} ${other}',
    hint: 'use another --data-dir for another fork, or remove this one',
  },
  fork_not_fresh: {
    ...FAMILY.invalidArgument,
    text: '${path} holds a chain already, which did not begin with --fork-snapshot',
    hint: 'use another --data-dir for the fork',
  },
  fork_needs_packed: {
    ...FAMILY.invalidArgument,
    text: '${path} is a folder, and a fork begins with a packed snapshot, which has the block that it stands on',
    hint: 'trustnode snapshot pack makes one of the folder, with --data-dir of the node that made it',
  },
});

export interface ForkMark {
  readonly chain_id: ChainId;
  readonly block: number;
  readonly block_id: BlockId;
}

const FILE = 'fork.json';
const pathOf = (dataDir: string): string => join(dataDir, FILE);

export function readForkMark(dataDir: string, files: Files = nodeFiles): ForkMark | undefined {
  const text = files.readText(pathOf(dataDir));
  return text === undefined ? undefined : (JSON.parse(text) as ForkMark);
}

export function writeForkMark(dataDir: string, mark: ForkMark, files: Files = nodeFiles): void {
  files.writeText(pathOf(dataDir), `${JSON.stringify(mark)}\n`);
}

/** Refuses to start a fork as if it were the chain that it came from. */
export function checkNoFork(dataDir: string): void {
  const mark = readForkMark(dataDir);
  check(mark === undefined, FORK_ERRORS.fork_data_dir, { path: dataDir, chain: mark?.chain_id, block: mark?.block });
}

/** What can be said of the snapshot of a fork that is still to begin before anything is read of it. */
export function checkForkFile(dataDir: string, path: string): void {
  if (readForkMark(dataDir) !== undefined) return;
  guarded(path, () => statSync(path));
  check(!isFolder(path), FORK_ERRORS.fork_needs_packed, { path });
}
