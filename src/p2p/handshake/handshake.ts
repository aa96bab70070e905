import { ChainError } from '../../base/errors.js';
import { forgetOldest } from '../../base/forget-oldest.js';
import { signatureBackend } from '../../crypto/signature.js';
import type { AddressBook } from '../addresses/address-book.js';
import type { Core } from '../core.js';
import { P2P_LIMITS } from '../limits.js';
import { ownConnections } from '../own-connections.js';
import type { Peer } from '../peer.js';
import { endpointOf, splitEndpoint } from '../wire/endpoint.js';
import { sessionKeys } from '../wire/key-exchange.js';
import { FIREWALLED, type Hello, type Message, PROTOCOL_VERSION, REJECTION } from '../wire/messages.js';
import { decide } from './decide.js';
import type { Firewall } from './firewall.js';
import { identityOf, ownUserData, type RemoteHello, readUserData } from './user-data.js';

export interface HandshakeParts {
  readonly core: Core;
  readonly addresses: AddressBook;
  readonly firewall: Firewall;
  readonly activate: (peer: Peer) => void;
  readonly probed: (peer: Peer) => void;
}

/** From the first byte of a connection until both sides take part in everything. */
export class Handshake {
  readonly #p: HandshakeParts;
  /** Addresses and their chains, of which the log has been told. */
  readonly #otherChains = new Set<string>();

  constructor(parts: HandshakeParts) {
    this.#p = parts;
  }

  /** There is a connection: both sides send their key at once. */
  open(peer: Peer): void {
    const { core } = this.#p;
    peer.phase = 'keys';
    const { publicKey } = peer.makeKey((count) => core.options.random(count));
    core.wish({ kind: 'send', connection: peer.id, bytes: Buffer.from(publicKey, 'hex') });
  }

  /** The key of the other side is here. */
  keyCame(peer: Peer, remoteKey: Uint8Array): void {
    const { core, addresses } = this.#p;
    const own = peer.ephemeralKey;
    const keys = own === undefined ? undefined : sessionKeys(own, remoteKey);
    if (keys === undefined) {
      core.close(peer, 'key_invalid');
      return;
    }
    if (!peer.isInbound) addresses.reached(peer.remote);
    if (peer.purpose === 'probe') {
      this.#p.probed(peer);
      return;
    }
    peer.useKeys(keys);
    peer.phase = 'handshake';
    core.send(peer, 'hello', this.#ownHello(peer, keys.key));
  }

  #ownHello(peer: Peer, digest: Uint8Array): Hello {
    const { core, firewall } = this.#p;
    const { options } = core;
    const local = splitEndpoint(peer.local);
    const shown = firewall.publicEndpoint;
    return {
      user_agent: options.userAgent,
      core_protocol_version: PROTOCOL_VERSION,
      inbound_address: shown?.ip ?? local.ip,
      inbound_port: options.acceptIncoming ? (shown?.port ?? options.listenPort) : 0,
      outbound_port: local.port,
      node_public_key: options.nodeKey.publicKey,
      signed_shared_secret: signatureBackend().sign(digest, options.nodeKey),
      chain_id: core.chain.chainId,
      user_data: [...ownUserData(options, core.chain)],
    };
  }

  helloCame(peer: Peer, fields: Hello): void {
    const { core } = this.#p;
    if (peer.hello !== undefined) {
      core.close(peer, 'hello_repeated');
      return;
    }
    const read = this.#readHello(peer, fields);
    if (read === undefined) {
      core.close(peer, 'hello_invalid');
      return;
    }
    peer.hello = read.hello;
    peer.identity = read.hello.identity;
    const decision = decide({
      hello: read.hello,
      signer: read.signer,
      chainId: core.chain.chainId,
      ownIdentity: core.options.nodeId,
      identities: this.#identitiesBut(peer),
      allowed: core.options.allowedPeers,
      count: this.#countOpen(),
      countMax: core.options.connectionsMax - (peer.isInbound ? this.#ownMissing() : 0),
      acceptsIncoming: core.options.acceptIncoming || !peer.isInbound,
    });
    if (decision.kind === 'accept') {
      this.#classify(peer, fields);
      peer.ours = 'accepted';
      core.send(peer, 'connection_accepted', {});
    } else {
      peer.ours = 'rejected';
      core.send(peer, 'connection_rejected', {
        user_agent: core.options.userAgent,
        core_protocol_version: PROTOCOL_VERSION,
        remote_endpoint: peer.remote,
        reason_code: decision.code,
        reason_string: decision.text,
      });
      if (decision.code === REJECTION.differentChain) this.#tellOfOtherChain(peer, fields);
      if (decision.code === REJECTION.connectedToSelf) this.#leadsHere(peer);
      if (decision.close !== undefined) {
        core.close(peer, decision.close);
        return;
      }
    }
    // The reference may say that it accepts before it says hello.
    if (peer.theirs !== 'waiting') this.#askOn(peer);
  }

  #tellOfOtherChain(peer: Peer, { chain_id }: Hello): void {
    const { core } = this.#p;
    const values = { peer: peer.remote, own: core.chain.chainId, theirs: chain_id };
    // Who comes from there has another port each time, and this node dials there again and again.
    const who = `${peer.ip} ${chain_id}`;
    const level = this.#otherChains.has(who) ? 'debug' : 'warn';
    this.#otherChains.add(who);
    forgetOldest(this.#otherChains, P2P_LIMITS.addresses_remembered_max);
    core.wish({ kind: 'tell', level, text: 'a peer belongs to another chain', values });
  }

  #readHello(peer: Peer, fields: Hello): { hello: RemoteHello; signer: string } | undefined {
    if (peer.keys === undefined) return undefined;
    try {
      const known = readUserData(fields.user_data);
      const signer = signatureBackend().recover(peer.keys.key, fields.signed_shared_secret, 'any');
      return { hello: { fields, known, identity: identityOf(fields, known) }, signer };
    } catch (error) {
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  }

  #identitiesBut(peer: Peer): ReadonlySet<string> {
    const out = new Set<string>();
    for (const other of this.#p.core.peers.values()) {
      // One that was turned away is nobody's double.
      const isIn = other.isActive || (other.isOpening && other.ours !== 'rejected');
      if (other === peer || !isIn || other.identity === undefined) continue;
      // Two nodes that dial each other at once would both turn away what they have dialed, and neither had a connection.
      const isCrossed = other.isOpening && other.isInbound !== peer.isInbound;
      if (!(isCrossed && this.#prevails(peer))) out.add(other.identity);
    }
    return out;
  }

  /** Of two connections between the same nodes both keep the one that the greater of them has dialed. */
  #prevails({ identity, isInbound }: Peer): boolean {
    return identity !== undefined && this.#p.core.options.nodeId > identity === !isInbound;
  }

  /** Two that crossed may both have been accepted before either was active. False: it is the other one that stays. */
  isOnly(peer: Peer): boolean {
    const { core } = this.#p;
    const other = [...core.peers.values()].find(
      (one) => one !== peer && one.isActive && one.identity === peer.identity,
    );
    if (other === undefined) return true;
    const stays = this.#prevails(peer);
    core.close(stays ? other : peer, 'double_connection');
    return stays;
  }

  #countOpen(): number {
    let count = 0;
    for (const other of this.#p.core.peers.values()) {
      if ((other.isActive || other.isOpening) && other.ours !== 'rejected' && other.purpose === 'peer') count++;
    }
    return count;
  }

  /** Places that are not for those who come by themselves: whoever comes in large numbers would soon have all. */
  #ownMissing(): number {
    const { core } = this.#p;
    let missing = ownConnections(core.options);
    for (const other of core.peers.values()) {
      if (!other.isInbound && other.purpose === 'peer' && (other.isActive || other.isOpening)) missing--;
    }
    return Math.max(0, missing);
  }

  /** Whoever comes from the very address that it says it listens at can be reached there. */
  #classify(peer: Peer, fields: Hello): void {
    const { inbound_address, inbound_port, outbound_port } = fields;
    const isOpen = inbound_port !== 0 && endpointOf(inbound_address, outbound_port) === peer.remote;
    peer.firewalled = isOpen ? FIREWALLED.notFirewalled : FIREWALLED.firewalled;
    if (isOpen) this.#p.addresses.learn(endpointOf(inbound_address, inbound_port), peer);
  }

  acceptedCame(peer: Peer): void {
    if (peer.theirs === 'rejected') {
      this.#p.core.close(peer, 'message_out_of_state');
      return;
    }
    const isFirst = peer.theirs === 'waiting';
    peer.theirs = 'accepted';
    if (isFirst && peer.hello !== undefined) this.#askOn(peer);
  }

  rejectedCame(peer: Peer, { reason_code, reason_string }: Message<'connection_rejected'>): void {
    const { core, addresses } = this.#p;
    if (peer.theirs !== 'waiting') {
      core.close(peer, 'rejected_too_late');
      return;
    }
    peer.theirs = 'rejected';
    const values = { peer: peer.remote, code: reason_code, says: reason_string };
    core.wish({ kind: 'tell', level: 'debug', text: 'a peer has turned this node away', values });
    if (reason_code === REJECTION.connectedToSelf) {
      this.#leadsHere(peer);
      core.close(peer, 'rejected_by_peer');
      return;
    }
    if (!peer.isInbound) addresses.rejected(peer.remote);
    if (peer.hello !== undefined) this.#askOn(peer);
  }

  /**
   * Where this node has dialed it has found itself. Who comes does so from a port of the moment: nobody listens there, and
   * strangers that say so in large numbers would fill the room for what is really its own.
   */
  #leadsHere({ isInbound, remote }: Peer): void {
    if (!isInbound) this.#p.addresses.forget(remote);
  }

  /** Both hellos are decided on one side at least: addresses come next, whatever was decided. */
  #askOn(peer: Peer): void {
    this.#p.addresses.ask(peer);
    if (peer.theirs === 'accepted' && peer.ours === 'accepted') this.#p.firewall.ask(peer);
  }

  /** The list of addresses ends the opening, one way or the other. */
  addressesCame(peer: Peer): void {
    const { core, activate } = this.#p;
    if (peer.phase !== 'handshake') return;
    if (peer.ours === 'rejected') core.close(peer, 'rejected_by_us');
    else if (peer.theirs === 'rejected') core.close(peer, 'rejected_by_peer');
    else activate(peer);
  }
}
