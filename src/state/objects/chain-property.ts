import { chainPropertyRecord } from '../../protocol/objects/chain.js';
import { defineObject } from '../define.js';

export const chainPropertyObject = defineObject({ ...chainPropertyRecord, keep: 'single' });
