import type { ObjectDef, StateObject } from '../../state/define.js';
import type { Pieces } from '../pieces/pieces.js';
import type { ChainPort } from '../ports.js';

/** Objects looked at between two places where the work can be left. */
const OBJECTS_PER_PIECE = 256;

/** Every object of a type, by id. Blocks may come in between: each object is shown as it is when its turn comes. */
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

export function* objectsWhere<T extends StateObject>(
  chain: ChainPort,
  definition: ObjectDef<T>,
  isWanted: (object: Readonly<T>) => boolean,
): Pieces<Readonly<T>[]> {
  const out: Readonly<T>[] = [];
  yield* eachObject(chain, definition, (object) => {
    if (isWanted(object)) out.push(object);
  });
  return out;
}
