import type { Chain } from '../../chain/chain.js';
import type { PublicKey } from '../../crypto/public-key.js';
import type { Instance } from '../../protocol/ids.js';
import { witnessObject } from '../../state/objects/witness.js';

/**
 * The keys with which these witnesses sign now. What clients see includes pending transactions, and one of those may
 * change a key: whoever signs with the new one before it is in a block makes a block that everybody refuses, and where
 * there is one witness only it would never get into a block at all.
 */
export function headSigningKeys(chain: Chain, witnesses: readonly Instance[]): (witness: Instance) => PublicKey {
  const { state } = chain.queries;
  const keys = new Map<Instance, PublicKey>();
  const refresh = (): void => {
    for (const witness of witnesses) {
      const found = state.find(witnessObject, witness);
      if (found === undefined) keys.delete(witness);
      else keys.set(witness, found.signing_key);
    }
  };
  chain.snapshots.withHeadState(refresh);
  // While blocks come and go nothing is pending in the state.
  chain.blocks.subscribe(({ kind }) => {
    if (kind === 'applied' || kind === 'undone' || kind === 'amended') refresh();
  });
  return (witness) => keys.get(witness) ?? state.get(witnessObject, witness).signing_key;
}
