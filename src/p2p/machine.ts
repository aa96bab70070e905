import type { LogValues } from '../base/world.js';
import type { Json } from '../codec/json.js';
import type { BlockId, TransactionId } from '../crypto/digests.js';
import type { SignedTransaction } from '../protocol/transaction.js';
import { AddressBook } from './addresses/address-book.js';
import { Dialer } from './addresses/dialer.js';
import { askTime, PeerClocks } from './clock.js';
import { Connections } from './connections.js';
import type { Core } from './core.js';
import { Gossip } from './gossip/gossip.js';
import { Serving } from './gossip/serve.js';
import { Firewall } from './handshake/firewall.js';
import { Handshake } from './handshake/handshake.js';
import { type Held, heldByPeers } from './held.js';
import { P2P_LIMITS } from './limits.js';
import type { Lane, Parcel } from './outbox.js';
import type { Peer } from './peer.js';
import type { ReasonCode } from './policy/reasons.js';
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
import type { ReceivedBlock } from './received-block.js';
import { Reception } from './reception.js';
import { RecentBlocks } from './sync/recent-blocks.js';
import { Sync } from './sync/sync.js';
import { type EndpointText, type IpText, splitEndpoint } from './wire/endpoint.js';
import { encodeMessage, MESSAGES, type Message, type MessageName } from './wire/messages.js';

interface Pushed {
  readonly block: ReceivedBlock;
  readonly isSync: boolean;
}

/**
 * The network side of a node without anything around it: bytes, clock readings and answers of the chain go in, bytes and
 * wishes come out. After each input `take` gives what is to be done.
 */
export class Machine implements Core {
  options: MachineOptions;
  readonly chain: ChainView;
  now: Reading;
  #wishes: Wish[] = [];
  #nextTicket = 1;
  #watchedMs: number;

  readonly addresses: AddressBook;
  readonly reputation: Reputation;
  readonly #dialer: Dialer;
  readonly #handshake: Handshake;
  readonly #firewall: Firewall;
  readonly #sync: Sync;
  readonly #gossip: Gossip;
  readonly #recent = new RecentBlocks();
  readonly #pushed = new Map<Ticket, Pushed>();
  readonly #connections: Connections;
  readonly #reception: Reception;
  readonly #clocks = new PeerClocks(this);

  constructor(options: MachineOptions, chain: ChainView, now: Reading) {
    this.options = options;
    this.chain = chain;
    this.now = now;
    this.#watchedMs = now.monotonicMs;
    this.reputation = new Reputation((ip) => this.options.kept.some((endpoint) => splitEndpoint(endpoint).ip === ip));
    this.addresses = new AddressBook(this);
    this.#connections = new Connections({
      core: this,
      addresses: this.addresses,
      reputation: this.reputation,
      left: (peer) => this.#left(peer),
    });
    const connections = this.#connections;
    this.#dialer = new Dialer({
      core: this,
      addresses: this.addresses,
      reputation: this.reputation,
      dial: (endpoint) => connections.dial(endpoint, 'peer'),
    });
    this.#firewall = new Firewall({ core: this, probe: (target, answer) => connections.probe(target, answer) });
    this.#handshake = new Handshake({
      core: this,
      addresses: this.addresses,
      firewall: this.#firewall,
      activate: (peer) => this.#activate(peer),
      probed: (peer) => connections.answerProbe(peer, true),
    });
    this.#sync = new Sync({
      core: this,
      recent: this.#recent,
      push: (block) => this.#push(block, true),
      blameSender: (sender, reason, values) => connections.blameSender(sender, reason, values),
    });
    this.#gossip = new Gossip({
      core: this,
      recent: this.#recent,
      push: (block) => this.#push(block, false),
      startSync: (peer) => this.#sync.start(peer),
      goOnWithSync: (peer) => this.#sync.goOn(peer),
      blame: (peer, penalty, reason) => connections.blame(peer.ip, penalty, reason),
      blameSender: (sender, reason, values) => connections.blameSender(sender, reason, values),
    });
    this.#reception = new Reception({
      core: this,
      connections,
      addresses: this.addresses,
      handshake: this.#handshake,
      firewall: this.#firewall,
      sync: this.#sync,
      gossip: this.#gossip,
      serving: new Serving(this, this.#gossip.cache),
      activate: (peer) => this.#activate(peer),
    });
  }

  // What comes in.

  /** A connection that somebody has made to this node; undefined: it is not taken. */
  accepted(now: Reading, { remote, local }: Connected): ConnectionId | undefined {
    this.now = now;
    const peer = this.#connections.take(remote);
    if (peer === undefined) return undefined;
    peer.local = local;
    this.#handshake.open(peer);
    return peer.id;
  }

  /** A connection that was wished for has come about. */
  connected(now: Reading, id: ConnectionId, { local }: Connected): void {
    this.now = now;
    const peer = this.peers.get(id);
    if (peer === undefined || peer.phase !== 'dialing') return;
    peer.local = local;
    peer.lastReceivedMs = now.monotonicMs;
    this.#handshake.open(peer);
  }

  received(now: Reading, id: ConnectionId, bytes: Uint8Array): void {
    this.now = now;
    const peer = this.peers.get(id);
    if (peer === undefined || peer.phase === 'closing') return;
    this.#reception.bytesCame(peer, bytes);
    this.#gossip.flush();
  }

  /** The socket has taken so many of the bytes that were to be sent. */
  taken(now: Reading, id: ConnectionId, count: number): void {
    this.now = now;
    const peer = this.peers.get(id);
    if (peer !== undefined) this.#connections.taken(peer, count);
  }

  /** The connection is no more, or has never been; `why`: what the system says of it. */
  gone(now: Reading, id: ConnectionId, why?: string): void {
    this.now = now;
    const peer = this.peers.get(id);
    if (peer === undefined) return;
    this.#connections.gone(peer, why);
    this.#gossip.flush();
  }

  /** Time has passed. */
  tick(now: Reading): void {
    this.now = now;
    if (now.monotonicMs - this.#watchedMs >= P2P_LIMITS.watch_ms) {
      this.#watchedMs = now.monotonicMs;
      for (const peer of [...this.peers.values()]) {
        if (peer.isActive) this.#watchActive(peer);
        else this.#connections.watch(peer);
      }
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
    else this.#gossip.blockDecided(pushed.block, outcome);
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
  publishTransaction(now: Reading, id: TransactionId, transaction: SignedTransaction): void {
    this.now = now;
    this.#gossip.publishTransaction(id, transaction);
    this.#gossip.flush();
  }

  /** The operator wants this node to connect there. */
  addPeer(now: Reading, endpoint: EndpointText): void {
    this.now = now;
    this.#dialer.add(endpoint);
    this.#dialer.run();
  }

  /**
   * The same, and always: the connection is made again whenever it is lost, and nothing there is ever banned. `before`:
   * where it was, which whoever is there now has nothing of.
   */
  keepPeer(now: Reading, endpoint: EndpointText, before?: EndpointText): void {
    const others = this.options.kept.filter((one) => one !== endpoint && one !== before);
    this.options = { ...this.options, kept: [...others, endpoint] };
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
    for (const peer of [...this.peers.values()]) this.close(peer, 'shutting_down');
  }

  /** What has come out since the last call. */
  take(): readonly Wish[] {
    const wishes = this.#wishes;
    this.#wishes = [];
    return wishes;
  }

  // What can be looked at.

  get peers(): ReadonlyMap<ConnectionId, Peer> {
    return this.#connections.peers;
  }

  activePeers(): Iterable<Peer> {
    return this.#connections.active();
  }

  get activeCount(): number {
    let count = 0;
    for (const _ of this.activePeers()) count++;
    return count;
  }

  isConnectedTo(endpoint: EndpointText): boolean {
    for (const { endpoints } of this.activePeers()) if (endpoints.includes(endpoint)) return true;
    return false;
  }

  get firewallState(): number {
    return this.#firewall.state;
  }

  scoreOf(ip: IpText): number {
    return this.reputation.scoreOf(ip, this.now.monotonicMs);
  }

  get bans(): readonly Ban[] {
    return this.reputation.bans(this.now.monotonicMs);
  }

  /** Blocks that peers say are still to come. */
  get blocksBehind(): number {
    return this.#sync.behind;
  }

  get clockOffsetMs(): number | undefined {
    return this.#clocks.offsetMs;
  }

  /** How often connections were ended, by reason. */
  get closures(): ReadonlyMap<ReasonCode, number> {
    return this.#connections.closures;
  }

  /** How often a connection of somebody else was not taken, by reason. */
  get refusals(): ReadonlyMap<ReasonCode, number> {
    return this.#connections.refusals;
  }

  get held(): Held {
    return {
      ...heldByPeers(this.peers.values(), this.#gossip.hashCount),
      waiting_block_bytes: this.#sync.waitingBytes,
      wanted: this.#gossip.wantedCount,
      cached_transaction_bytes: this.#gossip.cache.transactionBytes,
      own_transaction_bytes: this.#gossip.ownTransactionBytes,
      cached_blocks: this.#gossip.cache.blockCount,
      addresses: this.addresses.count,
    };
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
    this.#connections.post(peer, parcel, lane);
  }

  close(peer: Peer, reason: ReasonCode, values: LogValues = {}): void {
    this.#connections.close(peer, reason, values);
  }

  #left(peer: Peer): void {
    this.#firewall.forget(peer);
    this.#sync.forget(peer);
    this.#gossip.forget(peer);
    this.#clocks.left(peer);
  }

  #push(block: ReceivedBlock, isSync: boolean): void {
    const ticket = this.ticket();
    this.#pushed.set(ticket, { block, isSync });
    const { id, number, sender } = block;
    const given = block.packed ?? block.bytes;
    this.wish({ kind: 'push_block', ticket, id, number, block: given, from: sender.remote, isSync });
  }

  #activate(peer: Peer): void {
    if (!this.#handshake.isOnly(peer)) return;
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

  #watchActive(peer: Peer): void {
    const silentMs = this.now.monotonicMs - peer.lastReceivedMs;
    const intervalMs = 1000 * this.chain.blockIntervalSec;
    if (silentMs > P2P_LIMITS.inactivity_intervals * intervalMs) {
      this.close(peer, 'inactive');
      return;
    }
    this.#sync.watch(peer);
    if (peer.isActive) this.#gossip.watch(peer);
    const isSilent = silentMs > P2P_LIMITS.keepalive_intervals * intervalMs;
    const isTimeOld = this.now.monotonicMs - peer.timeAskedMs >= P2P_LIMITS.time_ms;
    if (peer.isActive && (isSilent || isTimeOld)) askTime(this, peer);
  }
}
