import fc from 'fast-check';
import t from 'tap';
import '../../src/operations/index.js';
import { concatBytes, equalBytes, fromHex, joinBytes, toHex } from '../../src/base/bytes.js';
import { ChainError } from '../../src/base/errors.js';
import { decode, encode } from '../../src/codec/binary.js';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { parseJson } from '../../src/codec/json.js';
import { cityHash128 } from '../../src/crypto/city-hash.js';
import { sha256 } from '../../src/crypto/hash.js';
import { sharedPointX, sharedSecret } from '../../src/crypto/memo.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { parseEndpoint, parseIp } from '../../src/p2p/wire/endpoint.js';
import { FrameReader, FrameWriter, PAYLOAD_BYTES_MAX, plainFrame } from '../../src/p2p/wire/frames.js';
import { type SessionKeys, sessionKeys } from '../../src/p2p/wire/key-exchange.js';
import {
  decodeMessage,
  encodeMessage,
  MESSAGES,
  type MessageName,
  messageId,
  messageName,
} from '../../src/p2p/wire/messages.js';
import { PieceQueue } from '../../src/p2p/wire/piece-queue.js';
import { entryOf, type Variant, variant, variantObject } from '../../src/p2p/wire/variant.js';
import { witnessId } from '../../src/protocol/ids.js';
import { readVectors } from '../support/vectors.js';

/** What goes over the wire, byte for byte as the reference has it: keys, cipher, frames, messages. */

interface Vectors {
  readonly description: string;
  readonly handshake: readonly Record<string, string>[];
  readonly city_hash_iv: readonly Record<string, string>[];
  readonly hello_signature: readonly Record<string, string>[];
  readonly frame_padding: readonly { payload_size: number; frame_size: number; plaintext_frame: string }[];
  readonly transcript: Transcript;
  readonly messages: readonly MessageVector[];
  readonly synopsis: unknown;
  readonly block_ids_reply: unknown;
  readonly clock: unknown;
}
interface TranscriptFrame {
  readonly message: string;
  readonly msg_type: number;
  readonly payload: string;
  readonly plaintext_frame: string;
  readonly ciphertext: string;
}
interface Transcript {
  readonly a_sends_first_in_clear: string;
  readonly b_sends_first_in_clear: string;
  readonly a_to_b: readonly TranscriptFrame[];
  readonly b_to_a: readonly TranscriptFrame[];
}
interface MessageVector {
  readonly name: string;
  readonly msg_type: number;
  readonly fields: JsonObject;
  readonly payload: string;
  readonly size: number;
  readonly message_id: string;
}

const vectors = readVectors<Vectors>('p2p/vectors.json');

t.test('every group of the vectors has a test', async (t) => {
  // The last three belong to rooms of their own: sync and clock.
  t.same(Object.keys(vectors).sort(), [
    'block_ids_reply',
    'city_hash_iv',
    'clock',
    'description',
    'frame_padding',
    'handshake',
    'hello_signature',
    'messages',
    'synopsis',
    'transcript',
  ]);
});

t.test('the initial vector', async (t) => {
  t.equal(vectors.city_hash_iv.length, 4);
  for (const { input_64_bytes = '', iv_16_bytes } of vectors.city_hash_iv) {
    t.equal(toHex(cityHash128(fromHex(input_64_bytes))), iv_16_bytes);
  }
});

t.test('keys of a connection, the same from both sides', async (t) => {
  t.equal(vectors.handshake.length, 4);
  for (const v of vectors.handshake) {
    const a = PrivateKey.fromBytes(fromHex(v.a_private_key as string));
    const b = PrivateKey.fromBytes(fromHex(v.b_private_key as string));
    t.equal(a.publicKey, v.a_wire_public_key);
    t.equal(b.publicKey, v.b_wire_public_key);
    t.equal(toHex(sharedPointX(a, b.publicKey)), v.ecdh_x, v.name ?? '');
    t.equal(toHex(sharedSecret(a, b.publicKey)), v.shared_secret_sha512);
    for (const keys of [sessionKeys(a, fromHex(b.publicKey)), sessionKeys(b, fromHex(a.publicKey))]) {
      t.equal(toHex(keys?.key ?? new Uint8Array()), v.aes256_key_sha256);
      t.equal(toHex(keys?.iv ?? new Uint8Array()), v.aes_iv);
    }
  }
});

t.test('a key that is no point of the curve gives no session', async (t) => {
  const own = PrivateKey.fromSeed('own');
  for (const remote of ['00'.repeat(33), `02${'ff'.repeat(32)}`, `05${'01'.repeat(32)}`]) {
    t.equal(sessionKeys(own, fromHex(remote)), undefined);
  }
});

t.test('the signature of a hello is recovered, whoever made it', async (t) => {
  for (const v of vectors.hello_signature) {
    const digest = fromHex(v.digest_signed as string);
    const key = PrivateKey.fromBytes(fromHex(v.node_private_key as string));
    t.equal(key.publicKey, v.node_public_key);
    const backend = signatureBackend();
    t.equal(backend.recover(digest, fromHex(v.compact_signature as string), 'any'), v.recovered_public_key);
    t.equal(backend.recover(digest, backend.sign(digest, key), 'any'), key.publicKey);
  }
});

t.test('frames are padded to whole cipher blocks', async (t) => {
  t.equal(vectors.frame_padding.length, 6);
  for (const { payload_size, frame_size, plaintext_frame } of vectors.frame_padding) {
    const frame = plainFrame({ type: 5050, payload: new Uint8Array(payload_size).fill(0xaa) });
    t.equal(toHex(frame), plaintext_frame);
    t.equal(frame.length, frame_size);
  }
});

t.test('an opening of a connection, in both directions', async (t) => {
  const { transcript } = vectors;
  const a = PrivateKey.fromBytes(fromHex('01'.repeat(32)));
  const b = PrivateKey.fromBytes(fromHex('02'.repeat(32)));
  t.equal(a.publicKey, transcript.a_sends_first_in_clear);
  t.equal(b.publicKey, transcript.b_sends_first_in_clear);
  const keys = sessionKeys(a, fromHex(b.publicKey)) as SessionKeys;
  for (const side of [transcript.a_to_b, transcript.b_to_a]) {
    const writer = new FrameWriter(keys);
    const reader = new FrameReader(keys);
    t.ok(side.length > 0);
    for (const { message, msg_type, payload, plaintext_frame, ciphertext } of side) {
      const frame = { type: msg_type, payload: fromHex(payload) };
      t.equal(toHex(plainFrame(frame)), plaintext_frame, message);
      t.equal(toHex(writer.write(frame)), ciphertext, message);
      reader.push(fromHex(ciphertext));
      const read = reader.next();
      t.type(read, 'object');
      if (typeof read !== 'object') continue;
      t.equal(read.type, msg_type);
      t.equal(toHex(read.payload), payload);
      t.equal(reader.next(), 'more');
    }
  }
});

const someKeys: SessionKeys = { key: sha256(new Uint8Array(1)), iv: sha256(new Uint8Array(2)).subarray(0, 16) };

t.test('cipher text comes in pieces of any size', async (t) => {
  const frames = fc.array(fc.record({ type: fc.nat(0xffff), payload: fc.uint8Array({ maxLength: 100 }) }), {
    minLength: 1,
    maxLength: 6,
  });
  let tried = 0;
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sent, sizes) => {
      tried++;
      const writer = new FrameWriter(someKeys);
      const reader = new FrameReader(someKeys);
      const stream = concatBytes(...sent.map((frame) => writer.write(frame)));
      const got: string[] = [];
      for (let at = 0, i = 0; at < stream.length; i++) {
        const size = sizes[i % sizes.length] as number;
        reader.push(stream.subarray(at, at + size));
        at += size;
        for (let read = reader.next(); read !== 'more'; read = reader.next()) {
          if (read === 'too_large') throw new Error('too large');
          got.push(`${read.type} ${toHex(read.payload)}`);
        }
      }
      return got.join() === sent.map(({ type, payload }) => `${type} ${toHex(payload)}`).join();
    }),
  );
  t.ok(tried >= 100);
});

t.test('a message holds no memory but its own', async (t) => {
  const writer = new FrameWriter(someKeys);
  const reader = new FrameReader(someKeys);
  const frames = [100, 0, 3].map((bytes) => writer.write({ type: 5001, payload: new Uint8Array(bytes) }));
  reader.push(concatBytes(...frames));
  for (const bytes of [100, 0, 3]) {
    const read = reader.next();
    if (typeof read !== 'object') throw new Error(read);
    t.equal(read.payload.length, bytes);
    t.equal(read.payload.buffer.byteLength, bytes);
  }
  t.equal(reader.next(), 'more');
});

t.test('the largest message in the smallest pieces costs time and memory like any other', async (t) => {
  const payload = new Uint8Array(PAYLOAD_BYTES_MAX).map((_, i) => i % 251);
  const stream = new FrameWriter(someKeys).write({ type: 5018, payload });
  const reader = new FrameReader(someKeys);
  for (let at = 0; at < stream.length - 1; at++) reader.push(stream.subarray(at, at + 1));
  t.equal(reader.next(), 'more');
  t.equal(reader.waitingBytes, stream.length - 1 - 8, 'all but size and type');
  reader.push(stream.subarray(stream.length - 1));
  const read = reader.next();
  t.ok(typeof read === 'object' && equalBytes(read.payload, payload));
});

t.test('small pieces are kept together, large ones as they are', async (t) => {
  const queue = new PieceQueue();
  const sizes = [1, 1, 4096, 1, 5000, 2, 3, 4000, 200];
  const sent = sizes.map((size, i) => new Uint8Array(size).fill(i + 1));
  for (const piece of sent) queue.push(piece);
  t.equal(queue.pieces, 7);
  t.equal(queue.bytes, 13_304);
  const taken: Uint8Array[] = [];
  for (const count of [1, 4000, 98, 1, 5003, 3]) taken.push(queue.take(count).slice());
  // What was taken does not change with what comes behind it.
  queue.push(new Uint8Array(100).fill(77));
  taken.push(queue.take(queue.bytes));
  t.ok(equalBytes(joinBytes(taken), joinBytes([...sent, new Uint8Array(100).fill(77)])));
  t.same([queue.bytes, queue.pieces], [0, 0]);
});

t.test('a frame above the largest is known by its header, before anything of it is kept', async (t) => {
  for (const [size, expected] of [
    [PAYLOAD_BYTES_MAX, 'more'],
    [PAYLOAD_BYTES_MAX + 1, 'too_large'],
    [0xffffffff, 'too_large'],
  ] as const) {
    const reader = new FrameReader(someKeys);
    reader.push(blockSaying(size));
    t.equal(reader.next(), expected, String(size));
  }
});

/**
 * The first block of a conversation, with a size in its header that no honest writer would say: the cipher begins with
 * text ⊕ iv, so the difference goes into the vector.
 */
function blockSaying(size: number): Uint8Array {
  const iv = someKeys.iv.slice();
  const words = new DataView(iv.buffer);
  words.setUint32(0, words.getUint32(0, true) ^ size ^ 8, true);
  return new FrameWriter({ key: someKeys.key, iv }).write({ type: 5018, payload: new Uint8Array(8) });
}

t.test('the largest payload travels', async (t) => {
  const writer = new FrameWriter(someKeys);
  const reader = new FrameReader(someKeys);
  const payload = new Uint8Array(PAYLOAD_BYTES_MAX).fill(7);
  reader.push(writer.write({ type: 5018, payload }));
  const read = reader.next();
  t.type(read, 'object');
  if (typeof read === 'object') t.equal(read.payload.length, PAYLOAD_BYTES_MAX);
  t.equal(reader.waitingBytes, 0);
});

/** The vectors write times, amounts and the witness in their own way; everything else is the schema's JSON. */
function expectedFields(name: MessageName, fields: JsonObject): Json {
  if (name === 'item_not_available') return fields.requested_item as Json;
  if (name === 'current_time_request') return { request_sent_time: fields.request_sent_time_us as Json };
  if (name === 'current_time_reply') {
    return {
      request_sent_time: fields.request_sent_time_us as Json,
      request_received_time: fields.request_received_time_us as Json,
      reply_transmitted_time: fields.reply_transmitted_time_us as Json,
    };
  }
  if (name === 'block') {
    const { witness_instance, timestamp, ...rest } = fields.block as JsonObject;
    return {
      ...fields,
      block: { ...rest, timestamp, witness: witnessId.toJson(witness_instance as number) },
    } as JsonObject;
  }
  if (name === 'closing_connection' && fields.error !== null) {
    const { what, log, ...rest } = fields.error as JsonObject;
    return { ...fields, error: { ...rest, text: what, stack: log } } as JsonObject;
  }
  return fields;
}

/** Numbers of any size as text, an absent member as null: the two notations differ there and nowhere else. */
function plain(value: Json): unknown {
  if (typeof value === 'bigint' || typeof value === 'number') return value.toString();
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}

const seconds = (text: string): string => String(Date.parse(`${text}Z`) / 1000);

function readable(name: MessageName, json: JsonObject): unknown {
  const out = plain(json) as Record<string, unknown>;
  if (name === 'closing_connection') out.error ??= null;
  if (name === 'address') {
    for (const entry of out.addresses as { last_seen_time: string }[]) {
      entry.last_seen_time = seconds(entry.last_seen_time);
    }
  }
  if (name === 'block') {
    const block = out.block as { timestamp: string };
    block.timestamp = seconds(block.timestamp);
  }
  if (name === 'trx') {
    const transaction = out.trx as { expiration: string };
    transaction.expiration = seconds(transaction.expiration);
  }
  return out;
}

t.test('every message: fields, bytes, size and id', async (t) => {
  t.equal(vectors.messages.length, 26);
  const seen = new Set<string>();
  for (const { name: title, msg_type, fields, payload, size, message_id } of vectors.messages) {
    const name = messageName(msg_type) as MessageName;
    seen.add(name);
    const bytes = fromHex(payload);
    t.equal(bytes.length, size, title);
    t.equal(messageId(bytes), message_id, title);
    const message = decodeMessage(name, bytes);
    t.equal(toHex(encodeMessage(name, message)), payload, title);
    const json = (MESSAGES[name].schema.toJson as (value: unknown) => Json)(message) as JsonObject;
    const wanted = expectedFields(name, parseJson(JSON.stringify(fields)) as JsonObject);
    t.same(readable(name, json), plain(wanted), title);
  }
  t.same([...seen].sort(), Object.keys(MESSAGES).sort(), 'no message is without a vector');
});

t.test('numbers that are no messages', async (t) => {
  for (const type of [5000, 5018, 5099]) t.equal(messageName(type), 'reserved');
  for (const type of [0, 999, 1002, 4999, 5100, 70_000, 0xffffffff]) t.equal(messageName(type), undefined);
});

t.test('what stands behind the last field is passed over', async (t) => {
  const bytes = concatBytes(encodeMessage('current_time_request', { request_sent_time: 5n }), new Uint8Array(5));
  t.same(decodeMessage('current_time_request', bytes), { request_sent_time: 5n });
});

function refusedWith(work: () => unknown): string {
  try {
    work();
    return 'nothing';
  } catch (error) {
    if (error instanceof ChainError) return error.key;
    throw error;
  }
}

t.test('values that say what they are', async (t) => {
  const nested = (depth: number): Uint8Array => {
    const out: number[] = [];
    for (let i = 0; i < depth; i++) out.push(6, 1);
    return Uint8Array.from([...out, 0]);
  };
  t.equal(
    refusedWith(() => decode(variant, nested(200))),
    'nothing',
  );
  t.equal(
    refusedWith(() => decode(variant, nested(100_000))),
    'read_too_deep',
  );
  t.equal(
    refusedWith(() => decode(variant, Uint8Array.of(8))),
    'variant_type_unknown',
  );
  t.equal(
    refusedWith(() => decode(variant, Uint8Array.of(4, 2))),
    'read_bool',
  );
  const all: Variant[] = [
    { kind: 'null' },
    { kind: 'signed', value: -3n },
    { kind: 'unsigned', value: 2n ** 64n - 1n },
    { kind: 'double', value: 0.5 },
    { kind: 'bool', value: true },
    { kind: 'text', value: 'text' },
    { kind: 'object', value: [['__proto__', { kind: 'text', value: 'own' }]] },
  ];
  const list: Variant = { kind: 'array', value: all };
  t.same(decode(variant, encode(variant, list)), list);
  t.equal(JSON.stringify(variant.toJson(all[6] as Variant)), '{"__proto__":"own"}');
  const object = variantObject.fromJson({ a: [1, -1, 'x', null, true, { b: 0.5 }] });
  t.same(variantObject.toJson(object), { a: [1, -1, 'x', null, true, { b: 0.5 }] });
  t.same(entryOf([...object, ['a', { kind: 'null' }]], 'a'), { kind: 'null' }, 'of equal names the last one counts');
  t.equal(entryOf(object, 'c'), undefined);
});

t.test('addresses', async (t) => {
  t.same(parseEndpoint('203.0.113.7:6789'), { ip: '203.0.113.7', port: 6789 });
  for (const text of ['', '1.2.3.4', '1.2.3.4:', '1.2.3.4:65536', '1.2.3.256:1', '1.2.3:1', '[::1]:1', 'a.b.c.d:1']) {
    t.equal(parseEndpoint(text), undefined, text);
  }
  t.equal(parseIp('255.255.255.255'), 0xffffffff);
});

t.test('bytes of anybody end in a refusal at worst', async (t) => {
  const names = fc.constantFrom(...(Object.keys(MESSAGES) as MessageName[]));
  let refused = 0;
  fc.assert(
    fc.property(names, fc.uint8Array({ maxLength: 200 }), (name, bytes) => {
      try {
        decodeMessage(name, bytes);
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        refused++;
      }
      return true;
    }),
    { numRuns: 2000 },
  );
  t.ok(refused > 500);
});
