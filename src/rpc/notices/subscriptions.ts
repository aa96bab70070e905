import type { ChainEvent, ToldTransaction } from '../../chain/events.js';
import type { Instance } from '../../protocol/ids.js';
import { signedTransaction } from '../../protocol/transaction.js';
import type { ClientSession } from '../client-session.js';
import { ChangeTracker } from '../objects/change-tracker.js';
import type { RpcPorts } from '../ports.js';
import { DataTransactionWatch, touchedDataTransaction } from './data-transactions.js';
import { withCountsOf, withHistory } from './history-changes.js';
import { KINDS, ObjectChanges, type ShownChange } from './object-changes.js';
import { ObjectWatch } from './object-watch.js';
import type { NoticeQueue } from './queue.js';

/** Stands for one api id of a connection: what was subscribed through one of them ends through the same. */
export interface ApiHandle {
  readonly session: ClientSession;
}

interface Watch {
  readonly session: ClientSession;
  objects: ObjectWatch | undefined;
  blockApplied: bigint | undefined;
  pending: bigint | undefined;
  readonly dataTransactions: DataTransactionWatch;
}

/** Who wants to hear of what. */
export class Subscriptions {
  readonly #node: Pick<RpcPorts, 'chain' | 'history'>;
  readonly #queue: NoticeQueue;
  readonly #watches = new Map<ApiHandle, Watch>();
  readonly #tracker: ChangeTracker;

  constructor(node: Pick<RpcPorts, 'chain' | 'history'>, queue: NoticeQueue) {
    this.#node = node;
    this.#queue = queue;
    this.#tracker = new ChangeTracker(node.chain);
  }

  get count(): number {
    return this.#watches.size;
  }

  /** Where no notice can go, what is asked for is forgotten at once. */
  #watch(handle: ApiHandle): Watch {
    let watch = this.#watches.get(handle);
    if (watch === undefined) {
      const { session } = handle;
      watch = {
        session,
        objects: undefined,
        blockApplied: undefined,
        pending: undefined,
        dataTransactions: new DataTransactionWatch(),
      };
      if (!session.canNotify) return watch;
      this.#watches.set(handle, watch);
      session.onClose(() => this.#watches.delete(handle));
    }
    return watch;
  }

  /** Starts over: what was watched before is forgotten. */
  watchObjects(handle: ApiHandle, callback: bigint, notifyRemoveCreate: boolean): void {
    this.#watch(handle).objects = new ObjectWatch(callback, notifyRemoveCreate);
  }

  /** An object that the client has looked at while it has a subscription: it hears of its changes. */
  touch(handle: ApiHandle, id: string): void {
    this.#watches.get(handle)?.objects?.touch(id);
  }

  watchAccount(handle: ApiHandle, account: Instance): void {
    this.#watches.get(handle)?.objects?.watchAccount(account);
  }

  watchBlocks(handle: ApiHandle, callback: bigint): void {
    this.#watch(handle).blockApplied = callback;
  }

  watchPending(handle: ApiHandle, callback: bigint): void {
    this.#watch(handle).pending = callback;
  }

  watchDataTransactions(handle: ApiHandle, callback: bigint): void {
    this.#watch(handle).dataTransactions.all = callback;
  }

  watchProducts(handle: ApiHandle, callback: bigint, products: readonly bigint[]): void {
    this.#watch(handle).dataTransactions.products = { callback, ids: new Set(products) };
  }

  endDataTransactions(handle: ApiHandle): void {
    const watch = this.#watches.get(handle);
    if (watch !== undefined) watch.dataTransactions.all = undefined;
  }

  /** Quirk: blocks and pending transactions go on. */
  cancel(handle: ApiHandle): void {
    const watch = this.#watches.get(handle);
    if (watch === undefined) return;
    watch.objects = undefined;
    watch.dataTransactions.clear();
  }

  /** The first notice of a block; what else is told of it comes after. */
  tellBlock(event: ChainEvent): void {
    if (event.kind !== 'applied') return;
    const argument = JSON.stringify(event.block.id);
    for (const { session, blockApplied } of this.#watches.values()) {
      if (blockApplied !== undefined) this.#queue.add(session, blockApplied, argument);
    }
  }

  follow(event: ChainEvent): void {
    switch (event.kind) {
      case 'applied':
        this.#tellObjects(() => withHistory(this.#node, event.block.id, event.changes()));
        this.#tracker.applied(event.changes);
        return;
      case 'undone':
        this.#tracker.undone(event.changed);
        return;
      case 'amended':
        this.#tellObjects(() => withCountsOf(this.#node, event.changes()));
        return;
      case 'settled':
        if (this.#tracker.hasRewound) this.#tellObjects(() => withCountsOf(this.#node, this.#tracker.rewound()));
        this.#tracker.forget();
        return;
      case 'irreversible':
        return;
      case 'pending':
        this.#tellPending(event.transaction);
        return;
    }
  }

  /** Each kind to everybody before the next one. */
  #tellObjects(changed: () => readonly ShownChange[]): void {
    const watches = [...this.#watches.values()].filter(({ objects }) => objects !== undefined);
    if (watches.length === 0) return;
    const changes = new ObjectChanges(changed(), this.#node.chain.state.network);
    for (const kind of KINDS) {
      for (const { session, objects } of watches as { session: ClientSession; objects: ObjectWatch }[]) {
        const argument = objects.noticeOf(kind, changes);
        if (argument !== undefined) this.#queue.add(session, objects.callback, argument);
      }
    }
  }

  #tellPending({ transaction }: ToldTransaction): void {
    let text: string | undefined;
    for (const { session, pending } of this.#watches.values()) {
      if (pending === undefined) continue;
      text ??= JSON.stringify(signedTransaction.toJson(transaction, this.#node.chain.state.network));
      session.notifyText(pending, text);
    }
    const watches = [...this.#watches.values()].filter(({ dataTransactions }) => !dataTransactions.isIdle);
    if (watches.length === 0) return;
    const touched = touchedDataTransaction(this.#node.chain.state, transaction.operations);
    if (touched === undefined) return;
    for (const { session, dataTransactions } of watches) {
      for (const callback of dataTransactions.callbacksFor(touched)) session.notifyText(callback, touched.text);
    }
  }
}
