import { invariant } from '../base/errors.js';
import type { AnyOperationDef } from './define.js';

/**
 * The registry as seen from code that the registry's own members use (proposals run other operations). The list itself
 * is assembled in `index.ts`, which fills this when it is loaded.
 */
let definitions: readonly AnyOperationDef[] | undefined;

export function registerDefinitions(list: readonly AnyOperationDef[]): void {
  definitions = list;
}

/** The definition of an operation with this tag; the decoder admits known tags only. */
export function definitionOf(tag: number): AnyOperationDef {
  invariant(definitions !== undefined, 'the list of operations is loaded before anything is applied');
  const definition = definitions[tag];
  invariant(definition !== undefined, `operation ${tag} is registered`);
  return definition;
}
