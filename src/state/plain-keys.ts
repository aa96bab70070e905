import { plainKeyOf } from '../protocol/authority-check.js';
import type { ObjectDatabase } from './object-db.js';
import { accountObject } from './objects/account.js';

const NONE = '';

/**
 * Of each account the key with which it signs alone, found once and kept side by side. From the account to its key are five
 * objects in a row, authority, list, member and what the engine has between them: each is a wait for memory in a large state,
 * and nearly every transaction asks.
 */
export class PlainKeys {
  readonly #state: ObjectDatabase;
  /** By account; undefined: not looked at since it changed. */
  readonly #keys: (string | undefined)[] = [];

  constructor(state: ObjectDatabase) {
    this.#state = state;
    state.watch(accountObject, ({ id }) => {
      if (id < this.#keys.length) this.#keys[id] = undefined;
    });
  }

  /** Undefined where nothing so simple can be said. Refuses an account that is not there. */
  of(account: number): string | undefined {
    // A made-up instance may be a bigint; no account has one.
    const known = typeof account === 'number' ? this.#keys[account] : undefined;
    const key = known ?? this.#look(account);
    return key === NONE ? undefined : key;
  }

  #look(account: number): string {
    const key = plainKeyOf(this.#state.get(accountObject, account).active) ?? NONE;
    while (this.#keys.length <= account) this.#keys.push(undefined);
    this.#keys[account] = key;
    return key;
  }
}
