import { randomBytes } from 'node:crypto';
import type { Random } from '../../base/world.js';

export const systemRandom: Random = { bytes: (count) => new Uint8Array(randomBytes(count)) };
