import { PrivateKey } from '../../src/crypto/private-key.js';
import type { PublicKey } from '../../src/crypto/public-key.js';

/** A key pair made of a label, the same in every run. */
export function testKey(label: string): { secret: PrivateKey; publicKey: PublicKey } {
  const secret = PrivateKey.fromSeed(label);
  return { secret, publicKey: secret.publicKey };
}
