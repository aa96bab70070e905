import type { BlockId } from '../../src/crypto/digests.js';
import type { ChainEvent } from '../../src/plugin/api.js';
import { accountHistoryRecord, operationHistoryRecord } from '../../src/protocol/objects/chain.js';
import type { AnyObjectDeclaration } from '../../src/protocol/objects/declare.js';
import type { HistoryCounts, HistorySource } from '../../src/rpc/history-source.js';
import type { StateObject } from '../../src/state/define.js';
import { type AccountStatisticsObject, accountStatisticsObject } from '../../src/state/objects/account-statistics.js';
import { blockSummaryObject } from '../../src/state/objects/block-summary.js';
import { OBJECTS } from '../../src/state/objects/index.js';
import type { ReadState } from '../../src/state/views.js';
import type { Selection } from './options.js';

type Value = Readonly<StateObject>;

/** What is kept of one type until it has been read. */
interface Kept {
  readonly definition: AnyObjectDeclaration;
  readonly end: number;
  /** The next instance that is read. */
  next: number;
  /** What changed since, as it was. */
  readonly before: Map<number, Value | undefined>;
  now(instance: number): Value | undefined;
}

/** Ids of blocks that the chain remembers: all are there from the first block on. */
const SUMMARIES = 65_536;
const NO_BLOCK_ID = '00'.repeat(20);

const keyOf = ({ space, type }: AnyObjectDeclaration): string => `${space}.${type}`;

export interface ImageSource {
  readonly state: ReadState;
  readonly history: HistorySource | undefined;
  readonly block: { readonly number: number; readonly id: BlockId };
}

/**
 * Objects as they are behind one block, while the chain goes on: whoever made the image tells it of what comes, and what
 * is changed before it has been read is kept as it was.
 */
export class StateImage {
  readonly number: number;
  readonly #history: HistorySource | undefined;
  readonly #operations: number;
  readonly #kept = new Map<string, Kept>();
  /** Of accounts, where they have changed since. */
  readonly #counts = new Map<number, HistoryCounts | undefined>();
  #trouble: string | undefined;

  /** While the chain tells of this block. */
  constructor({ state, history, block }: ImageSource, { space, type, instance }: Selection) {
    this.number = block.number;
    this.#history = history?.changesOf(block.id) === undefined ? undefined : history;
    const { operations, entries } = this.#history?.numbers() ?? { operations: 0, entries: 0 };
    this.#operations = operations;
    const add = (definition: AnyObjectDeclaration, all: number, now: Kept['now']): void => {
      if ((space ?? definition.space) !== definition.space || (type ?? definition.type) !== definition.type) return;
      const end = instance === undefined ? all : Math.min(all, instance + 1);
      this.#kept.set(keyOf(definition), { definition, end, next: instance ?? 0, before: new Map(), now });
    };
    for (const definition of OBJECTS) {
      const end = definition === blockSummaryObject ? SUMMARIES : state.nextInstance(definition);
      add(definition, end, (id) => state.committed(definition, id));
    }
    add(operationHistoryRecord, operations, (id) => this.#history?.operation(id));
    add(accountHistoryRecord, entries, (id) => this.#history?.entry(id));
  }

  /** Whether what accounts did is in it. */
  get hasHistory(): boolean {
    return this.#history !== undefined;
  }

  /** Why it is of no use any more. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Everything that the chain tells behind the block. */
  follow(event: ChainEvent): void {
    if (event.kind === 'undone' && event.block.number <= this.number) this.#trouble ??= 'the block was undone';
    else if (event.kind === 'amended') this.#trouble ??= 'the state was changed by hand';
    else if (event.kind === 'applied') this.#keep(event);
  }

  #keep({ block, changes }: Extract<ChainEvent, { kind: 'applied' }>): void {
    for (const { definition, instance, before } of changes()) this.#keepOne(definition, instance, before);
    if (this.#history === undefined) return;
    const history = this.#history.changesOf(block.id);
    if (history === undefined) {
      this.#trouble ??= 'the histories of accounts do not keep up with the chain';
      return;
    }
    for (const { definition, instance, before } of history.objects) this.#keepOne(definition, instance, before);
    for (const [account, before] of history.counts) {
      if (!this.#counts.has(account)) this.#counts.set(account, before);
    }
  }

  #keepOne(definition: AnyObjectDeclaration, instance: number, before: Value | undefined): void {
    const kept = this.#kept.get(keyOf(definition));
    if (kept === undefined || instance < kept.next || instance >= kept.end || kept.before.has(instance)) return;
    kept.before.set(instance, before);
  }

  /** The types in the order of their numbers. */
  get types(): readonly AnyObjectDeclaration[] {
    const all = [...this.#kept.values()].map(({ definition }) => definition);
    return all.sort((a, b) => a.space - b.space || a.type - b.type);
  }

  /** Each once, in the order of their ids, undefined for one that is not there. To be used before the state changes. */
  *read(definition: AnyObjectDeclaration): Generator<Value | undefined> {
    const kept = this.#kept.get(keyOf(definition));
    if (kept === undefined) return;
    while (kept.next < kept.end) {
      const instance = kept.next;
      const found = kept.before.has(instance) ? kept.before.get(instance) : kept.now(instance);
      kept.before.delete(instance);
      kept.next++;
      yield this.#whole(definition, instance, found);
    }
  }

  /** With what the state itself does not hold of it. */
  #whole(definition: AnyObjectDeclaration, id: number, found: Value | undefined): Value | undefined {
    if (definition === blockSummaryObject) return found ?? ({ id, block_id: NO_BLOCK_ID } as StateObject);
    if (found === undefined || definition !== accountStatisticsObject) return found;
    const { owner } = found as AccountStatisticsObject;
    const counts = this.#counts.has(owner) ? this.#counts.get(owner) : this.#history?.counts(owner);
    return { ...found, ...counts };
  }

  /** What is read of a history that has stopped meanwhile would be missing. */
  checkHistory(): void {
    if (this.#history !== undefined && this.#history.numbers().operations < this.#operations) {
      this.#trouble ??= 'the histories of accounts have stopped';
    }
  }
}
