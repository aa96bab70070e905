import { forgetOldest } from '../../base/forget-oldest.js';
import { P2P_LIMITS } from '../limits.js';
import type { IpText } from '../wire/endpoint.js';
import { TokenBucket } from './token-bucket.js';

/** How often connections may be begun with this node: the opening is the one thing that costs it more than the other side. */
export class HandshakeRate {
  readonly #all: TokenBucket;
  readonly #byAddress = new Map<IpText, TokenBucket>();

  constructor(nowMs: number) {
    this.#all = new TokenBucket(P2P_LIMITS.handshakes_per_second, P2P_LIMITS.handshakes_burst, nowMs);
  }

  /** `isShared`: many may be behind the address, so that it has no measure of its own. */
  take(ip: IpText, isShared: boolean, nowMs: number): boolean {
    if (!isShared && !this.#bucketOf(ip, nowMs).take(1, nowMs)) return false;
    return this.#all.take(1, nowMs);
  }

  #bucketOf(ip: IpText, nowMs: number): TokenBucket {
    const { handshakes_per_address_per_second: rate, handshakes_per_address_burst: burst } = P2P_LIMITS;
    const bucket = this.#byAddress.get(ip) ?? new TokenBucket(rate, burst, nowMs);
    this.#byAddress.delete(ip);
    this.#byAddress.set(ip, bucket);
    forgetOldest(this.#byAddress, P2P_LIMITS.addresses_remembered_max);
    return bucket;
  }
}
