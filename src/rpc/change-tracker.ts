import { formatObjectId } from '../protocol/ids.js';
import type { AppliedBlock, ChainPort, ChangedObject } from './ports.js';

export function idOf({ definition, instance }: Pick<ChangedObject, 'definition' | 'instance'>): string {
  return formatObjectId(definition.space, definition.type, instance);
}

/**
 * What somebody who was told of every change must be told next. Follows fork switches: what taking blocks back changed
 * is told with the next block.
 */
export class ChangeTracker {
  readonly #chain: Pick<ChainPort, 'state'>;
  /** Which objects a block changed, for as long as the block may be taken back. */
  readonly #undoable = new Map<string, { readonly number: number; readonly objects: ChangedObject[] }>();
  /** Objects that undone blocks changed, until the next block tells of them. */
  readonly #rewound = new Map<string, ChangedObject>();
  #head: string | undefined;

  constructor(chain: Pick<ChainPort, 'state'>) {
    this.#chain = chain;
  }

  /** The block's own changes, then what undone blocks changed and this one does not touch: changed back, or gone. */
  applied(block: AppliedBlock, changes: readonly ChangedObject[]): ChangedObject[] {
    // Values are not kept: what a fork switch changes back is looked up then.
    this.#undoable.set(block.id, { number: block.number, objects: changes.map(withoutValue) });
    this.#head = block.id;
    for (const change of changes) this.#rewound.delete(idOf(change));
    const rewound = [...this.#rewound.values()].map(({ definition, instance }) => {
      const object = this.#chain.state.find(definition, instance);
      return { definition, instance, object, created: false };
    });
    return [...changes, ...rewound];
  }

  /** These belong to the head block and are undone with it. */
  amended(changes: readonly ChangedObject[]): void {
    const objects = this.#head === undefined ? undefined : this.#undoable.get(this.#head)?.objects;
    for (const change of changes) objects?.push(withoutValue(change));
  }

  undone(block: AppliedBlock): void {
    for (const change of this.#undoable.get(block.id)?.objects ?? []) this.#rewound.set(idOf(change), change);
    this.#undoable.delete(block.id);
  }

  irreversible(number: number): void {
    for (const [id, one] of this.#undoable) if (one.number <= number) this.#undoable.delete(id);
  }

  forgetUndone(): void {
    this.#rewound.clear();
  }
}

function withoutValue(change: ChangedObject): ChangedObject {
  return { ...change, object: undefined };
}
