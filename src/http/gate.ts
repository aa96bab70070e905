import type { Clock } from '../base/world.js';
import type { Caller } from './caller.js';
import { RateBuckets } from './rate-buckets.js';

export interface GateLimits {
  /** WebSocket connections over all addresses. */
  readonly connections_max: number;
  /** Of one address; 0: no limit. */
  readonly connections_per_address_max: number;
  /** Of one address, on average; 0: no limit. */
  readonly requests_per_second: number;
  /** Of one address, at once. */
  readonly requests_burst: number;
}

/** Who may come in: counts of connections and rates of requests. Who sits at this machine is never held back by address. */
export class Gate {
  readonly #limits: GateLimits;
  readonly #connections = new Map<string, number>();
  readonly #rates: RateBuckets;
  #count = 0;

  constructor(limits: GateLimits, clock: Clock) {
    this.#limits = limits;
    const { requests_per_second: perSecond, requests_burst: burst } = limits;
    this.#rates = new RateBuckets({ perSecond, burst }, clock);
  }

  get connections(): number {
    return this.#count;
  }

  /** Addresses whose rate is remembered. */
  get addresses(): number {
    return this.#rates.size;
  }

  /** Takes a place for a connection; false when there is none. Whoever got one gives it back with `leave`. */
  enter({ countedAs: address, isLocal }: Caller): boolean {
    const { connections_max, connections_per_address_max } = this.#limits;
    const own = this.#connections.get(address) ?? 0;
    if (this.#count >= connections_max) return false;
    if (connections_per_address_max > 0 && own >= connections_per_address_max && !isLocal) return false;
    this.#count++;
    this.#connections.set(address, own + 1);
    return true;
  }

  leave({ countedAs: address }: Caller): void {
    const own = this.#connections.get(address) ?? 0;
    if (own <= 1) this.#connections.delete(address);
    else this.#connections.set(address, own - 1);
    this.#count--;
  }

  /** False: this address has asked too much and must wait. */
  mayAsk({ countedAs: address, isLocal }: Caller): boolean {
    return isLocal || this.#rates.take(address);
  }
}
