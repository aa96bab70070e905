import type { PrivateKey } from '../../../src/crypto/private-key.js';
import { accountKey, witnessKey } from '../../support/world-genesis.js';

const known = new Map<string, PrivateKey>();
const byPublicKey = new Map<string, PrivateKey>();

function remember(name: string, make: () => PrivateKey): PrivateKey {
  let key = known.get(name);
  if (key === undefined) {
    key = make();
    known.set(name, key);
    byPublicKey.set(key.publicKey, key);
  }
  return key;
}

/** The key of the account with this name, on every chain of the process. */
export const keyOf = (name: string): PrivateKey => remember(name, () => accountKey(name));
export const blockKeyOf = (name: string): PrivateKey => remember(`witness ${name}`, () => witnessKey(name));
export const keyByPublic = (publicKey: string): PrivateKey | undefined => byPublicKey.get(publicKey);
