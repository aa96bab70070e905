import * as nodeCrypto from 'node:crypto'; // nondet-ok: pure functions of their input, same result on every machine

/**
 * Hashes of the chain over `node:crypto`.
 *
 * The digest travels out of the native side as text and is written into a plain array here, because that is
 * two to three times as fast as a native Buffer per digest (numbers in docs/decisions/hash-backend.md).
 */

type Algorithm = 'sha1' | 'sha224' | 'sha256' | 'sha512' | 'ripemd160';
type DigestText = 'hex' | 'binary';

/** Node 20.12 brought the one-shot call; the older releases of Node 20 get the same result through a hash object. */
const digestText: (algorithm: Algorithm, bytes: Uint8Array, encoding: DigestText) => string =
  typeof nodeCrypto.hash === 'function'
    ? nodeCrypto.hash
    : (algorithm, bytes, encoding) => nodeCrypto.createHash(algorithm).update(bytes).digest(encoding);

function digestBytes(algorithm: Algorithm, bytes: Uint8Array): Uint8Array {
  const text = digestText(algorithm, bytes, 'binary');
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
  return out;
}

export function sha1(bytes: Uint8Array): Uint8Array {
  return digestBytes('sha1', bytes);
}

export function sha224Hex(bytes: Uint8Array): string {
  return digestText('sha224', bytes, 'hex');
}

export function sha256(bytes: Uint8Array): Uint8Array {
  return digestBytes('sha256', bytes);
}

export function sha256Hex(bytes: Uint8Array): string {
  return digestText('sha256', bytes, 'hex');
}

// One place for all: nothing runs between its writing and its reading. A Buffer gives a part of itself as text without a
// view of that part.
const whole = new Uint8Array(32);
const wholeText = Buffer.from(whole.buffer);

/** The first bytes of the digest. A piece of the whole text would keep all of it, as long as it is there itself. */
export function sha256HexStart(bytes: Uint8Array, count: number): string {
  sha256Into(bytes, whole, 0);
  return wholeText.toString('hex', 0, count);
}

/** Writes the digest to `target` at `at`: for packed lists of digests, without an array per digest. */
export function sha256Into(bytes: Uint8Array, target: Uint8Array, at: number): void {
  const text = digestText('sha256', bytes, 'binary');
  for (let i = 0; i < 32; i++) target[at + i] = text.charCodeAt(i);
}

export function sha512(bytes: Uint8Array): Uint8Array {
  return digestBytes('sha512', bytes);
}

export function sha512Hex(bytes: Uint8Array): string {
  return digestText('sha512', bytes, 'hex');
}

export function ripemd160(bytes: Uint8Array): Uint8Array {
  return digestBytes('ripemd160', bytes);
}

export function ripemd160Hex(bytes: Uint8Array): string {
  return digestText('ripemd160', bytes, 'hex');
}

export function doubleSha256(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes));
}

/** ripemd160(sha256(bytes)), the hash inside the PTS and BTC address forms. */
export function hash160(bytes: Uint8Array): Uint8Array {
  return ripemd160(sha256(bytes));
}

/** SHA-256 of more bytes than anyone wants to hold at once. */
export class Sha256Stream {
  private readonly hash = nodeCrypto.createHash('sha256');

  update(bytes: Uint8Array): void {
    this.hash.update(bytes);
  }

  digest(): Uint8Array {
    return new Uint8Array(this.hash.digest());
  }
}

/** The data exchange names its packets and files by their MD5. */
export class Md5Stream {
  private readonly hash = nodeCrypto.createHash('md5');

  update(bytes: Uint8Array): void {
    this.hash.update(bytes);
  }

  hex(): string {
    return this.hash.digest('hex');
  }
}
