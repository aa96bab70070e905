import { SeededRandom } from '../../sim/random.js';

/** What each purchase of a money run is like: the same seed and number give the same one. */

export type Answering =
  | 'data'
  | 'own nonce'
  | 'nothing'
  | 'cannot'
  | 'broken'
  | 'base64'
  | 'hangs'
  | 'late'
  | 'hangs up';
export type Buying = 'plain' | 'twice' | 'at both' | 'some again' | 'drains' | 'not worth it';

export interface Plan {
  readonly n: number;
  readonly buyer: number;
  /** One for each source that is asked, the first ones of the phase. */
  readonly answers: readonly Answering[];
  readonly buying: Buying;
  readonly lifetimeSec: number;
}

const ANSWERS: readonly { readonly weight: number; readonly how: Answering }[] = [
  { weight: 60, how: 'data' },
  { weight: 8, how: 'own nonce' },
  { weight: 6, how: 'nothing' },
  { weight: 5, how: 'cannot' },
  { weight: 4, how: 'broken' },
  { weight: 4, how: 'base64' },
  { weight: 4, how: 'hangs' },
  { weight: 5, how: 'late' },
  { weight: 4, how: 'hangs up' },
];
const BUYINGS: readonly { readonly weight: number; readonly how: Buying }[] = [
  { weight: 55, how: 'plain' },
  { weight: 12, how: 'twice' },
  { weight: 15, how: 'at both' },
  { weight: 6, how: 'some again' },
  { weight: 8, how: 'drains' },
  { weight: 4, how: 'not worth it' },
];
const SHORT_LIFETIME_SEC = 48;
const LONG_LIFETIME_SEC = 1800;
const SPREAD = 0x9e3779b1;

export function planOf(seed: number, n: number, { buyers, sources }: { buyers: number; sources: number }): Plan {
  const random = new SeededRandom(seed + Math.imul(n + 1, SPREAD));
  const count = random.chance(0.6) ? 1 : random.between(1, sources);
  return {
    n,
    buyer: random.below(buyers),
    answers: Array.from({ length: count }, () => random.pickWeighted(ANSWERS).how),
    buying: random.pickWeighted(BUYINGS).how,
    lifetimeSec: random.chance(0.35) ? SHORT_LIFETIME_SEC : LONG_LIFETIME_SEC,
  };
}
