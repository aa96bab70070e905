import { check, defineErrors } from '../../base/errors.js';
import type { Chain } from '../../chain/chain.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import { signatureBackend } from '../../crypto/signature.js';
import type { BlockImporter } from '../../importer/importer.js';
import { SKIP } from '../../operations/define.js';
import { witnessObject } from '../../state/objects/witness.js';

export const MAKE_BLOCK_ERRORS = defineErrors({
  debug_no_key: { text: 'no key is given, and the option debug-private-key has none either' },
});

export interface BlockMaker {
  readonly chain: Chain;
  readonly importer: BlockImporter;
}

/** A block for a slot, now: signed with the key of the witness whose turn it is, where that is among these. */
export function makeBlock({ chain, importer }: BlockMaker, keys: readonly PrivateKey[], slot: number): void {
  const { queries } = chain;
  const witness = queries.scheduledWitness(slot);
  // The head's key: a pending transaction may change it, but not for this block.
  const signingKey = chain.snapshots.withHeadState((state) => state.get(witnessObject, witness).signing_key);
  const itsKey = keys.find(({ publicKey }) => publicKey === signingKey);
  const key = itsKey ?? keys[0];
  check(key !== undefined, MAKE_BLOCK_ERRORS.debug_no_key);
  // A block of somebody else's turn stays unsigned: patching the witness instead, as the family does, would take
  // the chain away from the witnesses that it has.
  const skip = itsKey === undefined ? SKIP.witnessSignature : SKIP.none;
  const signer = { publicKey: key.publicKey, sign: (digest: Uint8Array) => signatureBackend().sign(digest, key) };
  importer.produce({ when: queries.slotTime(slot), witness, signer }, skip);
}
