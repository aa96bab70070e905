import { limitOrderRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject, type ObjectOf } from '../define.js';

export const limitOrderObject = defineObject({ ...limitOrderRecord, keep: 'sparse' });
export type LimitOrderObject = ObjectOf<typeof limitOrderObject>;
