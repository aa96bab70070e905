import { type Json, parseJson } from '../codec/json.js';
import { isJsonObject } from '../codec/struct.js';
import { sha256 } from '../crypto/hash.js';
import { writeJson } from '../trade/json.js';
import { type Order, type Orders, RememberedOrders } from '../trade/orders.js';

/**
 * Requests that the exchange has not answered, in the storage of the browser for as long as they can be paid: whoever
 * closes the page and wishes the same again means that purchase. What is kept is what was sent, sealed and signed; the key
 * and what was asked for are not in it.
 */

const PREFIX = 'trustnode-order';
const NAME_CHARS = 32;

interface Kept extends Order {
  /** The page that is sending it; empty where it was left. */
  readonly page: string;
}

const hashOf = (text: string): string => {
  const bytes = sha256(new TextEncoder().encode(text));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .slice(0, NAME_CHARS);
};

function keptIn(text: string | null): Kept | undefined {
  try {
    const value = parseJson(text ?? '');
    if (!isJsonObject(value)) return undefined;
    const { path, body, expiration, page } = value;
    const isOne = typeof path === 'string' && typeof expiration === 'number' && typeof page === 'string';
    return isOne && body !== undefined ? { path, body, expiration, page } : undefined;
  } catch {
    return undefined;
  }
}

/** Each page holds a lock of its name until it is closed, or its process ends. */
const ownName = `${PREFIX} ${globalThis.crypto.getRandomValues(new Uint32Array(4)).join('-')}`;

/** Pages that came over plain HTTP have no locks: what another one may be sending is sent once more, and is one purchase. */
const locks = (): LockManager | undefined => globalThis.navigator.locks;

async function openPages(): Promise<ReadonlySet<string>> {
  const { held = [], pending = [] } = (await locks()?.query()) ?? {};
  return new Set([ownName, ...[...held, ...pending].map(({ name = '' }) => name)]);
}

/** Undefined where the browser is told to keep nothing. */
export function browserStorage(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

export class KeptOrders implements Orders {
  readonly #storage: Storage;
  readonly #buyer: string;
  readonly #now: () => number;
  /** What the storage has no room for. */
  readonly #remembered = new RememberedOrders();

  /** `buyer`: who buys, and where. */
  constructor(storage: Storage, buyer: string, now: () => number) {
    this.#storage = storage;
    this.#buyer = buyer;
    this.#now = now;
    // A page that has it already keeps it.
    void locks()?.request(ownName, { ifAvailable: true }, (lock) => lock && new Promise(() => undefined));
  }

  #prefixOf(wish: string): string {
    return `${PREFIX}/${hashOf(`${this.#buyer} ${wish}`)}/`;
  }

  #nameOf(wish: string, { body }: Order): string {
    return this.#prefixOf(wish) + hashOf(writeJson(body));
  }

  async take(wish: string): Promise<Order | undefined> {
    const open = await openPages();
    const names = Object.keys(this.#storage).filter((name) => name.startsWith(`${PREFIX}/`));
    let found: Order | undefined;
    for (const name of names) {
      const kept = keptIn(this.#storage.getItem(name));
      // It was paid, or never will be.
      if (kept === undefined || kept.expiration * 1000 < this.#now()) this.#storage.removeItem(name);
      else if (found === undefined && name.startsWith(this.#prefixOf(wish)) && !open.has(kept.page)) found = kept;
    }
    if (found === undefined) return this.#remembered.take(wish);
    this.begin(wish, found);
    return found;
  }

  begin(wish: string, order: Order): void {
    this.#write(wish, order, ownName);
  }

  leave(wish: string, order: Order): void {
    if (!this.#write(wish, order, '')) this.#remembered.leave(wish, order);
  }

  end(wish: string, order: Order): void {
    this.#storage.removeItem(this.#nameOf(wish, order));
  }

  /** False where there is no room. */
  #write(wish: string, { path, body, expiration }: Order, page: string): boolean {
    try {
      const kept = { path, body, expiration, page } satisfies Json;
      this.#storage.setItem(this.#nameOf(wish, { path, body, expiration }), writeJson(kept));
      return true;
    } catch {
      return false;
    }
  }
}
