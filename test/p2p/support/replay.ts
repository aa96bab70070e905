import { concatBytes, fromHex } from '../../../src/base/bytes.js';
import { idOfTransaction } from '../../../src/client/transactions.js';
import { decode } from '../../../src/codec/binary.js';
import type { Json, JsonObject } from '../../../src/codec/json.js';
import { type AesStream, aesEncryptStream } from '../../../src/crypto/aes.js';
import { ORDER, readNumber, writeScalar } from '../../../src/crypto/curve.js';
import { sha256Hex } from '../../../src/crypto/hash.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { signatureBackend } from '../../../src/crypto/signature.js';
import { Machine } from '../../../src/p2p/machine.js';
import type { ConnectionId, MachineOptions, PushBlock, Reading, Wish } from '../../../src/p2p/ports.js';
import { FrameReader, plainFrame } from '../../../src/p2p/wire/frames.js';
import { type SessionKeys, sessionKeys } from '../../../src/p2p/wire/key-exchange.js';
import {
  decodeMessage,
  encodeMessage,
  type Hello,
  MESSAGES,
  type MessageName,
  messageId,
  messageName,
} from '../../../src/p2p/wire/messages.js';
import { entryOf } from '../../../src/p2p/wire/variant.js';
import { signedBlock } from '../../../src/protocol/block.js';
import { signedTransaction } from '../../../src/protocol/transaction.js';
import { NETWORK } from '../../support/network.js';
import { type GoldenChain, packedBlocks, recorded } from './golden-chain.js';

/**
 * Plays the client's part of a conversation that was recorded with a reference node, against the machine. What the
 * machine says is kept beside what the reference said.
 */

export interface Line {
  readonly t_ms: number;
  readonly conn?: string;
  readonly direction?: 'to_reference' | 'from_reference';
  readonly type?: number | null;
  readonly name?: string;
  readonly payload_hex?: string;
  readonly payload_abbreviated?: boolean;
  readonly payload_sha256?: string;
  readonly decoded?: JsonObject;
  readonly event?: string;
  readonly step?: string;
  readonly hex?: string;
  readonly local?: string;
  readonly remote?: string;
  readonly method?: string;
  readonly tx?: Json;
  readonly block?: Json;
  readonly head?: number;
  readonly client_ephemeral_private_key?: string;
  readonly client_node_private_key?: string;
}

/** One message, in the form in which two can be compared. */
export interface Said {
  readonly name: string;
  readonly content: JsonObject;
}

export interface Conversation {
  readonly expected: Said[];
  readonly actual: Said[];
  /** The reference ended it, or said that it would. */
  isEndedByReference: boolean;
  /** The machine wished it closed, with this reason. */
  closedWith: string | undefined;
}

export interface ReplayOptions extends Partial<MachineOptions> {
  /** Then the hello is sent as it is. */
  readonly hasWrongSignature?: boolean;
  /** The chain stops at this block until then: it is slow. */
  readonly busy?: { readonly head: number; readonly untilMs: number };
  /** The client sends an item only if the machine has asked it for that one. */
  readonly sendsOnlyWhatIsAskedFor?: boolean;
}

export function readLines(file: string): Line[] {
  return recorded(file)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** 2026-11-21 20:00 UTC: the day of the recordings. */
const WALL_MS = 1_795_291_200_000;
const STEP_MS = 500;
/** A reference closes up to 22 s after it has said so. */
const AFTER_MS = 60_000;
const DIAL_STEPS = 120;
/** Where the client listens in recordings in which it does not say so. */
const CLIENT_PORT = 21_810;

class Client {
  readonly conversation: Conversation = { expected: [], actual: [], isEndedByReference: false, closedWith: undefined };
  id: ConnectionId | undefined;
  ephemeral = PrivateKey.fromSeed('none');
  node = PrivateKey.fromSeed('none');
  session: SessionKeys | undefined;
  encrypt: AesStream | undefined;
  reader: FrameReader | undefined;
  isOpen = false;
  /** Items that it has sent or kept back, and how often. */
  readonly sent = new Map<string, number>();
}

export class Replay {
  readonly #lines: readonly Line[];
  readonly #chain: GoldenChain;
  readonly #options: ReplayOptions;
  readonly #machine: Machine;
  readonly #clients = new Map<string, Client>();
  readonly #byConnection = new Map<ConnectionId, Client>();
  readonly #dials: { readonly id: ConnectionId; readonly endpoint: string }[] = [];
  #ms = 0;
  #seed = 0;
  #played = 0;
  /** What the chain has not come to yet. */
  #waiting: PushBlock[] = [];
  readonly #announced = new Set<string>();
  /** Blocks that the recorded reference was asked for, by message id. */
  readonly #served = new Map<string, Uint8Array>();

  constructor(file: string, chain: GoldenChain, options: ReplayOptions = {}) {
    this.#lines = readLines(file);
    this.#chain = chain;
    this.#options = options;
    const hello = this.#firstHello('from_reference');
    const listener = this.#firstHello('to_reference');
    const isDialed = this.#lines.some(({ event, conn }) => event === 'tcp_accepted' && conn === 'D1');
    this.#machine = new Machine(
      {
        nodeKey: PrivateKey.fromSeed('the machine'),
        nodeId: (hello?.user_data as { node_id?: string } | undefined)?.node_id ?? 'aa'.repeat(33),
        userAgent: 'trustnode/test',
        platform: 'linux',
        listenPort: (hello?.inbound_port as number | undefined) ?? 22_000,
        acceptIncoming: true,
        advertisePeers: true,
        allowPrivate: true,
        connectionsWanted: 20,
        connectionsMax: 200,
        seeds: isDialed ? [`127.0.0.1:${(listener?.inbound_port as number | undefined) ?? CLIENT_PORT}`] : [],
        kept: [],
        allowedPeers: [],
        itemsPerRequest: 1,
        random: (count) => this.#random(count),
        ...options,
      },
      chain.view,
      this.#now,
    );
    for (const line of this.#lines) {
      if (line.direction !== 'from_reference' || line.name !== 'block' || line.payload_hex === undefined) continue;
      const payload = fromHex(line.payload_hex);
      this.#served.set(messageId(payload), payload.subarray(0, payload.length - 20));
    }
  }

  get machine(): Machine {
    return this.#machine;
  }

  #firstHello(direction: string): JsonObject | undefined {
    return this.#lines.find((line) => line.direction === direction && line.name === 'hello')?.decoded;
  }

  get #now(): Reading {
    return { wallMs: WALL_MS + this.#ms, monotonicMs: this.#ms };
  }

  #random(count: number): Uint8Array {
    let out: Uint8Array = new Uint8Array(0);
    while (out.length < count) out = concatBytes(out, fromHex(sha256Hex(Uint8Array.of(this.#seed++ & 255))));
    return out.slice(0, count);
  }

  #client(line: Line): Client {
    const name = line.conn ?? '';
    let client = this.#clients.get(name);
    if (client === undefined) {
      client = new Client();
      // Connections that the reference has dialed share the keys of the first one.
      const first = this.#clients.get('') ?? [...this.#clients.values()][0];
      if (first !== undefined) {
        client.ephemeral = first.ephemeral;
        client.node = first.node;
      }
      this.#clients.set(name, client);
    }
    return client;
  }

  run(): Map<string, Conversation> {
    for (const line of this.#lines) {
      this.#pass(line.t_ms);
      this.#played++;
      this.#play(line);
    }
    if ([...this.#clients.values()].some(({ isOpen }) => isOpen)) this.#pass(this.#ms + AFTER_MS);
    return new Map([...this.#clients].map(([name, { conversation }]) => [name, conversation]));
  }

  /** Time goes on, in steps that are short enough for every timer. */
  #pass(untilMs: number): void {
    while (this.#ms < untilMs) {
      this.#ms = Math.min(untilMs, this.#ms + STEP_MS);
      this.#machine.tick(this.#now);
      this.#settle();
    }
    if (this.#waiting.length === 0 || this.#ms < (this.#options.busy?.untilMs ?? 0)) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wish of waiting) this.#decide(wish);
    this.#settle();
  }

  #play(line: Line): void {
    const client = this.#client(line);
    switch (line.event) {
      case 'meta':
        this.#meet(line);
        return;
      case 'tcp_connected':
        this.#connect(client, line);
        return;
      case 'tcp_accepted':
        this.#accept(client, line);
        return;
      case 'tcp_end_from_reference':
      case 'tcp_error':
        client.conversation.isEndedByReference = true;
        return;
      case 'we_close_tcp':
        this.#hangUp(client);
        return;
      case 'raw_sent':
        this.#feed(client, fromHex(line.hex ?? ''));
        return;
      case 'raw_plaintext_sent':
        this.#feedPlain(client, fromHex(line.hex ?? ''));
        return;
      case 'step':
        this.#step(client, line.step ?? '');
        return;
      case 'rpc':
        this.#rpc(line);
        return;
      default:
        if (line.direction === 'to_reference') this.#say(client, line);
        else if (line.direction === 'from_reference') this.#hear(client, line);
    }
  }

  #meet(line: Line): void {
    const client = this.#client(line);
    client.ephemeral = PrivateKey.fromBytes(fromHex(line.client_ephemeral_private_key ?? ''));
    client.node = PrivateKey.fromBytes(fromHex(line.client_node_private_key ?? ''));
  }

  #connect(client: Client, line: Line): void {
    // From the reference's point of view.
    const ends = { remote: line.local ?? '', local: line.remote ?? '' };
    client.id = this.#machine.accepted(this.#now, ends);
    client.isOpen = client.id !== undefined;
    if (client.id !== undefined) this.#byConnection.set(client.id, client);
    this.#settle();
  }

  #accept(client: Client, line: Line): void {
    // When a node dials again is its own affair.
    for (let i = 0; i < DIAL_STEPS && this.#dials.length === 0; i++) this.#pass(this.#ms + STEP_MS);
    const dial = this.#dials.shift();
    if (dial === undefined) throw new Error(`nothing was dialed at ${line.t_ms} ms`);
    client.id = dial.id;
    client.isOpen = true;
    this.#byConnection.set(dial.id, client);
    this.#machine.connected(this.#now, dial.id, { remote: dial.endpoint, local: line.remote ?? '' });
    this.#settle();
  }

  #hangUp(client: Client): void {
    if (!client.isOpen || client.id === undefined) return;
    client.isOpen = false;
    this.#machine.gone(this.#now, client.id);
    this.#settle();
  }

  #feed(client: Client, bytes: Uint8Array): void {
    if (!client.isOpen || client.id === undefined) return;
    this.#machine.received(this.#now, client.id, bytes);
    this.#settle();
  }

  #feedPlain(client: Client, plain: Uint8Array): void {
    if (client.encrypt !== undefined) this.#feed(client, client.encrypt(plain));
  }

  #step(client: Client, step: string): void {
    if (step.startsWith('one ciphertext bit')) {
      const frame = plainFrame({ type: MESSAGES.current_time_request.type, payload: new Uint8Array(8) });
      const secret = client.encrypt?.(frame) ?? new Uint8Array(0);
      secret[0] = (secret[0] as number) ^ 1;
      this.#feed(client, secret);
    }
    if (step.startsWith('type 5018 with 2097152')) {
      this.#feedPlain(client, plainFrame({ type: 5018, payload: new Uint8Array(2_097_152) }));
    }
  }

  #rpc({ method, tx, block }: Line): void {
    if (method === 'broadcast_transaction') {
      const transaction = signedTransaction.fromJson(tx ?? null, NETWORK);
      if (this.#chain.pushTransaction(transaction) === undefined) {
        this.#machine.publishTransaction(this.#now, idOfTransaction(transaction), transaction);
      }
    } else if (method === 'broadcast_block') {
      const { id } = this.#chain.accept(signedBlock.fromJson(block ?? null, NETWORK));
      this.#machine.publishBlock(this.#now, id, this.#chain.view.blockBytes(id) as Uint8Array);
    }
    this.#settle();
  }

  /** The client says what it said then; a hello is signed anew, unless its signature was wrong on purpose. */
  #say(client: Client, line: Line): void {
    if (line.type === null) {
      this.#feed(client, fromHex(client.ephemeral.publicKey));
      return;
    }
    let payload = payloadOf(line);
    if (line.name === 'hello') payload = this.#signAgain(client, payload);
    if (line.name === 'item_ids_inventory') this.#note(line);
    const isItem = line.name === 'block' || line.name === 'trx';
    if (isItem && this.#options.sendsOnlyWhatIsAskedFor === true && !this.#isAsked(client, payload)) return;
    this.#feedPlain(client, plainFrame({ type: line.type as number, payload }));
  }

  /** Once for each time that it was asked for. */
  #isAsked(client: Client, payload: Uint8Array): boolean {
    const hash = messageId(payload);
    const requests = client.conversation.actual.filter(
      ({ name, content }) => name === 'fetch_items' && (content.items_to_fetch as string[]).includes(hash),
    );
    const sent = client.sent.get(hash) ?? 0;
    client.sent.set(hash, sent + 1);
    return requests.length > sent;
  }

  #note({ decoded }: Line): void {
    for (const hash of (decoded?.item_hashes_available as string[] | undefined) ?? []) this.#announced.add(hash);
  }

  #signAgain(client: Client, payload: Uint8Array): Uint8Array {
    const hello: Hello = decodeMessage('hello', payload);
    if (this.#options.hasWrongSignature === true) return payload;
    if (client.session === undefined) throw new Error('a hello before the keys');
    const backend = signatureBackend();
    const signature = backend.sign(client.session.key, client.node);
    const isHigh = readNumber(hello.signed_shared_secret.subarray(33)) > ORDER / 2n;
    // Of some connections the recording does not have the key.
    const node_public_key = client.node.publicKey;
    return encodeMessage('hello', {
      ...hello,
      node_public_key,
      signed_shared_secret: isHigh ? highS(signature) : signature,
    });
  }

  /** What the reference said then. */
  #hear(client: Client, line: Line): void {
    if (line.type === null) {
      return;
    }
    client.conversation.expected.push(saidOf(line.type as number, payloadOf(line)));
    if (line.name === 'closing_connection') client.conversation.isEndedByReference = true;
    if (line.name === 'item_ids_inventory') this.#blocksByRpc(line);
  }

  /** Some recordings leave out that a block was given to the reference by RPC; it announces it then. */
  #blocksByRpc(line: Line): void {
    for (const hash of (line.decoded?.item_hashes_available as string[] | undefined) ?? []) {
      const bytes = this.#served.get(hash);
      if (this.#announced.has(hash) || bytes === undefined) continue;
      const block = decode(signedBlock, bytes);
      if (this.#chain.view.head.id !== block.previous) continue;
      const { id } = this.#chain.accept(block);
      this.#machine.publishBlock(this.#now, id, bytes);
      this.#settle();
    }
  }

  /** Does what the machine wishes until it wishes nothing more. */
  #settle(): void {
    for (let wishes = this.#machine.take(); wishes.length > 0; wishes = this.#machine.take()) {
      for (const wish of wishes) this.#do(wish);
    }
  }

  #do(wish: Wish): void {
    switch (wish.kind) {
      case 'send':
        this.#deliver(wish.connection, wish.bytes);
        return;
      case 'close':
        this.#close(wish.connection, wish.reason);
        return;
      case 'dial':
        this.#dialed(wish.connection, wish.endpoint);
        return;
      case 'push_block':
        this.#push(wish);
        return;
      case 'push_transactions':
        this.#machine.transactionsDecided(
          this.#now,
          wish.transactions.map(({ ticket, transaction }) => ({
            ticket,
            error: this.#chain.pushTransaction(transaction),
          })),
        );
        return;
      default:
    }
  }

  #push(wish: PushBlock): void {
    const { busy } = this.#options;
    const isBusy = busy !== undefined && this.#chain.view.head.number >= busy.head && this.#ms < busy.untilMs;
    if (isBusy || this.#waiting.length > 0) this.#waiting.push(wish);
    else this.#decide(wish);
  }

  #decide(wish: PushBlock): void {
    this.#machine.blockDecided(this.#now, wish.ticket, this.#chain.pushBlock(wish.block));
  }

  /** Where nobody listens in the recording, the connection fails. */
  #dialed(id: ConnectionId, endpoint: string): void {
    const isAccepted = this.#lines.slice(Math.max(0, this.#played - 1)).some(({ event }) => event === 'tcp_accepted');
    const port = endpoint.split(':')[1];
    const isSilent = this.#lines.some(({ step }) => step?.includes(`:${port} where nobody listens`));
    if (isAccepted && !isSilent) this.#dials.push({ id, endpoint });
    else this.#machine.gone(this.#now, id);
  }

  #close(id: ConnectionId, reason: string): void {
    const client = this.#byConnection.get(id);
    if (client !== undefined) {
      client.conversation.closedWith ??= reason;
      client.isOpen = false;
    }
    this.#machine.gone(this.#now, id);
  }

  #deliver(id: ConnectionId, bytes: Uint8Array): void {
    this.#machine.taken(this.#now, id, bytes.length);
    const client = this.#byConnection.get(id) ?? this.#justConnected(id);
    if (client.reader === undefined) {
      const keys = sessionKeys(client.ephemeral, bytes);
      if (keys === undefined) throw new Error('the machine has sent no key');
      client.session = keys;
      client.encrypt = aesEncryptStream(keys.key, keys.iv);
      client.reader = new FrameReader(keys);
      return;
    }
    client.reader.push(bytes);
    for (let frame = client.reader.next(); typeof frame === 'object'; frame = client.reader.next()) {
      client.conversation.actual.push(saidOf(frame.type, frame.payload));
    }
  }

  #justConnected(id: ConnectionId): Client {
    const client = [...this.#clients.values()].find((one) => one.id === id);
    if (client === undefined) throw new Error(`connection ${id} belongs to nobody`);
    return client;
  }
}

/** The same signature in its other form. */
function highS(signature: Uint8Array): Uint8Array {
  const out = signature.slice();
  const s = readNumber(out.subarray(33));
  if (s > ORDER / 2n) return out;
  out.set(writeScalar(ORDER - s), 33);
  out[0] = 31 + ((((out[0] as number) - 27) & 3) ^ 1);
  return out;
}

/** Long recordings leave blocks out and say by which block they are to be replaced. */
export function payloadOf(line: Line): Uint8Array {
  if (line.payload_hex !== undefined) return fromHex(line.payload_hex);
  const { height, block_id } = line.decoded as { height: number; block_id: string };
  for (const bytes of packedBlocks(height)) {
    const payload = concatBytes(bytes, fromHex(block_id));
    if (sha256Hex(payload) === line.payload_sha256) return payload;
  }
  throw new Error(`block ${height} of the recording is not known`);
}

export function saidOf(type: number, payload: Uint8Array): Said {
  const name = messageName(type);
  if (name === undefined || name === 'reserved') return { name: String(type), content: {} };
  return { name, content: contentOf(name, payload) };
}

/**
 * What has to be equal. Left out: what belongs to one node or one run (keys, signatures, program, clock readings,
 * revision of a library), and the details of an error, which this node leaves away by design.
 */
function contentOf(name: MessageName, payload: Uint8Array): JsonObject {
  if (name === 'block' || name === 'trx') return { message_id: messageId(payload) };
  const json = (MESSAGES[name].schema.toJson as (value: unknown) => Json)(decodeMessage(name, payload)) as JsonObject;
  switch (name) {
    case 'hello': {
      const { core_protocol_version, inbound_address, inbound_port, outbound_port, chain_id } = json;
      const { user_data } = decodeMessage('hello', payload);
      const known: JsonObject = {};
      for (const key of ['platform', 'bitness', 'node_id', 'last_known_block_hash', 'last_known_block_number']) {
        const value = entryOf(user_data, key);
        known[key] = value !== undefined && 'value' in value ? String(value.value) : null;
      }
      const time = entryOf(user_data, 'last_known_block_time');
      known.last_known_block_time = time?.kind === 'text' ? time.value : null;
      return { core_protocol_version, inbound_address, inbound_port, outbound_port, chain_id, known } as JsonObject;
    }
    case 'connection_rejected': {
      const { user_agent: _, ...rest } = json;
      return rest;
    }
    case 'closing_connection': {
      const { error: _, ...rest } = json;
      return rest;
    }
    case 'current_time_request':
    case 'current_time_reply':
      return {};
    case 'address': {
      const addresses = (json.addresses as JsonObject[]).map(({ last_seen_time: _, latency_us: __, ...rest }) => rest);
      return { addresses: byEndpoint(addresses) };
    }
    case 'get_current_connections_reply': {
      const list = (json.current_connections as JsonObject[]).map(
        ({ connection_duration: _, clock_offset_us: __, round_trip_delay_us: ___, ...rest }) => rest,
      );
      return { current_connections: byEndpoint(list) };
    }
    default:
      return json;
  }
}

const byEndpoint = (list: readonly JsonObject[]): JsonObject[] =>
  [...list].sort((a, b) => (String(a.remote_endpoint) < String(b.remote_endpoint) ? -1 : 1));
