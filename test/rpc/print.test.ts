import fc from 'fast-check';
import t from 'tap';
import '../../src/operations/index.js';
import { decode, encode } from '../../src/codec/binary.js';
import type { AnyType } from '../../src/codec/type.js';
import { nameFromTextLenient } from '../../src/protocol/name.js';
import { objectOf } from '../../src/protocol/objects/declare.js';
import { operation } from '../../src/protocol/operation-slot.js';
import { APIS } from '../../src/rpc/apis/index.js';
import { printerOf } from '../../src/rpc/pieces/printers.js';
import { OBJECTS } from '../../src/state/objects/index.js';
import { arbitraryOf } from '../support/arbitrary.js';
import { NETWORK } from '../support/network.js';

const OTHER = { keyPrefix: 'OTHER' };

/** What a printer writes must be what the type's own JSON is, to the letter. */
function proven(t: Tap, type: AnyType, runs: number): void {
  const values = arbitraryOf(type, { depth: 2, nameFromText: nameFromTextLenient });
  const print = printerOf(type);
  fc.assert(
    fc.property(values, (given) => {
      // Sets and maps of the state are in order; random ones become so on their way through bytes.
      const value = decode(type, encode(type, given));
      // Twice each: texts of keys are remembered, and must not travel from one network to the other.
      return [NETWORK, OTHER, NETWORK, OTHER].every(
        (network) => print(value, network) === JSON.stringify(type.toJson(value, network)),
      );
    }),
    { numRuns: runs },
  );
  t.pass(type.name);
}
interface Tap {
  pass(what: string): void;
}

t.test('objects of the state', async (t) => {
  for (const definition of OBJECTS) proven(t, definition.schema, 40);
});

t.test('operations', async (t) => {
  proven(t, operation, 2000);
});

t.test('results of methods', async (t) => {
  const unknown = new Set(['any', 'null', 'object']);
  const holdsUnknown = (type: AnyType): boolean => {
    const { shape } = type;
    if (unknown.has(type.name) || /\d\.\d+\.x$/.test(type.name)) return true;
    switch (shape.kind) {
      case 'struct':
        return shape.fields.some(([, field]) => holdsUnknown(field));
      case 'array':
      case 'set':
      case 'optional':
        return holdsUnknown(shape.of);
      case 'pair':
        return holdsUnknown(shape.key) || holdsUnknown(shape.of);
      // No bytes.
      case 'either':
        return true;
      default:
        return false;
    }
  };
  for (const { methods } of APIS) {
    for (const { result } of Object.values(methods)) if (!holdsUnknown(result)) proven(t, result, 10);
  }
});

t.test('members that may be absent, wherever they stand', async (t) => {
  const { struct } = await import('../../src/codec/struct.js');
  const { optional } = await import('../../src/codec/containers.js');
  const { u8, text } = await import('../../src/codec/scalars.js');
  const type = struct('x', { a: optional(u8), b: optional(text), c: u8, d: optional(u8), e: text });
  for (let bits = 0; bits < 8; bits++) {
    const value = {
      a: bits & 1 ? 1 : undefined,
      b: bits & 2 ? '"\n\udc80' : undefined,
      c: 3,
      d: bits & 4 ? 4 : undefined,
      e: '',
    };
    t.equal(printerOf(type)(value, NETWORK), JSON.stringify(type.toJson(value)));
  }
  const none = struct('y', { a: optional(u8), b: optional(u8) });
  t.equal(printerOf(none)({ a: undefined, b: undefined }, NETWORK), '{}');
  t.equal(printerOf(none)({ a: undefined, b: 1 }, NETWORK), '{"b":1}');
  const [first] = OBJECTS;
  if (first !== undefined) {
    const type = objectOf(first);
    const value = type.default();
    t.equal(printerOf(type)(value, NETWORK), JSON.stringify(type.toJson(value, NETWORK)));
  }
});
