import type { BlockId, TransactionId } from '../crypto/digests.js';
import type { AppliedOperation } from '../operations/define.js';
import type { SignedBlock } from '../protocol/block.js';
import type { ProcessedTransaction } from '../protocol/transaction.js';
import type { Change } from '../state/object-db.js';
import type { Bugs } from './bugs.js';

export interface ToldBlock {
  readonly number: number;
  readonly id: BlockId;
  readonly block: SignedBlock;
  /** As it travels and lies on the disk. */
  readonly bytes: Uint8Array;
  readonly transactionIds: readonly TransactionId[];
}

export interface ToldTransaction {
  readonly id: TransactionId;
  readonly transaction: ProcessedTransaction;
}

/** What undone blocks had changed; the value of an object that is gone is what it was, undefined if they removed it. */
export type UndoneChange = Pick<Change, 'definition' | 'instance' | 'value'>;

/** What the core tells. A listener is called between two changes of the state and must not change it nor throw. */
export type ChainEvent =
  | {
      readonly kind: 'applied';
      readonly block: ToldBlock;
      /** Operations of the block's transactions and those that proposals, contracts and the chain itself issued. */
      readonly operations: readonly AppliedOperation[];
      /** Objects that the block has changed, with their new values; computed when called, valid during the event only. */
      changes(): readonly Change[];
    }
  | {
      readonly kind: 'undone';
      readonly block: ToldBlock;
      /**
       * Objects that the block had changed: they have their old values again, or are gone. The value of one that is gone
       * is what it was.
       */
      readonly changed: readonly UndoneChange[];
    }
  /** The debug API has changed an object of the head block's state. */
  | { readonly kind: 'amended'; changes(): readonly Change[] }
  | { readonly kind: 'irreversible'; readonly number: number }
  /** A call that may have changed blocks is over: all that belongs together has been told. */
  | { readonly kind: 'settled' }
  | {
      readonly kind: 'pending';
      readonly transaction: ToldTransaction;
      readonly operations: readonly AppliedOperation[];
    }
  /** After a block: what waits through it. Not told of when nothing waits. */
  | {
      readonly kind: 'waiting';
      /** What undone blocks held. */
      readonly returned: readonly ToldTransaction[];
      /** All of them; they become objects one by one, as there may be very many. Valid during the event only. */
      transactions(): Iterable<ToldTransaction>;
    };

export type ChainListener = (event: ChainEvent) => void;

export class ChainEvents {
  readonly #listeners = new Set<ChainListener>();
  readonly #bugs: Bugs;

  constructor(bugs: Bugs) {
    this.#bugs = bugs;
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Returns the way to unsubscribe. */
  subscribe(listener: ChainListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** All are told. That one of them throws is a bug of ours, never the refusal of what it was told of. */
  emit(event: ChainEvent): void {
    const errors: unknown[] = [];
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        errors.push(error);
      }
    }
    for (const error of errors) this.#bugs.ofListener(event.kind, error);
  }
}
