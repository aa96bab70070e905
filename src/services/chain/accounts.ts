import { forgetOldest } from '../../base/forget-oldest.js';
import type { Clock } from '../../base/world.js';
import type { PublicKey } from '../../crypto/public-key.js';
import type { Instance } from '../../protocol/ids.js';
import type { ChainNode } from './node.js';

/** What a service has to know of an account. */
export interface KnownAccount {
  readonly id: Instance;
  readonly name: string;
  readonly threshold: number;
  /** Active keys with their weights, in the order of the chain. */
  readonly keys: readonly (readonly [PublicKey, number])[];
  /** Seconds since 1970; 0 for whoever was never registered as one. */
  readonly merchantUntil: number;
  readonly sourceUntil: number;
}

/** Whoever changes a key wants it to hold soon. */
const KEPT_MS = 10_000;
const ACCOUNTS_MAX = 20_000;

interface Kept {
  readonly untilMs: number;
  readonly account: Promise<KnownAccount | undefined>;
}

/** Accounts with their keys, each asked for once in a while; one that is not there is asked for again each time. */
export class Accounts {
  readonly #node: ChainNode;
  readonly #clock: Clock;
  readonly #kept = new Map<Instance, Kept>();

  constructor(node: ChainNode, clock: Clock) {
    this.#node = node;
    this.#clock = clock;
  }

  async find(id: Instance): Promise<KnownAccount | undefined> {
    const now = this.#clock.monotonicMs();
    const kept = this.#kept.get(id);
    if (kept !== undefined && now < kept.untilMs) return kept.account;
    this.#kept.delete(id);
    const asked = { untilMs: now + KEPT_MS, account: this.#ask(id) };
    this.#kept.set(id, asked);
    forgetOldest(this.#kept, ACCOUNTS_MAX);
    let found: KnownAccount | undefined;
    try {
      found = await asked.account;
      return found;
    } finally {
      // Neither a failure nor an absence is kept: it may be there with the next block.
      if (found === undefined && this.#kept.get(id) === asked) this.#kept.delete(id);
    }
  }

  async #ask(id: Instance): Promise<KnownAccount | undefined> {
    const [found] = await this.#node.ask('an account', (database) => database.get_accounts({ ids: [id] }));
    if (found === undefined) return undefined;
    const { name, active, merchant_expiration_date: merchantUntil, datasource_expiration_date: sourceUntil } = found;
    return { id, name, threshold: active.weight_threshold, keys: active.key_auths, merchantUntil, sourceUntil };
  }
}

/** The key that signs for the account in transfers by proxies: there has to be just one. */
export function singleKey({ keys }: KnownAccount): PublicKey | undefined {
  return keys.length === 1 ? keys[0]?.[0] : undefined;
}
