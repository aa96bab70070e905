import { dynamicGlobalPropertyObject } from '../state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../state/objects/global-property.js';
import { witnessObject } from '../state/objects/witness.js';
import type { WriteState } from '../state/views.js';

/** A block that this share of the witnesses, in ten-thousandths, have built on cannot be undone any more. */
const THRESHOLD = 7000;
const UNIT = 10_000;

/** Number that all but the slowest witnesses have confirmed. */
export function confirmedByMost(confirmed: readonly number[]): number {
  const ascending = [...confirmed].sort((a, b) => a - b);
  return ascending[Math.floor(((UNIT - THRESHOLD) * ascending.length) / UNIT)] ?? 0;
}

export function updateLastIrreversible(s: WriteState): void {
  const { active_witnesses } = s.single(globalPropertyObject);
  const candidate = confirmedByMost(active_witnesses.map((id) => s.get(witnessObject, id).last_confirmed_block_num));
  const head = s.single(dynamicGlobalPropertyObject);
  if (candidate <= head.last_irreversible_block_num) return;
  s.edit(dynamicGlobalPropertyObject, head).last_irreversible_block_num = candidate;
}
