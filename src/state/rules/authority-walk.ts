import { addressesOfKey } from '../../crypto/address.js';
import type { Authority } from '../../protocol/authority.js';
import { type Instance, TEMP_ACCOUNT } from '../../protocol/ids.js';
import { accountObject } from '../objects/account.js';
import type { ReadState } from '../views.js';

/**
 * Asks whether given keys and approvals satisfy authorities. The order of the questions is part of the rules: an
 * authority stops looking as soon as its threshold is reached, and a key that nobody asked for is refused at the end.
 */
export class AuthorityWalk {
  readonly #state: ReadState;
  readonly #keys: readonly string[];
  readonly #used: boolean[];
  readonly #depthMax: number;
  readonly #approved: Set<Instance>;

  constructor(state: ReadState, keys: readonly string[], depthMax: number, approved: Iterable<Instance> = []) {
    this.#state = state;
    this.#keys = keys;
    this.#used = keys.map(() => false);
    this.#depthMax = depthMax;
    this.#approved = new Set(approved);
    this.#approved.add(TEMP_ACCOUNT);
  }

  isApproved(account: Instance): boolean {
    return this.#approved.has(account);
  }

  #hasSigned(key: string): boolean {
    const at = this.#keys.indexOf(key);
    if (at < 0) return false;
    this.#used[at] = true;
    return true;
  }

  #hasSignedAddress(address: string): boolean {
    const at = this.#keys.findIndex((key) => addressesOfKey(key).includes(address));
    if (at < 0) return false;
    this.#used[at] = true;
    return true;
  }

  isSatisfied(auth: Authority, depth = 0): boolean {
    const threshold = auth.weight_threshold;
    let weight = 0;
    for (const [key, share] of auth.key_auths) {
      if (!this.#hasSigned(key)) continue;
      weight += share;
      if (weight >= threshold) return true;
    }
    for (const [address, share] of auth.address_auths) {
      if (!this.#hasSignedAddress(address)) continue;
      weight += share;
      if (weight >= threshold) return true;
    }
    for (const [account, share] of auth.account_auths) {
      if (!this.#approved.has(account)) {
        if (depth === this.#depthMax) continue;
        if (!this.isSatisfied(this.#state.get(accountObject, account).active, depth + 1)) continue;
        this.#approved.add(account);
      }
      weight += share;
      if (weight >= threshold) return true;
    }
    return weight >= threshold;
  }

  /** Keys that an authority asked for, in the order in which they were given. */
  get usedKeys(): readonly string[] {
    return this.#keys.filter((_, i) => this.#used[i]);
  }

  get allKeysUsed(): boolean {
    return this.#used.every((used) => used);
  }
}
