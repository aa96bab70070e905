import { createConnection, type Socket } from 'node:net';
import { fromHex } from '../../src/base/bytes.js';
import { type AesStream, aesEncryptStream } from '../../src/crypto/aes.js';
import type { ChainId } from '../../src/crypto/digests.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { FrameReader, plainFrame } from '../../src/p2p/wire/frames.js';
import { EPHEMERAL_KEY_BYTES, type SessionKeys, sessionKeys } from '../../src/p2p/wire/key-exchange.js';
import {
  decodeMessage,
  encodeMessage,
  type Hello,
  ITEM_BLOCK,
  type ItemHash,
  MESSAGES,
  type Message,
  type MessageName,
  messageName,
} from '../../src/p2p/wire/messages.js';

/** A peer of a running node, over a socket of its own: it says what a test wants it to say, in the protocol's bytes. */

export interface SocketPeerOptions {
  readonly endpoint: string;
  readonly chainId: ChainId;
  /** What it is known by; random if it says nothing. */
  readonly nodeKey?: PrivateKey;
  readonly ephemeralKey?: PrivateKey;
  /** The node offers items, perhaps before `open` has settled. */
  readonly onInventory?: (type: number, hashes: readonly ItemHash[], peer: SocketPeer) => void;
  /** The node asks for items that it was offered. */
  readonly onFetch?: (hashes: readonly ItemHash[]) => void;
  /** Whatever comes, with its payload; what belongs to the opening and to a quiet life is answered before. */
  readonly onMessage?: (name: MessageName, payload: Uint8Array) => void;
}

const OPEN_MS = 30_000;

export class SocketPeer {
  readonly socket: Socket;
  /** Settles when the socket is closed, with what the node said about it. */
  readonly closed: Promise<string | undefined>;
  bytesReceived = 0;
  /** Whether questions are answered as an honest peer does. */
  isPolite = true;
  readonly #options: SocketPeerOptions;
  readonly #nodeKey: PrivateKey;
  readonly #ephemeral: PrivateKey;
  #keys: SessionKeys | undefined;
  #encrypt: AesStream | undefined;
  #reader: FrameReader | undefined;
  #first = new Uint8Array(0);
  #reason: string | undefined;
  #isClosed = false;
  #isLevel = false;
  readonly #watchers = new Set<() => void>();

  constructor(options: SocketPeerOptions) {
    this.#options = options;
    this.#nodeKey = options.nodeKey ?? randomKey();
    this.#ephemeral = options.ephemeralKey ?? randomKey();
    const [host, port] = options.endpoint.split(':');
    this.socket = createConnection({ host: host as string, port: Number(port), noDelay: true });
    this.socket.on('data', (bytes) => this.#hear(bytes));
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) =>
      this.socket.on('close', () => {
        this.#isClosed = true;
        this.#wake();
        resolve(this.#reason);
      }),
    );
  }

  /** Through the whole opening, up to the end of synchronization both ways. */
  static async open(options: SocketPeerOptions): Promise<SocketPeer> {
    const peer = new SocketPeer(options);
    peer.sendKey();
    await peer.until('there are keys', () => peer.#keys !== undefined);
    peer.sendHello();
    peer.say('connection_accepted', {});
    await peer.until('the node is level with it', () => peer.#isLevel);
    return peer;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** What the node has said when it closed the connection. */
  get reason(): string | undefined {
    return this.#reason;
  }

  get hasKeys(): boolean {
    return this.#keys !== undefined;
  }

  async until(what: string, done: () => boolean): Promise<void> {
    const endMs = performance.now() + OPEN_MS;
    while (!done()) {
      if (this.#isClosed) throw new Error(`the connection was closed before ${what}: ${this.#reason ?? 'no reason'}`);
      if (performance.now() > endMs) throw new Error(`not in time: ${what}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1000);
        this.#watchers.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  #wake(): void {
    for (const watch of this.#watchers) watch();
    this.#watchers.clear();
  }

  sendKey(): void {
    this.socket.write(fromHex(this.#ephemeral.publicKey));
  }

  sendHello(changes: Partial<Hello> = {}): void {
    if (this.#keys === undefined) throw new Error('no session');
    this.say('hello', {
      user_agent: 'test',
      core_protocol_version: 106,
      inbound_address: '127.0.0.1',
      inbound_port: 0,
      outbound_port: this.socket.localPort ?? 0,
      node_public_key: this.#nodeKey.publicKey,
      signed_shared_secret: signatureBackend().sign(this.#keys.key, this.#nodeKey),
      chain_id: this.#options.chainId,
      user_data: [],
      ...changes,
    });
  }

  /** Bytes before encryption. True while the socket takes more. */
  plain(bytes: Uint8Array): boolean {
    if (this.#encrypt === undefined) throw new Error('no session');
    return this.#isClosed ? false : this.socket.write(this.#encrypt(bytes));
  }

  frame(type: number, payload: Uint8Array): boolean {
    return this.plain(plainFrame({ type, payload }));
  }

  say<N extends MessageName>(name: N, message: Message<N>): boolean {
    return this.frame(MESSAGES[name].type, encodeMessage(name, message));
  }

  /** Until the socket has passed on what it holds, or is gone. */
  async drained(): Promise<void> {
    if (this.#isClosed || !this.socket.writableNeedDrain) return;
    await Promise.race([new Promise((resolve) => this.socket.once('drain', resolve)), this.closed]);
  }

  close(): void {
    this.socket.destroy();
  }

  #hear(bytes: Uint8Array): void {
    this.bytesReceived += bytes.length;
    let rest = bytes;
    if (this.#reader === undefined) {
      this.#first = Buffer.concat([this.#first, bytes]);
      if (this.#first.length < EPHEMERAL_KEY_BYTES) return;
      const keys = sessionKeys(this.#ephemeral, this.#first.subarray(0, EPHEMERAL_KEY_BYTES));
      if (keys === undefined) throw new Error('no key came');
      this.#keys = keys;
      this.#encrypt = aesEncryptStream(keys.key, keys.iv);
      this.#reader = new FrameReader(keys);
      rest = this.#first.subarray(EPHEMERAL_KEY_BYTES);
    }
    this.#reader.push(rest);
    for (let frame = this.#reader.next(); typeof frame === 'object'; frame = this.#reader.next()) {
      const name = messageName(frame.type);
      if (name !== undefined && name !== 'reserved') this.#came(name, frame.payload);
    }
    this.#wake();
  }

  #came(name: MessageName, payload: Uint8Array): void {
    if (name === 'closing_connection') this.#reason ??= decodeMessage(name, payload).reason_for_closing;
    if (this.isPolite) this.#answer(name, payload);
    if (name === 'item_ids_inventory') {
      const { item_type, item_hashes_available } = decodeMessage(name, payload);
      this.#options.onInventory?.(item_type, item_hashes_available, this);
    }
    if (name === 'fetch_items') this.#options.onFetch?.(decodeMessage(name, payload).items_to_fetch);
    this.#options.onMessage?.(name, payload);
  }

  #answer(name: MessageName, payload: Uint8Array): void {
    if (name === 'address_request') this.say('address', { addresses: [] });
    if (name === 'current_time_request') {
      const { request_sent_time } = decodeMessage(name, payload);
      const now = BigInt(Date.now()) * 1000n;
      this.say('current_time_reply', {
        request_sent_time,
        request_received_time: now,
        reply_transmitted_time: now,
      });
    }
    if (name === 'fetch_blockchain_item_ids') {
      // It has what the node has, and nothing more.
      const head = decodeMessage(name, payload).blockchain_synopsis.slice(-1);
      this.say('blockchain_item_ids_inventory', {
        total_remaining_item_count: 0,
        item_type: ITEM_BLOCK,
        item_hashes_available: head,
      });
      this.say('fetch_blockchain_item_ids', { item_type: ITEM_BLOCK, blockchain_synopsis: head });
    }
    if (name === 'blockchain_item_ids_inventory') {
      // A block that has come meanwhile is one that it lacks: to be told of new items it has to be level.
      const { item_hashes_available: ids } = decodeMessage(name, payload);
      const behind = ids.length > 1;
      if (behind) this.say('fetch_blockchain_item_ids', { item_type: ITEM_BLOCK, blockchain_synopsis: ids.slice(-1) });
      else this.#isLevel = true;
    }
  }
}

function randomKey(): PrivateKey {
  return PrivateKey.fromBytes(crypto.getRandomValues(new Uint8Array(32)));
}
