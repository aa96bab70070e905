import type { Network } from '../codec/type.js';
import type { Fork } from '../protocol/forks.js';
import type { Instance } from '../protocol/ids.js';
import type {
  GroupIndex,
  IndexKey,
  ObjectDef,
  OrderedIndex,
  SeveralIndex,
  StateObject,
  UniqueIndex,
} from './define.js';

/**
 * What rules may do with the state. Checks receive ReadState, effects WriteState: a check that changes something does
 * not compile.
 */
export interface ReadState {
  /** Time of the last applied block: what every rule calls now. */
  readonly headTime: number;
  readonly headNumber: number;
  readonly chainId: string;
  /** For texts in refusals; nothing that the chain decides depends on it. */
  readonly network: Network;
  active(fork: Fork): boolean;
  /** 1.3.1 since fork 1008, 1.3.0 before. */
  readonly coreAsset: number;
  /** The key with which this account signs alone, undefined where that is not so simple. Refuses as `get`. */
  plainKey(account: Instance): string | undefined;

  /** The object, or the refusal `Unable to find Object 1.2.5`. */
  get<T extends StateObject>(definition: ObjectDef<T>, instance: number): Readonly<T>;
  find<T extends StateObject>(definition: ObjectDef<T>, instance: number): Readonly<T> | undefined;
  /** The object as of the newest block, whatever pending transactions have made of it. */
  committed<T extends StateObject>(definition: ObjectDef<T>, instance: number): Readonly<T> | undefined;
  /** The object of a type that exists once. */
  single<T extends StateObject>(definition: ObjectDef<T>): Readonly<T>;
  findBy<T extends StateObject, K extends IndexKey>(index: UniqueIndex<T, K>, key: K): Readonly<T> | undefined;
  /** Members in id order; a snapshot, so that the caller may change or remove them while walking. */
  group<T extends StateObject, K extends IndexKey>(
    index: GroupIndex<T, K> | SeveralIndex<T, K>,
    key: K,
  ): readonly Readonly<T>[];
  /** Members from an id on, at most so many: for who has to stop in between. */
  groupPage<T extends StateObject, K extends IndexKey>(
    index: GroupIndex<T, K> | SeveralIndex<T, K>,
    key: K,
    from: number,
    limit: number,
  ): readonly Readonly<T>[];
  groupSize<T extends StateObject, K extends IndexKey>(index: GroupIndex<T, K> | SeveralIndex<T, K>, key: K): number;
  /** First object whose leading key parts are not less than `from`; with `strict` greater than it. */
  lowerBound<T extends StateObject>(
    index: OrderedIndex<T>,
    from: readonly IndexKey[],
    strict?: boolean,
  ): Readonly<T> | undefined;
  /** Neighbours in index order. */
  next<T extends StateObject>(index: OrderedIndex<T>, object: Readonly<T>): Readonly<T> | undefined;
  previous<T extends StateObject>(index: OrderedIndex<T>, object: Readonly<T>): Readonly<T> | undefined;
  last<T extends StateObject>(index: OrderedIndex<T>): Readonly<T> | undefined;
  /** Walks in index order, optionally from a lower bound. The index must not change meanwhile. */
  walk<T extends StateObject>(index: OrderedIndex<T>, from?: readonly IndexKey[]): Iterable<Readonly<T>>;
  /** All objects of a type in id order. Objects may be modified meanwhile, not created or removed. */
  all<T extends StateObject>(definition: ObjectDef<T>): Iterable<Readonly<T>>;
  /** As `all`, several times as fast. */
  forEach<T extends StateObject>(definition: ObjectDef<T>, visit: (object: Readonly<T>) => void): void;
  count(definition: ObjectDef): number;
  /** Instance that the next created object of this type gets. */
  nextInstance(definition: ObjectDef): number;
}

export interface WriteState extends ReadState {
  create<T extends StateObject>(definition: ObjectDef<T>, value: Omit<T, 'id'>): Readonly<T>;
  /**
   * Changes the object in place; references to it see the new values. `change` assigns fields and does nothing else to
   * the state. If it throws, or if the new values violate a unique index, the object is as before.
   */
  modify<T extends StateObject>(definition: ObjectDef<T>, object: Readonly<T>, change: (object: T) => void): void;
  /**
   * As `modify`, for types whose keys never change: gives the object to assign fields to. What is assigned has been
   * computed and checked before, since nothing is put back where an assignment is not reached.
   */
  edit<T extends StateObject>(definition: ObjectDef<T>, object: Readonly<T>): T;
  remove<T extends StateObject>(definition: ObjectDef<T>, object: Readonly<T>): void;
  /** Runs `work` in a nested frame: kept when it returns, undone without a trace when it throws. */
  nested<R>(work: () => R): R;
}
