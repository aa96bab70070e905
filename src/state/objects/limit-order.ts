import { limitOrderRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject } from '../define.js';

export const limitOrderObject = defineObject({ ...limitOrderRecord, keep: 'sparse' });
