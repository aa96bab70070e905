import type { GroupIndex, IndexKey, ObjectDef, OrderedIndex, SeveralIndex, StateObject } from '../../state/define.js';
import type { Pieces } from '../pieces/pieces.js';
import type { ChainPort } from '../ports.js';

/**
 * Walks through the state that can be left in between. Blocks may come then: each object is shown as it is when its turn
 * comes.
 */

/** Objects looked at between two places where the work can be left. */
const OBJECTS_PER_PIECE = 256;

/** Every object of a type, by id. */
export function* eachObject<T extends StateObject>(
  chain: ChainPort,
  definition: ObjectDef<T>,
  visit: (object: Readonly<T>) => void,
): Pieces<void> {
  for (let id = 0; id < chain.state.nextInstance(definition); id++) {
    if (id % OBJECTS_PER_PIECE === OBJECTS_PER_PIECE - 1) yield;
    const object = chain.state.find(definition, id);
    if (object !== undefined) visit(object);
  }
}

/** The objects of a group, by id. */
export function* eachOfGroup<T extends StateObject, K extends IndexKey>(
  chain: ChainPort,
  index: GroupIndex<T, K> | SeveralIndex<T, K>,
  key: K,
  visit: (object: Readonly<T>) => void,
): Pieces<void> {
  let from = 0;
  for (;;) {
    const page = chain.state.groupPage(index, key, from, OBJECTS_PER_PIECE);
    for (const object of page) visit(object);
    const last = page[OBJECTS_PER_PIECE - 1];
    if (last === undefined) return;
    from = last.id + 1;
    yield;
  }
}

export function* groupInPieces<T extends StateObject, K extends IndexKey>(
  chain: ChainPort,
  index: GroupIndex<T, K> | SeveralIndex<T, K>,
  key: K,
): Pieces<Readonly<T>[]> {
  const out: Readonly<T>[] = [];
  yield* eachOfGroup(chain, index, key, (object) => void out.push(object));
  return out;
}

/** Objects from a key on, in the order of the index, for as long as `isWanted`. */
export function* eachFrom<T extends StateObject>(
  chain: ChainPort,
  index: OrderedIndex<T>,
  from: readonly IndexKey[],
  isWanted: (object: Readonly<T>) => boolean,
  visit: (object: Readonly<T>) => void,
): Pieces<void> {
  let object = chain.state.lowerBound(index, from);
  for (let count = 1; object !== undefined && isWanted(object); count++) {
    visit(object);
    if (count % OBJECTS_PER_PIECE === 0) {
      // The object itself may have another place or none when the walk goes on; this stands right behind its old one.
      const place: Readonly<T> = { ...object, id: object.id + 0.5 };
      yield;
      object = chain.state.next(index, place);
    } else object = chain.state.next(index, object);
  }
}
