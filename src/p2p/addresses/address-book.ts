import { forgetOldest } from '../../base/forget-oldest.js';
import type { Json } from '../../codec/json.js';
import type { Core } from '../core.js';
import { isDialable, neighbourhood16 } from '../ip-range.js';
import { P2P_LIMITS } from '../limits.js';
import type { Peer } from '../peer.js';
import { type EndpointText, type IpText, parseEndpoint, splitEndpoint } from '../wire/endpoint.js';
import { type AddressInfo, DIRECTION, FIREWALLED, type Message, NO_NODE_ID } from '../wire/messages.js';
import { newRecord, type PeerRecord, recordsFromJson, recordsToJson } from './peer-record.js';

/** Where other nodes may be reached: what was told, seen and tried. */
export class AddressBook {
  readonly #core: Core;
  readonly #records = new Map<EndpointText, PeerRecord>();
  /** What the operator has named. */
  readonly #given = new Set<EndpointText>();
  /** Endpoints that turned out to be this node. */
  readonly #own = new Set<EndpointText>();
  #askedMs: number;

  constructor(core: Core) {
    this.#core = core;
    this.#askedMs = core.now.monotonicMs;
  }

  get records(): Iterable<PeerRecord> {
    return this.#records.values();
  }

  get count(): number {
    return this.#records.size;
  }

  get #nowSec(): number {
    return Math.floor(this.#core.now.wallMs / 1000);
  }

  find(endpoint: EndpointText): PeerRecord | undefined {
    return this.#records.get(endpoint);
  }

  /** False for what this node would never dial. */
  isUsable(endpoint: EndpointText): boolean {
    const parts = parseEndpoint(endpoint);
    return parts !== undefined && !this.#own.has(endpoint) && isDialable(parts, this.#core.options.allowPrivate);
  }

  /** Given by the operator: whatever its range. */
  add(endpoint: EndpointText): void {
    this.#given.add(endpoint);
    forgetOldest(this.#given, P2P_LIMITS.addresses_max);
    this.#recordOf(endpoint);
  }

  #recordOf(endpoint: EndpointText): PeerRecord {
    const known = this.#records.get(endpoint);
    if (known !== undefined) return known;
    const record = newRecord(endpoint, '', this.#nowSec);
    this.#records.set(endpoint, record);
    this.#makeRoom();
    return record;
  }

  /** Told by a peer, of itself or of others. */
  learn(endpoint: EndpointText, from: Peer): void {
    if (!this.isUsable(endpoint)) return;
    const known = this.#records.get(endpoint);
    if (known !== undefined) {
      known.lastSeen = this.#nowSec;
      return;
    }
    const source = neighbourhood16(from.ip);
    if (this.#countFrom(source) >= P2P_LIMITS.addresses_per_source_max) return;
    this.#records.set(endpoint, newRecord(endpoint, source, this.#nowSec));
    this.#makeRoom();
  }

  #countFrom(source: string): number {
    let count = 0;
    for (const record of this.#records.values()) {
      // What has proved good counts for itself, not for who told of it.
      if (record.source === source && record.succeeded === 0) count++;
    }
    return count;
  }

  /** What never worked goes first, and of that the one that was seen longest ago; what the operator keeps stays. */
  #makeRoom(): void {
    const { kept } = this.#core.options;
    while (this.#records.size > P2P_LIMITS.addresses_max) {
      let worst: PeerRecord | undefined;
      for (const record of this.#records.values()) {
        if (kept.includes(record.endpoint)) continue;
        if (worst === undefined || isWorse(record, worst)) worst = record;
      }
      if (worst === undefined) return;
      this.#records.delete(worst.endpoint);
    }
  }

  forget(endpoint: EndpointText): void {
    this.#records.delete(endpoint);
    if (this.#own.size < P2P_LIMITS.addresses_max) this.#own.add(endpoint);
  }

  dialed(endpoint: EndpointText): void {
    const record = this.#recordOf(endpoint);
    record.lastAttempt = this.#nowSec;
    // Until it is known better.
    record.disposition = 'last_connection_failed';
  }

  /** True where the operator waits for this one, and has not been told so since it was reached last. */
  dialFailed(endpoint: EndpointText): boolean {
    const record = this.#records.get(endpoint);
    if (record === undefined) return false;
    record.failed++;
    record.failedInARow++;
    record.disposition = 'last_connection_failed';
    return record.failedInARow === 1 && this.#given.has(endpoint);
  }

  /** Keys were exchanged. */
  reached(endpoint: EndpointText): void {
    const record = this.#records.get(endpoint);
    if (record === undefined) return;
    record.lastSeen = this.#nowSec;
    record.succeeded++;
    record.failedInARow = 0;
    record.disposition = 'last_connection_handshaking_failed';
  }

  rejected(endpoint: EndpointText): void {
    const record = this.#records.get(endpoint);
    if (record === undefined) return;
    record.lastAttempt = this.#nowSec;
    record.disposition = 'last_connection_rejected';
  }

  activated(peer: Peer): void {
    const record = peer.isInbound ? undefined : this.#records.get(peer.remote);
    if (record === undefined) return;
    record.lastSeen = this.#nowSec;
    record.disposition = 'last_connection_succeeded';
  }

  closed(peer: Peer): void {
    const record = peer.isInbound ? undefined : this.#records.get(peer.remote);
    if (record !== undefined && peer.isActive) record.lastSeen = this.#nowSec;
  }

  ask(peer: Peer): void {
    peer.addressRequests++;
    this.#core.send(peer, 'address_request', {});
  }

  requestCame(peer: Peer): void {
    const { core } = { core: this.#core };
    const addresses = core.options.advertisePeers ? [...core.activePeers()].map((one) => this.#infoOf(one)) : [];
    core.send(peer, 'address', { addresses });
  }

  #infoOf(peer: Peer): AddressInfo {
    return {
      remote_endpoint: peer.remote,
      last_seen_time: this.#nowSec,
      latency_us: peer.roundTripUs,
      node_id: peer.identity ?? NO_NODE_ID,
      direction: peer.isInbound ? DIRECTION.inbound : DIRECTION.outbound,
      firewalled: peer.firewalled,
    };
  }

  /** Only what was asked for is learned, and only as much as a list of a reference node can hold. */
  listCame(peer: Peer, { addresses }: Message<'address'>): void {
    if (peer.addressRequests === 0) return;
    peer.addressRequests--;
    let left: number = P2P_LIMITS.addresses_per_message_max;
    for (const { remote_endpoint, firewalled } of addresses) {
      if (left-- <= 0) return;
      if (firewalled === FIREWALLED.notFirewalled) this.learn(remote_endpoint, peer);
    }
  }

  /** Now and then everybody is asked again, and what was learned is written. */
  refresh(): void {
    const { monotonicMs } = this.#core.now;
    if (monotonicMs - this.#askedMs < P2P_LIMITS.addresses_ms) return;
    this.#askedMs = monotonicMs;
    for (const peer of this.#core.activePeers()) this.ask(peer);
    this.#core.wish({ kind: 'store_peers' });
  }

  toJson(): Json {
    return recordsToJson([...this.#records.values()]);
  }

  load(json: Json): void {
    for (const record of recordsFromJson(json)) {
      if (this.isUsable(record.endpoint)) this.#records.set(record.endpoint, record);
    }
    this.#makeRoom();
  }
}

function isWorse(a: PeerRecord, b: PeerRecord): boolean {
  const [worked, other] = [a.succeeded > 0, b.succeeded > 0];
  return worked === other ? a.lastSeen < b.lastSeen : !worked;
}

export const ipOf = (endpoint: EndpointText): IpText => splitEndpoint(endpoint).ip;
