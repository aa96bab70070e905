import { fromHex } from '../../../src/base/bytes.js';
import { type AesStream, aesEncryptStream } from '../../../src/crypto/aes.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { signatureBackend } from '../../../src/crypto/signature.js';
import { Machine } from '../../../src/p2p/machine.js';
import type { ChainView, ConnectionId, MachineOptions, PushBlock, Reading, Wish } from '../../../src/p2p/ports.js';
import { FrameReader, plainFrame } from '../../../src/p2p/wire/frames.js';
import { sessionKeys } from '../../../src/p2p/wire/key-exchange.js';
import {
  decodeMessage,
  encodeMessage,
  type Hello,
  MESSAGES,
  type Message,
  type MessageName,
  messageName,
} from '../../../src/p2p/wire/messages.js';
import { SeededRandom } from '../../sim/random.js';
import { GoldenChain } from './golden-chain.js';

/** A machine with a short chain and time in hand, and peers that say what a test wants them to say. */

/** After every block of the short chain. */
const WALL_MS = 1_795_291_200_000;
const HEIGHT = 60;

let shared: GoldenChain | undefined;
export const shortChain = (): GoldenChain => {
  shared ??= new GoldenChain(HEIGHT);
  return shared;
};

export class Bench {
  readonly chain: GoldenChain;
  readonly machine: Machine;
  readonly closed = new Map<ConnectionId, string>();
  readonly dials: { readonly id: ConnectionId; readonly endpoint: string }[] = [];
  readonly pushed: PushBlock[] = [];
  readonly told: (Wish & { kind: 'tell' })[] = [];
  transactions: (Wish & { kind: 'push_transactions' })[] = [];
  ms = 0;
  /** What the wall clock says more than it should. */
  wallAheadMs = 0;
  readonly #peers = new Map<ConnectionId, TestPeer>();
  readonly #random = new SeededRandom(7);
  /** Sockets that take nothing. */
  readonly stuck = new Set<ConnectionId>();
  /** Sockets that stay open when they are to be closed. */
  readonly lingering = new Set<ConnectionId>();
  readonly ends: (Wish & { kind: 'close' })[] = [];

  constructor(options: Partial<MachineOptions> = {}, chain: GoldenChain = shortChain(), view: ChainView = chain.view) {
    this.chain = chain;
    this.machine = new Machine(
      {
        nodeKey: PrivateKey.fromSeed('bench'),
        nodeId: 'aa'.repeat(33),
        userAgent: 'trustnode/test',
        platform: 'linux',
        listenPort: 6789,
        acceptIncoming: true,
        advertisePeers: true,
        allowPrivate: false,
        connectionsWanted: 20,
        connectionsMax: 200,
        seeds: [],
        kept: [],
        allowedPeers: [],
        itemsPerRequest: 32,
        random: (count) => Uint8Array.from({ length: count }, () => this.#random.below(256)),
        ...options,
      },
      view,
      this.now,
    );
  }

  get now(): Reading {
    return { wallMs: WALL_MS + this.wallAheadMs + this.ms, monotonicMs: this.ms };
  }

  /** Undefined: not taken. */
  connect(remote: string, name = remote): TestPeer | undefined {
    const id = this.machine.accepted(this.now, { remote, local: '198.18.0.1:6789' });
    if (id === undefined) {
      this.settle();
      return undefined;
    }
    const peer = new TestPeer(this, id, name, remote);
    this.#peers.set(id, peer);
    this.settle();
    return peer;
  }

  /** Takes up a connection that the machine has dialed. */
  answer(index: number, name: string): TestPeer {
    const { id, endpoint } = this.dials[index] as { id: ConnectionId; endpoint: string };
    const peer = new TestPeer(this, id, name, endpoint);
    this.#peers.set(id, peer);
    this.machine.connected(this.now, id, { remote: endpoint, local: '198.18.0.1:50000' });
    this.settle();
    return peer;
  }

  /** An open and accepted peer, level with the machine. */
  active(remote: string, name = remote): TestPeer {
    const peer = this.connect(remote, name);
    if (peer === undefined) throw new Error(`${remote} is not taken`);
    peer.open();
    return peer;
  }

  pass(ms: number, stepMs = 500): void {
    const until = this.ms + ms;
    while (this.ms < until) {
      this.ms = Math.min(until, this.ms + stepMs);
      this.machine.tick(this.now);
      this.settle();
    }
  }

  settle(): void {
    for (let wishes = this.machine.take(); wishes.length > 0; wishes = this.machine.take()) {
      for (const wish of wishes) this.#do(wish);
    }
  }

  #do(wish: Wish): void {
    switch (wish.kind) {
      case 'send':
        if (!this.stuck.has(wish.connection)) this.machine.taken(this.now, wish.connection, wish.bytes.length);
        this.#peers.get(wish.connection)?.hear(wish.bytes);
        return;
      case 'close':
        if (!this.closed.has(wish.connection)) this.closed.set(wish.connection, wish.reason);
        this.ends.push(wish);
        if (!this.lingering.has(wish.connection)) this.machine.gone(this.now, wish.connection);
        return;
      case 'dial':
        this.dials.push({ id: wish.connection, endpoint: wish.endpoint });
        return;
      case 'push_block':
        this.pushed.push(wish);
        return;
      case 'push_transactions':
        this.transactions.push(wish);
        return;
      case 'tell':
        this.told.push(wish);
        return;
      default:
    }
  }
}

export class TestPeer {
  readonly id: ConnectionId;
  readonly said: { readonly name: string; readonly message: unknown }[] = [];
  readonly #bench: Bench;
  readonly #remote: string;
  readonly #ephemeral: PrivateKey;
  readonly #node: PrivateKey;
  #key: Uint8Array = new Uint8Array(0);
  #encrypt: AesStream | undefined;
  #reader: FrameReader | undefined;

  constructor(bench: Bench, id: ConnectionId, name: string, remote: string) {
    this.#bench = bench;
    this.id = id;
    this.#remote = remote;
    this.#ephemeral = PrivateKey.fromSeed(`ephemeral ${name}`);
    this.#node = PrivateKey.fromSeed(`node ${name}`);
  }

  get closedWith(): string | undefined {
    return this.#bench.closed.get(this.id);
  }

  names(): string[] {
    return this.said.map(({ name }) => name);
  }

  last<N extends MessageName>(name: N): Message<N> | undefined {
    return this.said.findLast((one) => one.name === name)?.message as Message<N> | undefined;
  }

  hear(bytes: Uint8Array): void {
    if (this.#reader === undefined) {
      const keys = sessionKeys(this.#ephemeral, bytes);
      if (keys === undefined) throw new Error('no key came');
      this.#key = keys.key;
      this.#encrypt = aesEncryptStream(keys.key, keys.iv);
      this.#reader = new FrameReader(keys);
      return;
    }
    this.#reader.push(bytes);
    for (let frame = this.#reader.next(); typeof frame === 'object'; frame = this.#reader.next()) {
      const name = messageName(frame.type);
      if (name !== undefined && name !== 'reserved') {
        this.said.push({
          name,
          message: name === 'block' || name === 'trx' ? frame.payload : decodeMessage(name, frame.payload),
        });
      }
    }
  }

  feed(bytes: Uint8Array): void {
    this.#bench.machine.received(this.#bench.now, this.id, bytes);
    this.#bench.settle();
  }

  key(cut: (bytes: Uint8Array) => readonly Uint8Array[] = (bytes) => [bytes]): void {
    for (const piece of cut(fromHex(this.#ephemeral.publicKey))) this.feed(piece);
  }

  plain(bytes: Uint8Array): void {
    if (this.#encrypt === undefined) throw new Error('no session');
    this.feed(this.#encrypt(bytes));
  }

  frame(type: number, payload: Uint8Array): void {
    this.plain(plainFrame({ type, payload }));
  }

  say<N extends MessageName>(name: N, message: Message<N>): void {
    this.frame(MESSAGES[name].type, encodeMessage(name, message));
  }

  hello(changes: Partial<Hello> = {}): void {
    const [ip = '', port = '0'] = this.#remote.split(':');
    this.say('hello', {
      user_agent: 'test',
      core_protocol_version: 106,
      inbound_address: ip,
      inbound_port: 0,
      outbound_port: Number(port),
      node_public_key: this.#node.publicKey,
      signed_shared_secret: signatureBackend().sign(this.#key, this.#node),
      chain_id: this.#bench.machine.chain.chainId,
      user_data: [],
      ...changes,
    });
  }

  /** Through the whole opening, up to the end of synchronization both ways. */
  open(changes: Partial<Hello> = {}): void {
    this.key();
    this.hello(changes);
    this.say('connection_accepted', {});
    this.say('address', { addresses: [] });
    this.level();
  }

  /** Answers the question for ids and asks itself, having the machine's head. */
  level(): void {
    const { id } = this.#bench.machine.chain.head;
    this.ids([id]);
    this.say('fetch_blockchain_item_ids', { item_type: 1001, blockchain_synopsis: [id] });
  }

  ids(list: readonly string[], remaining = 0): void {
    this.say('blockchain_item_ids_inventory', {
      total_remaining_item_count: remaining,
      item_type: 1001,
      item_hashes_available: [...list],
    });
  }

  announce(type: number, hashes: readonly string[]): void {
    this.say('item_ids_inventory', { item_type: type, item_hashes_available: [...hashes] });
  }

  hangUp(): void {
    this.#bench.machine.gone(this.#bench.now, this.id);
    this.#bench.settle();
  }
}

export { HEIGHT as SHORT_HEIGHT };
