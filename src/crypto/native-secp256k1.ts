import { invariant } from '../base/errors.js';
import type { CurveBackend } from './curve-backend.js';
import { optionalPackage } from './optional-package.js';

/** What we use of the package `secp256k1`; its typings are not installed with it. */
interface Secp256k1 {
  ecdsaSign(
    digest: Uint8Array,
    secret: Uint8Array,
    options: { data?: Uint8Array },
    output: Uint8Array,
  ): { recid: number };
  ecdsaRecover(
    signature: Uint8Array,
    recoveryId: number,
    digest: Uint8Array,
    compressed: boolean,
    output: Uint8Array,
  ): Uint8Array;
  ecdh(
    point: Uint8Array,
    secret: Uint8Array,
    options: { hashfn: (x: Uint8Array) => Uint8Array },
    output: Uint8Array,
  ): Uint8Array;
  publicKeyConvert(point: Uint8Array, compressed: boolean, output: Uint8Array): Uint8Array;
  publicKeyTweakMul(point: Uint8Array, factor: Uint8Array, compressed: boolean, output: Uint8Array): Uint8Array;
  publicKeyTweakAdd(point: Uint8Array, factor: Uint8Array, compressed: boolean, output: Uint8Array): Uint8Array;
}

/** Not the package's main file: that one turns to a slow JavaScript library without a word. */
const LIBRARY = 'secp256k1/bindings.js';

/** The libsecp256k1 inside npm's package, or nothing where it does not load. */
export function loadNativeBackend(name: string = LIBRARY): CurveBackend | undefined {
  const library = optionalPackage<Secp256k1>(name);
  if (library === undefined) return undefined;
  return {
    name: 'native',

    sign(digest, secret, extra, output) {
      return library.ecdsaSign(digest, secret, extra === undefined ? {} : { data: extra }, output).recid;
    },

    recover(signature, recoveryId, digest, output) {
      invariant(digest.length === 32 && signature.length === 64, 'sizes are checked before the curve library runs');
      try {
        library.ecdsaRecover(signature, recoveryId, digest, true, output);
        return true;
      } catch {
        // The library has no other way to say that the signature belongs to no key.
        return false;
      }
    },

    multiplyAdd(point, factor, baseFactor, output) {
      invariant(point.length === 33 && factor.length === 32 && baseFactor.length === 32, 'sizes are checked before');
      try {
        // Uncompressed in between: that saves the library a square root.
        const product = library.publicKeyTweakMul(point, factor, false, new Uint8Array(65));
        library.publicKeyTweakAdd(product, baseFactor, true, output);
        return true;
      } catch {
        // Again its only way to say that there is no such point.
        return false;
      }
    },

    sharedX(point, secret, output) {
      invariant(point.length === 33 && secret.length === 32 && output.length === 32, 'sizes are checked before');
      try {
        library.ecdh(point, secret, { hashfn: (x) => x }, output);
        return true;
      } catch {
        // And here.
        return false;
      }
    },

    uncompress(point, output) {
      invariant(point.length === 33 && output.length === 65, 'sizes are checked before');
      try {
        library.publicKeyConvert(point, false, output);
        return true;
      } catch {
        // And here.
        return false;
      }
    },
  };
}
