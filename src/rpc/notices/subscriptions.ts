import { check, defineErrors } from '../../base/errors.js';
import type { ChainEvent, ToldTransaction } from '../../chain/events.js';
import type { Network } from '../../codec/type.js';
import type { Instance } from '../../protocol/ids.js';
import { type SignedTransaction, signedTransaction } from '../../protocol/transaction.js';
import type { ClientSession } from '../client-session.js';
import { ChangeTracker } from '../objects/change-tracker.js';
import { printed } from '../pieces/print.js';
import type { RpcPorts } from '../ports.js';
import { DataTransactionWatch, touchedDataTransaction } from './data-transactions.js';
import { FollowedKeys } from './followed.js';
import { withCountsOf, withHistory } from './history-changes.js';
import { KINDS, ObjectChanges, type ShownChange } from './object-changes.js';
import { ObjectWatch } from './object-watch.js';
import { type Listener, type NoticeQueue, type Notices, noticesFor } from './queue.js';

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

export const WATCH_ERRORS = defineErrors({
  watching_ids: { kind: 'limit', text: 'a connection subscribes through at most ${limit} of its api ids' },
});

/** Api ids of one connection that have subscriptions. A client needs one of them. */
const WATCHES_MAX = 10;
/** Objects and products that all clients together follow. */
const FOLLOWED_MAX = 500_000;

/** Who wants to hear of what. */
export class Subscriptions {
  readonly #node: Pick<RpcPorts, 'chain' | 'history'>;
  readonly #queue: NoticeQueue;
  readonly #watches = new Map<ApiHandle, Watch>();
  readonly #bySession = new Map<ClientSession, Watch[]>();
  /** Of the watches, those that are told of each transaction; most are not. */
  readonly #pending = new Set<Watch>();
  #pendingListeners: readonly Listener[] | undefined;
  readonly #data = new Set<Watch>();
  readonly #followed: FollowedKeys;
  readonly #tracker: ChangeTracker;

  constructor(node: Pick<RpcPorts, 'chain' | 'history'>, queue: NoticeQueue, followedMax = FOLLOWED_MAX) {
    this.#node = node;
    this.#queue = queue;
    this.#tracker = new ChangeTracker(node.chain);
    this.#followed = new FollowedKeys(followedMax);
  }

  get count(): number {
    return this.#watches.size;
  }

  /** Objects and products that clients follow. */
  get followed(): number {
    return this.#followed.count;
  }

  /** Where no notice can go, what is asked for is forgotten at once. */
  #watch(handle: ApiHandle): Watch | undefined {
    const { session } = handle;
    const known = this.#watches.get(handle);
    if (known !== undefined || !session.canNotify) return known;
    const ofSession = this.#bySession.get(session) ?? [];
    check(ofSession.length < WATCHES_MAX, WATCH_ERRORS.watching_ids, { limit: WATCHES_MAX });
    const watch: Watch = {
      session,
      objects: undefined,
      blockApplied: undefined,
      pending: undefined,
      dataTransactions: new DataTransactionWatch(),
    };
    this.#watches.set(handle, watch);
    this.#bySession.set(session, [...ofSession, watch]);
    session.onClose(() => this.#end(handle, watch));
    return watch;
  }

  #end(handle: ApiHandle, watch: Watch): void {
    this.#watches.delete(handle);
    this.#bySession.delete(watch.session);
    this.#pending.delete(watch);
    this.#pendingListeners = undefined;
    this.#data.delete(watch);
    watch.objects?.end();
    watch.dataTransactions.clear();
  }

  /** Starts over: what was watched before is forgotten. */
  watchObjects(handle: ApiHandle, callback: bigint, notifyRemoveCreate: boolean): void {
    const watch = this.#watch(handle);
    if (watch === undefined) return;
    watch.objects?.end();
    watch.objects = new ObjectWatch(callback, notifyRemoveCreate, this.#followed);
  }

  /** An object that the client has looked at while it has a subscription: it hears of its changes. */
  touch(handle: ApiHandle, id: string): void {
    this.#watches.get(handle)?.objects?.touch(id);
  }

  watchAccount(handle: ApiHandle, account: Instance): void {
    this.#watches.get(handle)?.objects?.watchAccount(account);
  }

  watchBlocks(handle: ApiHandle, callback: bigint): void {
    const watch = this.#watch(handle);
    if (watch !== undefined) watch.blockApplied = callback;
  }

  watchPending(handle: ApiHandle, callback: bigint): void {
    const watch = this.#watch(handle);
    if (watch === undefined) return;
    watch.pending = callback;
    this.#pending.add(watch);
    this.#pendingListeners = undefined;
  }

  watchDataTransactions(handle: ApiHandle, callback: bigint): void {
    const watch = this.#watch(handle);
    if (watch === undefined) return;
    watch.dataTransactions.all = callback;
    this.#data.add(watch);
  }

  watchProducts(handle: ApiHandle, callback: bigint, products: readonly bigint[]): void {
    const watch = this.#watch(handle);
    if (watch === undefined) return;
    const ids = this.#followed.open<bigint>(Math.max(1, products.length));
    watch.dataTransactions.watchProducts({ callback, ids });
    for (const id of products) ids.add(id);
    this.#data.add(watch);
  }

  endDataTransactions(handle: ApiHandle): void {
    const watch = this.#watches.get(handle);
    if (watch !== undefined) watch.dataTransactions.all = undefined;
  }

  /** Quirk: blocks and pending transactions go on. */
  cancel(handle: ApiHandle): void {
    const watch = this.#watches.get(handle);
    if (watch === undefined) return;
    watch.objects?.end();
    watch.objects = undefined;
    watch.dataTransactions.clear();
    this.#data.delete(watch);
  }

  /** The first notice of a block; what else is told of it comes after. */
  tellBlock(event: ChainEvent): void {
    if (event.kind !== 'applied') return;
    const listeners: Listener[] = [];
    for (const { session, blockApplied: callback } of this.#watches.values()) {
      if (callback !== undefined) listeners.push({ session, callback });
    }
    if (listeners.length > 0) this.#queue.add(noticesFor(listeners, JSON.stringify(event.block.id)));
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
      case 'waiting':
        if (this.#pending.size + this.#data.size === 0) return;
        for (const transaction of event.transactions()) this.#tellPending(transaction);
        return;
    }
  }

  #tellObjects(changed: () => readonly ShownChange[]): void {
    const listeners: ObjectListener[] = [];
    for (const { session, objects } of this.#watches.values()) {
      if (objects !== undefined) listeners.push({ session, objects });
    }
    if (listeners.length === 0) return;
    this.#queue.add(objectNotices(listeners, new ObjectChanges(changed(), this.#node.chain.state.network)));
  }

  #tellPending({ transaction }: ToldTransaction): void {
    const { network } = this.#node.chain.state;
    if (this.#pending.size > 0) {
      // One list for the thousands of transactions that may come before it changes.
      this.#pendingListeners ??= [...this.#pending].map(({ session, pending }) => ({
        session,
        callback: pending as bigint,
      }));
      this.#queue.tell(pendingNotices(this.#pendingListeners, transaction, network));
    }
    if (this.#data.size === 0) return;
    const touched = touchedDataTransaction(this.#node.chain.state, transaction.operations);
    if (touched === undefined) return;
    const listeners = [...this.#data].flatMap(({ session, dataTransactions }) =>
      dataTransactions.callbacksFor(touched).map((callback) => ({ session, callback })),
    );
    if (listeners.length > 0) this.#queue.tell(noticesFor(listeners, touched.text));
  }
}

interface ObjectListener {
  readonly session: ClientSession;
  readonly objects: ObjectWatch;
}

/** Each kind to everybody before the next one. */
function* objectNotices(listeners: readonly ObjectListener[], changes: ObjectChanges): Notices {
  for (const kind of KINDS) {
    for (const { session, objects } of listeners) {
      const argument = yield* objects.noticeOf(kind, changes);
      if (argument !== undefined) session.notifyText(objects.callback, argument);
      yield;
    }
  }
}

function* pendingNotices(listeners: readonly Listener[], transaction: SignedTransaction, network: Network): Notices {
  yield* noticesFor(listeners, yield* printed(signedTransaction, transaction, network));
}
