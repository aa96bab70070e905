import type { Json } from '../codec/json.js';

/** Signed: the same again is the same purchase. */
export interface Order {
  readonly path: string;
  readonly body: Json;
  /** Seconds since 1970: it cannot be paid later. */
  readonly expiration: number;
}

/**
 * What the exchange may have though it has not said so, by what was wished: whoever wishes the same again means that
 * order, and not another one.
 */
export interface Orders {
  /** The one that was left, if there is one; it is not left any more. */
  take(wish: string): Order | undefined | Promise<Order | undefined>;
  /** It is about to be sent. */
  begin(wish: string, order: Order): void;
  /** Nobody knows what has become of it. */
  leave(wish: string, order: Order): void;
  /** The exchange has answered. */
  end(wish: string, order: Order): void;
}

/** For as long as the program runs. */
export class RememberedOrders implements Orders {
  readonly #left = new Map<string, Order>();

  take(wish: string): Order | undefined {
    const order = this.#left.get(wish);
    // Who asks for it twice at the same time wants two.
    this.#left.delete(wish);
    return order;
  }

  begin(): void {
    // Whoever sends it has it.
  }

  leave(wish: string, order: Order): void {
    this.#left.set(wish, order);
  }

  end(): void {
    // Nor was it left.
  }
}
