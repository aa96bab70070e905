import { ChainError } from '../base/errors.js';
import type { AddressBook } from './addresses/address-book.js';
import { answerTime, timeCame } from './clock.js';
import type { Connections } from './connections.js';
import type { Core } from './core.js';
import { describeConnections } from './current-connections.js';
import type { Gossip } from './gossip/gossip.js';
import type { Serving } from './gossip/serve.js';
import type { Firewall } from './handshake/firewall.js';
import type { Handshake } from './handshake/handshake.js';
import { P2P_LIMITS } from './limits.js';
import type { Peer } from './peer.js';
import { readBlock } from './received-block.js';
import type { Sync } from './sync/sync.js';
import type { Frame } from './wire/frames.js';
import { decodeMessage, ITEM_BLOCK, type Message, type MessageName, messageId, messageName } from './wire/messages.js';

/** From which state of a connection on a message has a place. */
type Gate = 'opening' | 'greeted' | 'active';

const GATES: Readonly<Record<MessageName, Gate>> = {
  hello: 'opening',
  connection_accepted: 'opening',
  connection_rejected: 'opening',
  closing_connection: 'opening',
  address_request: 'greeted',
  address: 'greeted',
  check_firewall: 'greeted',
  check_firewall_reply: 'greeted',
  current_time_request: 'greeted',
  current_time_reply: 'greeted',
  fetch_blockchain_item_ids: 'greeted',
  trx: 'active',
  block: 'active',
  item_ids_inventory: 'active',
  blockchain_item_ids_inventory: 'active',
  fetch_items: 'active',
  item_not_available: 'active',
  get_current_connections_request: 'active',
  get_current_connections_reply: 'active',
};

/** Items that were asked for are none of the messages that are counted. */
function costOf(name: MessageName | 'reserved' | undefined): number {
  if (name === 'block' || name === 'trx') return 0;
  return name === 'item_ids_inventory' || name === 'fetch_items' ? P2P_LIMITS.item_message_cost : 1;
}

function hasPlace(peer: Peer, gate: Gate): boolean {
  if (gate === 'opening') return true;
  return gate === 'active' ? peer.isActive : peer.hello !== undefined;
}

type Handlers = { readonly [N in Exclude<MessageName, 'block' | 'trx'>]: (peer: Peer, message: Message<N>) => void };

export interface ReceptionParts {
  readonly core: Core;
  readonly connections: Connections;
  readonly addresses: AddressBook;
  readonly handshake: Handshake;
  readonly firewall: Firewall;
  readonly sync: Sync;
  readonly gossip: Gossip;
  readonly serving: Serving;
  readonly activate: (peer: Peer) => void;
}

/** What comes from peers: bytes become messages, each is read if it has its place and its sender its measure. */
export class Reception {
  readonly #p: ReceptionParts;
  readonly #handlers: Handlers;

  constructor(parts: ReceptionParts) {
    this.#p = parts;
    this.#handlers = this.#allHandlers();
  }

  #allHandlers(): Handlers {
    const { core, connections, addresses, handshake, firewall, sync, gossip, serving } = this.#p;
    return {
      hello: (peer, message) => handshake.helloCame(peer, message),
      connection_accepted: (peer) => handshake.acceptedCame(peer),
      connection_rejected: (peer, message) => handshake.rejectedCame(peer, message),
      closing_connection: (peer, { reason_for_closing: says, closing_due_to_error: isError }) =>
        core.close(peer, 'peer_closing', { says, isError }),
      address_request: (peer) => addresses.requestCame(peer),
      address: (peer, message) => {
        addresses.listCame(peer, message);
        handshake.addressesCame(peer);
      },
      check_firewall: (peer, message) => firewall.checkCame(peer, message),
      check_firewall_reply: (peer, message) => firewall.replyCame(peer, message),
      current_time_request: (peer, message) => answerTime(core, peer, message),
      current_time_reply: (peer, message) => timeCame(core, peer, message),
      fetch_blockchain_item_ids: (peer, message) => this.#idsAsked(peer, message),
      blockchain_item_ids_inventory: (peer, message) => sync.idsCame(peer, message),
      item_ids_inventory: (peer, message) => gossip.inventoryCame(peer, message),
      fetch_items: (peer, message) => serving.requestCame(peer, message),
      item_not_available: (peer, { item_type, item_hash }) => {
        if (item_type === ITEM_BLOCK) sync.notAvailable(peer, item_hash);
        gossip.notAvailable(peer, item_hash);
      },
      get_current_connections_request: (peer) =>
        core.send(peer, 'get_current_connections_reply', {
          ...connections.rates(),
          current_connections: describeConnections(core),
        }),
      // Nobody here asks for it.
      get_current_connections_reply: () => undefined,
    };
  }

  bytesCame(peer: Peer, bytes: Uint8Array): void {
    const { core, connections, handshake } = this.#p;
    peer.bytesReceived += bytes.length;
    peer.lastReceivedWallMs = core.now.wallMs;
    connections.download.add(bytes.length, core.now.monotonicMs);
    let rest = bytes;
    if (peer.phase === 'keys') {
      const taken = peer.takeKey(bytes);
      if (taken === undefined) return;
      handshake.keyCame(peer, taken.key);
      rest = taken.rest;
    }
    peer.reader?.push(rest);
    this.#readAll(peer);
  }

  #readAll(peer: Peer): void {
    while (peer.phase === 'handshake' || peer.phase === 'active') {
      const frame = peer.reader?.next();
      if (frame === undefined || frame === 'more') return;
      if (frame === 'too_large') {
        this.#p.core.close(peer, 'frame_too_large');
        return;
      }
      peer.lastReceivedMs = this.#p.core.now.monotonicMs;
      peer.messagesReceived++;
      this.#handle(peer, frame);
    }
  }

  #handle(peer: Peer, { type, payload }: Frame): void {
    const { core } = this.#p;
    const name = messageName(type);
    const cost = costOf(name);
    const { handshake_messages_max } = P2P_LIMITS;
    const isTooLongHandshake = peer.phase === 'handshake' && peer.messagesReceived > handshake_messages_max;
    if (!peer.messages.take(cost, core.now.monotonicMs) || isTooLongHandshake) {
      core.close(peer, 'message_flood');
      return;
    }
    // What was asked for has no limit but the question's.
    if (cost > 0 && !peer.unrequested.take(payload.length, core.now.monotonicMs)) {
      core.close(peer, 'byte_flood');
      return;
    }
    if (name === 'reserved') return;
    if (name === undefined) {
      core.close(peer, 'message_unknown', { type });
      return;
    }
    if (!hasPlace(peer, GATES[name])) {
      core.close(peer, 'message_out_of_state', { message: name });
      return;
    }
    if (name === 'hello' && payload.length > P2P_LIMITS.hello_bytes_max) {
      core.close(peer, 'hello_invalid', { bytes: payload.length });
      return;
    }
    if (name === 'block') this.#blockCame(peer, payload);
    else if (name === 'trx') this.#transactionCame(peer, payload);
    else this.#dispatch(peer, name, payload);
  }

  #dispatch<N extends keyof Handlers>(peer: Peer, name: N, payload: Uint8Array): void {
    const message = this.#read(peer, name, payload);
    if (message !== undefined) this.#handlers[name](peer, message);
  }

  #read<N extends MessageName>(peer: Peer, name: N, payload: Uint8Array): Message<N> | undefined {
    try {
      return decodeMessage(name, payload);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      this.#p.core.close(peer, 'message_unreadable', { message: name, error: error.message });
      return undefined;
    }
  }

  #blockCame(peer: Peer, payload: Uint8Array): void {
    const { core, gossip, sync } = this.#p;
    const block = readBlock(payload, peer);
    if (block === undefined) {
      core.close(peer, 'message_unreadable', { message: 'block' });
      return;
    }
    const isNew = gossip.isExpected(peer, block);
    if (!isNew && !sync.isExpected(peer, block.claimedId)) {
      core.close(peer, 'block_unrequested');
      return;
    }
    const aheadSec = block.time - Math.floor(core.now.wallMs / 1000);
    if (aheadSec >= P2P_LIMITS.block_ahead_sec) {
      core.close(peer, 'block_of_the_future', { block: block.id, aheadSec });
      return;
    }
    const checkpoint = core.chain.checkpointOf(block.number);
    if (checkpoint !== undefined && checkpoint !== block.id) {
      core.close(peer, 'checkpoint_mismatch', { block: block.id, checkpoint });
      return;
    }
    peer.lastKnownBlock = block.claimedId;
    if (isNew) gossip.blockCame(peer, block);
    else sync.blockCame(peer, block);
  }

  #transactionCame(peer: Peer, payload: Uint8Array): void {
    const hash = messageId(payload);
    if (!peer.gossip.requests.has(hash)) {
      this.#p.core.close(peer, 'transaction_unrequested');
      return;
    }
    const message = this.#read(peer, 'trx', payload);
    if (message !== undefined) this.#p.gossip.transactionCame(peer, hash, message.trx);
  }

  #idsAsked(peer: Peer, message: Message<'fetch_blockchain_item_ids'>): void {
    this.#p.sync.requestCame(peer, message);
    // Who has come here and asks for ids need not wait for the addresses.
    const isWelcome = peer.ours === 'accepted' && peer.theirs !== 'rejected';
    if (peer.phase === 'handshake' && peer.isInbound && isWelcome) this.#p.activate(peer);
  }
}
