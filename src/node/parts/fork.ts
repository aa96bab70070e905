import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { check } from '../../base/errors.js';
import type { Logger } from '../../base/world.js';
import type { GenesisSource } from '../../chain/genesis-source.js';
import { definePart } from '../../plugin/part.js';
import { nodeFiles } from '../../storage/files.js';
import { STORAGE_FOLDERS } from '../../storage/storage.js';
import { checkForkFile, FORK_ERRORS, type ForkMark, readForkMark, writeForkMark } from '../chain/fork-mark.js';
import { restoreSnapshot } from '../chain/restore-snapshot.js';
import { readSnapshotHead } from '../chain/snapshot-file.js';
import { absolute, forkOptions } from '../settings/options.js';
import { genesisPart } from './genesis.js';
import { NODE_VIEW } from './given.js';

/** Which chain this one is a fork of, and from which block on; undefined for every other one. It has no peers. */
export const forkPart = definePart({
  name: 'fork',
  title: 'fork of a chain',
  needs: { genesis: genesisPart, view: NODE_VIEW },
  options: { title: 'Development chain', table: forkOptions },
  logModule: 'node',
  async open({ needs: { genesis, view }, options, dataDir, log }) {
    const given = options['fork-snapshot'];
    if (given === undefined) return { value: undefined };
    view.stage.tell('restoring the snapshot');
    return { value: await begunFork(absolute(given), { dataDir, genesis: genesis.source, log }) };
  },
});

interface ForkPlace {
  readonly dataDir: string;
  readonly genesis: GenesisSource;
  readonly log: Logger;
}

/** As it was begun before, or from this file on. */
async function begunFork(file: string, { dataDir, genesis, log }: ForkPlace): Promise<ForkMark> {
  const mark = readForkMark(dataDir);
  const isThere = nodeFiles.exists(join(dataDir, STORAGE_FOLDERS.objects));
  check(mark !== undefined || !isThere, FORK_ERRORS.fork_not_fresh, { path: dataDir });
  checkForkFile(dataDir, file);
  if (mark !== undefined && isThere) {
    // The chain goes on without it.
    if (existsSync(file)) await checkSame(mark, file, dataDir);
    return mark;
  }
  let begun: ForkMark | undefined;
  await restoreSnapshot(file, {
    genesis,
    dataDir,
    // Before the state is in its place: a start that ends in between leaves nothing that looks like the real chain.
    accept({ number, id }) {
      begun = { chain_id: genesis.chainId, block: number, block_id: id };
      writeForkMark(dataDir, begun);
    },
  });
  log.info('a fork begins with the snapshot', { block: begun?.block ?? 0, file });
  return begun as ForkMark;
}

async function checkSame({ block, block_id: id }: ForkMark, file: string, path: string): Promise<void> {
  const { block: otherBlock, block_id: other } = await readSnapshotHead(file);
  check(other === id, FORK_ERRORS.fork_other_snapshot, { path, block, id, file, otherBlock, other });
}
