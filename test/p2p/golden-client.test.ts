import t from 'tap';
import { fromHex } from '../../src/base/bytes.js';
import { BlockFacts } from '../../src/chain/facts.js';
import { decode } from '../../src/codec/binary.js';
import type { Json } from '../../src/codec/json.js';
import { type AesStream, aesEncryptStream } from '../../src/crypto/aes.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { Machine } from '../../src/p2p/machine.js';
import type { ConnectionId, Reading, Wish } from '../../src/p2p/ports.js';
import { FrameReader, plainFrame } from '../../src/p2p/wire/frames.js';
import { type SessionKeys, sessionKeys } from '../../src/p2p/wire/key-exchange.js';
import { decodeMessage, encodeMessage, MESSAGES } from '../../src/p2p/wire/messages.js';
import { signedBlock } from '../../src/protocol/block.js';
import { GoldenChain, packedBlocks } from './support/golden-chain.js';
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
  constructor(chain: GoldenChain, isDialed: boolean) {
    this.chain = chain;
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
          this.machine.blockDecided(this.#now, wish.ticket, this.chain.pushBlock(wish.block));
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

  /** A block that comes to the client another way, and that it tells of. */
  publish(number: number): void {
    const block = forkBlock(number);
    this.chain.pushBlock(block);
    this.machine.publishBlock(this.#now, blockIdOf(block), block);
    this.#settle();
  }

  get isLevel(): boolean {
    const [peer] = [...this.machine.activePeers()];
    return peer?.isInSyncBothWays === true;
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

/** The fork that was made for the recordings leaves the chain behind block 785. */
const FORK_BEGINS = 786;
const forkBlock = (number: number): Uint8Array => packedBlocks(number).at(-1) as Uint8Array;
const blockIdOf = (bytes: Uint8Array): string => new BlockFacts(decode(signedBlock, bytes)).id;

function golden(height: number): GoldenChain {
  return new GoldenChain(height);
}

/** The recorded chain up to where the fork leaves it, and the fork up to a number. */
function forked(height: number): GoldenChain {
  const chain = golden(FORK_BEGINS - 1);
  for (let number = FORK_BEGINS; number <= height; number++) chain.pushBlock(forkBlock(number));
  return chain;
}

interface Recording {
  readonly file: string;
  /** What the client holds when it begins. */
  readonly chain: () => GoldenChain;
  /** The machine has dialed; otherwise the reference has. */
  readonly isDialed: boolean;
  /** Kinds of messages of the client that are compared. */
  readonly compared: readonly string[];
  /** Where several clients talk with the reference, each a machine of its own. */
  readonly connection?: string;
  /** What the client does beside the conversation, by the step that the recording names. */
  readonly does?: (step: string, reference: Reference) => void;
  /** Number of its head in the end, if that is not the recorded chain's. */
  readonly head?: number;
}

const SERVES = ['blockchain_item_ids_inventory', 'block'];
const ANNOUNCES = ['item_ids_inventory', 'block'];
const GOLDEN_HEAD = 792;
const dialed = (
  file: string,
  chain: () => GoldenChain,
  compared: readonly string[],
  more: Partial<Recording> = {},
): Recording => ({ file, chain, isDialed: true, compared, ...more });

const whole = (): GoldenChain => golden(GOLDEN_HEAD);
const A = { connection: 'A' };
const B = { connection: 'B' };

/** e5, e5b, e5c and e6 are left out: their clients hold blocks that no chain takes. */
const RECORDINGS: readonly Recording[] = [
  dialed('a1-sync-from-reference-0-to-792', () => golden(0), ['fetch_items']),
  dialed('a2-sync-from-reference-500-to-792', () => golden(500), ['fetch_items']),
  // The recorded client has no chain and lists nothing; this one has the reference's head, and nothing to fetch either.
  dialed('a3-minimal-feed-client', whole, ['fetch_items']),
  dialed('b1-reference-syncs-from-us-0-to-792-we-dial', whole, SERVES),
  { file: 'b2-reference-dials-us-and-syncs-0-to-792', chain: whole, isDialed: false, compared: SERVES },
  dialed('b3-reference-syncs-from-us-400-to-792', whole, SERVES),
  dialed('b4-reference-syncs-from-two-peers', whole, SERVES, A),
  dialed('b4-reference-syncs-from-two-peers', whole, SERVES, B),
  // The client lists a hundred ids at a time, this machine all of them.
  dialed('b5-ids-in-portions-of-100', whole, ['block']),
  dialed('b6-reference-syncs-from-two-slow-peers', whole, SERVES, A),
  dialed('b6-reference-syncs-from-two-slow-peers', whole, SERVES, B),
  dialed('e1-longer-fork-by-sync', () => forked(800), SERVES, { ...A, head: 800 }),
  dialed('e1-longer-fork-by-sync', whole, SERVES, B),
  dialed('e2-longer-fork-by-announcing-its-head', whole, [...ANNOUNCES, 'blockchain_item_ids_inventory'], {
    does(step, reference) {
      if (!step.startsWith('we switch to the fork')) return;
      for (let number = FORK_BEGINS; number < 800; number++) reference.chain.pushBlock(forkBlock(number));
      reference.publish(800);
    },
    head: 800,
  }),
  dialed('e3-fork-blocks-announced-one-by-one', whole, [...ANNOUNCES, 'blockchain_item_ids_inventory'], {
    ...A,
    does(step, reference) {
      const [, number] = /^A announces fork block (\d+)/.exec(step) ?? [];
      if (number !== undefined) reference.publish(Number(number));
    },
    head: 795,
  }),
  dialed('e4-shorter-fork', () => forked(790), SERVES, { head: 790 }),
];

for (const { file, chain, isDialed, compared, connection, does, head = GOLDEN_HEAD } of RECORDINGS) {
  t.test(`${file} ${connection ?? ''}`, async (t) => {
    const reference = new Reference(chain(), isDialed);
    const lines = readLines(`${file}.jsonl.gz`).filter(
      ({ conn, step }) => connection === undefined || conn === connection || step !== undefined,
    );
    for (const line of lines) {
      if (line.step !== undefined) does?.(line.step, reference);
      if (line.direction === 'from_reference') reference.say(line);
    }
    t.equal(reference.closedWith, undefined);
    t.equal(reference.chain.view.head.number, head);
    if (head === GOLDEN_HEAD) t.equal(reference.chain.view.head.id, '000003182a3fdf05e9b6ab45b4022c0170e1f840');
    const client = lines
      .filter(({ direction, type }) => direction === 'to_reference' && typeof type === 'number')
      .map((line) => saidOf(line.type as number, payloadOf(line)));
    const only = (list: readonly Said[]) => list.filter((one) => compared.includes(one.name));
    if (file.startsWith('a3')) t.ok(reference.isLevel, 'both know that nobody lacks anything');
    else t.ok(only(client).length > 0);
    t.same(only(reference.said), only(client), 'what the client said then');
    t.same(
      reference.said.slice(0, 2).map((one) => one.name),
      ['hello', 'connection_accepted'],
    );
  });
}
