import { decode, encode } from '../../codec/binary.js';
import { array, optional } from '../../codec/containers.js';
import { type DecodeRules, USUAL_RULES } from '../../codec/decode-rules.js';
import { bool, fixedHex, i64, text, time, u8, u16, u32, u64 } from '../../codec/scalars.js';
import { extend, struct } from '../../codec/struct.js';
import type { Type, ValueOf } from '../../codec/type.js';
import { ripemd160Hex } from '../../crypto/hash.js';
import { signedBlock } from '../../protocol/block.js';
import { sha256Hash, signature } from '../../protocol/keys.js';
import { signedTransaction } from '../../protocol/transaction.js';
import { endpoint, ip } from './endpoint.js';
import { variant, variantObject } from './variant.js';

/** Every message between nodes: number, name, payload. Their bytes are the protocol; who may send which, is not said here. */

/** Version of the protocol that a hello carries; nobody compares it. */
export const PROTOCOL_VERSION = 106;

/** 20 bytes of a block id, a transaction id or a message id, whichever the context says. */
const itemHash = fixedHex('item_hash', 20);
/** 33 bytes that need not be a point of the curve. */
const nodeId = fixedHex('node_id', 33);
const nodeKey = fixedHex('node_key', 33);
export const NO_NODE_ID = '00'.repeat(33);

export type ItemHash = string;
/** 33 bytes as hex. */
export type NodeId = string;

export const ITEM_TRANSACTION = 1000;
export const ITEM_BLOCK = 1001;
export type ItemType = typeof ITEM_TRANSACTION | typeof ITEM_BLOCK;

const empty = struct('empty', {});

const transactionMessage = struct('trx_message', { trx: signedTransaction });
const blockMessage = struct('block_message', { block: signedBlock, block_id: itemHash });

const itemIdsInventory = struct('item_ids_inventory', { item_type: u32, item_hashes_available: array(itemHash) });
const blockIdsInventory = struct('blockchain_item_ids_inventory', {
  total_remaining_item_count: u32,
  item_type: u32,
  item_hashes_available: array(itemHash),
});
const fetchBlockIds = struct('fetch_blockchain_item_ids', { item_type: u32, blockchain_synopsis: array(itemHash) });
const fetchItems = struct('fetch_items', { item_type: u32, items_to_fetch: array(itemHash) });
const itemNotAvailable = struct('item_not_available', { item_type: u32, item_hash: itemHash });

const hello = struct('hello', {
  user_agent: text,
  core_protocol_version: u32,
  inbound_address: ip,
  inbound_port: u16,
  outbound_port: u16,
  node_public_key: nodeKey,
  signed_shared_secret: signature,
  chain_id: sha256Hash,
  user_data: variantObject,
});
export type Hello = ValueOf<typeof hello>;

export const REJECTION = {
  unspecified: 0,
  differentChain: 1,
  alreadyConnected: 2,
  connectedToSelf: 3,
  notAccepting: 4,
  blocked: 5,
  invalidHello: 6,
  clientTooOld: 7,
} as const;

const connectionRejected = struct('connection_rejected', {
  user_agent: text,
  core_protocol_version: u32,
  remote_endpoint: endpoint,
  reason_code: u8,
  reason_string: text,
});

/** As the sender of a list of addresses sees the connection. */
export const DIRECTION = { unknown: 0, inbound: 1, outbound: 2 } as const;
export const FIREWALLED = { unknown: 0, firewalled: 1, notFirewalled: 2 } as const;

const addressInfo = struct('address_info', {
  remote_endpoint: endpoint,
  last_seen_time: time,
  latency_us: i64,
  node_id: nodeId,
  direction: u8,
  firewalled: u8,
});
export type AddressInfo = ValueOf<typeof addressInfo>;
const address = struct('address', { addresses: array(addressInfo) });

const errorInfo = struct('error_info', { code: i64, name: text, text, stack: array(variant) });
const closingConnection = struct('closing_connection', {
  reason_for_closing: text,
  closing_due_to_error: bool,
  error: optional(errorInfo),
});

const currentTimeRequest = struct('current_time_request', { request_sent_time: u64 });
const currentTimeReply = extend('current_time_reply', currentTimeRequest, {
  request_received_time: u64,
  reply_transmitted_time: u64,
});

const checkFirewall = struct('check_firewall', { node_id: nodeId, endpoint_to_check: endpoint });
export const FIREWALL_RESULT = { unableToCheck: 0, unableToConnect: 1, connected: 2 } as const;
const checkFirewallReply = struct('check_firewall_reply', { node_id: nodeId, endpoint_checked: endpoint, result: u8 });

const currentConnection = struct('current_connection_data', {
  connection_duration: u32,
  remote_endpoint: endpoint,
  node_id: nodeId,
  clock_offset_us: i64,
  round_trip_delay_us: i64,
  connection_direction: u8,
  firewalled: u8,
  user_data: variantObject,
});
export type CurrentConnection = ValueOf<typeof currentConnection>;
const getCurrentConnectionsReply = struct('get_current_connections_reply', {
  upload_rate_one_minute: u32,
  download_rate_one_minute: u32,
  upload_rate_fifteen_minutes: u32,
  download_rate_fifteen_minutes: u32,
  upload_rate_one_hour: u32,
  download_rate_one_hour: u32,
  current_connections: array(currentConnection),
});

/** Number and payload of each message. */
export const MESSAGES = {
  trx: { type: ITEM_TRANSACTION, schema: transactionMessage },
  block: { type: ITEM_BLOCK, schema: blockMessage },
  item_ids_inventory: { type: 5001, schema: itemIdsInventory },
  blockchain_item_ids_inventory: { type: 5002, schema: blockIdsInventory },
  fetch_blockchain_item_ids: { type: 5003, schema: fetchBlockIds },
  fetch_items: { type: 5004, schema: fetchItems },
  item_not_available: { type: 5005, schema: itemNotAvailable },
  hello: { type: 5006, schema: hello },
  connection_accepted: { type: 5007, schema: empty },
  connection_rejected: { type: 5008, schema: connectionRejected },
  address_request: { type: 5009, schema: empty },
  address: { type: 5010, schema: address },
  closing_connection: { type: 5011, schema: closingConnection },
  current_time_request: { type: 5012, schema: currentTimeRequest },
  current_time_reply: { type: 5013, schema: currentTimeReply },
  check_firewall: { type: 5014, schema: checkFirewall },
  check_firewall_reply: { type: 5015, schema: checkFirewallReply },
  get_current_connections_request: { type: 5016, schema: empty },
  get_current_connections_reply: { type: 5017, schema: getCurrentConnectionsReply },
} as const;

export type MessageName = keyof typeof MESSAGES;
export type Message<N extends MessageName> = ValueOf<(typeof MESSAGES)[N]['schema']>;

/** Numbers that are kept for later versions: who does not know them passes over them. */
const RESERVED_FIRST = 5000;
const RESERVED_LAST = 5099;

const NAMES = new Map<number, MessageName>(
  (Object.keys(MESSAGES) as MessageName[]).map((name) => [MESSAGES[name].type, name]),
);

/** `reserved`: to be passed over. Undefined: not a number of this protocol. */
export function messageName(type: number): MessageName | 'reserved' | undefined {
  return NAMES.get(type) ?? (type >= RESERVED_FIRST && type <= RESERVED_LAST ? 'reserved' : undefined);
}

export function encodeMessage<N extends MessageName>(name: N, message: Message<N>): Uint8Array {
  return encode(MESSAGES[name].schema as unknown as Type<Message<N>>, message);
}

/** As the reference does: bytes behind the last field are passed over. */
export function decodeMessage<N extends MessageName>(
  name: N,
  payload: Uint8Array,
  rules: DecodeRules = USUAL_RULES,
): Message<N> {
  return decode(MESSAGES[name].schema as unknown as Type<Message<N>>, payload, 'ignore', rules);
}

/** Type and header are not part of it. */
export function messageId(payload: Uint8Array): ItemHash {
  return ripemd160Hex(payload);
}
