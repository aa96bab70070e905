import t from 'tap';
import { fromHex } from '../../src/base/bytes.js';
import type { Json } from '../../src/codec/json.js';
import { type AesStream, aesEncryptStream } from '../../src/crypto/aes.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { Machine } from '../../src/p2p/machine.js';
import type { ConnectionId, Reading, Wish } from '../../src/p2p/ports.js';
import { FrameReader, plainFrame } from '../../src/p2p/wire/frames.js';
import { type SessionKeys, sessionKeys } from '../../src/p2p/wire/key-exchange.js';
import { decodeMessage, encodeMessage, MESSAGES } from '../../src/p2p/wire/messages.js';
import { GoldenChain } from './support/golden-chain.js';
import { type Line, payloadOf, readLines, type Said, saidOf } from './support/replay.js';

/**
 * Recorded conversations the other way round: the machine is the client, and what the reference said then is said to it
 * as far as it has asked for it.
 */

const WALL_MS = 1_795_291_200_000;
const REMOTE = '127.0.0.1:21776';

class Reference {
  readonly said: Said[] = [];
  readonly chain: GoldenChain;
  readonly machine: Machine;
  closedWith: string | undefined;
  readonly #id: ConnectionId;
  readonly #ephemeral = PrivateKey.fromSeed('reference ephemeral');
  readonly #node = PrivateKey.fromSeed('reference node');
  #session: SessionKeys | undefined;
  #encrypt: AesStream | undefined;
  #reader: FrameReader | undefined;
  #hasAnswered = false;

  /** `isDialed`: the machine has dialed; otherwise the reference has. */
  constructor(height: number, isDialed: boolean) {
    this.chain = new GoldenChain(height);
    this.machine = new Machine(
      {
        nodeKey: PrivateKey.fromSeed('the client'),
        nodeId: 'cc'.repeat(33),
        userAgent: 'trustnode/test',
        platform: 'linux',
        listenPort: 21_800,
        acceptIncoming: true,
        advertisePeers: true,
        allowPrivate: true,
        connectionsWanted: 20,
        connectionsMax: 200,
        seeds: isDialed ? [REMOTE] : [],
        kept: [],
        allowedPeers: [],
        itemsPerRequest: 1,
        random: (count) => new Uint8Array(count).fill(7),
      },
      this.chain.view,
      this.#now,
    );
    const ends = { remote: REMOTE, local: '127.0.0.1:50000' };
    if (isDialed) {
      this.machine.tick(this.#now);
      const dial = this.machine.take().find(({ kind }) => kind === 'dial') as (Wish & { kind: 'dial' }) | undefined;
      this.#id = dial?.connection ?? 0;
      this.machine.connected(this.#now, this.#id, ends);
    } else {
      this.#id = this.machine.accepted(this.#now, ends) ?? 0;
    }
    this.#settle();
    this.#feed(fromHex(this.#ephemeral.publicKey));
  }

  get #now(): Reading {
    return { wallMs: WALL_MS, monotonicMs: 0 };
  }

  #feed(bytes: Uint8Array): void {
    if (this.closedWith === undefined) this.machine.received(this.#now, this.#id, bytes);
    this.#settle();
  }

  #settle(): void {
    for (let wishes = this.machine.take(); wishes.length > 0; wishes = this.machine.take()) {
      for (const wish of wishes) {
        if (wish.kind === 'send') this.#hear(wish.bytes);
        else if (wish.kind === 'close') this.closedWith = wish.reason;
        else if (wish.kind === 'push_block') {
          this.machine.blockDecided(this.#now, wish.ticket, this.chain.pushBlock(wish.bytes));
        }
      }
    }
  }

  #hear(bytes: Uint8Array): void {
    this.machine.taken(this.#now, this.#id, bytes.length);
    if (this.#reader === undefined) {
      const keys = sessionKeys(this.#ephemeral, bytes);
      if (keys === undefined) throw new Error('no key came');
      this.#session = keys;
      this.#encrypt = aesEncryptStream(keys.key, keys.iv);
      this.#reader = new FrameReader(keys);
      return;
    }
    this.#reader.push(bytes);
    for (let frame = this.#reader.next(); typeof frame === 'object'; frame = this.#reader.next()) {
      this.said.push(saidOf(frame.type, frame.payload));
    }
  }

  /** Says one recorded message, if it answers something that was asked. */
  say(line: Line): void {
    if (line.type === null || this.#encrypt === undefined) return;
    // The recorded client did not ask for addresses; this node does, and waits for the answer.
    if (!this.#hasAnswered && this.said.some((one) => one.name === 'address_request')) {
      this.#hasAnswered = true;
      const payload = encodeMessage('address', { addresses: [] });
      this.#feed(this.#encrypt(plainFrame({ type: MESSAGES.address.type, payload })));
    }
    if (!this.#isDue(line)) return;
    let payload = payloadOf(line);
    if (line.name === 'hello') {
      const signed_shared_secret = signatureBackend().sign(this.#session?.key ?? new Uint8Array(0), this.#node);
      const node_public_key = this.#node.publicKey;
      payload = encodeMessage('hello', { ...decodeMessage('hello', payload), node_public_key, signed_shared_secret });
    }
    this.#feed(this.#encrypt(plainFrame({ type: line.type as number, payload })));
  }

  #isDue({ name, decoded }: Line): boolean {
    if (name === 'block') {
      const asked = this.said
        .filter((one) => one.name === 'fetch_items')
        .flatMap(({ content }) => content.items_to_fetch);
      return asked.includes(decoded?.block_id as Json);
    }
    if (name !== 'blockchain_item_ids_inventory') return true;
    // A list that begins in the recorded client's synopsis answers this node only if it begins in its own too.
    const synopsis = this.said.findLast((one) => one.name === 'fetch_blockchain_item_ids')?.content;
    const ids = (synopsis?.blockchain_synopsis as string[] | undefined) ?? [];
    const first = (decoded?.item_hashes_available as string[])[0];
    return ids.length === 0 || first === undefined || ids.includes(first);
  }
}

interface Recording {
  readonly file: string;
  readonly height: number;
  /** The machine has dialed; otherwise the reference has. */
  readonly isDialed: boolean;
  /** Kinds of messages of the client that are compared. */
  readonly compared: readonly string[];
  /** Where several clients talk with the reference, each a machine of its own. */
  readonly connection?: string;
}

const SERVES = ['blockchain_item_ids_inventory', 'block'];
const dialed = (file: string, height: number, compared: readonly string[], connection?: string): Recording => ({
  file,
  height,
  isDialed: true,
  compared,
  ...(connection === undefined ? {} : { connection }),
});

const RECORDINGS: readonly Recording[] = [
  dialed('a1-sync-from-reference-0-to-792', 0, ['fetch_items']),
  dialed('a2-sync-from-reference-500-to-792', 500, ['fetch_items']),
  dialed('b1-reference-syncs-from-us-0-to-792-we-dial', 792, SERVES),
  { file: 'b2-reference-dials-us-and-syncs-0-to-792', height: 792, isDialed: false, compared: SERVES },
  dialed('b3-reference-syncs-from-us-400-to-792', 792, SERVES),
  dialed('b4-reference-syncs-from-two-peers', 792, SERVES, 'A'),
  dialed('b4-reference-syncs-from-two-peers', 792, SERVES, 'B'),
  // The client lists a hundred ids at a time, this machine all of them.
  dialed('b5-ids-in-portions-of-100', 792, ['block']),
  dialed('b6-reference-syncs-from-two-slow-peers', 792, SERVES, 'A'),
  dialed('b6-reference-syncs-from-two-slow-peers', 792, SERVES, 'B'),
];

for (const { file, height, isDialed, compared, connection } of RECORDINGS) {
  t.test(`${file} ${connection ?? ''}`, async (t) => {
    const reference = new Reference(height, isDialed);
    const lines = readLines(`${file}.jsonl.gz`).filter(({ conn }) => connection === undefined || conn === connection);
    for (const line of lines) if (line.direction === 'from_reference') reference.say(line);
    t.equal(reference.closedWith, undefined);
    t.equal(reference.chain.view.head.number, 792);
    t.equal(reference.chain.view.head.id, '000003182a3fdf05e9b6ab45b4022c0170e1f840');
    const client = lines
      .filter(({ direction, type }) => direction === 'to_reference' && typeof type === 'number')
      .map((line) => saidOf(line.type as number, payloadOf(line)));
    const only = (list: readonly Said[]) => list.filter((one) => compared.includes(one.name));
    t.ok(only(client).length > 0);
    t.same(only(reference.said), only(client), 'what the client said then');
    t.same(
      reference.said.slice(0, 2).map((one) => one.name),
      ['hello', 'connection_accepted'],
    );
  });
}
