import { PrivateKey } from '../../../src/crypto/private-key.js';
import { publicKey } from '../../../src/protocol/keys.js';
import { NETWORK } from '../../support/network.js';

const REAL = 500;
/** More than any list of keys in a request may hold; behind them they come again. */
const DIFFERENT = 10_001;

const made: string[] = [];

/** Texts of keys: real ones first; behind them those of the right form that are no points of the curve. */
export function keyText(index: number): string {
  const place = index % DIFFERENT;
  const known = made[place];
  if (known !== undefined) return known;
  const key =
    place < REAL ? PrivateKey.fromSeed(`key ${place}`).publicKey : `02${place.toString(16).padStart(64, '0')}`;
  const text = publicKey.toJson(key, NETWORK) as string;
  made[place] = text;
  return text;
}
