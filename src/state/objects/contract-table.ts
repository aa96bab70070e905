import { index64Record, keyValueRecord, tableIdRecord } from '../../protocol/objects/chain.js';
import { defineObject, type ObjectOf, ordered } from '../define.js';

/** A table of a contract. Objects of all three types here are created and removed by contracts. */
export const tableIdObject = defineObject(
  { ...tableIdRecord, keep: 'sparse' },
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
  { ...keyValueRecord, keep: 'sparse' },
  { primary: ordered([(row) => row.t_id, (row) => row.primary_key], { unique: true, fixed: true }) },
);
export type KeyValueObject = ObjectOf<typeof keyValueObject>;

/** An entry of a row's secondary index with 64-bit keys. */
export const index64Object = defineObject(
  { ...index64Record, keep: 'sparse' },
  {
    primary: ordered([(row) => row.t_id, (row) => row.primary_key], { unique: true, fixed: true }),
    secondary: ordered([(row) => row.t_id, (row) => row.secondary_key, (row) => row.primary_key], { unique: true }),
  },
);
export type Index64Object = ObjectOf<typeof index64Object>;
