import type { Json, JsonObject } from '../../src/codec/json.js';

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * The body of an operation for a database that has one type per name, wherever it stands: lists become text, and a name
 * that is sometimes an object and sometimes not gets another one. Rules, their order and the order of members are the
 * reference's, but for one: an asset keeps its `amount` beside `amount_str`, as readers of older indexes expect.
 */
export function adapted(object: JsonObject): JsonObject {
  const out = new Map<string, Json>();
  const renamed: string[] = [];
  const lists: string[] = [];
  for (const [name, value] of Object.entries(object)) {
    if (Array.isArray(value)) {
      lists.push(name);
    } else if (isObject(value)) {
      if (Object.hasOwn(value, name)) renamed.push(name);
      out.set(name, adapted(value));
    } else {
      out.set(name, value);
    }
  }
  for (const name of lists.sort(compare)) out.set(`${name}_str`, JSON.stringify(object[name]));
  for (const name of renamed) moveTo(out, name, `${name}_`);
  const memo = out.get('memo');
  if (typeof memo === 'string') moveTo(out, 'memo', 'memo_');
  else if (isObject(memo) && memo.nonce !== undefined) out.set('memo', { ...memo, nonce: String(memo.nonce) });
  const parameters = out.get('new_parameters');
  if (isObject(parameters)) {
    const { current_fees: _, ...rest } = parameters;
    out.set('new_parameters', rest);
  }
  if (typeof out.get('owner') === 'string') moveTo(out, 'owner', 'owner_');
  const amount = out.get('amount');
  if (amount !== undefined) {
    if (!out.has('asset_id')) out.delete('amount');
    out.set('amount_str', String(amount));
  }
  const fee = out.get('max_market_fee');
  if (fee !== undefined) {
    out.delete('max_market_fee');
    out.set('max_market_fee_row', String(fee));
  }
  return Object.fromEntries(out);
}

/** Under another name, at the end. */
function moveTo(members: Map<string, Json>, name: string, other: string): void {
  const value = members.get(name);
  members.delete(name);
  if (value !== undefined) members.set(other, value);
}
