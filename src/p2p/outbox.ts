import { P2P_LIMITS } from './limits.js';

/** `live` goes before `bulk`: blocks and whatever a peer waits for must not stand behind transactions. */
export type Lane = 'live' | 'bulk';

/** Made when its turn comes: a block is not held while it waits, and a time is that of sending. */
export interface Parcel {
  readonly type: number;
  /** Room that it takes while it waits. */
  readonly bytes: number;
  /** Undefined: there is nothing to send after all. */
  make(): { readonly type: number; readonly payload: Uint8Array } | undefined;
}

/** What waits to be sent to one peer, bounded. */
export class Outbox {
  readonly #lanes: Record<Lane, { queue: Parcel[]; first: number }> = {
    live: { queue: [], first: 0 },
    bulk: { queue: [], first: 0 },
  };
  #bytes = 0;
  #entries = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** False: the other side has not taken what it was sent for so long that there is no more room. */
  put(lane: Lane, parcel: Parcel): boolean {
    this.#bytes += parcel.bytes;
    this.#entries++;
    this.#lanes[lane].queue.push(parcel);
    return this.#bytes <= P2P_LIMITS.outbox_bytes_max && this.#entries <= P2P_LIMITS.outbox_entries_max;
  }

  take(): Parcel | undefined {
    return this.#shift('live') ?? this.#shift('bulk');
  }

  #shift(name: Lane): Parcel | undefined {
    const lane = this.#lanes[name];
    const parcel = lane.queue[lane.first];
    if (parcel === undefined) return undefined;
    lane.first++;
    if (lane.first === lane.queue.length) {
      lane.queue = [];
      lane.first = 0;
    } else if (lane.first > 1024) {
      lane.queue = lane.queue.slice(lane.first);
      lane.first = 0;
    }
    this.#bytes -= parcel.bytes;
    this.#entries--;
    return parcel;
  }

  clear(): void {
    for (const lane of Object.values(this.#lanes)) {
      lane.queue = [];
      lane.first = 0;
    }
    this.#bytes = 0;
    this.#entries = 0;
  }
}
