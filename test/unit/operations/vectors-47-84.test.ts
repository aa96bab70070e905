import { readFileSync } from 'node:fs';
import t from 'tap';
import { fromHex, toHex } from '../../../src/base/bytes.js';
import { decode, encode } from '../../../src/codec/binary.js';
import type { Json } from '../../../src/codec/json.js';
import { parseJson } from '../../../src/codec/json.js';
import { OPERATIONS_47_84 } from '../../../src/operations/list-47-84.js';
import { accountId } from '../../../src/protocol/ids.js';
import { NETWORK } from '../../support/network.js';
import { projectPath } from '../../support/paths.js';

interface OperationVector {
  readonly id: number;
  readonly name: string;
  readonly note: string | null;
  readonly json: Json;
  readonly body_hex: string;
  readonly reference_json: Json;
  readonly fee_payer: string;
  readonly fee_default_schedule: { readonly 'in_1.3.1': string };
  readonly validate: string;
}

const FIRST_TAG = 47;
const file = parseJson(readFileSync(projectPath('test/vectors/protocol.json'), 'utf8'));
const vectors = (file as unknown as { operations: OperationVector[] }).operations.filter(({ id }) => id >= FIRST_TAG);

t.test('the list holds every operation from 47 to 84 at its place', (t) => {
  OPERATIONS_47_84.forEach((definition, i) => {
    t.equal(definition.tag, FIRST_TAG + i, definition.name);
  });
  t.equal(OPERATIONS_47_84.length, 38);
  t.end();
});

t.test('every operation has a vector', (t) => {
  const seen = new Set(vectors.map(({ id }) => id));
  for (const { tag, name } of OPERATIONS_47_84) t.ok(seen.has(tag), name);
  t.end();
});

for (const vector of vectors) {
  t.test(`${vector.id} ${vector.name} ${vector.note ?? ''}`, (t) => {
    const definition = OPERATIONS_47_84[vector.id - FIRST_TAG];
    if (definition === undefined) throw new Error(`operation ${vector.id} is missing`);
    t.equal(definition.name, vector.name);
    const value = definition.schema.fromJson(vector.json, NETWORK);
    const packed = encode(definition.schema, value);
    t.equal(toHex(packed), vector.body_hex, 'bytes');
    const decoded = decode(definition.schema, fromHex(vector.body_hex));
    t.same(definition.schema.toJson(decoded, NETWORK), vector.reference_json, 'JSON');
    t.equal(accountId.toJson(definition.payer(decoded)), vector.fee_payer, 'payer');
    const fee = definition.fee.calc(definition.fee.schema.default(), decoded, () => packed.length);
    t.equal(fee.toString(), vector.fee_default_schedule['in_1.3.1'], 'fee');
    t.equal(vector.validate, 'ok');
    t.doesNotThrow(() => definition.validate(decoded), 'validate');
    t.end();
  });
}
