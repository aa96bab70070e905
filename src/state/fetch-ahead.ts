import type { Authority } from '../protocol/authority.js';
import type { Instance } from '../protocol/ids.js';
import type { ObjectDatabase } from './object-db.js';
import { type AccountObject, accountObject } from './objects/account.js';
import { type AccountBalanceObject, accountBalanceObject, balanceKey } from './objects/account-balance.js';
import { type AccountStatisticsObject, accountStatisticsObject } from './objects/account-statistics.js';

/** Of each kind; what is named beyond it is looked at when its operation runs, as without all this. */
const ROOM = 512;

/**
 * Looks at what the next operations will read, before the first of them runs. In a state that is larger than the processor's
 * caches each object is a wait for memory, and the key of an account is eight of them in a row: account, authority, list,
 * entry, text. One operation after the other waits for all of that by itself. Asked for side by side, one step of all of them
 * after the other, it comes in the time of the longest row (docs/decisions/performance.md).
 *
 * It changes nothing, and nothing depends on it. What each step has read is kept in a list or counted: what nobody needs, the
 * engine would not read at all.
 */
export class FetchAhead {
  readonly #state: ObjectDatabase;
  readonly #payers: number[] = [];
  #payerCount = 0;
  readonly #others: number[] = [];
  #otherCount = 0;
  readonly #balances: number[] = [];
  #balanceCount = 0;

  // Used anew by each call: lists that are made each time would cost what is won.
  readonly #instances: number[] = [];
  readonly #accounts: Readonly<AccountObject>[] = [];
  readonly #statistics: Readonly<AccountStatisticsObject>[] = [];
  readonly #rows: Readonly<AccountBalanceObject>[] = [];
  readonly #amounts: bigint[] = [];
  readonly #authorities: Authority[] = [];
  readonly #lists: Authority['key_auths'][] = [];
  readonly #entries: Authority['key_auths'][number][] = [];
  readonly #keys: string[] = [];

  constructor(state: ObjectDatabase) {
    this.#state = state;
  }

  /** An account that pays, and mostly signs. */
  payer(account: Instance): void {
    if (typeof account === 'number' && this.#payerCount < ROOM) this.#payers[this.#payerCount++] = account;
  }

  account(account: Instance): void {
    if (typeof account === 'number' && this.#otherCount < ROOM) this.#others[this.#otherCount++] = account;
  }

  balance(owner: Instance, asset: Instance): void {
    const key = balanceKey(owner, asset);
    if (typeof key === 'number' && this.#balanceCount < ROOM) this.#balances[this.#balanceCount++] = key;
  }

  /** What was named since the last time. The answer counts what there was to see, which is for tests. */
  fetch(readsKeys: boolean): number {
    const payers = this.#state.findAll(accountObject, this.#payers, this.#payerCount, this.#accounts);
    const rows = this.#state.findAllBy(
      accountBalanceObject.by.ownerAsset,
      this.#balances,
      this.#balanceCount,
      this.#rows,
      this.#instances,
    );
    let seen = this.#lookAtPayers(payers, readsKeys) + this.#lookAtRows(rows);
    const others = this.#state.findAll(accountObject, this.#others, this.#otherCount, this.#accounts);
    seen += this.#lookAtOthers(others);
    this.#payerCount = 0;
    this.#otherCount = 0;
    this.#balanceCount = 0;
    return seen;
  }

  #lookAtPayers(count: number, readsKeys: boolean): number {
    const accounts = this.#accounts;
    const instances = this.#instances;
    const authorities = this.#authorities;
    for (let i = 0; i < count; i++) {
      const account = accounts[i] as AccountObject;
      instances[i] = account.statistics;
      authorities[i] = account.active;
    }
    const statistics = this.#state.findAll(accountStatisticsObject, instances, count, this.#statistics);
    return (readsKeys ? this.#lookAtKeys(count) : count) + this.#lookAtFees(statistics);
  }

  #lookAtKeys(authorities: number): number {
    const lists = this.#lists;
    for (let i = 0; i < authorities; i++) lists[i] = (this.#authorities[i] as Authority).key_auths;
    const entries = this.#entries;
    let count = 0;
    for (let i = 0; i < authorities; i++) {
      const list = lists[i] as Authority['key_auths'];
      if (list.length > 0) entries[count++] = list[0] as Authority['key_auths'][number];
    }
    const keys = this.#keys;
    for (let i = 0; i < count; i++) keys[i] = (entries[i] as Authority['key_auths'][number])[0];
    let seen = 0;
    for (let i = 0; i < count; i++) if ((keys[i] as string).length > 0) seen++;
    return seen;
  }

  #lookAtFees(count: number): number {
    const amounts = this.#amounts;
    for (let i = 0; i < count; i++) amounts[i] = (this.#statistics[i] as AccountStatisticsObject).pending_vested_fees;
    return this.#lookAtAmounts(count);
  }

  #lookAtRows(count: number): number {
    const amounts = this.#amounts;
    for (let i = 0; i < count; i++) amounts[i] = (this.#rows[i] as AccountBalanceObject).balance;
    return this.#lookAtAmounts(count);
  }

  #lookAtAmounts(count: number): number {
    let negative = 0;
    for (let i = 0; i < count; i++) if ((this.#amounts[i] as bigint) < 0n) negative++;
    return count + negative;
  }

  #lookAtOthers(count: number): number {
    let restricted = 0;
    for (let i = 0; i < count; i++) if ((this.#accounts[i] as AccountObject).allowed_assets !== undefined) restricted++;
    return count + restricted;
  }
}
