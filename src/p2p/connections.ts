import type { LogValues } from '../base/world.js';
import type { AddressBook } from './addresses/address-book.js';
import type { Core } from './core.js';
import { ipKind, neighbourhood24 } from './ip-range.js';
import { P2P_LIMITS } from './limits.js';
import type { Lane, Parcel } from './outbox.js';
import { Peer, type Purpose } from './peer.js';
import { HandshakeRate } from './policy/handshake-rate.js';
import { REASONS, type ReasonCode, reasonText } from './policy/reasons.js';
import type { Reputation } from './policy/reputation.js';
import type { ConnectionId } from './ports.js';
import type { Sender } from './received-block.js';
import { Traffic } from './traffic.js';
import { type EndpointText, type IpText, NO_ENDPOINT } from './wire/endpoint.js';
import type { Frame } from './wire/frames.js';
import { encodeMessage, MESSAGES } from './wire/messages.js';

export interface ConnectionsParts {
  readonly core: Core;
  readonly addresses: AddressBook;
  readonly reputation: Reputation;
  /** The peer takes part in nothing any more; what it owed is asked of others. */
  readonly left: (peer: Peer) => void;
}

/** Who is connected, what goes out to whom, and how connections begin and end. Nothing of what is said is known here. */
export class Connections {
  readonly #p: ConnectionsParts;
  readonly peers = new Map<ConnectionId, Peer>();
  #nextId = 1;
  /** Told when a connection that was only tried has or has not come about. */
  readonly #probes = new Map<ConnectionId, (isReached: boolean) => void>();
  readonly upload = new Traffic();
  readonly download = new Traffic();
  /** How often connections were ended, by reason. */
  readonly closures = new Map<ReasonCode, number>();
  /** How often one that somebody else began was not taken. */
  readonly refusals = new Map<ReasonCode, number>();
  readonly #rate: HandshakeRate;

  constructor(parts: ConnectionsParts) {
    this.#p = parts;
    this.#rate = new HandshakeRate(this.#ms);
  }

  get #ms(): number {
    return this.#p.core.now.monotonicMs;
  }

  #tell(level: 'debug' | 'info' | 'warn', text: string, values: LogValues): void {
    this.#p.core.wish({ kind: 'tell', level, text, values });
  }

  *active(): Iterable<Peer> {
    for (const peer of this.peers.values()) if (peer.isActive) yield peer;
  }

  // How they begin.

  /** Somebody has connected; undefined: the connection is not taken. */
  take(remote: EndpointText): Peer | undefined {
    const peer = this.#newPeer(remote, true, 'peer');
    const refusal = this.#refusalOf(peer);
    if (refusal !== undefined) {
      this.#tell('debug', 'a connection was not taken', { peer: remote, reason: refusal });
      this.refusals.set(refusal, (this.refusals.get(refusal) ?? 0) + 1);
      return undefined;
    }
    this.peers.set(peer.id, peer);
    return peer;
  }

  #newPeer(remote: EndpointText, isInbound: boolean, purpose: Purpose): Peer {
    return new Peer({ id: this.#nextId++, isInbound, remote, purpose, now: this.#p.core.now });
  }

  #refusalOf({ ip }: Peer): ReasonCode | undefined {
    const { core, reputation } = this.#p;
    if (reputation.isBanned(ip, this.#ms)) return 'banned';
    // A few more than the limit, so that they can be told.
    const isFull = this.peers.size >= core.options.connectionsMax + P2P_LIMITS.outbound_min;
    if (isFull) return 'too_many_connections';
    // Behind an address of this machine or of a private network there are many, and they are told apart by their ids.
    const isShared = ipKind(ip) === 'loopback' || (ipKind(ip) !== 'public' && core.options.allowPrivate);
    if (!this.#rate.take(ip, isShared, this.#ms)) return 'too_many_handshakes';
    if (isShared) return undefined;
    let [same, near] = [0, 0];
    for (const other of this.peers.values()) {
      if (!other.isInbound || other.phase === 'closing') continue;
      if (other.ip === ip) same++;
      if (neighbourhood24(other.ip) === neighbourhood24(ip)) near++;
    }
    const isCrowded = same >= P2P_LIMITS.inbound_per_address_max || near >= P2P_LIMITS.inbound_per_neighbourhood_max;
    return isCrowded ? 'too_many_connections' : undefined;
  }

  dial(endpoint: EndpointText, purpose: Purpose): Peer {
    const peer = this.#newPeer(endpoint, false, purpose);
    this.peers.set(peer.id, peer);
    this.#p.core.wish({ kind: 'dial', connection: peer.id, endpoint });
    return peer;
  }

  /** False: it cannot be tried now. */
  probe(target: EndpointText, answer: (isReached: boolean) => void): boolean {
    if (target === NO_ENDPOINT || this.peers.size >= this.#p.core.options.connectionsMax) return false;
    for (const peer of this.peers.values()) if (peer.remote === target) return false;
    this.#probes.set(this.dial(target, 'probe').id, answer);
    return true;
  }

  answerProbe(peer: Peer, isReached: boolean): void {
    const answer = this.#probes.get(peer.id);
    if (answer === undefined) return;
    this.#probes.delete(peer.id);
    answer(isReached);
    if (isReached) this.close(peer, 'probe_done');
  }

  // What goes out.

  post(peer: Peer, parcel: Parcel, lane: Lane): void {
    if (peer.phase !== 'handshake' && peer.phase !== 'active') return;
    if (!peer.outbox.put(lane, parcel)) {
      this.close(peer, 'outbox_full');
      return;
    }
    this.#pump(peer);
  }

  /** The socket has taken the oldest message that it was given, of so many bytes. */
  taken(peer: Peer, count: number): void {
    // The key that a connection begins with is no message, and was not counted.
    peer.unsentBytes = Math.max(0, peer.unsentBytes - count);
    peer.unsentMessages = Math.max(0, peer.unsentMessages - 1);
    this.#pump(peer);
  }

  #pump(peer: Peer): void {
    const { unsent_bytes_max, unsent_messages_max } = P2P_LIMITS;
    while (peer.unsentBytes < unsent_bytes_max && peer.unsentMessages < unsent_messages_max) {
      const parcel = peer.outbox.take();
      if (parcel === undefined) return;
      const frame = parcel.make();
      if (frame !== undefined) this.#write(peer, frame);
    }
  }

  #write(peer: Peer, frame: Frame): void {
    if (peer.writer === undefined) return;
    const { core } = this.#p;
    const bytes = peer.writer.write(frame);
    peer.unsentBytes += bytes.length;
    peer.unsentMessages++;
    peer.bytesSent += bytes.length;
    peer.lastSentMs = core.now.monotonicMs;
    peer.lastSentWallMs = core.now.wallMs;
    this.upload.add(bytes.length, core.now.monotonicMs);
    core.wish({ kind: 'send', connection: peer.id, bytes });
  }

  // How they end.

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
    this.#p.core.wish({ kind: 'close', connection: peer.id, reason, afterSending });
  }

  #leave(peer: Peer, reason: ReasonCode, values: LogValues): void {
    if (peer.purpose === 'peer' && peer.phase !== 'dialing') {
      // Whoever wonders why blocks have stopped coming looks here first; how each stranger goes away helps nobody.
      // Nobody is to blame for a block of the future, but it may be the clock of this machine that keeps them away.
      const isOdd = REASONS[reason].penalty > 0 || reason === 'block_of_the_future';
      const level = peer.isActive && isOdd ? 'info' : 'debug';
      this.#tell(level, 'a connection has ended', { peer: peer.remote, reason, phase: peer.phase, ...values });
      this.closures.set(reason, (this.closures.get(reason) ?? 0) + 1);
    }
    this.#p.addresses.closed(peer);
    peer.phase = 'closing';
    peer.closingSinceMs = this.#ms;
    this.blame(peer.ip, REASONS[reason].penalty, reason);
    this.#p.left(peer);
  }

  blame(ip: IpText, penalty: number, reason: string): void {
    if (!this.#p.reputation.blame(ip, penalty, reason, this.#ms)) return;
    this.#tell('warn', 'an address is banned', { address: ip, reason });
    for (const other of [...this.peers.values()]) if (other.ip === ip) this.close(other, 'banned');
  }

  /** Whoever hangs up before it shows what they have sent is not spared. */
  blameSender({ id, ip }: Sender, reason: ReasonCode, values: LogValues): void {
    const peer = this.peers.get(id);
    if (peer !== undefined && peer.phase !== 'closing') this.close(peer, reason, values);
    else if (!this.#p.reputation.isBanned(ip, this.#ms)) this.blame(ip, REASONS[reason].penalty, reason);
  }

  /** It is no more, or has never been; `why`: what the system says of it. */
  gone(peer: Peer, why = 'closed'): void {
    if (peer.phase === 'dialing') this.#dialFailed(peer, why);
    if (peer.phase !== 'closing') this.#leave(peer, 'peer_gone', {});
    this.peers.delete(peer.id);
    this.answerProbe(peer, false);
  }

  /** What takes too long to begin or to end. */
  watch(peer: Peer): void {
    if (peer.phase === 'closing') this.#watchClosing(peer);
    else if (peer.isOpening) this.#watchOpening(peer);
  }

  #watchClosing(peer: Peer): void {
    if (this.#ms - peer.closingSinceMs < P2P_LIMITS.close_grace_ms) return;
    peer.closingSinceMs = this.#ms;
    this.#p.core.wish({ kind: 'close', connection: peer.id, reason: 'peer_closing', afterSending: false });
  }

  #watchOpening(peer: Peer): void {
    const ms = this.#ms;
    const idleMs = ms - Math.max(peer.openedMs, peer.lastReceivedMs, peer.lastSentMs);
    const isProbe = peer.purpose === 'probe';
    if (peer.phase === 'dialing' && ms - peer.openedMs > P2P_LIMITS.handshake_idle_ms) this.#giveUpDial(peer);
    else if (isProbe && ms - peer.openedMs > P2P_LIMITS.probe_ms) this.close(peer, 'probe_failed');
    else if (idleMs > P2P_LIMITS.handshake_idle_ms) this.close(peer, 'handshake_idle');
    else if (ms - peer.openedMs > P2P_LIMITS.handshake_ms) this.close(peer, 'handshake_too_long');
  }

  #giveUpDial(peer: Peer): void {
    this.#dialFailed(peer, 'no answer');
    this.close(peer, 'dial_failed');
  }

  /** Of what others have told many are gone for ever; whom the operator has named is missed. */
  #dialFailed({ remote, purpose }: Peer, why: string): void {
    const isMissed = this.#p.addresses.dialFailed(remote);
    if (purpose === 'probe') return;
    this.#tell(isMissed ? 'info' : 'debug', 'a peer cannot be reached', { peer: remote, why });
  }

  rates() {
    const up = this.upload.rates(this.#ms);
    const down = this.download.rates(this.#ms);
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
