import { concatBytes, fromHex } from '../../base/bytes.js';
import type { Core } from '../core.js';
import { P2P_LIMITS } from '../limits.js';
import type { Peer } from '../peer.js';
import {
  encodeMessage,
  ITEM_BLOCK,
  ITEM_TRANSACTION,
  type ItemHash,
  type ItemType,
  MESSAGES,
  type Message,
} from '../wire/messages.js';
import type { MessageCache } from './message-cache.js';

/** Room that a block takes in the queue to a peer: it is not loaded before its turn. */
const QUEUED_ITEM_BYTES = 64;

/** Answers to requests for items. Blocks go out one by one as the peer takes them, none is held while it waits. */
export class Serving {
  readonly #core: Core;
  readonly #cache: MessageCache;

  constructor(core: Core, cache: MessageCache) {
    this.#core = core;
    this.#cache = cache;
  }

  requestCame(peer: Peer, { item_type, items_to_fetch: hashes }: Message<'fetch_items'>): void {
    if (item_type !== ITEM_BLOCK && item_type !== ITEM_TRANSACTION) {
      this.#core.close(peer, 'item_type_unknown');
      return;
    }
    if (hashes.length > P2P_LIMITS.items_served_max) {
      this.#core.close(peer, 'request_too_large');
      return;
    }
    for (const hash of hashes) {
      const parcel = {
        type: item_type,
        bytes: QUEUED_ITEM_BYTES,
        make: () => this.#answer(peer, item_type, hash),
      };
      this.#core.post(peer, parcel, item_type === ITEM_BLOCK ? 'live' : 'bulk');
    }
  }

  /** Whoever asks for what is not here is told so; the reference hangs up in most cases. */
  #answer(
    peer: Peer,
    type: ItemType,
    hash: ItemHash,
  ): { readonly type: number; readonly payload: Uint8Array } | undefined {
    const payload = type === ITEM_BLOCK ? this.#block(hash) : this.#transaction(hash);
    if (payload !== undefined) return { type, payload };
    // Two thousand such answers cost their asker one message; each counts as one of its own.
    if (!peer.messages.take(1, this.#core.now.monotonicMs)) {
      this.#core.close(peer, 'message_flood');
      return undefined;
    }
    const message = { item_type: type, item_hash: hash };
    return { type: MESSAGES.item_not_available.type, payload: encodeMessage('item_not_available', message) };
  }

  /** By message id or by block id: a request does not say which. */
  #block(hash: ItemHash): Uint8Array | undefined {
    const cached = this.#cache.block(hash);
    if (cached !== undefined) return cached;
    const bytes = this.#core.chain.blockBytes(hash);
    return bytes === undefined ? undefined : concatBytes(bytes, fromHex(hash));
  }

  #transaction(hash: ItemHash): Uint8Array | undefined {
    return this.#cache.transaction(hash) ?? this.#core.chain.transactionBytes(hash);
  }
}
