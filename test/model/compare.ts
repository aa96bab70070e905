import { toHex } from '../../src/base/bytes.js';
import type { ObjectDef, StateObject } from '../../src/state/define.js';
import type { ReadState } from '../../src/state/views.js';
import type { Model } from './model.js';
import { plainCopy } from './tables.js';

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

/** The same for equal values, whatever order their members were assigned in. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === 'bigint') return `${one}n`;
    if (one instanceof Uint8Array) return toHex(one);
    if (one === null || typeof one !== 'object' || Array.isArray(one)) return one;
    return Object.fromEntries(Object.entries(one).sort(byName));
  });
}

/** Every object that is not the same in both, in words. */
export function differences(state: ReadState, m: Model, definitions: readonly ObjectDef[]): string[] {
  return definitions.flatMap((definition) => {
    const found: string[] = [];
    const { name } = definition;
    const [next, expected] = [state.nextInstance(definition), m.next(definition)];
    if (next !== expected) found.push(`the next ${name} is ${next}, not ${expected}`);
    const rows = new Map(m.all(definition).map((row) => [row.id, textOf(row)]));
    for (const object of state.all(definition) as Iterable<StateObject>) {
      const here = textOf(plainCopy(definition, object));
      const there = rows.get(object.id);
      rows.delete(object.id);
      if (here !== there) found.push(`${name} ${object.id}\n  is  ${here}\n  not ${there}`);
    }
    return [...found, ...[...rows.keys()].map((id) => `${name} ${id} is not there`)];
  });
}
