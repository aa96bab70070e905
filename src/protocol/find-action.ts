import { onceFor } from '../base/once-for.js';

interface Named {
  readonly name: bigint;
}

/** Of so many actions each is looked at. */
const SCANNED_MAX = 32;

/**
 * Places of actions in the order of their names, for long lists: an ABI may have two hundred thousand actions, and what
 * it takes to find one is not billed.
 */
const orderOf = onceFor((actions: readonly Named[]) =>
  Uint32Array.from(actions.keys()).sort((a, b) => {
    const [one, other] = [(actions[a] as Named).name, (actions[b] as Named).name];
    return one < other ? -1 : one > other ? 1 : a - b;
  }),
);

/** The first action with the name. */
export function findAction<A extends Named>(actions: readonly A[], name: bigint): A | undefined {
  if (actions.length <= SCANNED_MAX) return actions.find((action) => action.name === name);
  const order = orderOf(actions);
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((actions[order[middle] as number] as A).name < name) low = middle + 1;
    else high = middle;
  }
  const found = actions[order[low] ?? actions.length];
  return found?.name === name ? found : undefined;
}
