import type { Clock } from '../base/world.js';
import type { Caller } from './caller.js';

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

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Addresses whose request rate is remembered. The fullest buckets are forgotten first: they lose nothing. */
const ADDRESSES_MAX = 50_000;

/** Who may come in: counts of connections and rates of requests. Who sits at this machine is never held back by address. */
export class Gate {
  readonly #limits: GateLimits;
  readonly #clock: Clock;
  readonly #connections = new Map<string, number>();
  readonly #buckets = new Map<string, Bucket>();
  #count = 0;

  constructor(limits: GateLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get connections(): number {
    return this.#count;
  }

  /** Addresses whose rate is remembered. */
  get addresses(): number {
    return this.#buckets.size;
  }

  /** Takes a place for a connection; false when there is none. Whoever got one gives it back with `leave`. */
  enter({ address, isLocal }: Caller): boolean {
    const { connections_max, connections_per_address_max } = this.#limits;
    const own = this.#connections.get(address) ?? 0;
    if (this.#count >= connections_max) return false;
    if (connections_per_address_max > 0 && own >= connections_per_address_max && !isLocal) return false;
    this.#count++;
    this.#connections.set(address, own + 1);
    return true;
  }

  leave({ address }: Caller): void {
    const own = this.#connections.get(address) ?? 0;
    if (own <= 1) this.#connections.delete(address);
    else this.#connections.set(address, own - 1);
    this.#count--;
  }

  /** False: this address has asked too much and must wait. */
  mayAsk({ address, isLocal }: Caller): boolean {
    const { requests_per_second: rate, requests_burst: burst } = this.#limits;
    if (rate === 0 || isLocal) return true;
    const now = this.#clock.monotonicMs();
    let bucket = this.#buckets.get(address);
    if (bucket === undefined) {
      if (this.#buckets.size >= ADDRESSES_MAX) this.#forgetFull(now);
      bucket = { tokens: burst, atMs: now };
      this.#buckets.set(address, bucket);
    }
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.atMs) * rate) / 1000);
    bucket.atMs = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  #forgetFull(now: number): void {
    const { requests_per_second: rate, requests_burst: burst } = this.#limits;
    for (const [address, { tokens, atMs }] of this.#buckets) {
      if (tokens + ((now - atMs) * rate) / 1000 >= burst) this.#buckets.delete(address);
    }
    // A flood from many addresses at once: start over rather than grow.
    if (this.#buckets.size >= ADDRESSES_MAX) this.#buckets.clear();
  }
}
