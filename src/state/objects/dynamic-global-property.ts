import { dynamicGlobalPropertyRecord } from '../../protocol/objects/chain.js';
import { defineObject, type ObjectOf } from '../define.js';

/** Bit of `dynamic_flags`: the head block was a maintenance block. */
export const MAINTENANCE_FLAG = 1;

export const dynamicGlobalPropertyObject = defineObject({ ...dynamicGlobalPropertyRecord, keep: 'single' });
export type DynamicGlobalPropertyObject = ObjectOf<typeof dynamicGlobalPropertyObject>;
