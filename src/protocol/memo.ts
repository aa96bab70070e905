import { bytes, u64 } from '../codec/scalars.js';
import { struct } from '../codec/struct.js';
import type { ValueOf } from '../codec/type.js';
import { publicKey } from './keys.js';

export const memoData = struct('memo_data', { from: publicKey, to: publicKey, nonce: u64, message: bytes });
export type MemoData = ValueOf<typeof memoData>;
