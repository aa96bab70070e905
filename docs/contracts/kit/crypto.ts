import * as host from "./host";
import { Checksum160, Checksum256, Checksum512, PublicKey, Signature } from "./data";

export function sha256(data: Uint8Array): Checksum256 {
  const out = new Uint8Array(32);
  host.sha256(data.dataStart, data.length, out.dataStart);
  return out;
}

export function sha512(data: Uint8Array): Checksum512 {
  const out = new Uint8Array(64);
  host.sha512(data.dataStart, data.length, out.dataStart);
  return out;
}

export function sha1(data: Uint8Array): Checksum160 {
  const out = new Uint8Array(20);
  host.sha1(data.dataStart, data.length, out.dataStart);
  return out;
}

export function ripemd160(data: Uint8Array): Checksum160 {
  const out = new Uint8Array(20);
  host.ripemd160(data.dataStart, data.length, out.dataStart);
  return out;
}

/** Fails the action unless this key has signed the digest. */
export function checkSignature(digest: Checksum256, signature: Signature, key: PublicKey): void {
  host.assert_recover_key(digest.dataStart, signature.dataStart, key.dataStart, key.length);
}

export function sameBytes(a: Uint8Array, b: Uint8Array): bool {
  return a.length == b.length && memory.compare(a.dataStart, b.dataStart, a.length) == 0;
}
