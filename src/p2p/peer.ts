import { toHex } from '../base/bytes.js';
import type { BlockId } from '../crypto/digests.js';
import { PrivateKey } from '../crypto/private-key.js';
import { PeerGossip } from './gossip/peer-gossip.js';
import type { RemoteHello } from './handshake/user-data.js';
import { P2P_LIMITS } from './limits.js';
import { Outbox } from './outbox.js';
import { TokenBucket } from './policy/token-bucket.js';
import type { ConnectionId, Reading } from './ports.js';
import { PeerSync } from './sync/peer-sync.js';
import { type EndpointText, endpointOf, type IpText, splitEndpoint } from './wire/endpoint.js';
import { FrameReader, FrameWriter } from './wire/frames.js';
import { EPHEMERAL_KEY_BYTES, type SessionKeys } from './wire/key-exchange.js';
import { FIREWALLED, type NodeId } from './wire/messages.js';

/**
 * `dialing`: no connection yet; `keys`: waits for the other side's key; `handshake`: hello and addresses; `active`:
 * takes part in everything; `closing`: nothing that comes is looked at any more.
 */
export type Phase = 'dialing' | 'keys' | 'handshake' | 'active' | 'closing';

export type Verdict = 'waiting' | 'accepted' | 'rejected';

/** `probe`: only tried, for somebody who wants to know whether the address can be reached. */
export type Purpose = 'peer' | 'probe';

export interface PeerInit {
  readonly id: ConnectionId;
  readonly isInbound: boolean;
  readonly remote: EndpointText;
  readonly purpose: Purpose;
  readonly now: Reading;
}

/** One connection and all that is known of who is behind it. */
export class Peer {
  readonly id: ConnectionId;
  readonly isInbound: boolean;
  readonly remote: EndpointText;
  readonly ip: IpText;
  readonly purpose: Purpose;
  readonly openedMs: number;
  readonly openedWallMs: number;
  local: EndpointText = '0.0.0.0:0';
  phase: Phase = 'dialing';

  ephemeralKey: PrivateKey | undefined;
  keys: SessionKeys | undefined;
  reader: FrameReader | undefined;
  writer: FrameWriter | undefined;
  /** The first bytes, until the other side's key is whole. */
  #keyBytes = new Uint8Array(0);

  hello: RemoteHello | undefined;
  /** Node id of its user data, or its key. */
  identity: NodeId | undefined;
  /** What we said of its hello, and it of ours. */
  ours: Verdict = 'waiting';
  theirs: Verdict = 'waiting';
  firewalled: number = FIREWALLED.unknown;
  addressRequests = 0;

  lastReceivedMs: number;
  lastSentMs: number;
  lastReceivedWallMs = 0;
  lastSentWallMs = 0;
  bytesReceived = 0;
  bytesSent = 0;
  messagesReceived = 0;
  readonly messages: TokenBucket;
  readonly unrequested: TokenBucket;
  /** Why this node closes the connection. */
  closingSinceMs = 0;

  /** When it was asked last for its time. */
  timeAskedMs = 0;
  /** Microseconds, of the last exchange of times. */
  clockOffsetUs = 0n;
  roundTripUs = 0n;
  hasClock = false;

  readonly outbox = new Outbox();
  /** Given to the socket and not yet taken by it. */
  unsentBytes = 0;
  unsentMessages = 0;

  readonly sync = new PeerSync();
  readonly gossip = new PeerGossip();
  /** The newest block that the peer is known to have. */
  lastKnownBlock: BlockId | undefined;

  constructor({ id, isInbound, remote, purpose, now }: PeerInit) {
    this.id = id;
    this.isInbound = isInbound;
    this.remote = remote;
    this.ip = splitEndpoint(remote).ip;
    this.purpose = purpose;
    this.openedMs = now.monotonicMs;
    this.openedWallMs = now.wallMs;
    this.lastReceivedMs = now.monotonicMs;
    this.lastSentMs = now.monotonicMs;
    const ms = now.monotonicMs;
    this.messages = new TokenBucket(P2P_LIMITS.messages_per_second, P2P_LIMITS.messages_burst, ms);
    this.unrequested = new TokenBucket(P2P_LIMITS.unrequested_bytes_per_second, P2P_LIMITS.unrequested_bytes_burst, ms);
  }

  /** Where it is, as far as is known: who came to this node says at which port of its address it listens. */
  get endpoints(): readonly EndpointText[] {
    const port = this.hello?.fields.inbound_port ?? 0;
    return port === 0 ? [this.remote] : [this.remote, endpointOf(this.ip, port)];
  }

  get isActive(): boolean {
    return this.phase === 'active';
  }

  get isOpening(): boolean {
    return this.phase === 'dialing' || this.phase === 'keys' || this.phase === 'handshake';
  }

  /** Nothing is asked of it that it has not answered. */
  get isIdle(): boolean {
    return this.sync.idRequests.length === 0 && this.sync.requests.size === 0 && this.gossip.requests.size === 0;
  }

  get isInSyncBothWays(): boolean {
    const { sync } = this;
    return !sync.needsFromPeer && !sync.peerNeeds && sync.pending.length === 0 && sync.processing.size === 0;
  }

  /** Collects the key of the other side; gives the rest once the key is there. */
  takeKey(bytes: Uint8Array): { readonly key: Uint8Array; readonly rest: Uint8Array } | undefined {
    const all = new Uint8Array(this.#keyBytes.length + bytes.length);
    all.set(this.#keyBytes);
    all.set(bytes, this.#keyBytes.length);
    if (all.length < EPHEMERAL_KEY_BYTES) {
      this.#keyBytes = all;
      return undefined;
    }
    this.#keyBytes = new Uint8Array(0);
    return { key: all.subarray(0, EPHEMERAL_KEY_BYTES), rest: all.subarray(EPHEMERAL_KEY_BYTES) };
  }

  makeKey(random: (count: number) => Uint8Array): PrivateKey {
    this.ephemeralKey = PrivateKey.fromSeed(toHex(random(32)));
    return this.ephemeralKey;
  }

  useKeys(keys: SessionKeys): void {
    this.keys = keys;
    this.ephemeralKey = undefined;
    this.reader = new FrameReader(keys);
    this.writer = new FrameWriter(keys);
  }
}
