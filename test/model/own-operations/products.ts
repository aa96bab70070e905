import type { ObjectDef, StateObject } from '../../../src/state/define.js';
import {
  type DataTransactionObject,
  dataTransactionObject,
  freeDataProductObject,
  leagueObject,
} from '../../../src/state/objects/data-market.js';
import { OBJECTS } from '../../../src/state/objects/index.js';
import { must } from '../tables.js';
import type { OwnModel } from './model.js';

interface Context {
  readonly version: string;
  readonly schema_context: string;
}

/** Whatever an id leads to that is named as a product; other objects have none of its members. */
export interface AnyProduct {
  readonly schema_contexts?: readonly Context[];
}

const TYPES = new Map(OBJECTS.map((one) => [`${one.space}.${one.type}`, one as ObjectDef]));

export const instanceOf = (id: bigint): number => Number(id & 0xffff_ffff_ffffn);

export function productOf(m: OwnModel, id: bigint): AnyProduct | undefined {
  const definition = TYPES.get(`${id >> 56n}.${(id >> 48n) & 0xffn}`);
  return definition && (m.find(definition, instanceOf(id)) as (StateObject & AnyProduct) | undefined);
}

/** Whether a context says yes to it, as true or as the text of it. */
export function says({ schema_context }: Context, member: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(schema_context);
  } catch {
    must(false, 'schema_json');
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const found: unknown = (value as Record<string, unknown>)[member];
  return found === true || found === 'true';
}

export const requestOf = (m: OwnModel, id: string): DataTransactionObject | undefined =>
  m.where(dataTransactionObject, (row) => row.request_id === id);

export function known(m: OwnModel, id: string, otherwise: string): DataTransactionObject {
  const row = requestOf(m, id);
  must(row !== undefined, otherwise);
  return row;
}

export const leagueOf = (m: OwnModel, { league_id }: DataTransactionObject) =>
  league_id === undefined ? undefined : m.get(leagueObject, league_id);

export const freeProduct = (m: OwnModel, id: bigint) => m.get(freeDataProductObject, instanceOf(id));
