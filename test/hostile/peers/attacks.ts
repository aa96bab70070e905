import { setTimeout as pause } from 'node:timers/promises';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { P2P_LIMITS } from '../../../src/p2p/limits.js';
import { PAYLOAD_BYTES_MAX } from '../../../src/p2p/wire/frames.js';
import { encodeMessage, ITEM_BLOCK, ITEM_TRANSACTION, MESSAGES } from '../../../src/p2p/wire/messages.js';
import type { SeededRandom } from '../../sim/random.js';
import { SocketPeer } from '../../support/socket-peer.js';
import { bytesOf, mutated, sampleOf } from './samples.js';

/** What peers do to a node. Each attack is one connection, or a bunch of them, from beginning to end. */

export interface Tally {
  /** Frames and handshakes with faults. */
  inputs: number;
  connections: number;
  readonly kinds: Map<string, number>;
  readonly problems: string[];
}

export interface Victim {
  readonly endpoint: string;
  readonly chainId: string;
}

/** Whoever says nothing is put out after this time at the latest: 15 s by the protocol, and a busy machine. */
const PUT_OUT_MS = 60_000;
const FRAMES_PER_CONNECTION = 2000;
const FRAMES_AT_ONCE = 50;
const FLOOD_CONNECTIONS = 40;
const HALF_OPEN = 20;
const HASHES = 1000;
const FLOOD_BYTES = 2 * 1024 * 1024;
const HASH_BYTES = 20;
const SLOW_MS = 10_000;

/** What nobody has asked for and is taken all the same, in so much time. */
const allowedBytes = (ms: number): number =>
  P2P_LIMITS.unrequested_bytes_burst + (ms / 1000) * P2P_LIMITS.unrequested_bytes_per_second;

const noHashes = new Array<string>(HASHES).fill('00'.repeat(HASH_BYTES));
const announcement = encodeMessage('item_ids_inventory', {
  item_type: ITEM_TRANSACTION,
  item_hashes_available: noHashes,
});
const greedyRequest = encodeMessage('fetch_items', { item_type: ITEM_BLOCK, items_to_fetch: noHashes });

/** Making a key costs the attacker as much as the node: a few are enough. */
const keys = Array.from({ length: 64 }, (_, i) => PrivateKey.fromSeed(`attacker ${i}`));

export class Attacks {
  readonly #victim: Victim;
  readonly #tally: Tally;

  constructor(victim: Victim, tally: Tally) {
    this.#victim = victim;
    this.#tally = tally;
  }

  #count(kind: string, inputs: number): void {
    this.#tally.inputs += inputs;
    this.#tally.kinds.set(kind, (this.#tally.kinds.get(kind) ?? 0) + inputs);
  }

  #connect(random: SeededRandom): SocketPeer {
    this.#tally.connections++;
    return new SocketPeer({ ...this.#victim, ephemeralKey: random.pick(keys) });
  }

  /** Undefined: the node has enough of connections for now, or hangs up early. */
  async #active(): Promise<SocketPeer | undefined> {
    this.#tally.connections++;
    try {
      return await SocketPeer.open(this.#victim);
    } catch {
      return undefined;
    }
  }

  /** It has to go by the node's will, and that is waited for. */
  async #putOut(kind: string, peers: readonly SocketPeer[]): Promise<void> {
    const all = Promise.all(peers.map(({ closed }) => closed));
    const timer = new AbortController();
    const late = pause(PUT_OUT_MS, 'late' as const, { signal: timer.signal }).catch(() => undefined);
    if ((await Promise.race([all, late])) === 'late') {
      this.#tally.problems.push(`${kind}: the node did not put out who deserved it in ${PUT_OUT_MS / 1000} s`);
    }
    timer.abort();
    for (const peer of peers) peer.close();
  }

  /** Frames of all kinds with faults, one after the other, until the node has had enough. */
  async frames(random: SeededRandom): Promise<void> {
    const peer = await this.#active();
    if (peer === undefined) return;
    peer.isPolite = random.chance(0.8);
    let sent = 0;
    while (sent < FRAMES_PER_CONNECTION && !peer.isClosed) {
      for (let i = 0; i < FRAMES_AT_ONCE && !peer.isClosed; i++) {
        const { type, payload } = mutated(random, sampleOf(random));
        peer.frame(type, payload);
        sent++;
      }
      await peer.drained();
      await pause(1);
    }
    this.#count('frames', sent);
    peer.close();
  }

  /** Openings with faults of every kind. */
  async handshakes(random: SeededRandom): Promise<void> {
    const peer = this.#connect(random);
    this.#count('handshakes', 1);
    const kind = random.below(7);
    if (kind === 0) peer.socket.write(bytesOf(random, random.between(1, 200)));
    else peer.sendKey();
    if (kind > 0) {
      try {
        await peer.until('there are keys', () => peer.hasKeys);
      } catch {
        return;
      }
    }
    if (kind === 1) peer.plain(bytesOf(random, 16 * random.between(1, 30)));
    if (kind === 2) peer.sendHello({ signed_shared_secret: bytesOf(random, 65) });
    if (kind === 3) peer.sendHello({ chain_id: 'ab'.repeat(32) });
    if (kind === 4) {
      peer.sendHello();
      peer.sendHello();
    }
    if (kind === 5) {
      const { type, payload } = sampleOf(random);
      peer.frame(type, payload);
    }
    if (kind === 6) peer.frame(MESSAGES.hello.type, bytesOf(random, random.below(400)));
    // What is not wrong enough is left by the attacker.
    await Promise.race([peer.closed, pause(200 + random.below(2000))]);
    peer.close();
  }

  /** Many at once, which go as they came, some with a key, some by a reset. */
  async connections(random: SeededRandom): Promise<void> {
    const peers = Array.from({ length: FLOOD_CONNECTIONS }, () => this.#connect(random));
    for (const peer of peers) if (random.chance(0.3)) peer.socket.once('connect', () => peer.sendKey());
    this.#count('connections', peers.length);
    await pause(random.below(500));
    for (const peer of peers) {
      if (random.chance(0.5)) peer.socket.resetAndDestroy();
      else peer.close();
    }
    await pause(200);
  }

  /** Nothing is said, or half of a key: all of them are put out in time. */
  async halfOpen(random: SeededRandom): Promise<void> {
    const peers = Array.from({ length: HALF_OPEN }, () => this.#connect(random));
    for (const peer of peers) {
      if (random.chance(0.5)) peer.socket.write(bytesOf(random, random.between(1, 32)));
    }
    this.#count('half open', peers.length);
    await this.#putOut('half open', peers);
  }

  /** Hashes of what does not exist, as fast as they are taken: put out by the rate of messages or bytes. */
  async inventory(random: SeededRandom): Promise<void> {
    const peer = await this.#active();
    if (peer === undefined) return;
    const startMs = performance.now();
    let [sent, bytes] = [0, 0];
    while (!peer.isClosed && bytes < allowedBytes(performance.now() - startMs) + FLOOD_BYTES) {
      peer.frame(MESSAGES.item_ids_inventory.type, this.#announcement(random));
      sent++;
      bytes += HASHES * HASH_BYTES;
      await peer.drained();
      if (sent % 16 === 0) await pause(1);
    }
    this.#count('inventories', sent);
    await this.#putOut(`a flood of ${sent} inventories`, [peer]);
  }

  /** Of hashes that were never announced before. Only what differs is made: the attacker must be faster than the node. */
  #announcement(random: SeededRandom): Uint8Array {
    const payload = announcement.slice();
    const view = new DataView(payload.buffer);
    const salt = random.below(2 ** 32);
    for (let end = payload.length, left = HASHES; left > 0; left--, end -= HASH_BYTES) {
      view.setUint32(end - HASH_BYTES, salt);
      view.setUint32(end - HASH_BYTES / 2, end);
    }
    return payload;
  }

  /** A message above the largest size is announced; or one of the largest size, which never comes. */
  async oversize(random: SeededRandom): Promise<void> {
    const peer = await this.#active();
    if (peer === undefined) return;
    this.#count('oversize', 1);
    const header = new Uint8Array(16);
    const isTooLarge = random.chance(0.7);
    const size = isTooLarge ? PAYLOAD_BYTES_MAX + 1 + random.below(2 ** 31) : PAYLOAD_BYTES_MAX;
    new DataView(header.buffer).setUint32(0, size, true);
    new DataView(header.buffer).setUint32(4, ITEM_BLOCK, true);
    peer.isPolite = false;
    peer.plain(header);
    if (isTooLarge) {
      await this.#putOut('oversize', [peer]);
      if (peer.reason !== undefined && !peer.reason.includes('frame_too_large')) {
        this.#tally.problems.push(`a frame of ${size} bytes was closed with: ${peer.reason}`);
      }
    } else {
      for (let i = 0; i < 20 && !peer.isClosed; i++) {
        peer.plain(bytesOf(random, 4096));
        await pause(100);
      }
      peer.close();
    }
  }

  /** Asks for more than it ever reads. */
  async slowReader(_random: SeededRandom): Promise<void> {
    const peer = await this.#active();
    if (peer === undefined) return;
    peer.socket.pause();
    const endMs = performance.now() + SLOW_MS;
    let asked = 0;
    while (!peer.isClosed && performance.now() < endMs) {
      peer.frame(MESSAGES.fetch_items.type, greedyRequest);
      asked++;
      await Promise.race([peer.drained(), pause(500)]);
      await pause(5);
    }
    this.#count('slow readers', asked);
    // A socket that reads nothing does not hear that it is closed, either.
    peer.close();
  }
}
