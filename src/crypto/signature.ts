import { toHex } from '../base/bytes.js';
import { ChainError, check, defineErrors, type ErrorRow, FAMILY, fail, invariant } from '../base/errors.js';
import { failedSelfTest } from './backend-self-test.js';
import type { CurveBackend } from './curve-backend.js';
import { loadNativeBackend } from './native-secp256k1.js';
import { nobleBackend } from './noble-secp256k1.js';
import type { PrivateKey } from './private-key.js';
import type { PublicKey } from './public-key.js';
import { loadSystemBackend } from './system-secp256k1.js';

/**
 * Recoverable signatures of the chain: 65 bytes, header ‖ r ‖ s.
 *
 * The rules of the chain (header, canonical form, retry) stand here once; the two curve libraries below
 * only compute.
 */

export const SIGNATURE_ERRORS = defineErrors({
  signature_length_wrong: { text: 'signature must have 65 bytes, not ${actual}' },
  signature_header_invalid: {
    ...FAMILY.unspecified,
    text: 'unable to reconstruct public key from signature',
    hint: 'signature header must be 27 to 34, not ${header}',
  },
  signature_not_canonical: { text: 'is_canonical( c ): signature is not canonical' },
  signature_unrecoverable: {
    text: 'secp256k1_ecdsa_recover_compact( detail::_get_context(), (unsigned char*) digest.data(), (unsigned char*) c.begin() + 1, (unsigned char*) my->_key.begin(), (int*) &pk_len, 1, (*c.begin() - 27) & 3 ): ',
    hint: 'signature belongs to no public key',
  },
  digest_length_wrong: { text: 'digest must have 32 bytes, not ${actual}' },
  signature_backend_missing: { kind: 'environment', text: 'signature library ${name} cannot be used: ${reason}' },
});

export const DIGEST_BYTES = 32;
export const SIGNATURE_BYTES = 65;
export const RECOVERED_KEY_BYTES = 33;

/** `auto` is the fastest that loads. */
export type SignatureChoice = 'auto' | CurveBackend['name'];

/** What `recoverInto` says of one signature; a byte, so that it travels between threads in packed lists. */
export const SIGNATURE_STATUS = { ok: 0, header: 1, canonical: 2, unrecoverable: 3 } as const;
export type SignatureStatus = (typeof SIGNATURE_STATUS)[keyof typeof SIGNATURE_STATUS];

const STATUS_ROWS: readonly (ErrorRow | undefined)[] = [
  undefined,
  SIGNATURE_ERRORS.signature_header_invalid,
  SIGNATURE_ERRORS.signature_not_canonical,
  SIGNATURE_ERRORS.signature_unrecoverable,
];

/** The coded error of a status that is not `ok`. */
export function signatureError(status: number, header: number): ChainError {
  const row = STATUS_ROWS[status];
  invariant(row !== undefined, 'an error is asked of a failed signature only');
  return new ChainError(row, status === SIGNATURE_STATUS.header ? { header } : {});
}

/** r and s are 32 bytes each in their minimal positive form. The chain asks it on every recovery. */
export function isCanonical(signature: Uint8Array, at = 0): boolean {
  const r0 = signature[at + 1] as number;
  const s0 = signature[at + 33] as number;
  return (
    r0 < 0x80 &&
    s0 < 0x80 &&
    (r0 !== 0 || (signature[at + 2] as number) >= 0x80) &&
    (s0 !== 0 || (signature[at + 34] as number) >= 0x80)
  );
}

/** `canonical` is the chain's rule; `any` is for texts signed outside the chain, where old clients do not look for it. */
export type SignatureRule = 'canonical' | 'any';

const HEADER_MIN = 27;
const HEADER_MAX = 34;
/** 27, and 4 for a compressed key. */
const HEADER_WRITTEN = 31;

/**
 * The same signature with the header that signers write. One without the mark of a compressed key says the same to every
 * reader: whoever knows signatures by their bytes would know one as two. What is no header stays as it is.
 */
export function withWrittenHeader(signature: Uint8Array): Uint8Array {
  const header = signature[0] as number;
  if (header < HEADER_MIN || header >= HEADER_WRITTEN) return signature;
  const out = signature.slice();
  out[0] = header - HEADER_MIN + HEADER_WRITTEN;
  return out;
}

export class SignatureBackend {
  readonly name: CurveBackend['name'];
  readonly version: string | undefined;
  /** For proofs, which need more of a curve than signatures. */
  readonly curve: CurveBackend;
  // Synchronous code in one thread: the inputs are copied here, so that views into packed lists, into shared memory
  // too, cost no allocation and no curve library ever sees memory that another thread writes.
  readonly #digest = new Uint8Array(DIGEST_BYTES);
  readonly #signature = new Uint8Array(SIGNATURE_BYTES - 1);
  readonly #key = new Uint8Array(RECOVERED_KEY_BYTES);

  constructor(curve: CurveBackend) {
    this.name = curve.name;
    this.version = curve.version;
    this.curve = curve;
  }

  /** Deterministic: with another nonce until the signature is canonical, which takes four tries on average. */
  sign(digest: Uint8Array, key: PrivateKey): Uint8Array {
    check(digest.length === DIGEST_BYTES, SIGNATURE_ERRORS.digest_length_wrong, { actual: digest.length });
    const out = new Uint8Array(SIGNATURE_BYTES);
    const body = out.subarray(1);
    const extra = new Uint8Array(DIGEST_BYTES);
    for (let tries = 0; ; tries++) {
      invariant(tries < 65_536, 'one of very many nonces gives a canonical signature');
      // The first nonce is the plain one of RFC 6979.
      extra[0] = tries & 0xff;
      extra[1] = tries >> 8;
      out[0] = HEADER_WRITTEN + this.curve.sign(digest, key.secret(), tries === 0 ? undefined : extra, body);
      if (isCanonical(out)) return out;
    }
  }

  recover(digest: Uint8Array, signature: Uint8Array, rule: SignatureRule = 'canonical'): PublicKey {
    check(digest.length === DIGEST_BYTES, SIGNATURE_ERRORS.digest_length_wrong, { actual: digest.length });
    if (signature.length !== SIGNATURE_BYTES) {
      fail(SIGNATURE_ERRORS.signature_length_wrong, { actual: signature.length });
    }
    const status = this.#recover(digest, 0, signature, 0, rule);
    if (status !== SIGNATURE_STATUS.ok) throw signatureError(status, signature[0] as number);
    return toHex(this.#key);
  }

  /** One item of packed lists: number `index` of `digests` and `signatures`; its key goes to `keys`. */
  recoverInto(digests: Uint8Array, signatures: Uint8Array, index: number, keys: Uint8Array): SignatureStatus {
    const status = this.#recover(digests, index * DIGEST_BYTES, signatures, index * SIGNATURE_BYTES, 'canonical');
    if (status === SIGNATURE_STATUS.ok) keys.set(this.#key, index * RECOVERED_KEY_BYTES);
    return status;
  }

  #recover(digests: Uint8Array, digestAt: number, signatures: Uint8Array, at: number, rule: SignatureRule) {
    const header = signatures[at] as number;
    if (header < HEADER_MIN || header > HEADER_MAX) return SIGNATURE_STATUS.header;
    if (rule === 'canonical' && !isCanonical(signatures, at)) return SIGNATURE_STATUS.canonical;
    const digest = this.#digest;
    const signature = this.#signature;
    for (let i = 0; i < DIGEST_BYTES; i++) digest[i] = digests[digestAt + i] as number;
    for (let i = 0; i < SIGNATURE_BYTES - 1; i++) signature[i] = signatures[at + 1 + i] as number;
    return this.curve.recover(signature, (header - HEADER_MIN) & 3, digest, this.#key)
      ? SIGNATURE_STATUS.ok
      : SIGNATURE_STATUS.unrecoverable;
  }
}

const noble = new SignatureBackend(nobleBackend);

export type LoadedBackend = SignatureBackend | { readonly missing: string };

function loadNative(): LoadedBackend {
  const curve = loadNativeBackend();
  return curve === undefined ? { missing: 'the package secp256k1 is not installed' } : tested(curve);
}

function loadSystem(): LoadedBackend {
  const found = loadSystemBackend();
  return 'missing' in found ? found : tested(found.curve);
}

/** A library that computes wrongly is as good as none. */
export function tested(curve: CurveBackend): LoadedBackend {
  const failed = failedSelfTest(curve);
  return failed === undefined ? new SignatureBackend(curve) : { missing: `its ${failed} gives wrong results` };
}

/** The fastest first. */
const LOADERS: Readonly<Record<CurveBackend['name'], () => LoadedBackend>> = {
  system: loadSystem,
  native: loadNative,
  noble: () => noble,
};
/** Loaded at the first question. */
const loaded = new Map<CurveBackend['name'], LoadedBackend>();

function load(name: CurveBackend['name']): LoadedBackend {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const found = LOADERS[name]();
  loaded.set(name, found);
  return found;
}

let chosen: SignatureChoice = 'auto';

/** Called once, by the program that was told a choice; everything after it computes with that library. */
export function chooseSignatureBackend(choice: SignatureChoice): SignatureBackend {
  const backend = signatureBackend(choice);
  chosen = choice;
  return backend;
}

/** Asked for with every signature. */
const picked = new Map<SignatureChoice, SignatureBackend>();

/** Without a choice: the one of the program. */
export function signatureBackend(choice: SignatureChoice = chosen): SignatureBackend {
  let backend = picked.get(choice);
  if (backend === undefined) {
    backend = pickSignatureBackend(choice, load);
    picked.set(choice, backend);
  }
  return backend;
}

export function pickSignatureBackend(
  choice: SignatureChoice,
  load: (name: CurveBackend['name']) => LoadedBackend,
): SignatureBackend {
  if (choice !== 'auto') {
    const found = load(choice);
    if (found instanceof SignatureBackend) return found;
    return fail(SIGNATURE_ERRORS.signature_backend_missing, { name: choice, reason: found.missing });
  }
  for (const name of Object.keys(LOADERS) as CurveBackend['name'][]) {
    const found = load(name);
    if (found instanceof SignatureBackend) return found;
  }
  return noble;
}

/** Why the fastest library is not the one in use; undefined where it is. */
export function fasterLibraryMissing(): string | undefined {
  const found = load('system');
  return found instanceof SignatureBackend ? undefined : found.missing;
}
