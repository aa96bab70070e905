/**
 * One step of SHA-256 with a state of one's own, which the libraries keep to themselves. The chain needs it for the
 * signatures of proxy transfers alone; everything else uses `hash.ts`.
 */

const ROUNDS = 64;
const WORDS = 8;

// biome-ignore format: a table
const CONSTANTS = Uint32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
);

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function schedule(block: DataView): Int32Array {
  const words = new Int32Array(ROUNDS);
  for (let i = 0; i < 16; i++) words[i] = block.getInt32(4 * i);
  for (let i = 16; i < ROUNDS; i++) {
    const early = words[i - 15] as number;
    const late = words[i - 2] as number;
    const mixed = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const other = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[i] = (words[i - 16] as number) + mixed + (words[i - 7] as number) + other;
  }
  return words;
}

/** The state after a block of 64 bytes: 32 bytes, high byte of each word first. */
export function sha256Block(state: Uint8Array, block: Uint8Array): Uint8Array {
  const before = new DataView(state.buffer, state.byteOffset);
  const words = schedule(new DataView(block.buffer, block.byteOffset));
  const start = Int32Array.from({ length: WORDS }, (_, i) => before.getInt32(4 * i));
  let [a, b, c, d, e, f, g, h] = start as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < ROUNDS; i++) {
    const mixed = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const first = (h + mixed + chosen + (CONSTANTS[i] as number) + (words[i] as number)) | 0;
    const other = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b] = [g, f, e, (d + first) | 0, c, b, a];
    a = (first + other + majority) | 0;
  }
  const out = new DataView(new ArrayBuffer(4 * WORDS));
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    out.setInt32(4 * i, (start[i] as number) + word);
  });
  return new Uint8Array(out.buffer);
}
