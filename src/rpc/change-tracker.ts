import { formatObjectId } from '../protocol/ids.js';
import type { ChainPort, ChangedObject, ObjectName } from './ports.js';

export function idOf({ definition, instance }: ObjectName): string {
  return formatObjectId(definition.space, definition.type, instance);
}

/**
 * What somebody who was told of every change must be told next. Follows fork switches: what taking blocks back changed
 * is told with the next block. The chain says what that was, so that it does not matter who listened when those blocks
 * came.
 */
export class ChangeTracker {
  readonly #chain: Pick<ChainPort, 'state'>;
  /** Objects that undone blocks had changed, until the next block tells of them. */
  readonly #rewound = new Map<string, ObjectName>();

  constructor(chain: Pick<ChainPort, 'state'>) {
    this.#chain = chain;
  }

  /** The block's own changes, then what undone blocks changed and this one does not touch: changed back, or gone. */
  applied(changes: readonly ChangedObject[]): ChangedObject[] {
    for (const change of changes) this.#rewound.delete(idOf(change));
    const rewound = [...this.#rewound.values()].map(({ definition, instance }) => {
      const object = this.#chain.state.find(definition, instance);
      return { definition, instance, object, created: false };
    });
    return [...changes, ...rewound];
  }

  /** Values are not kept: they are looked up when they are told. */
  undone(changed: readonly ObjectName[]): void {
    for (const one of changed) this.#rewound.set(idOf(one), one);
  }

  forgetUndone(): void {
    this.#rewound.clear();
  }
}
