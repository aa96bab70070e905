import type { Instance } from '../protocol/ids.js';
import type { ChainState } from './chain-state.js';
import { type AccountObject, accountObject } from './objects/account.js';
import { type AccountBalanceObject, accountBalanceObject, balanceKey } from './objects/account-balance.js';
import { type AccountStatisticsObject, accountStatisticsObject } from './objects/account-statistics.js';

/** Of each kind; what is named beyond it is looked at when its operation runs, as without all this. */
const ROOM = 512;

/**
 * Looks at what the next operations will read, before the first of them runs. In a state that is larger than the processor's
 * caches each object is a wait for memory, and many are several in a row: a balance, its amount and what undo has of it.
 * One operation after the other waits for all of that by itself. Asked for side by side, one step of all of them
 * after the other, it comes in the time of the longest row (docs/decisions/performance.md).
 *
 * It changes nothing, and nothing depends on it. What each step has read is kept in a list or counted: what nobody needs, the
 * engine would not read at all.
 */
export class FetchAhead {
  readonly #state: ChainState;
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
  readonly #keys: string[] = [];

  constructor(state: ChainState) {
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
    for (let i = 0; i < count; i++) instances[i] = (accounts[i] as AccountObject).statistics;
    const statistics = this.#state.findAll(accountStatisticsObject, instances, count, this.#statistics);
    return (readsKeys ? this.#lookAtKeys(count) : count) + this.#lookAtFees(statistics);
  }

  #lookAtKeys(count: number): number {
    const keys = this.#keys;
    let found = 0;
    for (let i = 0; i < count; i++) {
      const key = this.#state.plainKey((this.#accounts[i] as AccountObject).id);
      if (key !== undefined) keys[found++] = key;
    }
    let seen = 0;
    for (let i = 0; i < found; i++) if ((keys[i] as string).length > 0) seen++;
    return seen;
  }

  #lookAtFees(count: number): number {
    const amounts = this.#amounts;
    for (let i = 0; i < count; i++) amounts[i] = (this.#statistics[i] as AccountStatisticsObject).pending_vested_fees;
    return this.#lookAtAmounts(count) + this.#state.lookAtUndo(accountStatisticsObject, this.#statistics, count);
  }

  #lookAtRows(count: number): number {
    const amounts = this.#amounts;
    for (let i = 0; i < count; i++) amounts[i] = (this.#rows[i] as AccountBalanceObject).balance;
    return this.#lookAtAmounts(count) + this.#state.lookAtUndo(accountBalanceObject, this.#rows, count);
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
