import { equalBytes, fromHex } from '../base/bytes.js';
import type { CurveBackend } from './curve-backend.js';

/**
 * A library that was built wrongly, or whose interface is not the one we think, would make this node leave the chain:
 * before it is used it computes what everybody knows. The signature is a published example of RFC 6979 on this curve.
 */

const one = fromHex('01'.padStart(64, '0'));
const two = fromHex('02'.padStart(64, '0'));
/** SHA-256 of "Satoshi Nakamoto", signed with the secret 1. */
const digest = fromHex('a0dc65ffca799873cbea0ac274015b9526505daaaed385155425f7337704883e');
const signature = fromHex(
  '934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d82442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5',
);
const RECOVERY_ID = 1;
const base = fromHex('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
const longBase = fromHex(
  '0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8',
);
const twice = fromHex('02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5');
const five = fromHex('022f8bde4d1a07209355b4a7250a5c5128e88b84bddc619ab7cba8d569b240efe4');
/** x = 5 is on no point of the curve. */
const noPoint = fromHex(`02${'05'.padStart(64, '0')}`);

/** The name of the first computation with another result than it must have; undefined where all are right. */
export function failedSelfTest(curve: CurveBackend): string | undefined {
  const out = new Uint8Array(33);
  const checks: Readonly<Record<string, () => boolean>> = {
    sign: () => {
      const made = new Uint8Array(64);
      return curve.sign(digest, one, undefined, made) === RECOVERY_ID && equalBytes(made, signature);
    },
    recover: () =>
      curve.recover(signature, RECOVERY_ID, digest, out) &&
      equalBytes(out, base) &&
      !curve.recover(signature, RECOVERY_ID + 2, digest, out) &&
      !curve.recover(new Uint8Array(64), 0, digest, out),
    multiplyAdd: () =>
      curve.multiplyAdd(twice, two, one, out) && equalBytes(out, five) && !curve.multiplyAdd(noPoint, two, one, out),
    sharedX: () => {
      const x = new Uint8Array(32);
      return curve.sharedX(base, two, x) && equalBytes(x, twice.subarray(1)) && !curve.sharedX(noPoint, two, x);
    },
    uncompress: () => {
      const long = new Uint8Array(65);
      return curve.uncompress(base, long) && equalBytes(long, longBase) && !curve.uncompress(noPoint, long);
    },
  };
  return Object.keys(checks).find((name) => !(checks[name] as () => boolean)());
}
