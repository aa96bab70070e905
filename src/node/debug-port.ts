import type { Logger } from '../base/world.js';
import type { Chain } from '../chain/chain.js';
import type { BlockDoor } from '../chain/doors.js';
import { decode } from '../codec/binary.js';
import { PrivateKey } from '../crypto/private-key.js';
import { signatureBackend } from '../crypto/signature.js';
import { SKIP } from '../operations/define.js';
import { signedBlock } from '../protocol/block.js';
import type { DebugPort } from '../rpc/ports.js';
import { witnessObject } from '../state/objects/witness.js';
import { BlockLog } from '../storage/block-log.js';
import { nodeFiles } from '../storage/files.js';

/** Everything else gets its turn after so many blocks. */
const BLOCKS_AT_ONCE = 50;

const turnOfOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Blocks at once, for tests: never offered unless the operator asked for it. */
export function debugPort(chain: Chain, blocks: BlockDoor, log: Logger): DebugPort {
  const { queries } = chain;
  return {
    async generateBlocks(wif, count) {
      const key = PrivateKey.fromWif(wif);
      const signer = {
        publicKey: key.publicKey,
        sign: (digest: Uint8Array) => signatureBackend().sign(digest, key),
      };
      for (let i = 0; i < count; i++) {
        const witness = queries.scheduledWitness(1);
        // The head's key: a pending transaction may change it, but not for this block.
        const signingKey = chain.snapshots.withHeadState((state) => state.get(witnessObject, witness).signing_key);
        const isItsKey = signingKey === key.publicKey;
        // A block of somebody else's turn stays unsigned: patching the witness instead, as the family does, would make
        // a state that the blocks do not explain.
        const skip = isItsKey ? SKIP.none : SKIP.witnessSignature;
        blocks.produce({ when: queries.slotTime(1), witness, signer }, skip);
        if (i % BLOCKS_AT_ONCE === BLOCKS_AT_ONCE - 1) await turnOfOthers();
      }
    },
    async pushBlocks(directory, count) {
      const source = BlockLog.openAsSource(nodeFiles, directory);
      try {
        for (let i = 0; i < count; i++) {
          const bytes = source.read(queries.head.number + 1);
          if (bytes === undefined) {
            log.info('the block log has no more blocks', { directory, head: queries.head.number });
            return;
          }
          blocks.push({ block: decode(signedBlock, bytes) });
          if (i % BLOCKS_AT_ONCE === BLOCKS_AT_ONCE - 1) await turnOfOthers();
        }
      } finally {
        source.close();
      }
    },
  };
}
