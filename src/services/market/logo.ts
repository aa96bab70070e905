import { inflateSync } from 'node:zlib';
import { check, fail } from '../../base/errors.js';
import { sha256Hex } from '../../crypto/hash.js';
import { MARKET_ERRORS } from './errors.js';

/**
 * Logos as merchants send them. They are shown to everybody, so nothing is taken that is more than a small picture: no
 * scripts, no archive behind the picture, no picture that grows when it is opened.
 */

export interface LogoLimits {
  readonly 'logo-bytes-max': number;
  readonly 'logo-pixels-max': number;
}

export interface Logo {
  /** `<sha256>.<ext>` */
  readonly name: string;
  readonly bytes: Uint8Array;
}

const DATA_URL = /^data:[\w.+/-]*;base64,/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function refuse(why: string): never {
  fail(MARKET_ERRORS.market_size, { why: `logoImgBase64: ${why}` });
}

class Picture {
  readonly view: DataView;
  readonly bytes: Uint8Array;
  readonly #pixelsMax: number;
  #pixels = 0;

  constructor(bytes: Uint8Array, pixelsMax: number) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#pixelsMax = pixelsMax;
  }

  text(from: number, to: number): string {
    return Buffer.from(this.bytes.subarray(from, to)).toString('latin1');
  }

  /** One frame. */
  count(width: number, height: number): void {
    if (width === 0 || height === 0) refuse('the picture has no size');
    this.#pixels += width * height;
    if (this.#pixels > this.#pixelsMax) refuse(`the picture may have at most ${this.#pixelsMax} pixels`);
  }

  get hasFrame(): boolean {
    return this.#pixels > 0;
  }
}

/** Samples of a pixel by the colour type. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Bits of a sample: any other number would only make room for more to be unpacked. */
const DEPTHS: ReadonlySet<number> = new Set([1, 2, 4, 8, 16]);
/** Parts that unpack to something besides the picture, and animations: nobody needs them in a logo. */
const PNG_REFUSED = new Set(['iCCP', 'zTXt', 'iTXt', 'acTL', 'fcTL', 'fdAT']);

function checkPng(picture: Picture): void {
  const { view, bytes } = picture;
  const parts: Uint8Array[] = [];
  let expected = 0;
  for (let at = 8; ; ) {
    if (at + 12 > bytes.length) refuse('the PNG is cut off');
    const length = view.getUint32(at);
    const name = picture.text(at + 4, at + 8);
    const next = at + 12 + length;
    if (next > bytes.length) refuse('the PNG is cut off');
    if (PNG_REFUSED.has(name)) refuse(`a PNG with ${name} is not taken`);
    if ((at === 8) !== (name === 'IHDR') || (name === 'IHDR' && length !== 13)) refuse('the PNG has no proper head');
    if (name === 'IHDR') {
      const [width, height] = [view.getUint32(at + 8), view.getUint32(at + 12)];
      const depth = bytes[at + 16] as number;
      const samples = SAMPLES[bytes[at + 17] as number];
      if (samples === undefined || !DEPTHS.has(depth)) refuse('the PNG has no known colours');
      picture.count(width, height);
      // A byte for the filter of each line; interlaced pictures have some lines more.
      expected = height * (1 + Math.ceil((width * samples * depth) / 8)) * 2 + 1024;
    }
    if (name === 'IDAT') parts.push(bytes.subarray(at + 8, at + 8 + length));
    if (name === 'IEND') {
      if (next !== bytes.length) refuse('something stands behind the PNG');
      break;
    }
    at = next;
  }
  try {
    inflateSync(Buffer.concat(parts), { maxOutputLength: expected });
  } catch {
    refuse('the PNG does not unpack to a picture of its size');
  }
}

/** Markers without a length. */
const isBareMarker = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
/** Heads of frames; the three others of this range are tables. */
const isFrameHead = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

function checkJpeg(picture: Picture): void {
  const { view, bytes } = picture;
  let at = 2;
  while (at + 4 <= bytes.length) {
    if (bytes[at] !== 0xff) refuse('the JPEG has a part that is none');
    const marker = bytes[at + 1] as number;
    if (isBareMarker(marker) || marker === 0xff) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    const length = view.getUint16(at + 2);
    if (at + 2 + length > bytes.length) refuse('the JPEG is cut off');
    if (isFrameHead(marker)) picture.count(view.getUint16(at + 7), view.getUint16(at + 5));
    at += 2 + length;
    if (marker === 0xda) at = afterScan(bytes, at);
    if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) {
      if (at + 2 !== bytes.length) refuse('something stands behind the JPEG');
      return;
    }
  }
  refuse('the JPEG is cut off');
}

/** The next marker that is not part of the picture's data. */
function afterScan(bytes: Uint8Array, from: number): number {
  for (let at = from; at + 1 < bytes.length; at++) {
    const next = bytes[at + 1] as number;
    if (bytes[at] === 0xff && next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return bytes.length;
}

function checkGif(picture: Picture): void {
  const { view, bytes } = picture;
  if (bytes.length < 14) refuse('the GIF is cut off');
  const [width, height] = [view.getUint16(6, true), view.getUint16(8, true)];
  const tableOf = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  const afterBlocks = (from: number): number => {
    let at = from;
    while (at < bytes.length && bytes[at] !== 0) at += 1 + (bytes[at] as number);
    return at + 1;
  };
  let at = 13 + tableOf(bytes[10] as number);
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === 0x3b) {
      if (at + 1 !== bytes.length) refuse('something stands behind the GIF');
      if (!picture.hasFrame) refuse('the GIF has no frame');
      return;
    }
    if (kind === 0x21) at = afterBlocks(at + 2);
    else if (kind === 0x2c && at + 10 < bytes.length) {
      // Each frame is drawn on the whole picture.
      picture.count(Math.max(width, view.getUint16(at + 5, true)), Math.max(height, view.getUint16(at + 7, true)));
      at = afterBlocks(at + 11 + tableOf(bytes[at + 9] as number));
    } else refuse('the GIF has a part that is none');
  }
  refuse('the GIF is cut off');
}

function checkWebp(picture: Picture): void {
  const { view, bytes } = picture;
  if (bytes.length < 30 || view.getUint32(4, true) + 8 !== bytes.length)
    refuse('the WebP has not the size that it names');
  const kind = picture.text(12, 16);
  if (kind === 'VP8 ') picture.count(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
  else if (kind === 'VP8L') {
    const bits = view.getUint32(21, true);
    picture.count((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
  } else if (kind === 'VP8X') {
    if (((bytes[20] as number) & 0x22) !== 0) refuse('a WebP with animation or a profile is not taken');
    const triple = (at: number): number => view.getUint16(at, true) + (bytes[at + 2] as number) * 65_536 + 1;
    picture.count(triple(24), triple(27));
  } else refuse('the WebP is of no known kind');
}

const KINDS: readonly (readonly [
  extension: string,
  is: (picture: Picture) => boolean,
  look: (picture: Picture) => void,
])[] = [
  ['png', (picture) => picture.text(0, 8) === '\x89PNG\r\n\x1a\n', checkPng],
  ['jpg', (picture) => picture.text(0, 3) === '\xff\xd8\xff', checkJpeg],
  ['gif', (picture) => /^GIF8[79]a$/.test(picture.text(0, 6)), checkGif],
  ['webp', (picture) => picture.text(0, 4) === 'RIFF' && picture.text(8, 12) === 'WEBP', checkWebp],
];

/** Throws `market_size`, the one number that clients know for it. */
export function readLogo(text: string, limits: LogoLimits): Logo {
  const base64 = text.replace(DATA_URL, '');
  const bytesMax = limits['logo-bytes-max'];
  // Before it is unpacked; white space is not asked for.
  const isTooLong = base64.length > Math.ceil(bytesMax / 3) * 4;
  check(!isTooLong, MARKET_ERRORS.market_size, { why: `logoImgBase64: a logo may have at most ${bytesMax} bytes` });
  if (base64 === '' || !BASE64.test(base64)) refuse('it is no base64');
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
  if (bytes.length > bytesMax) refuse(`a logo may have at most ${bytesMax} bytes`);
  const picture = new Picture(bytes, limits['logo-pixels-max']);
  const [extension, , look] = KINDS.find(([, is]) => is(picture)) ?? refuse('it is neither PNG, JPEG, GIF nor WebP');
  look(picture);
  return { name: `${sha256Hex(bytes)}.${extension}`, bytes };
}

export const LOGO_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};
