import { struct } from '../../codec/struct.js';
import { immutableParameters } from '../../protocol/chain-parameters.js';
import { sha256Hash } from '../../protocol/keys.js';
import { defineObject, type ObjectOf } from '../define.js';

export const chainPropertyObject = defineObject({
  name: 'chain_property',
  space: 2,
  type: 11,
  keep: 'single',
  schema: struct('chain_property_object', { chain_id: sha256Hash, immutable_parameters: immutableParameters }),
});
export type ChainPropertyObject = ObjectOf<typeof chainPropertyObject>;
