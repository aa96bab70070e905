import t from 'tap';
import { ChainError } from '../../../src/base/errors.js';
import { decode, encode } from '../../../src/codec/binary.js';
import { type Json, parseJson } from '../../../src/codec/json.js';
import type { AnyType } from '../../../src/codec/type.js';
import { requiredAuthorities, verifyAuthority } from '../../../src/operations/authorities.js';
import { OPERATIONS } from '../../../src/operations/index.js';
import { requiredFee, runOperation } from '../../../src/operations/pipeline.js';
import { ALL_FORKS_ACTIVE, type ForkTimes, MAINNET_FORKS } from '../../../src/protocol/forks.js';
import { type Operation, operation } from '../../../src/protocol/operation-slot.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { FreeWorld } from '../../support/free-world.js';
import { NETWORK } from '../../support/network.js';

/**
 * Ids can be written into operations that no object will ever have. Whatever an operation does with one, it is refused
 * like any that is unknown, or carried; it never costs more than that.
 */

const INSTANCES = [2n ** 48n, 2n ** 64n - 1n];

/** JSON of a type in which the ids for which `pick` says so are oversized, and lists have one member. */
function jsonOf(type: AnyType, instance: bigint, pick: () => boolean, depth = 0): Json {
  const { shape } = type;
  const of = (inner: AnyType): Json => jsonOf(inner, instance, pick, depth + 1);
  switch (shape.kind) {
    case 'struct':
      return Object.fromEntries(shape.fields.map(([name, inner]) => [name, of(inner)]));
    case 'optional':
      return of(shape.of);
    case 'array':
    case 'set':
      return depth < 4 && shape.of.name.endsWith('_id') ? [of(shape.of)] : [];
    case 'map':
      return depth < 4 ? [[of(shape.key), 1]] : [];
    case 'extension':
      return {};
    case 'variant':
      return [0, {}];
    default:
      break;
  }
  const initial = type.toJson(type.default(), NETWORK);
  if (typeof initial !== 'string' || !/^\d+\.\d+\.\d+$/.test(initial) || type.name === 'object_id_type') {
    return typeof initial === 'number' ? 1 : initial;
  }
  const [space, kind] = initial.split('.');
  return pick() ? `${space}.${kind}.${instance}` : `${space}.${kind}.1`;
}

function countIds(type: AnyType): number {
  let count = 0;
  jsonOf(type, 0n, () => {
    count++;
    return false;
  });
  return count;
}

function survives(w: FreeWorld, op: Operation): void {
  const { state } = w;
  state.openFrame();
  try {
    const { parameters } = state.single(globalPropertyObject);
    for (const work of [
      () => OPERATIONS[op[0]]?.validate(op[1] as never),
      () => requiredFee(parameters.current_fees, op),
      () => verifyAuthority(state, requiredAuthorities([op]), { keys: [] }),
      () => runOperation(state, op, w.context),
      () => runOperation(state, op, { ...w.context, proposed: true }),
    ]) {
      try {
        work();
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
      }
    }
  } finally {
    state.undoFrame();
  }
}

const RULES: readonly (readonly [string, ForkTimes, number])[] = [
  ['today', ALL_FORKS_ACTIVE, 1_700_000_000],
  ['in 2017', MAINNET_FORKS, 1_500_000_000],
];

for (const [when, forks, time] of RULES) {
  const w = new FreeWorld(time, forks);
  for (const definition of OPERATIONS) {
    t.test(`${definition.name} ${when}`, async (t) => {
      const ids = countIds(definition.schema);
      for (const instance of INSTANCES) {
        // Each id alone, so that the others get it past the checks before; then all together.
        for (let chosen = 0; chosen <= ids; chosen++) {
          let at = 0;
          const pick = (): boolean => chosen === ids || at++ === chosen;
          const json: Json = [definition.tag, jsonOf(definition.schema, instance, pick)];
          const op = operation.fromJson(json, NETWORK) as Operation;
          const packed = encode(operation, op);
          t.same(encode(operation, decode(operation, packed)), packed, 'the bytes keep it');
          const printed = JSON.stringify(operation.toJson(op, NETWORK));
          t.same(encode(operation, operation.fromJson(parseJson(printed), NETWORK)), packed, 'and so does the JSON');
          t.doesNotThrow(() => survives(w, op), `${printed}`);
        }
      }
    });
  }
}
