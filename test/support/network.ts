import type { Network } from '../../src/codec/type.js';
import { DEFAULT_KEY_PREFIX } from '../../src/crypto/public-key.js';

/** The network that the texts of vectors and golden files are of. */
export const NETWORK: Network = { keyPrefix: DEFAULT_KEY_PREFIX };
