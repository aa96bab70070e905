import { readFileSync } from 'node:fs';
import t from 'tap';
import type { Json, JsonObject } from '../../../src/codec/json.js';
import { parseJson } from '../../../src/codec/json.js';
import type { Type } from '../../../src/codec/type.js';
import type { FeeParameters, Operation } from '../../../src/protocol/operation-slot.js';
import { registerFeeParameters, registerOperations } from '../../../src/protocol/operation-slot.js';
import { idText } from '../../../src/state/define.js';
import { OBJECTS } from '../../../src/state/objects/index.js';
import { NETWORK } from '../../support/network.js';
import { projectPath } from '../../support/paths.js';

/** Operations have tests of their own; here their JSON passes as it is. */
function passing<V extends [number, object]>(): Type<V> {
  return {
    name: 'operation',
    bytesMin: 1,
    depth: 0,
    shape: { kind: 'scalar' },
    read: () => t.fail('not read here') as unknown as V,
    write: () => t.fail('not written here'),
    toJson: (value) => value as Json,
    fromJson: (json) => json as unknown as V,
    default: () => [0, {}] as unknown as V,
    compare: (a, b) => a[0] - b[0],
  };
}
registerOperations(passing<Operation>());
registerFeeParameters(passing<FeeParameters>());

/** Some objects of every type that the recorded chain holds, as the reference node prints them. */
const LINES = readFileSync(projectPath('test/vectors/objects/objects.jsonl'), 'utf8').trim().split('\n');
/** The recorded chain never held one. */
const NEVER_SEEN = ['force_settlement', 'limit_order'];

t.test('the list is in the order of space and type, without a repetition', async (t) => {
  const order = OBJECTS.map((definition) => definition.space * 256 + definition.type);
  t.same(
    order,
    [...new Set(order)].sort((a, b) => a - b),
  );
  t.equal(new Set(OBJECTS.map((definition) => definition.name)).size, OBJECTS.length);
});

t.test('objects of the reference node keep every field, order and form', async (t) => {
  const seen = new Set<string>();
  for (const line of LINES) {
    const { id, ...rest } = parseJson(line) as JsonObject & { id: string };
    const definition = OBJECTS.find((candidate) => id.startsWith(`${candidate.space}.${candidate.type}.`));
    if (definition === undefined) throw new Error(`no definition of ${id}`);
    seen.add(definition.name);
    const instance = Number(id.split('.')[2]);
    t.equal(idText(definition, instance), id);
    const value = definition.schema.fromJson(rest, NETWORK);
    t.equal(JSON.stringify({ id, ...(definition.schema.toJson(value, NETWORK) as JsonObject) }), line, id);
  }
  t.same(
    OBJECTS.map((definition) => definition.name).filter((name) => !seen.has(name)),
    NEVER_SEEN,
  );
});

t.test('every type has a complete default value', async (t) => {
  for (const { name, schema } of OBJECTS) {
    t.same(Object.keys(schema.default()), Object.keys(schema.fields), name);
  }
});
