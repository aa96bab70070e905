import { join } from 'node:path';
import { check, defineErrors } from '../../base/errors.js';
import type { Clock, Logger } from '../../base/world.js';
import type { Chain } from '../../chain/chain.js';
import { readObjectUpdate } from '../../chain/debug-updates.js';
import { decodeTrusted } from '../../codec/binary.js';
import { PrivateKey } from '../../crypto/private-key.js';
import { signatureBackend } from '../../crypto/signature.js';
import type { BlockImporter, PulledBlock } from '../../importer/importer.js';
import { SKIP } from '../../operations/define.js';
import { signedBlock } from '../../protocol/block.js';
import type { DebugPort } from '../../rpc/ports.js';
import { witnessObject } from '../../state/objects/witness.js';
import { BlockLog } from '../../storage/block-log.js';
import { STORAGE_ERRORS } from '../../storage/errors.js';
import { nodeFiles } from '../../storage/files.js';
import { readOnlyFiles } from '../../storage/read-only-files.js';
import { keepDebugUpdate } from '../chain/debug-updates-file.js';
import type { ObjectStream } from './object-stream.js';

export const DEBUG_PORT_ERRORS = defineErrors({
  debug_no_key: { text: 'no key is given, and the option debug-private-key has none either' },
});

/** Everything else gets its turn after so many blocks. */
const BLOCKS_AT_ONCE = 50;

const turnOfOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

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
        const witness = queries.scheduledWitness(1);
        // The head's key: a pending transaction may change it, but not for this block.
        const signingKey = chain.snapshots.withHeadState((state) => state.get(witnessObject, witness).signing_key);
        const itsKey = keys.find(({ publicKey }) => publicKey === signingKey);
        const key = itsKey ?? keys[0];
        check(key !== undefined, DEBUG_PORT_ERRORS.debug_no_key);
        // A block of somebody else's turn stays unsigned: patching the witness instead, as the family does, would take
        // the chain away from the witnesses that it has.
        const skip = itsKey === undefined ? SKIP.witnessSignature : SKIP.none;
        const signer = {
          publicKey: key.publicKey,
          sign: (digest: Uint8Array) => signatureBackend().sign(digest, key),
        };
        importer.produce({ when: queries.slotTime(1), witness, signer }, skip);
        if (i % BLOCKS_AT_ONCE === BLOCKS_AT_ONCE - 1) await turnOfOthers();
      }
      const aheadSec = Math.ceil(queries.head.time - clock.nowMs() / 1000);
      if (aheadSec > 0) {
        log.warn('the chain is ahead of the clock: until that has caught up, blocks come on demand alone', {
          num: queries.head.number,
          aheadSec,
        });
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

async function* blocksOf(log: BlockLog, first: number, count: number): AsyncGenerator<PulledBlock> {
  for (let number = first; number < first + count; number++) {
    const bytes = log.read(number);
    if (bytes === undefined) return;
    yield { block: decodeTrusted(signedBlock, bytes) };
  }
}
