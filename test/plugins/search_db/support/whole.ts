import type { Test } from 'tap';
import type { StoredChain } from '../../../../src/node/chain/stored-chain.js';
import { SearchWorld } from './search-world.js';

/** Small numbers, the same for the same seed. */
export function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

/** Every operation up to this block is in the database, once. */
export async function isWhole(
  t: Test,
  stored: StoredChain,
  url: string,
  prefix: string,
  to: number,
  what: string,
): Promise<void> {
  const w = new SearchWorld(stored, url, { prefix });
  const { lines, missing, different, surplus, reduced } = await w.verify(to);
  t.same(
    { missing, different, surplus, reduced, lines },
    { missing: 0, different: 0, surplus: 0, reduced: 0, lines: [] },
    what,
  );
  await w.client.close();
}
