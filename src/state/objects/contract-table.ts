import { bytes, u32, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { tableId } from '../../protocol/ids.js';
import { contractName } from '../../protocol/name.js';
import { defineObject, type ObjectOf, ordered } from '../define.js';

/** A table of a contract. Objects of all three types here are created and removed by contracts. */
export const tableIdObject = defineObject(
  {
    name: 'table_id',
    space: 2,
    type: 23,
    keep: 'sparse',
    schema: struct('table_id_object', {
      /** Instance of the contract's account. */
      code: u64,
      scope: contractName,
      table: contractName,
      payer: u64,
      /** Rows of the table and of its secondary indexes. */
      count: u32,
    }),
  },
  {
    codeScopeTable: ordered([(table) => table.code, (table) => table.scope, (table) => table.table], {
      unique: true,
      fixed: true,
    }),
  },
);
export type TableIdObject = ObjectOf<typeof tableIdObject>;

/** A row; the contract alone knows what its bytes mean. */
export const keyValueObject = defineObject(
  {
    name: 'key_value',
    space: 2,
    type: 24,
    keep: 'sparse',
    schema: struct('key_value_object', { t_id: tableId, primary_key: u64, payer: u64, value: bytes }),
  },
  { primary: ordered([(row) => row.t_id, (row) => row.primary_key], { unique: true, fixed: true }) },
);
export type KeyValueObject = ObjectOf<typeof keyValueObject>;

/** An entry of a row's secondary index with 64-bit keys. */
export const index64Object = defineObject(
  {
    name: 'index64',
    space: 2,
    type: 25,
    keep: 'sparse',
    schema: struct('index64_object', { t_id: tableId, primary_key: u64, payer: u64, secondary_key: u64 }),
  },
  {
    primary: ordered([(row) => row.t_id, (row) => row.primary_key], { unique: true, fixed: true }),
    secondary: ordered([(row) => row.t_id, (row) => row.secondary_key, (row) => row.primary_key], { unique: true }),
  },
);
export type Index64Object = ObjectOf<typeof index64Object>;
