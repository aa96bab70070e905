import type { SeededRandom } from '../sim/random.js';
import { UPGRADE } from '../support/wire.js';

/** Raw WebSocket: upgrades and frames, most of them against the rules of RFC 6455. */

interface FrameForm {
  readonly opcode: number;
  readonly body: Buffer;
  readonly isLast?: boolean;
  /** The three reserved bits. */
  readonly reserved?: number;
  readonly isMasked?: boolean;
  /** Another length than that of the body. */
  readonly length?: number;
  /** The length in more bytes than it needs. */
  readonly isLong?: boolean;
}

function rawFrame(form: FrameForm, random: SeededRandom): Buffer {
  const { opcode, body, isLast = true, reserved = 0, isMasked = true, length = body.length, isLong = false } = form;
  const size = length >= 65_536 || isLong ? 8 : length >= 126 ? 2 : 0;
  const head = Buffer.alloc(2 + size);
  head[0] = (isLast ? 0x80 : 0) | (reserved << 4) | opcode;
  head[1] = (isMasked ? 0x80 : 0) | (size === 8 ? 127 : size === 2 ? 126 : length);
  if (size === 2) head.writeUInt16BE(length, 2);
  if (size === 8) head.writeBigUInt64BE(BigInt(length), 2);
  if (!isMasked) return Buffer.concat([head, body]);
  const mask = Buffer.from([random.below(256), random.below(256), random.below(256), random.below(256)]);
  return Buffer.concat([head, mask, body.map((byte, i) => byte ^ (mask[i & 3] as number))]);
}

const TEXT = 1;
const CONTINUED = 0;
const PING = 9;
const CLOSE = 8;
/** Announced, never sent. */
const LENGTHS = [11_000_000, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER];
const CLOSE_CODES = [0, 999, 1000, 1004, 1005, 1006, 1015, 2999, 5000, 65_535];
const NOT_UTF8 = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82], [0x80]];

function closeFrame(random: SeededRandom): Buffer {
  const body = Buffer.alloc(random.pick([0, 1, 2, 2, 10, 125]));
  if (body.length >= 2) body.writeUInt16BE(random.pick(CLOSE_CODES));
  if (body.length > 2) body.fill(random.pick([0x61, 0xff]), 2);
  return rawFrame({ opcode: CLOSE, body }, random);
}

function fragments(body: Buffer, random: SeededRandom): Buffer[] {
  const count = random.between(2, 12);
  const size = Math.ceil(body.length / count) || 1;
  return Array.from({ length: count }, (_, i) => {
    const part = body.subarray(i * size, (i + 1) * size);
    const isLast = i === count - 1 && random.chance(0.8);
    const opcode = i === 0 && random.chance(0.9) ? TEXT : random.chance(0.95) ? CONTINUED : TEXT;
    const bytes = rawFrame({ opcode, body: part, isLast }, random);
    if (!random.chance(0.2)) return bytes;
    const control = Buffer.from('x'.repeat(random.pick([0, 5, 125, 126])));
    return Buffer.concat([rawFrame({ opcode: PING, body: control, isLast: random.chance(0.9) }, random), bytes]);
  });
}

/** What is sent after the upgrade, by kind. */
export function hostileFrames(body: Buffer, random: SeededRandom): { kind: string; frames: readonly Buffer[] } {
  const one = (kind: string, form: Partial<FrameForm>) => ({
    kind,
    frames: [rawFrame({ opcode: TEXT, body, ...form }, random)],
  });
  switch (random.below(11)) {
    case 0:
    case 1:
      return { kind: 'ws fragments', frames: fragments(body, random) };
    case 2:
      return one('ws reserved bits', { reserved: random.between(1, 7), opcode: random.pick([0, 1, 2, 8, 9]) });
    case 3: {
      const bad = Buffer.from(random.pick(NOT_UTF8));
      const at = random.below(body.length + 1);
      return one('ws no UTF-8', { body: Buffer.concat([body.subarray(0, at), bad, body.subarray(at)]) });
    }
    case 4:
      return one('ws no mask', { isMasked: false });
    case 5: {
      const control = Buffer.alloc(random.pick([0, 1, 125, 126, 200, 70_000]), 0x61);
      return one('ws control', { opcode: random.pick([8, 9, 10]), body: control, isLast: random.chance(0.8) });
    }
    case 6:
      return { kind: 'ws close', frames: [closeFrame(random), rawFrame({ opcode: TEXT, body }, random)] };
    case 7:
      return one('ws oversized', { length: random.pick(LENGTHS), body: body.subarray(0, 1000) });
    case 8:
      return one('ws opcode', { opcode: random.pick([2, 3, 4, 5, 6, 7, 11, 15]) });
    case 9: {
      const bytes = rawFrame({ opcode: TEXT, body, isLong: random.chance(0.5) }, random);
      return { kind: 'ws cut off', frames: [bytes.subarray(0, random.below(bytes.length))] };
    }
    default: {
      const bytes = rawFrame({ opcode: TEXT, body }, random);
      for (let i = 0; i < 3; i++) bytes[random.below(Math.min(bytes.length, 16))] = random.below(256);
      return { kind: 'ws damaged', frames: [bytes] };
    }
  }
}

export const goodFrame = (body: Buffer, random: SeededRandom): Buffer => rawFrame({ opcode: TEXT, body }, random);

const EXTENSIONS = [
  'permessage-deflate',
  'permessage-deflate; client_max_window_bits=99',
  'permessage-deflate; server_no_context_takeover, permessage-deflate',
  'x-webkit-deflate-frame',
  ';;;=',
];

/** Mostly one that is accepted. */
export function upgrade(random: SeededRandom): string {
  const dice = random.next();
  if (dice < 0.6) return UPGRADE;
  if (dice < 0.9)
    return UPGRADE.replace(/\r\n\r\n$/, `\r\nSec-WebSocket-Extensions: ${random.pick(EXTENSIONS)}\r\n\r\n`);
  const lines = UPGRADE.split('\r\n');
  return lines.filter((_, i) => i !== 1 + random.below(5)).join('\r\n');
}
