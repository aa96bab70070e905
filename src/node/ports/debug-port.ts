import { join } from 'node:path';
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { check } from '../../base/errors.js';
import type { Clock, Logger } from '../../base/world.js';
import type { Chain } from '../../chain/chain.js';
import { readObjectUpdate } from '../../chain/debug-updates.js';
import { PrivateKey } from '../../crypto/private-key.js';
import type { BlockImporter } from '../../importer/importer.js';
import { type SourceBlock, trustedBlock } from '../../protocol/source-block.js';
import type { DebugPort } from '../../rpc/ports.js';
import { BlockLog } from '../../storage/block-log.js';
import { STORAGE_ERRORS } from '../../storage/errors.js';
import { nodeFiles } from '../../storage/files.js';
import { readOnlyFiles } from '../../storage/read-only-files.js';
import { keepDebugUpdate } from '../chain/debug-updates-file.js';
import { makeBlock } from '../dev/make-block.js';
import type { ObjectStream } from './object-stream.js';

/** Everything else gets its turn after so many blocks. */
const BLOCKS_AT_ONCE = 50;

export interface DebugPortParts {
  readonly chain: Chain;
  readonly clock: Clock;
  readonly importer: BlockImporter;
  readonly dataDir: string;
  /** Used when a request brings none. */
  readonly keys: readonly PrivateKey[];
  readonly stream: ObjectStream;
  readonly log: Logger;
}

/** Blocks at once and objects as one likes, for tests: never offered unless the operator asked for it. */
export function debugPort({ chain, clock, importer, dataDir, keys: ownKeys, stream, log }: DebugPortParts): DebugPort {
  const { queries } = chain;
  return {
    async generateBlocks(wif, count) {
      const keys = wif === '' ? ownKeys : [PrivateKey.fromWif(wif)];
      for (let i = 0; i < count; i++) {
        makeBlock({ chain, importer }, keys, 1);
        if (i % BLOCKS_AT_ONCE === BLOCKS_AT_ONCE - 1) await turnOfOthers();
      }
      const aheadSec = Math.ceil(queries.head.time - clock.nowMs() / 1000);
      if (aheadSec > 0) {
        log.warn(
          'the chain is ahead of the clock: until that has caught up, blocks come on demand alone (with --dev, dev_mine takes the clock along)',
          {
            num: queries.head.number,
            aheadSec,
          },
        );
      }
    },
    async pushBlocks(directory, count) {
      // Somebody else's log, which may be in use: it is read and never repaired.
      check(readOnlyFiles.exists(join(directory, 'blocks')), STORAGE_ERRORS.storage_missing, { path: directory });
      const source = BlockLog.openAsSource(readOnlyFiles, directory);
      try {
        const first = queries.head.number + 1;
        await importer.pull(blocksOf(source, first, count), { kind: 'debug' });
        const head = queries.head.number;
        if (head < first + count - 1) log.info('the block log has no more blocks', { directory, head });
      } finally {
        source.abandon();
      }
    },
    updateObject(json) {
      // A change that the next start would not know of is not made.
      chain.debug.amendHead(readObjectUpdate(json), () => keepDebugUpdate(nodeFiles, dataDir, queries.head.id, json));
      log.warn('an object was changed by hand', { block: queries.head.number });
    },
    streamObjects: (file) => stream.open(file, log),
    flushStream: () => stream.flush(),
  };
}

async function* blocksOf(log: BlockLog, first: number, count: number): AsyncGenerator<SourceBlock> {
  for (let number = first; number < first + count; number++) {
    const bytes = log.read(number);
    if (bytes === undefined) return;
    yield trustedBlock(bytes);
  }
}
