import type { Test } from 'tap';
import type { ErrorRow } from '../../src/base/errors.js';
import type { Changes } from './changed-operation.js';
import { refused } from './refused.js';

/** What may be wrong, in the order in which the reference looks. */
export type Faults = readonly (readonly [changes: Changes, row: ErrorRow])[];

/** Two faults of the same member, of which an operation can only have one. */
const exclude = (one: Changes, other: Changes): boolean => Object.keys(one).some((path) => path in other);

/** `run` is refused for each of the faults, and for any two of them with the row of the one that comes first. */
export function refusedInOrder(t: Test, what: string, run: (changes: Changes) => unknown, faults: Faults): void {
  faults.forEach(([first, row], i) => {
    refused(t, row, () => run(first), `${what}: ${row.key} alone`);
    for (const [second, later] of faults.slice(i + 1)) {
      if (exclude(first, second)) continue;
      refused(t, row, () => run({ ...first, ...second }), `${what}: ${row.key} before ${later.key}`);
    }
  });
}
