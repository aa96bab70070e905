import type { AnyType } from '../../src/codec/type.js';
import type { StateObject } from '../../src/state/define.js';
import { accountObject } from '../../src/state/objects/account.js';
import { assetObject } from '../../src/state/objects/asset.js';
import { committeeMemberObject } from '../../src/state/objects/committee-member.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import type { ReadState } from '../../src/state/views.js';

function accountNamed(s: ReadState, name: string): number {
  return found(s.findBy(accountObject.by.name, name), 'account', name);
}

function found(object: Readonly<StateObject> | undefined, what: string, name: string): number {
  if (object === undefined) throw new Error(`there is no ${what} ${name}`);
  return object.id;
}

/** Ids that a test may write as the name of an account or the symbol of an asset. */
const BY_NAME: Readonly<Record<string, (s: ReadState, name: string) => number>> = {
  account_id: accountNamed,
  asset_id: (s, symbol) => found(s.findBy(assetObject.by.symbol, symbol), 'asset', symbol),
  witness_id: (s, name) => found(s.findBy(witnessObject.by.account, accountNamed(s, name)), 'witness', name),
  committee_member_id: (s, name) =>
    found(s.findBy(committeeMemberObject.by.account, accountNamed(s, name)), 'committee member', name),
};

/** A value of the type in which names stand for ids. Members of a struct that are absent stay absent. */
export function resolveNames(s: ReadState, type: AnyType, given: unknown): unknown {
  if (given === undefined || given === null) return given;
  const byName = BY_NAME[type.name];
  if (byName !== undefined) return typeof given === 'string' ? byName(s, given) : given;
  const shape = type.shape;
  switch (shape.kind) {
    case 'struct':
    case 'extension': {
      const fields = new Map(shape.fields);
      const out: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(given as Record<string, unknown>)) {
        const field = fields.get(name);
        if (field === undefined) throw new Error(`${type.name} has no field ${name}`);
        out[name] = resolveNames(s, field, value);
      }
      return out;
    }
    case 'array':
    case 'set':
      return (given as unknown[]).map((item) => resolveNames(s, shape.of, item));
    case 'map':
    case 'pair':
      return Array.isArray(given) && shape.kind === 'map'
        ? given.map((entry: [unknown, unknown]) => [
            resolveNames(s, shape.key, entry[0]),
            resolveNames(s, shape.of, entry[1]),
          ])
        : given;
    case 'optional':
      return resolveNames(s, shape.of, given);
    case 'variant': {
      const [tag, value] = given as [number, unknown];
      return [tag, resolveNames(s, shape.of[tag] as AnyType, value)];
    }
    default:
      return given;
  }
}
