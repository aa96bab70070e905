import { ChainError } from '../base/errors.js';
import type { LogValues } from '../base/world.js';
import type { Json } from '../codec/json.js';
import type { BlockId } from '../crypto/digests.js';
import type { SignedTransaction } from '../protocol/transaction.js';
import { AddressBook } from './addresses/address-book.js';
import { Dialer } from './addresses/dialer.js';
import { answerTime, askTime, medianOffsetMs, timeCame } from './clock.js';
import type { Core } from './core.js';
import { describeConnections } from './current-connections.js';
import { Gossip } from './gossip/gossip.js';
import { Serving } from './gossip/serve.js';
import { Firewall } from './handshake/firewall.js';
import { Handshake } from './handshake/handshake.js';
import { ipKind, neighbourhood24 } from './ip-range.js';
import { P2P_LIMITS } from './limits.js';
import type { Lane, Parcel } from './outbox.js';
import { Peer, type Purpose } from './peer.js';
import { REASONS, type ReasonCode, reasonText } from './policy/reasons.js';
import { type Ban, Reputation } from './policy/reputation.js';
import type {
  BlockOutcome,
  ChainView,
  Connected,
  ConnectionId,
  MachineOptions,
  Reading,
  Ticket,
  TransactionOutcome,
  Wish,
} from './ports.js';
import { type ReceivedBlock, readBlock } from './received-block.js';
import { RecentBlocks } from './sync/recent-blocks.js';
import { Sync } from './sync/sync.js';
import { Traffic } from './traffic.js';
import { type EndpointText, NO_ENDPOINT, splitEndpoint } from './wire/endpoint.js';
import type { Frame } from './wire/frames.js';
import {
  decodeMessage,
  encodeMessage,
  ITEM_BLOCK,
  MESSAGES,
  type Message,
  type MessageName,
  messageId,
  messageName,
} from './wire/messages.js';

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

type Handlers = { readonly [N in Exclude<MessageName, 'block' | 'trx'>]: (peer: Peer, message: Message<N>) => void };

interface Pushed {
  readonly block: ReceivedBlock;
  readonly isSync: boolean;
  readonly fromId: ConnectionId;
}

/**
 * The network side of a node without anything around it: bytes, clock readings and answers of the chain go in, bytes and
 * wishes come out. After each input `take` gives what is to be done.
 */
export class Machine implements Core {
  options: MachineOptions;
  readonly chain: ChainView;
  now: Reading;
  readonly #peers = new Map<ConnectionId, Peer>();
  #wishes: Wish[] = [];
  #nextConnection = 1;
  #nextTicket = 1;
  #watchedMs: number;

  readonly addresses: AddressBook;
  readonly reputation: Reputation;
  readonly #dialer: Dialer;
  readonly #handshake: Handshake;
  readonly #firewall: Firewall;
  readonly #sync: Sync;
  readonly #gossip: Gossip;
  readonly #serving: Serving;
  readonly #recent = new RecentBlocks();
  readonly #pushed = new Map<Ticket, Pushed>();
  /** Told when a connection that was only tried has or has not come about. */
  readonly #probes = new Map<ConnectionId, (isReached: boolean) => void>();
  readonly #handlers: Handlers;
  readonly #upload = new Traffic();
  readonly #download = new Traffic();
  readonly #closedBy = new Map<ReasonCode, number>();

  constructor(options: MachineOptions, chain: ChainView, now: Reading) {
    this.options = options;
    this.chain = chain;
    this.now = now;
    this.#watchedMs = now.monotonicMs;
    this.reputation = new Reputation((ip) => this.options.kept.some((endpoint) => splitEndpoint(endpoint).ip === ip));
    this.addresses = new AddressBook(this);
    this.#dialer = new Dialer({
      core: this,
      addresses: this.addresses,
      reputation: this.reputation,
      dial: (endpoint) => this.#dial(endpoint, 'peer'),
    });
    this.#firewall = new Firewall({ core: this, probe: (target, answer) => this.#probe(target, answer) });
    this.#handshake = new Handshake({
      core: this,
      addresses: this.addresses,
      firewall: this.#firewall,
      activate: (peer) => this.#activate(peer),
      probed: (peer) => this.#answerProbe(peer, true),
    });
    this.#sync = new Sync({
      core: this,
      recent: this.#recent,
      push: (block) => this.#push(block, true, 0),
    });
    this.#gossip = new Gossip({
      core: this,
      recent: this.#recent,
      push: (block, from) => this.#push(block, false, from.id),
      startSync: (peer) => this.#sync.start(peer),
      blame: (peer, penalty, reason) => this.#blame(peer, penalty, reason),
    });
    this.#serving = new Serving(this, this.#gossip.cache);
    this.#handlers = this.#allHandlers();
  }

  #allHandlers(): Handlers {
    return {
      hello: (peer, message) => this.#handshake.helloCame(peer, message),
      connection_accepted: (peer) => this.#handshake.acceptedCame(peer),
      connection_rejected: (peer, message) => this.#handshake.rejectedCame(peer, message),
      closing_connection: (peer, { reason_for_closing: says, closing_due_to_error: isError }) =>
        this.close(peer, 'peer_closing', { says, isError }),
      address_request: (peer) => this.addresses.requestCame(peer),
      address: (peer, message) => {
        this.addresses.listCame(peer, message);
        this.#handshake.addressesCame(peer);
      },
      check_firewall: (peer, message) => this.#firewall.checkCame(peer, message),
      check_firewall_reply: (peer, message) => this.#firewall.replyCame(peer, message),
      current_time_request: (peer, message) => answerTime(this, peer, message),
      current_time_reply: (peer, message) => timeCame(this, peer, message),
      fetch_blockchain_item_ids: (peer, message) => this.#idsAsked(peer, message),
      blockchain_item_ids_inventory: (peer, message) => this.#sync.idsCame(peer, message),
      item_ids_inventory: (peer, message) => this.#gossip.inventoryCame(peer, message),
      fetch_items: (peer, message) => this.#serving.requestCame(peer, message),
      item_not_available: (peer, { item_type, item_hash }) => {
        if (item_type === ITEM_BLOCK) this.#sync.notAvailable(peer, item_hash);
        this.#gossip.notAvailable(peer, item_hash);
      },
      get_current_connections_request: (peer) =>
        this.send(peer, 'get_current_connections_reply', {
          ...this.#rates(),
          current_connections: describeConnections(this),
        }),
      // Nobody here asks for it.
      get_current_connections_reply: () => undefined,
    };
  }

  // What comes in.

  /** A connection that somebody has made to this node; undefined: it is not taken. */
  accepted(now: Reading, { remote, local }: Connected): ConnectionId | undefined {
    this.now = now;
    const peer = new Peer({ id: this.#nextConnection, isInbound: true, remote, purpose: 'peer', now });
    const refusal = this.#refusalOf(peer);
    if (refusal !== undefined) {
      this.tell('debug', 'a connection was not taken', { peer: remote, reason: refusal });
      return undefined;
    }
    this.#nextConnection++;
    this.#peers.set(peer.id, peer);
    peer.local = local;
    this.#handshake.open(peer);
    return peer.id;
  }

  #refusalOf(peer: Peer): ReasonCode | undefined {
    const { ip } = peer;
    if (this.reputation.isBanned(ip, this.now.monotonicMs)) return 'banned';
    // A few more than the limit, so that they can be told.
    const isFull = this.#peers.size >= this.options.connectionsMax + P2P_LIMITS.outbound_min;
    if (isFull) return 'too_many_connections';
    // Behind an address of this machine or of a private network there are many, and they are told apart by their ids.
    if (ipKind(ip) === 'loopback' || (ipKind(ip) !== 'public' && this.options.allowPrivate)) return undefined;
    let [same, near] = [0, 0];
    for (const other of this.#peers.values()) {
      if (!other.isInbound || other.phase === 'closing') continue;
      if (other.ip === ip) same++;
      if (neighbourhood24(other.ip) === neighbourhood24(ip)) near++;
    }
    const isCrowded = same >= P2P_LIMITS.inbound_per_address_max || near >= P2P_LIMITS.inbound_per_neighbourhood_max;
    return isCrowded ? 'too_many_connections' : undefined;
  }

  /** A connection that was wished for has come about. */
  connected(now: Reading, id: ConnectionId, { local }: Connected): void {
    this.now = now;
    const peer = this.#peers.get(id);
    if (peer === undefined || peer.phase !== 'dialing') return;
    peer.local = local;
    peer.lastReceivedMs = now.monotonicMs;
    this.#handshake.open(peer);
  }

  received(now: Reading, id: ConnectionId, bytes: Uint8Array): void {
    this.now = now;
    const peer = this.#peers.get(id);
    if (peer === undefined || peer.phase === 'closing') return;
    peer.bytesReceived += bytes.length;
    peer.lastReceivedWallMs = now.wallMs;
    this.#download.add(bytes.length, now.monotonicMs);
    let rest = bytes;
    if (peer.phase === 'keys') {
      const taken = peer.takeKey(bytes);
      if (taken === undefined) return;
      this.#handshake.keyCame(peer, taken.key);
      rest = taken.rest;
    }
    peer.reader?.push(rest);
    this.#readAll(peer);
    this.#gossip.flush();
  }

  #readAll(peer: Peer): void {
    while (peer.phase === 'handshake' || peer.phase === 'active') {
      const frame = peer.reader?.next();
      if (frame === undefined || frame === 'more') return;
      if (frame === 'too_large') {
        this.close(peer, 'frame_too_large');
        return;
      }
      peer.lastReceivedMs = this.now.monotonicMs;
      peer.messagesReceived++;
      this.#handle(peer, frame);
    }
  }

  /** The socket has taken so many of the bytes that were to be sent. */
  taken(now: Reading, id: ConnectionId, count: number): void {
    this.now = now;
    const peer = this.#peers.get(id);
    if (peer === undefined) return;
    peer.unsentBytes = Math.max(0, peer.unsentBytes - count);
    this.#pump(peer);
  }

  /** The connection is no more, or has never been. */
  gone(now: Reading, id: ConnectionId): void {
    this.now = now;
    const peer = this.#peers.get(id);
    if (peer === undefined) return;
    if (peer.phase === 'dialing') this.addresses.dialFailed(peer.remote);
    if (peer.phase !== 'closing') this.#leave(peer, 'peer_gone', {});
    this.#peers.delete(id);
    this.#answerProbe(peer, false);
    this.#gossip.flush();
  }

  /** Time has passed. */
  tick(now: Reading): void {
    this.now = now;
    if (now.monotonicMs - this.#watchedMs >= P2P_LIMITS.watch_ms) {
      this.#watchedMs = now.monotonicMs;
      for (const peer of [...this.#peers.values()]) this.#watch(peer);
      this.#gossip.tidy();
      this.addresses.refresh();
    }
    this.#dialer.run();
    this.#gossip.flush();
  }

  /** Moment of the monotonic clock at which `tick` has something to do again. */
  get nextWakeupMs(): number {
    return Math.min(this.#watchedMs + P2P_LIMITS.watch_ms, this.#dialer.nextMs);
  }

  blockDecided(now: Reading, ticket: Ticket, outcome: BlockOutcome): void {
    this.now = now;
    const pushed = this.#pushed.get(ticket);
    if (pushed === undefined) return;
    this.#pushed.delete(ticket);
    if (outcome.kind === 'accepted') this.#recent.add(pushed.block.id);
    if (pushed.isSync) this.#sync.decided(pushed.block, outcome);
    else this.#gossip.blockDecided(pushed.block, pushed.fromId, outcome);
    this.#gossip.flush();
  }

  transactionsDecided(now: Reading, outcomes: readonly TransactionOutcome[]): void {
    this.now = now;
    this.#gossip.transactionsDecided(outcomes);
    this.#gossip.flush();
  }

  /** A block that this node has made, or that a client has given it. */
  publishBlock(now: Reading, id: BlockId, bytes: Uint8Array): void {
    this.now = now;
    if (this.#recent.has(id)) return;
    this.#recent.add(id);
    this.#gossip.publishBlock(id, bytes);
    this.#gossip.flush();
  }

  /** A transaction that a client has given this node, and that was accepted. */
  publishTransaction(now: Reading, transaction: SignedTransaction): void {
    this.now = now;
    this.#gossip.publishTransaction(transaction);
    this.#gossip.flush();
  }

  /** The operator wants this node to connect there. */
  addPeer(now: Reading, endpoint: EndpointText): void {
    this.now = now;
    this.#dialer.add(endpoint);
    this.#dialer.run();
  }

  /** The same, and always: the connection is made again whenever it is lost, and nothing there is ever banned. */
  keepPeer(now: Reading, endpoint: EndpointText): void {
    const { kept } = this.options;
    if (!kept.includes(endpoint)) this.options = { ...this.options, kept: [...kept, endpoint] };
    this.addPeer(now, endpoint);
  }

  /** The operator wants more or fewer connections; those that are too many end, the youngest first. */
  setLimits(now: Reading, wanted: number, max: number): void {
    this.now = now;
    this.options = { ...this.options, connectionsWanted: Math.min(wanted, max), connectionsMax: max };
    let surplus = this.activeCount - max;
    for (const peer of [...this.activePeers()].reverse()) {
      if (surplus-- <= 0) break;
      this.close(peer, 'too_many_connections');
    }
  }

  /** Says goodbye to everybody. */
  shutDown(now: Reading): void {
    this.now = now;
    this.wish({ kind: 'store_peers' });
    for (const peer of [...this.#peers.values()]) this.close(peer, 'shutting_down');
  }

  /** What has come out since the last call. */
  take(): readonly Wish[] {
    const wishes = this.#wishes;
    this.#wishes = [];
    return wishes;
  }

  // What can be looked at.

  get peers(): ReadonlyMap<ConnectionId, Peer> {
    return this.#peers;
  }

  *activePeers(): Iterable<Peer> {
    for (const peer of this.#peers.values()) if (peer.isActive) yield peer;
  }

  get activeCount(): number {
    let count = 0;
    for (const _ of this.activePeers()) count++;
    return count;
  }

  get firewallState(): number {
    return this.#firewall.state;
  }

  get bans(): readonly Ban[] {
    return this.reputation.bans(this.now.monotonicMs);
  }

  /** Blocks that peers say are still to come. */
  get blocksBehind(): number {
    return this.#sync.behind;
  }

  get clockOffsetMs(): number | undefined {
    return medianOffsetMs(this.activePeers());
  }

  /** How often connections were ended, by reason. */
  get closures(): ReadonlyMap<ReasonCode, number> {
    return this.#closedBy;
  }

  get storedPeers(): Json {
    return this.addresses.toJson();
  }

  // What the rooms use.

  wish(wish: Wish): void {
    this.#wishes.push(wish);
  }

  ticket(): Ticket {
    return this.#nextTicket++;
  }

  tell(level: 'debug' | 'info' | 'warn', text: string, values: LogValues): void {
    this.wish({ kind: 'tell', level, text, values });
  }

  send<N extends MessageName>(peer: Peer, name: N, message: Message<N>, lane: Lane = 'live'): void {
    const payload = encodeMessage(name, message);
    const { type } = MESSAGES[name];
    this.post(peer, { type, bytes: payload.length, make: () => ({ type, payload }) }, lane);
  }

  post(peer: Peer, parcel: Parcel, lane: Lane = 'live'): void {
    if (peer.phase !== 'handshake' && peer.phase !== 'active') return;
    if (!peer.outbox.put(lane, parcel)) {
      this.close(peer, 'outbox_full');
      return;
    }
    this.#pump(peer);
  }

  #pump(peer: Peer): void {
    while (peer.unsentBytes < P2P_LIMITS.unsent_bytes_max) {
      const parcel = peer.outbox.take();
      if (parcel === undefined) return;
      const frame = parcel.make();
      if (frame !== undefined) this.#write(peer, frame);
    }
  }

  #write(peer: Peer, frame: Frame): void {
    if (peer.writer === undefined) return;
    const bytes = peer.writer.write(frame);
    peer.unsentBytes += bytes.length;
    peer.bytesSent += bytes.length;
    peer.lastSentMs = this.now.monotonicMs;
    peer.lastSentWallMs = this.now.wallMs;
    this.#upload.add(bytes.length, this.now.monotonicMs);
    this.wish({ kind: 'send', connection: peer.id, bytes });
  }

  close(peer: Peer, reason: ReasonCode, values: LogValues = {}): void {
    if (peer.phase === 'closing') return;
    const { manner } = REASONS[reason];
    const afterSending = manner !== 'silent' && peer.writer !== undefined;
    peer.outbox.clear();
    if (afterSending) {
      const payload = encodeMessage('closing_connection', {
        reason_for_closing: reasonText(reason),
        closing_due_to_error: manner === 'fault',
        error: undefined,
      });
      this.#write(peer, { type: MESSAGES.closing_connection.type, payload });
    }
    this.#leave(peer, reason, values);
    this.wish({ kind: 'close', connection: peer.id, reason, afterSending });
  }

  /** The peer takes part in nothing any more; what it owed is asked of others. */
  #leave(peer: Peer, reason: ReasonCode, values: LogValues): void {
    if (peer.purpose === 'peer' && peer.phase !== 'dialing') {
      this.tell('debug', 'a connection has ended', { peer: peer.remote, reason, phase: peer.phase, ...values });
      this.#closedBy.set(reason, (this.#closedBy.get(reason) ?? 0) + 1);
    }
    this.addresses.closed(peer);
    peer.phase = 'closing';
    peer.closingSinceMs = this.now.monotonicMs;
    this.#blame(peer, REASONS[reason].penalty, reason);
    this.#firewall.forget(peer);
    this.#sync.forget(peer);
    this.#gossip.forget(peer);
  }

  #blame(peer: Peer, penalty: number, reason: string): void {
    if (!this.reputation.blame(peer.ip, penalty, reason, this.now.monotonicMs)) return;
    this.tell('warn', 'an address is banned', { address: peer.ip, reason });
    for (const other of [...this.#peers.values()]) if (other.ip === peer.ip) this.close(other, 'banned');
  }

  // Messages.

  #handle(peer: Peer, { type, payload }: Frame): void {
    const name = messageName(type);
    const isItem = name === 'block' || name === 'trx';
    if (!peer.messages.take(isItem ? 0 : 1, this.now.monotonicMs)) {
      this.close(peer, 'message_flood');
      return;
    }
    // What was asked for has no limit but the question's.
    if (!isItem && !peer.unrequested.take(payload.length, this.now.monotonicMs)) {
      this.close(peer, 'byte_flood');
      return;
    }
    if (name === 'reserved') return;
    if (name === undefined) {
      this.close(peer, 'message_unknown', { type });
      return;
    }
    if (!hasPlace(peer, GATES[name])) {
      this.close(peer, 'message_out_of_state', { message: name });
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
      this.close(peer, 'message_unreadable', { message: name, error: error.message });
      return undefined;
    }
  }

  #blockCame(peer: Peer, payload: Uint8Array): void {
    const block = readBlock(payload, peer.remote);
    if (block === undefined) {
      this.close(peer, 'message_unreadable', { message: 'block' });
      return;
    }
    const isNew = this.#gossip.isExpected(peer, block);
    if (!isNew && !this.#sync.isExpected(peer, block.claimedId)) {
      this.close(peer, 'block_unrequested');
      return;
    }
    if (block.time >= Math.floor(this.now.wallMs / 1000) + P2P_LIMITS.block_ahead_sec) {
      this.close(peer, 'block_of_the_future', { block: block.id, time: block.time });
      return;
    }
    peer.lastKnownBlock = block.claimedId;
    if (isNew) this.#gossip.blockCame(peer, block);
    else this.#sync.blockCame(peer, block);
  }

  #transactionCame(peer: Peer, payload: Uint8Array): void {
    const hash = messageId(payload);
    if (!peer.gossip.requests.has(hash)) {
      this.close(peer, 'transaction_unrequested');
      return;
    }
    const message = this.#read(peer, 'trx', payload);
    if (message !== undefined) this.#gossip.transactionCame(peer, hash, message.trx);
  }

  #push(block: ReceivedBlock, isSync: boolean, fromId: ConnectionId): void {
    const ticket = this.ticket();
    this.#pushed.set(ticket, { block, isSync, fromId });
    const { id, number, bytes, from } = block;
    this.wish({ kind: 'push_block', ticket, id, number, bytes, from, isSync });
  }

  #idsAsked(peer: Peer, message: Message<'fetch_blockchain_item_ids'>): void {
    this.#sync.requestCame(peer, message);
    // Who has come here and asks for ids need not wait for the addresses.
    const isWelcome = peer.ours === 'accepted' && peer.theirs !== 'rejected';
    if (peer.phase === 'handshake' && peer.isInbound && isWelcome) this.#activate(peer);
  }

  #activate(peer: Peer): void {
    peer.phase = 'active';
    this.addresses.activated(peer);
    this.tell('info', 'connected', {
      peer: peer.remote,
      inbound: peer.isInbound,
      program: peer.hello?.fields.user_agent ?? '',
    });
    askTime(this, peer);
    this.#sync.start(peer);
  }

  // Time.

  #watch(peer: Peer): void {
    const ms = this.now.monotonicMs;
    if (peer.phase === 'closing') {
      if (ms - peer.closingSinceMs < P2P_LIMITS.close_grace_ms) return;
      peer.closingSinceMs = ms;
      this.wish({ kind: 'close', connection: peer.id, reason: 'peer_closing', afterSending: false });
      return;
    }
    if (peer.isOpening) this.#watchOpening(peer);
    else this.#watchActive(peer);
  }

  #watchOpening(peer: Peer): void {
    const ms = this.now.monotonicMs;
    const idleMs = ms - Math.max(peer.openedMs, peer.lastReceivedMs, peer.lastSentMs);
    const isProbe = peer.purpose === 'probe';
    if (peer.phase === 'dialing' && ms - peer.openedMs > P2P_LIMITS.handshake_idle_ms) this.#giveUpDial(peer);
    else if (isProbe && ms - peer.openedMs > P2P_LIMITS.probe_ms) this.close(peer, 'probe_failed');
    else if (idleMs > P2P_LIMITS.handshake_idle_ms) this.close(peer, 'handshake_idle');
    else if (ms - peer.openedMs > P2P_LIMITS.handshake_ms) this.close(peer, 'handshake_too_long');
  }

  #giveUpDial(peer: Peer): void {
    this.addresses.dialFailed(peer.remote);
    this.close(peer, 'dial_failed');
  }

  #watchActive(peer: Peer): void {
    const silentMs = this.now.monotonicMs - peer.lastReceivedMs;
    const intervalMs = 1000 * this.chain.blockIntervalSec;
    if (silentMs > P2P_LIMITS.inactivity_intervals * intervalMs) {
      this.close(peer, 'inactive');
      return;
    }
    this.#sync.watch(peer);
    if (peer.isActive) this.#gossip.watch(peer);
    if (peer.isActive && silentMs > P2P_LIMITS.keepalive_intervals * intervalMs) askTime(this, peer);
  }

  // Connections of this node's own.

  #dial(endpoint: EndpointText, purpose: Purpose): Peer {
    const id = this.#nextConnection++;
    const peer = new Peer({ id, isInbound: false, remote: endpoint, purpose, now: this.now });
    this.#peers.set(id, peer);
    this.wish({ kind: 'dial', connection: id, endpoint });
    return peer;
  }

  #probe(target: EndpointText, answer: (isReached: boolean) => void): boolean {
    if (target === NO_ENDPOINT || this.#peers.size >= this.options.connectionsMax) return false;
    for (const peer of this.#peers.values()) if (peer.remote === target) return false;
    this.#probes.set(this.#dial(target, 'probe').id, answer);
    return true;
  }

  #answerProbe(peer: Peer, isReached: boolean): void {
    const answer = this.#probes.get(peer.id);
    if (answer === undefined) return;
    this.#probes.delete(peer.id);
    answer(isReached);
    if (isReached) this.close(peer, 'probe_done');
  }

  #rates() {
    const up = this.#upload.rates(this.now.monotonicMs);
    const down = this.#download.rates(this.now.monotonicMs);
    return {
      upload_rate_one_minute: up.oneMinute,
      download_rate_one_minute: down.oneMinute,
      upload_rate_fifteen_minutes: up.fifteenMinutes,
      download_rate_fifteen_minutes: down.fifteenMinutes,
      upload_rate_one_hour: up.oneHour,
      download_rate_one_hour: down.oneHour,
    };
  }
}

function hasPlace(peer: Peer, gate: Gate): boolean {
  if (gate === 'opening') return true;
  return gate === 'active' ? peer.isActive : peer.hello !== undefined;
}
