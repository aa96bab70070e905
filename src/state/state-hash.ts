import { toHex } from '../base/bytes.js';
import { type Fields, type StructType, struct } from '../codec/struct.js';
import type { AnyType, Type } from '../codec/type.js';
import { Writer } from '../codec/writer.js';
import { Sha256Stream } from '../crypto/hash.js';
import type { AnyObjectDef, ObjectDef, StateObject } from './define.js';
import type { ObjectDatabase } from './object-db.js';
import { accountStatisticsObject } from './objects/account-statistics.js';
import { dynamicGlobalPropertyObject } from './objects/dynamic-global-property.js';
import { OBJECTS } from './objects/index.js';
import { asRemembered, transactionObject } from './objects/transaction.js';
import { recordTools } from './records.js';

/**
 * The state hash: equal on every node at the same block, however the node got there.
 *
 * For each type of OBJECTS, in that order, the SHA-256 of
 *
 *     u8 space, u8 type, u64 next instance, u64 number of objects,
 *     for each object in id order: u64 instance, the fields' wire bytes
 *
 * with all integers little-endian; then the SHA-256 of all these digests one after another.
 *
 * What the protocol leaves to the node does not count:
 * - the fields below are hashed as their default;
 * - remembered transactions (2.7) are hashed as `transaction id, u32 expiration` in the order of the transaction ids,
 *   with next instance 0: which id such an object has depends on whether the node replayed or received the block.
 */
const NODE_LOCAL_FIELDS = new Map<AnyObjectDef, readonly string[]>([
  // The history plugin writes them.
  [accountStatisticsObject, ['most_recent_op', 'total_ops', 'removed_ops']],
  // Depends on the node's checkpoints.
  [dynamicGlobalPropertyObject, ['recently_missed_count']],
]);

const CHUNK_BYTES = 1 << 20;

export interface TypeDigest {
  readonly definition: AnyObjectDef;
  readonly count: number;
  readonly digest: string;
}

export function stateHash(db: ObjectDatabase): string {
  const whole = new Sha256Stream();
  for (const definition of OBJECTS) whole.update(typeDigest(db, definition));
  return toHex(whole.digest());
}

/** The digest of each type: says where two states differ. */
export function typeDigests(db: ObjectDatabase): TypeDigest[] {
  return OBJECTS.map((definition) => ({
    definition,
    count: db.count(definition),
    digest: toHex(typeDigest(db, definition)),
  }));
}

function typeDigest(db: ObjectDatabase, definition: AnyObjectDef): Uint8Array {
  const writer = new Writer();
  const stream = new Sha256Stream();
  const flush = (): void => {
    stream.update(writer.peek());
    writer.clear();
  };
  const isTransaction = definition === transactionObject;
  writer.u8(definition.space);
  writer.u8(definition.type);
  writer.u64(BigInt(isTransaction ? 0 : db.nextInstance(definition)));
  writer.u64(BigInt(db.count(definition)));
  if (isTransaction) {
    for (const entry of rememberedTransactions(db)) {
      writer.hex(entry.slice(0, -8));
      writer.u32(Number.parseInt(entry.slice(-8), 16));
      if (writer.length > CHUNK_BYTES) flush();
    }
  } else {
    const { write, isSame } = hashedForm(definition);
    let before: StateObject | undefined;
    let [from, to] = [0, 0];
    let again: Uint8Array | undefined;
    db.forEach(definition as ObjectDef, (object) => {
      // Two halves: an instance has up to 48 bits, and a bigint per object would cost more than the hash.
      writer.u32(object.id % 2 ** 32);
      writer.u32(Math.floor(object.id / 2 ** 32));
      if (before !== undefined && isSame(before, object)) {
        again ??= writer.peek().slice(from, to);
        writer.raw(again);
      } else {
        again = undefined;
        from = writer.length;
        write(writer, object as never);
        to = writer.length;
      }
      before = object;
      if (writer.length <= CHUNK_BYTES) return;
      flush();
      // Its bytes are gone.
      before = undefined;
    });
  }
  flush();
  return stream.digest();
}

/** Transaction id and expiration in hex, in the order of the ids. */
function rememberedTransactions(db: ObjectDatabase): string[] {
  const out: string[] = [];
  db.forEach(transactionObject, (transaction) => {
    const { trx_id, expiration } = asRemembered(transaction);
    out.push(trx_id + expiration.toString(16).padStart(8, '0'));
  });
  return out.sort((a, b) => (a < b ? -1 : 1));
}

interface HashedForm {
  readonly write: StructType<Fields>['write'];
  readonly isSame: (a: StateObject, b: StateObject) => boolean;
}

const hashedForms = new Map<AnyObjectDef, HashedForm>();

function hashedForm(definition: AnyObjectDef): HashedForm {
  const known = hashedForms.get(definition);
  if (known !== undefined) return known;
  const form = { write: hashedSchema(definition).write, isSame: recordTools(definition as ObjectDef).isSame };
  hashedForms.set(definition, form);
  return form;
}

function hashedSchema(definition: AnyObjectDef): StructType<Fields> {
  const local = NODE_LOCAL_FIELDS.get(definition);
  if (local === undefined) return definition.schema;
  const { name, fields } = definition.schema;
  const hashed: Record<string, AnyType> = {};
  for (const [field, type] of Object.entries(fields)) hashed[field] = local.includes(field) ? constant(type) : type;
  return struct(name, hashed);
}

/** Writes the default whatever the value is. */
function constant<V>(type: Type<V>): Type<V> {
  const value = type.default();
  return { ...type, write: (writer) => type.write(writer, value) };
}
