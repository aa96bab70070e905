import { chainPropertyRecord } from '../../protocol/objects/chain.js';
import { defineObject, type ObjectOf } from '../define.js';

export const chainPropertyObject = defineObject({ ...chainPropertyRecord, keep: 'single' });
export type ChainPropertyObject = ObjectOf<typeof chainPropertyObject>;
