import { array, optional } from '../../../src/codec/containers.js';
import { share, text, u32 } from '../../../src/codec/scalars.js';
import { struct } from '../../../src/codec/struct.js';
import { type AnyObjectDef, defineObject, group, ordered, several, unique } from '../../../src/state/define.js';
import type { ObjectDatabase } from '../../../src/state/object-db.js';

/** Object types that use everything a declaration can say. */

const fields = { code: text, owner: u32, rank: u32, weight: share, note: optional(text), numbers: array(u32) };
const indexes = {
  code: unique((o: Row) => o.code),
  owner: group((o: Row) => o.owner),
  numbers: several((o: Row) => o.numbers),
  rank: ordered([(o: Row) => o.rank]),
  lateRank: ordered([(o: Row) => o.rank], { sortedLate: true }),
  place: ordered([(o: Row) => o.owner, (o: Row) => o.weight], { unique: true }),
};
export type Row = {
  id: number;
  code: string;
  owner: number;
  rank: number;
  weight: bigint;
  note: string | undefined;
  numbers: number[];
};
export type RowValue = Omit<Row, 'id'>;

export const denseRow = defineObject({ name: 'dense_row', space: 1, type: 1, schema: struct('row', fields) }, indexes);
export const sparseRow = defineObject(
  { name: 'sparse_row', space: 1, type: 2, keep: 'sparse', schema: struct('row', fields) },
  indexes,
);
export const fleetingRow = defineObject(
  { name: 'fleeting_row', space: 1, type: 4, keep: 'fleeting', schema: struct('row', fields) },
  indexes,
);
export const fixedRow = defineObject(
  { name: 'fixed_row', space: 1, type: 3, schema: struct('fixed_row', { key: u32, amount: share }) },
  { key: unique((o) => o.key, { fixed: true }), keyGroup: group((o) => o.key % 4, { fixed: true }) },
);
export const plainRow = defineObject({
  name: 'plain_row',
  space: 2,
  type: 0,
  keep: 'single',
  schema: struct('plain_row', { value: u32 }),
});
export const ROWS: readonly AnyObjectDef[] = [denseRow, sparseRow, fixedRow, plainRow];

export type RowDefinition = typeof denseRow;

/** Everything that an observer can see, by plain means. */
export interface Dump {
  readonly rows: readonly (readonly [type: number, row: object])[];
  readonly counters: readonly number[];
}

export function dump(db: ObjectDatabase, definitions: readonly AnyObjectDef[] = ROWS): Dump {
  return {
    rows: definitions.flatMap((definition) =>
      [...db.all(definition)].map((o): readonly [number, object] => [
        definition.space * 64 + definition.type,
        { ...o },
      ]),
    ),
    counters: definitions.map((definition) => db.nextInstance(definition)),
  };
}
