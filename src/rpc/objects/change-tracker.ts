import type { UndoneChange } from '../../chain/events.js';
import { formatObjectId } from '../../protocol/ids.js';
import type { AnyObjectDeclaration } from '../../protocol/objects/declare.js';
import type { Change } from '../../state/object-db.js';
import type { ChainPort } from '../ports.js';

interface ObjectName {
  readonly definition: AnyObjectDeclaration;
  readonly instance: number;
}

export function idOf({ definition, instance }: ObjectName): string {
  return formatObjectId(definition.space, definition.type, instance);
}

/**
 * What somebody who was told of every change must be told besides: objects that undone blocks had changed and that no
 * block since has changed again. The chain says which, so that it does not matter who listened when those blocks came.
 */
export class ChangeTracker {
  readonly #chain: Pick<ChainPort, 'state'>;
  readonly #rewound = new Map<string, UndoneChange>();

  constructor(chain: Pick<ChainPort, 'state'>) {
    this.#chain = chain;
  }

  get hasRewound(): boolean {
    return this.#rewound.size > 0;
  }

  /** Whoever was told of a block's changes knows these objects as they are. */
  applied(changes: () => readonly ObjectName[]): void {
    if (this.hasRewound) for (const change of changes()) this.#rewound.delete(idOf(change));
  }

  /** Values are not kept but looked up when they are told. The first block that goes is the last that was told. */
  undone(changed: readonly UndoneChange[]): void {
    for (const one of changed) {
      const id = idOf(one);
      if (!this.#rewound.has(id)) this.#rewound.set(id, one);
    }
  }

  /** Changed back, or gone. What was gone and is there again counts as created. */
  rewound(): Change[] {
    const out: Change[] = [];
    for (const { definition, instance, value: was } of this.#rewound.values()) {
      const value = this.#chain.state.find(definition, instance);
      if (value === undefined && was === undefined) continue;
      const before = value === undefined ? was : undefined;
      out.push({ definition, instance, value, isNew: was === undefined, before });
    }
    return out;
  }

  forget(): void {
    // After each block: even an empty map would get a new table.
    if (this.hasRewound) this.#rewound.clear();
  }
}
