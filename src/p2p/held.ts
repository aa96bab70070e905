import { P2P_LIMITS } from './limits.js';
import type { Peer } from './peer.js';
import { PAYLOAD_BYTES_MAX } from './wire/frames.js';

/** What the network keeps in memory for others and because of them, by kind: each has a bound that no peer can move. */
export const HELD_MAX = {
  outbox_bytes: P2P_LIMITS.outbox_bytes_max,
  unsent_bytes: P2P_LIMITS.unsent_bytes_max + PAYLOAD_BYTES_MAX + 64,
  hashes: 4 * P2P_LIMITS.inventory_total_max + P2P_LIMITS.inventory_per_peer_max + P2P_LIMITS.failed_max,
  listed_ids: P2P_LIMITS.ids_before_blocks + P2P_LIMITS.ids_per_reply_max + P2P_LIMITS.blocks_processing_max,
  waiting_block_bytes: P2P_LIMITS.blocks_waiting_bytes_hard_max,
  wanted: 2 * P2P_LIMITS.wanted_max,
  cached_transaction_bytes: P2P_LIMITS.cache_transactions_bytes_max,
  own_transaction_bytes: P2P_LIMITS.own_transactions_bytes_max,
  cached_blocks: P2P_LIMITS.cache_blocks_max,
  addresses: P2P_LIMITS.addresses_max,
} as const;
export type HeldKind = keyof typeof HELD_MAX;
export type Held = Readonly<Record<HeldKind, number>>;

/** Of one peer: the largest counts where the bound is that of a peer. */
export interface HeldByPeers {
  readonly outbox_bytes: number;
  readonly unsent_bytes: number;
  readonly hashes: number;
  readonly listed_ids: number;
}

/** `common`: hashes that belong to no peer. */
export function heldByPeers(peers: Iterable<Peer>, common: number): HeldByPeers {
  let [outbox, unsent, hashes, listed] = [0, 0, common, 0];
  for (const { outbox: box, unsentBytes, gossip, sync } of peers) {
    outbox = Math.max(outbox, box.bytes);
    unsent = Math.max(unsent, unsentBytes);
    hashes += gossip.offered.size + gossip.told.size + gossip.queues[1000].length + gossip.queues[1001].length;
    listed = Math.max(listed, sync.pending.length);
  }
  return { outbox_bytes: outbox, unsent_bytes: unsent, hashes, listed_ids: listed };
}
