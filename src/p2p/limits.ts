import { LIMITS } from '../base/limits.js';

/** Sizes, counts and times of the network, each with its unit. Those of the protocol itself stand in `wire`. */
export const P2P_LIMITS = {
  // Connections.
  /** Dialed and taken together, unless the operator says otherwise. */
  connections_wanted: 20,
  connections_max: 200,
  /** Connections that this node has chosen itself are kept up however many others come to it. */
  outbound_min: 8,
  /** Taken from one address, and from one neighbourhood of 256. */
  inbound_per_address_max: 4,
  inbound_per_neighbourhood_max: 16,
  /** Connections that are begun from one address, and from all: each costs this node two curve multiplications. */
  handshakes_per_address_per_second: 1,
  handshakes_per_address_burst: 20,
  handshakes_per_second: 50,
  handshakes_burst: 400,
  /** Dialed into one neighbourhood of 65,536. */
  outbound_per_neighbourhood_max: 2,

  // Opening of a connection.
  handshake_idle_ms: 5000,
  /** However talkative the other side is. */
  handshake_ms: 15_000,
  /** What a peer may ask before it is accepted, and be answered. */
  handshake_messages_max: 32,
  /** Of a hello, which is kept as long as its peer is connected; the reference's has some 600. */
  hello_bytes_max: 8 * 1024,

  // Life of a connection. Watched every `watch_ms`.
  watch_ms: 2000,
  /** Multiples of the block interval, as the reference has them. */
  keepalive_intervals: 5,
  inactivity_intervals: 10,
  /** A clock may be set, or run away, while a connection lasts: so often a peer is asked for its time, talkative or not. */
  time_ms: 20_000,
  /** What peers that have left said of their clocks; of so many addresses. */
  left_clock_ms: 60_000,
  left_clocks_max: 200,
  /** The reference answers up to 2.5 s late while it imports blocks, and expects an answer itself within 1 s. */
  ids_reply_ms: 10_000,
  item_reply_ms: 10_000,
  /** From the request, or from the last block that came, to the next one of it. */
  sync_block_ms: 10_000,
  /** Then the blocks that a slow peer owes are asked of others. */
  sync_slow_ms: 5000,
  /** After a block that this node could not take for a reason of its own. */
  sync_retry_ms: 10_000,
  close_grace_ms: 5000,

  // What waits to be sent to one peer.
  outbox_bytes_max: 4 * 1024 * 1024,
  outbox_entries_max: 20_000,
  /** Handed to the socket and not yet taken by it. */
  unsent_bytes_max: 256 * 1024,
  /** The same in messages: a block has to be read for each, and small ones are thousands in so many bytes. */
  unsent_messages_max: 64,

  // What a peer may send without having been asked.
  messages_per_second: 500,
  messages_burst: 5000,
  /** What an announcement of items or a request for them counts: the reference sends one for each transaction of a full chain. */
  item_message_cost: 1 / 8,
  unrequested_bytes_per_second: 512 * 1024,
  unrequested_bytes_burst: 8 * 1024 * 1024,

  // Synchronization.
  ids_per_reply_max: 2000,
  /** Ids that one peer has listed, before blocks are asked for although it has more. */
  ids_before_blocks: 4000,
  /** Replies with nothing new in them and the promise of more. */
  ids_empty_replies_max: 3,
  blocks_per_request_max: 200,
  /** Handed to the chain and not yet decided. */
  blocks_processing_max: 200,
  /** Half of what the importer lets wait: it is there for new blocks and those of clients as well. */
  blocks_processing_bytes_max: LIMITS.import_bytes_max / 2,
  /** Blocks that wait for an earlier one, and their bytes; those under way count with the mean size of late. */
  blocks_waiting_max: 2000,
  blocks_waiting_bytes_max: 48 * 1024 * 1024,
  /** Beyond it what is needed last is thrown away, and asked for again. */
  blocks_waiting_bytes_hard_max: 96 * 1024 * 1024,
  /** The same of what one peer has sent: nobody fills the room alone. */
  blocks_waiting_per_peer_bytes_max: 12 * 1024 * 1024,
  recent_blocks_max: 200,
  /** Seconds that a chain may be longer than time allows. */
  future_blocks_sec: 3600,
  /** Seconds that a block's time may lie ahead of this node's clock. */
  block_ahead_sec: 5,

  // Gossip.
  inventory_ms: 120_000,
  /** Hashes that one peer has announced, with few peers; all peers share the total. */
  inventory_per_peer_max: 120_000,
  inventory_per_peer_min: 2000,
  inventory_total_max: 600_000,
  /** Items of one type that are asked of a peer at once. */
  items_per_request: 32,
  items_served_max: 2000,
  /** Announced and not here yet, of each type. */
  wanted_max: 50_000,
  wanted_intervals: 5,
  failed_max: 100_000,
  failed_ms: 15 * 60_000,
  cache_block_ages: 6,
  cache_blocks_max: 64,
  cache_transactions_max: 50_000,
  cache_transactions_bytes_max: 32 * 1024 * 1024,

  /** Of clients of this node, until they expire: told to peers that come later. */
  own_transactions_max: 10_000,
  own_transactions_bytes_max: 8 * 1024 * 1024,

  // Addresses.
  dial_ms: 10_000,
  dial_retry_ms: 30_000,
  dial_retry_ms_max: 3_600_000,
  /** With fewer connections than this a node does not wait longer and longer: it may be its own network that was away. */
  connections_few: 4,
  dials_at_once: 8,
  addresses_ms: 15 * 60_000,
  addresses_per_message_max: 1000,
  /** Records of the peer database, and of those the ones that came from one neighbourhood. */
  addresses_max: 1000,
  addresses_per_source_max: 64,
  firewall_ms: 5 * 60_000,
  /** Connections that others may have this node try. */
  probes_per_minute: 6,
  probe_ms: 5000,

  // Reputation.
  score_ban: 100,
  score_half_life_ms: 10 * 60_000,
  ban_ms: 60 * 60_000,
  addresses_remembered_max: 8192,
} as const;
