import type { Core } from '../core.js';
import { isDialable } from '../ip-range.js';
import { P2P_LIMITS } from '../limits.js';
import type { Peer } from '../peer.js';
import { TokenBucket } from '../policy/token-bucket.js';
import { type EndpointText, endpointOf, type IpAndPort, NO_ENDPOINT, splitEndpoint } from '../wire/endpoint.js';
import {
  FIREWALL_RESULT,
  FIREWALLED,
  type Message,
  NO_NODE_ID,
  type NodeId,
  PROTOCOL_VERSION,
} from '../wire/messages.js';

/** A check that a peer has asked for, under way with the help of another one. */
interface Errand {
  readonly askerId: number;
  readonly target: EndpointText;
  readonly node: NodeId;
  readonly tried: Set<number>;
  helperId: number | undefined;
}

export interface FirewallParts {
  readonly core: Core;
  /** Starts a connection that ends once the keys are exchanged; false: it cannot be made now. */
  readonly probe: (target: EndpointText, answer: (isReached: boolean) => void) => boolean;
}

/** Whether others can reach this node, and the same question asked by others. */
export class Firewall {
  readonly #p: FirewallParts;
  #state: number = FIREWALLED.unknown;
  #publicEndpoint: IpAndPort | undefined;
  #askedMs: number | undefined;
  /** Who was asked whether this node can be reached. */
  readonly #asked = new Set<number>();
  /** By asker: one at a time for each. */
  readonly #errands = new Map<number, Errand>();
  #probes: TokenBucket | undefined;

  constructor(parts: FirewallParts) {
    this.#p = parts;
    const { options } = parts.core;
    if (!options.acceptIncoming || options.listenPort === 0) this.#state = FIREWALLED.firewalled;
    if (options.advertised !== undefined) {
      this.#publicEndpoint = splitEndpoint(options.advertised);
      this.#state = FIREWALLED.notFirewalled;
    }
  }

  get state(): number {
    return this.#state;
  }

  get publicEndpoint(): IpAndPort | undefined {
    return this.#publicEndpoint;
  }

  /** Asks a peer to have this node tried, unless that is known or was asked lately. */
  ask(peer: Peer): void {
    const { core } = this.#p;
    const { monotonicMs } = core.now;
    if (this.#state !== FIREWALLED.unknown) return;
    if (this.#askedMs !== undefined && monotonicMs - this.#askedMs < P2P_LIMITS.firewall_ms) return;
    if ((peer.hello?.fields.core_protocol_version ?? 0) < PROTOCOL_VERSION) return;
    this.#askedMs = monotonicMs;
    this.#asked.add(peer.id);
    core.send(peer, 'check_firewall', { node_id: NO_NODE_ID, endpoint_to_check: NO_ENDPOINT });
  }

  checkCame(peer: Peer, message: Message<'check_firewall'>): void {
    if (message.node_id === NO_NODE_ID && message.endpoint_to_check === NO_ENDPOINT) this.#beginErrand(peer);
    else this.#help(peer, message);
  }

  #beginErrand(asker: Peer): void {
    const fields = asker.hello?.fields;
    if (fields === undefined || asker.identity === undefined || this.#errands.has(asker.id)) return;
    const { ip, port } = splitEndpoint(asker.remote);
    const target = endpointOf(ip, fields.inbound_port === fields.outbound_port ? port : fields.inbound_port);
    const errand: Errand = { askerId: asker.id, target, node: asker.identity, tried: new Set(), helperId: undefined };
    this.#errands.set(asker.id, errand);
    this.#nextHelper(errand);
  }

  #nextHelper(errand: Errand): void {
    const { core } = this.#p;
    const busy = new Set([...this.#errands.values()].map(({ helperId }) => helperId));
    for (const helper of core.activePeers()) {
      if (helper.id === errand.askerId || errand.tried.has(helper.id) || busy.has(helper.id)) continue;
      if ((helper.hello?.fields.core_protocol_version ?? 0) < PROTOCOL_VERSION) continue;
      errand.tried.add(helper.id);
      errand.helperId = helper.id;
      core.send(helper, 'check_firewall', { node_id: errand.node, endpoint_to_check: errand.target });
      return;
    }
    this.#endErrand(errand, FIREWALL_RESULT.unableToCheck);
  }

  #endErrand(errand: Errand, result: number): void {
    this.#errands.delete(errand.askerId);
    const asker = this.#p.core.peers.get(errand.askerId);
    if (asker !== undefined) this.#reply(asker, errand.node, errand.target, result);
  }

  #reply(peer: Peer, node: NodeId, target: EndpointText, result: number): void {
    this.#p.core.send(peer, 'check_firewall_reply', { node_id: node, endpoint_checked: target, result });
  }

  /** Any peer may have this node connect anywhere: to public addresses alone, and seldom. */
  #help(peer: Peer, { node_id, endpoint_to_check: target }: Message<'check_firewall'>): void {
    const { core, probe } = this.#p;
    const perSecond = P2P_LIMITS.probes_per_minute / 60;
    this.#probes ??= new TokenBucket(perSecond, P2P_LIMITS.probes_per_minute, core.now.monotonicMs);
    const isStarted =
      this.#isDialable(target) &&
      this.#probes.take(1, core.now.monotonicMs) &&
      probe(target, (isReached) => {
        const result = isReached ? FIREWALL_RESULT.connected : FIREWALL_RESULT.unableToConnect;
        if (peer.isActive) this.#reply(peer, node_id, target, result);
      });
    if (!isStarted) this.#reply(peer, node_id, target, FIREWALL_RESULT.unableToCheck);
  }

  replyCame(peer: Peer, reply: Message<'check_firewall_reply'>): void {
    const { result } = reply;
    for (const errand of this.#errands.values()) {
      // What a helper says late may be about one that has left meanwhile.
      if (errand.helperId !== peer.id || !isAbout(errand, reply)) continue;
      errand.helperId = undefined;
      if (result === FIREWALL_RESULT.unableToCheck) this.#nextHelper(errand);
      else this.#endErrand(errand, result);
      return;
    }
    // What nobody has asked for is no answer.
    if (!this.#asked.has(peer.id) || !this.#isAboutThis(peer, reply)) return;
    this.#asked.delete(peer.id);
    if (result === FIREWALL_RESULT.connected) {
      this.#state = FIREWALLED.notFirewalled;
      this.#publicEndpoint = splitEndpoint(reply.endpoint_checked);
    } else if (result === FIREWALL_RESULT.unableToConnect) {
      this.#state = FIREWALLED.firewalled;
    }
  }

  /**
   * What is believed here goes into every hello from then on. It has to be about this node, and where somebody could dial it.
   * Whom this node has dialed knows no other port of it than it has told; who came may know another, of a router in between.
   */
  #isAboutThis(peer: Peer, { node_id, endpoint_checked }: Message<'check_firewall_reply'>): boolean {
    const { options } = this.#p.core;
    const isItsPort = peer.isInbound || splitEndpoint(endpoint_checked).port === options.listenPort;
    return node_id === options.nodeId && isItsPort && this.#isDialable(endpoint_checked);
  }

  #isDialable(target: EndpointText): boolean {
    return isDialable(splitEndpoint(target), this.#p.core.options.allowPrivate);
  }

  forget(peer: Peer): void {
    this.#asked.delete(peer.id);
    this.#errands.delete(peer.id);
    for (const errand of this.#errands.values()) {
      if (errand.helperId !== peer.id) continue;
      errand.helperId = undefined;
      this.#nextHelper(errand);
    }
  }
}

const isAbout = ({ node, target }: Errand, reply: Message<'check_firewall_reply'>): boolean =>
  reply.node_id === node && reply.endpoint_checked === target;
