import { wrapU64 } from '../../base/int.js';
import type { HostCall } from '../host-call.js';
import type { FoundEntry } from '../tables/entries.js';
import type { Step } from '../tables/rows.js';
import { copyOut } from './action.js';
import { bytesCost, host } from './define.js';

/** Prices: a look-up in an ordered index, a change with its undo record. */
const READ = 300;
const WRITE = 1500;

/** Reports the key only when the iterator stands on something. */
function step(call: HostCall, { iterator, primaryKey }: Step, out: number): number {
  if (primaryKey !== undefined) call.memory.writeU64(out, primaryKey);
  return iterator;
}

function value(call: HostCall, pointer: number, length: number): Uint8Array {
  call.charge(bytesCost(length, 2));
  return call.memory.slice(pointer, length).slice();
}

type Bound = 'lowerBound' | 'upperBound' | 'find';

const search = (name: string, method: Bound) =>
  host(name, 'I I I I > i', READ, (call, code: bigint, scope: bigint, table: bigint, id: bigint) =>
    call.rows[method](wrapU64(code), wrapU64(scope), wrapU64(table), wrapU64(id)),
  );

/**
 * Both results, in the order that decides where the places overlap. Quirk: the reference writes the primary key, then
 * the secondary one; where a place is not aligned it writes to a copy, and copies are put back last, that of the
 * secondary key before that of the primary one.
 */
function reportBoth(call: HostCall, { iterator, entry }: FoundEntry, key: number, id: number): number {
  if (entry === undefined) return iterator;
  const isCopied = (pointer: number): boolean => (pointer & 7) !== 0;
  const writeKey = (): void => call.memory.writeU64(key, entry.secondaryKey);
  const writeId = (): void => call.memory.writeU64(id, entry.primaryKey);
  if (isCopied(id)) {
    writeKey();
    writeId();
  } else {
    writeId();
    writeKey();
  }
  return iterator;
}

const entryBound = (name: string, method: 'lowerBound' | 'upperBound') =>
  host(name, 'I I I R8 R8 > i', READ, (call, code: bigint, scope: bigint, table: bigint, key: number, id: number) => {
    const found = call.entries[method](wrapU64(code), wrapU64(scope), wrapU64(table), call.memory.readU64(key));
    return reportBoth(call, found, key, id);
  });

export const PRIMARY_FUNCTIONS = [
  host(
    'db_store_i64',
    'I I I I P > i',
    WRITE,
    (call, scope: bigint, table: bigint, payer: bigint, id: bigint, pointer: number, length: number) =>
      call.rows.insert(wrapU64(scope), wrapU64(table), wrapU64(payer), wrapU64(id), value(call, pointer, length)),
  ),
  host('db_update_i64', 'i I P >', WRITE, (call, it: number, payer: bigint, pointer: number, length: number) =>
    call.rows.update(it, wrapU64(payer), value(call, pointer, length)),
  ),
  host('db_remove_i64', 'i >', WRITE, (call, it: number) => call.rows.remove(it)),
  host('db_get_i64', 'i P > i', READ, (call, it: number, pointer: number, length: number) =>
    copyOut(call, call.rows.value(it), pointer, length),
  ),
  host('db_next_i64', 'i R8 > i', READ, (call, it: number, out: number) => step(call, call.rows.next(it), out)),
  host('db_previous_i64', 'i R8 > i', READ, (call, it: number, out: number) => step(call, call.rows.previous(it), out)),
  search('db_find_i64', 'find'),
  search('db_lowerbound_i64', 'lowerBound'),
  search('db_upperbound_i64', 'upperBound'),
  host('db_end_i64', 'I I I > i', READ, (call, code: bigint, scope: bigint, table: bigint) =>
    call.rows.end(wrapU64(code), wrapU64(scope), wrapU64(table)),
  ),
];

export const SECONDARY_FUNCTIONS = [
  host(
    'db_idx64_store',
    'I I I I R8 > i',
    WRITE,
    (call, scope: bigint, table: bigint, payer: bigint, id: bigint, key: number) =>
      call.entries.insert(wrapU64(scope), wrapU64(table), wrapU64(payer), wrapU64(id), call.memory.readU64(key)),
  ),
  host('db_idx64_update', 'i I R8 >', WRITE, (call, it: number, payer: bigint, key: number) =>
    call.entries.update(it, wrapU64(payer), call.memory.readU64(key)),
  ),
  host('db_idx64_remove', 'i >', WRITE, (call, it: number) => call.entries.remove(it)),
  host(
    'db_idx64_find_secondary',
    'I I I R8 R8 > i',
    READ,
    (call, code: bigint, scope: bigint, table: bigint, key: number, id: number) => {
      const found = call.entries.findSecondary(wrapU64(code), wrapU64(scope), wrapU64(table), call.memory.readU64(key));
      if (found.entry !== undefined) call.memory.writeU64(id, found.entry.primaryKey);
      return found.iterator;
    },
  ),
  host(
    'db_idx64_find_primary',
    'I I I R8 I > i',
    READ,
    (call, code: bigint, scope: bigint, table: bigint, key: number, id: bigint) => {
      const found = call.entries.findPrimary(wrapU64(code), wrapU64(scope), wrapU64(table), wrapU64(id));
      if (found.entry !== undefined) call.memory.writeU64(key, found.entry.secondaryKey);
      return found.iterator;
    },
  ),
  entryBound('db_idx64_lowerbound', 'lowerBound'),
  entryBound('db_idx64_upperbound', 'upperBound'),
  host('db_idx64_end', 'I I I > i', READ, (call, code: bigint, scope: bigint, table: bigint) =>
    call.entries.end(wrapU64(code), wrapU64(scope), wrapU64(table)),
  ),
  host('db_idx64_next', 'i R8 > i', READ, (call, it: number, out: number) => step(call, call.entries.next(it), out)),
  host('db_idx64_previous', 'i R8 > i', READ, (call, it: number, out: number) =>
    step(call, call.entries.previous(it), out),
  ),
];
