import type { ChainState } from '../../state/chain-state.js';
import { type AnyObjectDef, idText, type StateObject } from '../../state/define.js';
import { blockSummaryObject } from '../../state/objects/block-summary.js';
import { OBJECTS } from '../../state/objects/index.js';

/** Empty block summaries behind the head that are written: as many as the reference's dumps of this family list. */
const EMPTY_SUMMARIES = 5;

/** `2.5` means all account balances, `2.5.17` one of them; an empty list means everything. */
function selects(patterns: readonly string[], definition: AnyObjectDef, id: string): boolean {
  if (patterns.length === 0) return true;
  return patterns.some((pattern) => pattern === id || pattern === `${definition.space}.${definition.type}`);
}

/**
 * All objects in the JSON of the RPC, by space, type and instance. Of the 65,536 block summaries only those that the
 * chain has reached are written, the rest is zero.
 */
export function* stateLines(state: ChainState, patterns: readonly string[] = []): Generator<string> {
  const definitions = [...OBJECTS].sort((a, b) => a.space - b.space || a.type - b.type);
  for (const definition of definitions) {
    for (const object of state.all(definition) as Iterable<StateObject>) {
      if (definition === blockSummaryObject && object.id > state.headNumber + EMPTY_SUMMARIES) break;
      const id = idText(definition, object.id);
      if (!selects(patterns, definition, id)) continue;
      const fields = definition.schema.toJson(object as never, state.network);
      yield JSON.stringify({ id, ...(fields as object) });
    }
  }
}
