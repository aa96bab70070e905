import { globalPropertyRecord } from '../../protocol/objects/chain.js';
import { defineObject, type ObjectOf } from '../define.js';

export const globalPropertyObject = defineObject({ ...globalPropertyRecord, keep: 'single' });
export type GlobalPropertyObject = ObjectOf<typeof globalPropertyObject>;
