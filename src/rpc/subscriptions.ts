import { check, defineErrors } from '../base/errors.js';
import { forgetOldest } from '../base/forget-oldest.js';
import type { Instance } from '../protocol/ids.js';
import type { Operation } from '../protocol/operation-slot.js';
import { signedTransaction } from '../protocol/transaction.js';
import { type DataTransactionObject, dataTransactionObject } from '../state/objects/data-market.js';
import { ChangeTracker, idOf } from './change-tracker.js';
import type { ClientSession } from './client-session.js';
import { relevantAccounts } from './impacted-accounts.js';
import type { ChainNotice, ChainPort, ChangedObject } from './ports.js';
import { objectOf } from './types.js';

export const SUBSCRIPTION_ERRORS = defineErrors({
  subscribed_accounts: { text: 'subscribed_accounts.size() <= 100: ' },
});

const ACCOUNTS_MAX = 100;
/** The reference's filter starts to answer wrongly at this size; ours is exact and full. */
const OBJECTS_MAX = 10_000;

interface Watch {
  readonly session: ClientSession;
  objects: { callback: bigint; notifyRemoveCreate: boolean } | undefined;
  readonly ids: Set<string>;
  readonly accounts: Set<Instance>;
  blockApplied: bigint | undefined;
  pending: bigint | undefined;
  dataTransactions: bigint | undefined;
  products: { callback: bigint; ids: ReadonlySet<bigint> } | undefined;
}

/** One object of a block's changes, printed at most once however many clients hear of it. */
class Printed {
  readonly id: string;
  readonly #change: ChangedObject;
  #accounts: readonly Instance[] | undefined;
  #text: string | undefined;

  constructor(change: ChangedObject) {
    this.#change = change;
    this.id = idOf(change);
  }

  /** Nobody knows any more whom a removed object concerned. */
  get accounts(): readonly Instance[] {
    const { definition, object } = this.#change;
    this.#accounts ??= object === undefined ? [] : relevantAccounts(definition, object);
    return this.#accounts;
  }

  get text(): string {
    const { definition, object } = this.#change;
    this.#text ??= object === undefined ? `"${this.id}"` : JSON.stringify(objectOf(definition).toJson(object));
    return this.#text;
  }
}

interface Kinds {
  readonly created: Printed[];
  readonly modified: Printed[];
  readonly removed: Printed[];
}

/** Who wants to hear of what. Follows fork switches: what taking blocks back changed is told with the next block. */
export class Subscriptions {
  readonly #chain: ChainPort;
  readonly #watches = new Map<ClientSession, Watch>();
  readonly #changes: ChangeTracker;

  constructor(chain: ChainPort) {
    this.#chain = chain;
    this.#changes = new ChangeTracker(chain);
  }

  get count(): number {
    return this.#watches.size;
  }

  #watch(session: ClientSession): Watch {
    let watch = this.#watches.get(session);
    if (watch === undefined) {
      watch = {
        session,
        objects: undefined,
        ids: new Set(),
        accounts: new Set(),
        blockApplied: undefined,
        pending: undefined,
        dataTransactions: undefined,
        products: undefined,
      };
      this.#watches.set(session, watch);
      session.onClose(() => this.#watches.delete(session));
    }
    return watch;
  }

  /** Starts over: what was watched before is forgotten. */
  watchObjects(session: ClientSession, callback: bigint, notifyRemoveCreate: boolean): void {
    const watch = this.#watch(session);
    watch.objects = { callback, notifyRemoveCreate };
    watch.ids.clear();
    watch.accounts.clear();
  }

  /** An object that the client has looked at while it has a subscription: it hears of its changes. */
  touch(session: ClientSession, id: string): void {
    const watch = this.#watches.get(session);
    if (watch?.objects === undefined || watch.ids.has(id)) return;
    watch.ids.add(id);
    // A client that reads on and on forgets what it looked at first, and keeps what it looks at now.
    forgetOldest(watch.ids, OBJECTS_MAX);
  }

  watchAccount(session: ClientSession, account: Instance): void {
    const watch = this.#watches.get(session);
    if (watch?.objects === undefined) return;
    check(watch.accounts.size <= ACCOUNTS_MAX, SUBSCRIPTION_ERRORS.subscribed_accounts);
    watch.accounts.add(account);
  }

  watchBlocks(session: ClientSession, callback: bigint): void {
    this.#watch(session).blockApplied = callback;
  }

  watchPending(session: ClientSession, callback: bigint): void {
    this.#watch(session).pending = callback;
  }

  watchDataTransactions(session: ClientSession, callback: bigint | undefined): void {
    this.#watch(session).dataTransactions = callback;
  }

  watchProducts(session: ClientSession, callback: bigint, products: readonly bigint[]): void {
    this.#watch(session).products = { callback, ids: new Set(products) };
  }

  /** Quirk kept: blocks and pending transactions go on. */
  cancel(session: ClientSession): void {
    const watch = this.#watches.get(session);
    if (watch === undefined) return;
    watch.objects = undefined;
    watch.ids.clear();
    watch.accounts.clear();
    watch.dataTransactions = undefined;
    watch.products = undefined;
  }

  follow(notice: ChainNotice): void {
    switch (notice.kind) {
      case 'applied':
        if (this.#watches.size > 0) this.#applied(notice);
        this.#changes.forgetUndone();
        return;
      case 'undone':
        this.#changes.undone(notice.changed);
        return;
      case 'amended':
        if (this.#watches.size > 0) this.#amended(notice.changes());
        return;
      case 'irreversible':
        return;
      case 'pending':
        if (this.#watches.size > 0) this.#pending(notice);
        return;
    }
  }

  #applied({ block, changes }: Extract<ChainNotice, { kind: 'applied' }>): void {
    let kinds: Kinds | undefined;
    for (const watch of this.#watches.values()) {
      if (watch.objects !== undefined) {
        kinds ??= kindsOf(this.#changes.applied(changes()));
        tellAll(watch, kinds);
      }
      if (watch.blockApplied !== undefined) watch.session.notify(watch.blockApplied, block.id);
    }
  }

  #amended(changes: readonly ChangedObject[]): void {
    const kinds = kindsOf(changes);
    for (const watch of this.#watches.values()) if (watch.objects !== undefined) tellAll(watch, kinds);
  }

  #pending({ transaction }: Extract<ChainNotice, { kind: 'pending' }>): void {
    let text: string | undefined;
    let touched: DataTransactionObject[] | undefined;
    for (const watch of this.#watches.values()) {
      if (watch.pending !== undefined) {
        text ??= JSON.stringify(signedTransaction.toJson(transaction));
        watch.session.notifyText(watch.pending, text);
      }
      if (watch.dataTransactions === undefined && watch.products === undefined) continue;
      touched ??= this.#dataTransactions(transaction.operations);
      for (const object of touched) tellDataTransaction(watch, object);
    }
  }

  #dataTransactions(operations: readonly Operation[]): DataTransactionObject[] {
    const out: DataTransactionObject[] = [];
    for (const [, body] of operations) {
      const { request_id } = body as { request_id?: unknown };
      if (typeof request_id !== 'string') continue;
      const found = this.#chain.state.findBy(dataTransactionObject.by.requestId, request_id);
      if (found !== undefined) out.push(found);
    }
    return out;
  }
}

function kindsOf(changes: readonly ChangedObject[]): Kinds {
  const kinds: Kinds = { created: [], modified: [], removed: [] };
  for (const change of changes) {
    const kind = change.object === undefined ? 'removed' : change.created ? 'created' : 'modified';
    kinds[kind].push(new Printed(change));
  }
  return kinds;
}

function tellAll(watch: Watch, kinds: Kinds): void {
  for (const kind of ['created', 'modified', 'removed'] as const) tell(watch, kind, kinds[kind]);
}

function tell(watch: Watch, kind: 'created' | 'modified' | 'removed', objects: readonly Printed[]): void {
  const { objects: wanted } = watch;
  if (wanted === undefined) return;
  const all = kind !== 'modified' && wanted.notifyRemoveCreate;
  const passing = all
    ? objects
    : objects.filter(
        (object) => watch.ids.has(object.id) || object.accounts.some((account) => watch.accounts.has(account)),
      );
  if (passing.length === 0) return;
  watch.session.notifyText(wanted.callback, `[${passing.map(({ text }) => text).join(',')}]`);
}

function tellDataTransaction(watch: Watch, object: DataTransactionObject): void {
  const value = objectOf(dataTransactionObject).toJson(object);
  if (watch.dataTransactions !== undefined) watch.session.notify(watch.dataTransactions, value);
  const { products } = watch;
  if (products?.ids.has(object.product_id) === true) watch.session.notify(products.callback, value);
}
