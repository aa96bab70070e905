import type { Core } from '../core.js';
import { ipKind, neighbourhood16 } from '../ip-range.js';
import { P2P_LIMITS } from '../limits.js';
import { ownConnections } from '../own-connections.js';
import type { Reputation } from '../policy/reputation.js';
import type { EndpointText } from '../wire/endpoint.js';
import { type AddressBook, ipOf } from './address-book.js';
import type { PeerRecord } from './peer-record.js';

export interface DialerParts {
  readonly core: Core;
  readonly addresses: AddressBook;
  readonly reputation: Reputation;
  readonly dial: (endpoint: EndpointText) => void;
}

/**
 * Chooses whom this node connects to. Some connections are always of its own choice, and no neighbourhood gets more than
 * a few of them: whoever fills the list of addresses, or comes in large numbers, does not become all that it sees.
 */
export class Dialer {
  readonly #p: DialerParts;
  /** To be dialed once, whatever the number of connections. */
  #asked: EndpointText[];
  #lastMs: number | undefined;
  /** Hardly anybody is connected. */
  #isAlone = true;

  constructor(parts: DialerParts) {
    this.#p = parts;
    const { seeds, kept } = parts.core.options;
    this.#asked = [...kept, ...seeds];
    for (const endpoint of this.#asked) parts.addresses.add(endpoint);
  }

  /** The operator wants this one. */
  add(endpoint: EndpointText): void {
    this.#p.addresses.add(endpoint);
    this.#asked.push(endpoint);
    this.#lastMs = undefined;
  }

  get nextMs(): number {
    return this.#lastMs === undefined ? 0 : this.#lastMs + P2P_LIMITS.dial_ms;
  }

  /** Dials what is due. */
  run(): void {
    const { core } = this.#p;
    if (core.now.monotonicMs < this.nextMs) return;
    this.#lastMs = core.now.monotonicMs;
    const connected = this.#connected();
    this.#isAlone = [...core.peers.values()].filter(({ isActive }) => isActive).length < P2P_LIMITS.connections_few;
    const asked = this.#asked;
    this.#asked = [];
    for (const endpoint of asked) this.#dial(endpoint, connected);
    for (const endpoint of core.options.kept) {
      const record = this.#p.addresses.find(endpoint);
      if (record !== undefined && this.#isDue(record)) this.#dial(endpoint, connected);
    }
    for (const endpoint of this.#choose(connected)) this.#dial(endpoint, connected);
  }

  #dial(endpoint: EndpointText, connected: Set<EndpointText>): void {
    if (connected.has(endpoint)) return;
    connected.add(endpoint);
    this.#p.addresses.dialed(endpoint);
    this.#p.dial(endpoint);
  }

  /** Also by the addresses that those who came to this node say they listen at. */
  #connected(): Set<EndpointText> {
    return new Set([...this.#p.core.peers.values()].flatMap(({ endpoints }) => endpoints));
  }

  #choose(connected: ReadonlySet<EndpointText>): EndpointText[] {
    const { core, addresses, reputation } = this.#p;
    const { now } = core;
    let [outbound, total] = [0, 0];
    const taken = new Map<string, number>();
    for (const peer of core.peers.values()) {
      if (peer.phase === 'closing' || peer.purpose === 'probe') continue;
      total++;
      if (peer.isInbound) continue;
      outbound++;
      count(taken, peer.remote);
    }
    const { connectionsWanted, connectionsMax } = core.options;
    const own = ownConnections(core.options) - outbound;
    const wanted = Math.max(own, connectionsWanted - total);
    let room = Math.min(wanted, connectionsMax - total, P2P_LIMITS.dials_at_once);
    const out: EndpointText[] = [];
    for (const { endpoint } of this.#inOrder()) {
      if (room <= 0) break;
      const record = addresses.find(endpoint);
      if (record === undefined || !this.#isDue(record) || connected.has(endpoint)) continue;
      if (reputation.isBanned(ipOf(endpoint), now.monotonicMs)) continue;
      if ((taken.get(group(endpoint)) ?? 0) >= P2P_LIMITS.outbound_per_neighbourhood_max) continue;
      count(taken, endpoint);
      out.push(endpoint);
      room--;
    }
    return out;
  }

  /** Those that have worked come first, else chance decides: nobody can have himself put in front. */
  #inOrder(): readonly PeerRecord[] {
    const { addresses, core } = this.#p;
    const all = [...addresses.records];
    const chances = core.options.random(4 * all.length);
    const view = new DataView(chances.buffer, chances.byteOffset, chances.length);
    const keyed = all.map((record, i) => ({ record, rank: rankOf(record), chance: view.getUint32(4 * i) }));
    keyed.sort((a, b) => a.rank - b.rank || a.chance - b.chance);
    return keyed.map(({ record }) => record);
  }

  #isDue({ disposition, lastAttempt, failedInARow }: PeerRecord): boolean {
    if (disposition === 'never_attempted_to_connect' || disposition === 'last_connection_succeeded') return true;
    const times = this.#isAlone ? 1 : failedInARow + 1;
    const rest = Math.min(times * P2P_LIMITS.dial_retry_ms, P2P_LIMITS.dial_retry_ms_max);
    const sinceMs = this.#p.core.now.wallMs - 1000 * lastAttempt;
    // An attempt that is still to come was made before the clock was set back.
    return sinceMs < 0 || sinceMs >= rest;
  }
}

const rankOf = ({ disposition }: PeerRecord): number => (disposition === 'last_connection_succeeded' ? 0 : 1);

/** Addresses of this machine and of private networks are all one neighbourhood, and none that could be filled. */
function group(endpoint: EndpointText): string {
  const ip = ipOf(endpoint);
  return ipKind(ip) === 'public' ? neighbourhood16(ip) : endpoint;
}

function count(groups: Map<string, number>, endpoint: EndpointText): void {
  const name = group(endpoint);
  groups.set(name, (groups.get(name) ?? 0) + 1);
}
