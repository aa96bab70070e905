import t from 'tap';
import { concatBytes, fromHex, toHex } from '../../../src/base/bytes.js';
import { sha256 } from '../../../src/crypto/hash.js';
import { sha256Block } from '../../../src/crypto/sha256-block.js';

const START = fromHex('6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19');

/** The whole hash out of its steps: the text, a one bit, zeros, and the number of its bits. */
function sha256OfBlocks(text: Uint8Array): Uint8Array {
  const padded = new Uint8Array(64 * Math.ceil((text.length + 9) / 64));
  padded.set(text);
  padded[text.length] = 0x80;
  new DataView(padded.buffer).setBigUint64(padded.length - 8, 8n * BigInt(text.length));
  let state = START;
  for (let at = 0; at < padded.length; at += 64) state = sha256Block(state, padded.subarray(at, at + 64));
  return state;
}

t.test('its steps make the hash', async (t) => {
  let text: Uint8Array = new Uint8Array(0);
  for (let length = 0; length < 200; length++) {
    t.equal(toHex(sha256OfBlocks(text)), toHex(sha256(text)), `${length} bytes`);
    text = concatBytes(text, Uint8Array.of((length * 37 + 11) & 0xff));
  }
});

t.test('state and block stay as they are', async (t) => {
  const state = sha256(Uint8Array.of(1));
  const block = concatBytes(state, state);
  const before = [toHex(state), toHex(block)];
  sha256Block(state, block);
  t.same([toHex(state), toHex(block)], before);
});
