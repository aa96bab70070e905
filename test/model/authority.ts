import type { Authority } from '../../src/protocol/authority.js';
import type { Operation } from '../../src/protocol/operation-slot.js';
import { addressesOf } from './addresses.js';
import type { Model, Required } from './model.js';
import { must } from './tables.js';

export interface Proof {
  readonly keys: readonly string[];
  readonly active?: readonly number[];
  readonly owner?: readonly number[];
  readonly committee?: boolean;
}

export function requiredBy(m: Model, operations: readonly Operation[]): Required {
  const required: Required = { active: new Set(), owner: new Set(), other: [] };
  for (const [tag, body] of operations) {
    const rule = m.rule(tag);
    required.active.add(rule.payer(body));
    rule.asks?.(body, required);
  }
  return required;
}

const ascending = (ids: Iterable<number>): number[] => [...ids].sort((a, b) => a - b);

/** One look at who is allowed what: which keys were used and which accounts were found to agree is remembered. */
class Walk {
  readonly used = new Set<string>();
  readonly approved: Set<number>;
  readonly #m: Model;
  readonly #keys: readonly string[];

  constructor(m: Model, keys: readonly string[], approved: readonly number[] = []) {
    this.#m = m;
    this.#keys = keys;
    this.approved = new Set([4, ...approved]);
  }

  check(auth: Authority, depth = 0): boolean {
    let total = 0;
    const enough = (weight: number): boolean => {
      total += weight;
      return total >= auth.weight_threshold;
    };
    for (const [key, weight] of auth.key_auths) {
      if (!this.#keys.includes(key)) continue;
      this.used.add(key);
      if (enough(weight)) return true;
    }
    for (const [address, weight] of auth.address_auths) {
      const key = this.#keys.find((one) => addressesOf(one).includes(address));
      if (key === undefined) continue;
      this.used.add(key);
      if (enough(weight)) return true;
    }
    for (const [id, weight] of auth.account_auths) {
      if (!this.approved.has(id)) {
        if (depth === this.#m.parameters.max_authority_depth) continue;
        if (!this.check(this.#m.account(id).active, depth + 1)) continue;
        this.approved.add(id);
      }
      if (enough(weight)) return true;
    }
    return total >= auth.weight_threshold;
  }
}

/** Refuses what these keys and approvals do not allow, and keys that nothing asked for. */
export function verify(m: Model, required: Required, { keys, active = [], owner = [], committee }: Proof): void {
  must(committee === true || !required.active.has(0), 'the committee only proposes');
  const walk = new Walk(m, keys, [...active, ...owner]);
  for (const auth of required.other) must(walk.check(auth), 'another authority is missing');
  for (const id of ascending(required.active)) {
    const may = walk.approved.has(id) || walk.check(m.account(id).active) || walk.check(m.account(id).owner);
    must(may, 'an active authority is missing');
  }
  for (const id of ascending(required.owner)) {
    must(owner.includes(id) || walk.check(m.account(id).owner), 'an owner authority is missing');
  }
  must(
    keys.every((key) => walk.used.has(key)),
    'a key that nobody asked for',
  );
}

/** Keys at hand that the operations have a use for. */
export function useful(m: Model, required: Required, keys: readonly string[]): string[] {
  const walk = new Walk(m, keys);
  for (const auth of required.other) walk.check(auth);
  for (const id of ascending(required.owner)) walk.check(m.account(id).owner);
  for (const id of ascending(required.active)) walk.check(m.account(id).active);
  return [...walk.used];
}
