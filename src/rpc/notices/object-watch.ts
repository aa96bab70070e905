import { check, defineErrors } from '../../base/errors.js';
import type { Instance } from '../../protocol/ids.js';
import type { Pieces } from '../pieces/pieces.js';
import type { Followed, FollowedKeys } from './followed.js';
import type { Kind, ObjectChanges } from './object-changes.js';

export const SUBSCRIPTION_ERRORS = defineErrors({
  subscribed_accounts: {
    text: 'subscribed_accounts.size() <= 100: ',
    hint: 'a subscription follows at most ${limit} accounts, and this one follows ${count}; set_subscribe_callback begins anew',
  },
});

/** One more may join while no more than these are there. */
const ACCOUNTS_MAX = 100;
/** The reference's filter starts to answer wrongly at this size; ours is exact and full. */
const OBJECTS_MAX = 10_000;

/** What one client wants to hear of objects. */
export class ObjectWatch {
  readonly callback: bigint;
  readonly #notifyRemoveCreate: boolean;
  readonly #ids: Followed<string>;
  readonly #accounts = new Set<Instance>();

  constructor(callback: bigint, notifyRemoveCreate: boolean, followed: FollowedKeys) {
    this.callback = callback;
    this.#notifyRemoveCreate = notifyRemoveCreate;
    this.#ids = followed.open(OBJECTS_MAX);
  }

  end(): void {
    this.#ids.end();
  }

  touch(id: string): void {
    this.#ids.add(id);
  }

  watchAccount(account: Instance): void {
    const count = this.#accounts.size;
    check(count <= ACCOUNTS_MAX, SUBSCRIPTION_ERRORS.subscribed_accounts, { limit: ACCOUNTS_MAX + 1, count });
    this.#accounts.add(account);
  }

  /** The argument of its notice, if any of these changes concerns it. */
  *noticeOf(kind: Kind, changes: ObjectChanges): Pieces<string | undefined> {
    const ofKind = changes[kind];
    if (ofKind.objects.length === 0) return undefined;
    const wantsAll = kind !== 'modified' && this.#notifyRemoveCreate;
    // Quirk: if a single one concerns a subscribed account, all of its kind are told.
    if (wantsAll || (this.#accounts.size > 0 && this.#concerns(yield* ofKind.accounts()))) return yield* ofKind.all();
    return yield* ofKind.some(this.#ids);
  }

  #concerns(accounts: ReadonlySet<Instance>): boolean {
    for (const account of this.#accounts) if (accounts.has(account)) return true;
    return false;
  }
}
