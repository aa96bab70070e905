import { randomBytes } from 'node:crypto'; // nondet-ok: blinds computations with secrets, no result depends on it
import { readdirSync, realpathSync, statSync } from 'node:fs'; // nondet-ok: looks for the curve library, whose results noble's must equal
import { dirname, join } from 'node:path'; // nondet-ok: the library's folder
import { invariant } from '../base/errors.js';
import type { CurveBackend } from './curve-backend.js';
import { optionalPackage } from './optional-package.js';

/**
 * The operating system's libsecp256k1: newer than the one that npm's `secp256k1` is built from, and faster. It is called
 * through `koffi`, an optional dependency.
 */

type Call = (...values: unknown[]) => unknown;

/** What we use of `koffi`. */
interface Koffi {
  load(path: string): { func(declaration: string): Call };
  proto(declaration: string): unknown;
  register(callback: (...values: unknown[]) => number, type: unknown): bigint;
  pointer(type: unknown): unknown;
  view(pointer: unknown, length: number): ArrayBuffer;
}

/** Where packages of the system put libraries. Nothing else is looked through: whoever writes there is root anyway. */
const FOLDERS = [
  '/usr/lib/x86_64-linux-gnu',
  '/usr/lib/aarch64-linux-gnu',
  '/usr/lib/riscv64-linux-gnu',
  '/usr/lib64',
  '/usr/lib',
  '/usr/local/lib64',
  '/usr/local/lib',
];
/** The versions of its interface in which what we call is the same, the newest first. */
const SONAMES = [6, 5, 2, 1].map((version) => `libsecp256k1.so.${version}`);
const OTHERS_MAY_WRITE = 0o022;

/** For signing and for checking; releases from 0.2 on take any of them for both. */
const CONTEXT_SIGN_VERIFY = 0x0301;
const COMPRESSED = 0x0102;
const UNCOMPRESSED = 0x0002;

const SCALAR_BYTES = 32;
const POINT_BYTES = 33;
const LONG_POINT_BYTES = 65;
/** r ‖ s. */
const SIGNATURE_BYTES = 64;

const DECLARATIONS = {
  createContext: 'void *secp256k1_context_create(unsigned int flags)',
  randomize: 'int secp256k1_context_randomize(void *context, const void *seed)',
  parseSignature:
    'int secp256k1_ecdsa_recoverable_signature_parse_compact(void *context, void *out, const void *bytes, int recoveryId)',
  writeSignature:
    'int secp256k1_ecdsa_recoverable_signature_serialize_compact(void *context, void *out, void *recoveryId, const void *signature)',
  recover: 'int secp256k1_ecdsa_recover(void *context, void *out, const void *signature, const void *digest)',
  sign: 'int secp256k1_ecdsa_sign_recoverable(void *context, void *out, const void *digest, const void *secret, const void *nonceFunction, const void *extra)',
  parsePoint: 'int secp256k1_ec_pubkey_parse(void *context, void *out, const void *bytes, size_t length)',
  writePoint:
    'int secp256k1_ec_pubkey_serialize(void *context, void *out, void *length, const void *point, unsigned int flags)',
  multiply: 'int secp256k1_ec_pubkey_tweak_mul(void *context, void *point, const void *factor)',
  add: 'int secp256k1_ec_pubkey_tweak_add(void *context, void *point, const void *factor)',
  share:
    'int secp256k1_ecdh(void *context, void *out, const void *point, const void *secret, void *hash, const void *data)',
} as const;

export type SystemBackend = { readonly curve: CurveBackend } | { readonly missing: string };

/** A library that belongs to root, in a folder of the system; undefined where there is none. */
function findLibrary(folders: readonly string[], owner: number): string | undefined {
  const isTheirs = (path: string): boolean => {
    const { uid, mode } = statSync(path);
    return uid === owner && (mode & OTHERS_MAY_WRITE) === 0;
  };
  for (const folder of folders) {
    let files: string[];
    try {
      files = readdirSync(folder);
    } catch {
      // Another system has other folders.
      continue;
    }
    for (const name of SONAMES) {
      if (!files.includes(name)) continue;
      const path = realpathSync(join(folder, name));
      if (isTheirs(dirname(path)) && isTheirs(path)) return path;
    }
  }
  return undefined;
}

/** The library of the system, or why it is not used. */
export function loadSystemBackend({ folders = FOLDERS, owner = 0, caller = 'koffi' } = {}): SystemBackend {
  const path = findLibrary(folders, owner);
  if (path === undefined) return { missing: 'the system has no libsecp256k1' };
  const koffi = optionalPackage<Koffi>(caller);
  if (koffi === undefined) return { missing: `the package ${caller} is not installed` };
  try {
    return { curve: bind(koffi, path) };
  } catch (error) {
    // Built without the module for recovery, or for another machine: what the loader says is all that is known.
    return { missing: `${path} does not load: ${error instanceof Error ? error.message : error}` };
  }
}

/** The library reads and writes as many bytes as it thinks right, whoever owns them. */
function expectBytes(bytes: Uint8Array, length: number): void {
  invariant(bytes.length === length, 'sizes are checked before the curve library runs');
}

function bind(koffi: Koffi, path: string): CurveBackend {
  const library = koffi.load(path);
  const calls = Object.fromEntries(
    Object.entries(DECLARATIONS).map(([name, declaration]) => [name, library.func(declaration)]),
  ) as Readonly<Record<keyof typeof DECLARATIONS, Call>>;
  const context = calls.createContext(CONTEXT_SIGN_VERIFY);
  calls.randomize(context, randomBytes(32));

  // One thread, one call at a time: what the library keeps in between lies here.
  const signatureSpace = new Uint8Array(65);
  const pointSpace = new Uint8Array(64);
  const recoveryIdSpace = new Int32Array(1);
  const lengthSpace = new BigUint64Array(1);

  const writePoint = (output: Uint8Array, length: number, flags: number): boolean => {
    lengthSpace[0] = BigInt(length);
    return calls.writePoint(context, output, lengthSpace, pointSpace, flags) === 1;
  };
  const parsePoint = (point: Uint8Array): boolean => {
    expectBytes(point, POINT_BYTES);
    return calls.parsePoint(context, pointSpace, point, POINT_BYTES) === 1;
  };

  // The library hashes what two keys share; whoever calls us hashes in another way, and takes x as it is.
  const takeX = koffi.register(
    (output, x) => {
      new Uint8Array(koffi.view(output, 32)).set(new Uint8Array(koffi.view(x, 32)));
      return 1;
    },
    koffi.pointer(koffi.proto('int (void *output, const void *x, const void *y, void *data)')),
  );

  return {
    name: 'system',
    version: path.slice(path.lastIndexOf('/') + 1),

    sign(digest, secret, extra, output) {
      for (const scalar of [digest, secret, extra ?? digest]) expectBytes(scalar, SCALAR_BYTES);
      expectBytes(output, SIGNATURE_BYTES);
      if (calls.sign(context, signatureSpace, digest, secret, null, extra ?? null) !== 1) {
        throw new Error('libsecp256k1 cannot sign with this key');
      }
      calls.writeSignature(context, output, recoveryIdSpace, signatureSpace);
      return recoveryIdSpace[0] as number;
    },

    recover(signature, recoveryId, digest, output) {
      expectBytes(signature, SIGNATURE_BYTES);
      expectBytes(digest, SCALAR_BYTES);
      expectBytes(output, POINT_BYTES);
      invariant(recoveryId >= 0 && recoveryId <= 3, 'a recovery id is two bits');
      return (
        calls.parseSignature(context, signatureSpace, signature, recoveryId) === 1 &&
        calls.recover(context, pointSpace, signatureSpace, digest) === 1 &&
        writePoint(output, POINT_BYTES, COMPRESSED)
      );
    },

    multiplyAdd(point, factor, baseFactor, output) {
      for (const scalar of [factor, baseFactor]) expectBytes(scalar, SCALAR_BYTES);
      expectBytes(output, POINT_BYTES);
      return (
        parsePoint(point) &&
        calls.multiply(context, pointSpace, factor) === 1 &&
        calls.add(context, pointSpace, baseFactor) === 1 &&
        writePoint(output, POINT_BYTES, COMPRESSED)
      );
    },

    sharedX(point, secret, output) {
      for (const scalar of [secret, output]) expectBytes(scalar, SCALAR_BYTES);
      return parsePoint(point) && calls.share(context, output, pointSpace, secret, takeX, null) === 1;
    },

    uncompress(point, output) {
      expectBytes(output, LONG_POINT_BYTES);
      return parsePoint(point) && writePoint(output, LONG_POINT_BYTES, UNCOMPRESSED);
    },
  };
}
