import { array, pair, withDefault } from '../codec/containers.js';
import { bool, bytes, text, u16, u64 } from '../codec/scalars.js';
import { struct } from '../codec/struct.js';
import type { ValueOf } from '../codec/type.js';
import { contractName } from './name.js';

/**
 * What a contract says about its actions and tables. The chain itself looks only at the actions' names and whether
 * they take payment; the rest is for those who pack arguments and read tables.
 */

const abiTypeDef = struct('type_def', { new_type_name: text, type: text });
const abiFieldDef = struct('field_def', { name: text, type: text });
const abiStructDef = struct('struct_def', { name: text, base: text, fields: array(abiFieldDef) });
const abiActionDef = struct('action_def', { name: contractName, type: text, payable: bool });
const abiTableDef = struct('table_def', {
  name: contractName,
  index_type: text,
  key_names: array(text),
  key_types: array(text),
  type: text,
});
const abiErrorMessage = struct('error_message', { error_code: u64, error_msg: text });

/** What an ABI says of itself when it says nothing, as those of accounts without a contract do. */
const ABI_VERSION = 'gxc::abi/1.0';

export const abiDef = struct('abi_def', {
  version: withDefault(text, () => ABI_VERSION),
  types: array(abiTypeDef),
  structs: array(abiStructDef),
  actions: array(abiActionDef),
  tables: array(abiTableDef),
  error_messages: array(abiErrorMessage),
  abi_extensions: array(pair(u16, bytes)),
});
export type AbiDef = ValueOf<typeof abiDef>;
export type AbiStructDef = ValueOf<typeof abiStructDef>;
export type AbiActionDef = ValueOf<typeof abiActionDef>;
