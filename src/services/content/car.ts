import type { CID } from 'multiformats/cid';
import { concatBytes } from '../../base/bytes.js';

/** A CAR of version 1: a header that names the root, then blocks, each behind its length and its id. */

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Uint8Array.of(...bytes, rest);
}

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

/** In DAG-CBOR: `{ roots: [cid], version: 1 }`. */
function header(root: CID): Uint8Array {
  const id = concatBytes(Uint8Array.of(0), root.bytes);
  const body = concatBytes(
    Uint8Array.of(0xa2, 0x65),
    ascii('roots'),
    // A list of one; tag 42; bytes with their length in one byte.
    Uint8Array.of(0x81, 0xd8, 0x2a, 0x58, id.length),
    id,
    Uint8Array.of(0x67),
    ascii('version'),
    Uint8Array.of(1),
  );
  return concatBytes(varint(body.length), body);
}

export async function* carOf(
  root: CID,
  blocks: AsyncIterable<{ readonly cid: CID; readonly bytes: Uint8Array }>,
): AsyncGenerator<Uint8Array> {
  yield header(root);
  for await (const { cid, bytes } of blocks) {
    yield concatBytes(varint(cid.bytes.length + bytes.length), cid.bytes, bytes);
  }
}
