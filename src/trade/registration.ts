import { sha256 } from '../crypto/hash.js';

/** The work that a gateway may ask of whoever registers an account there: cheap to check, dear to do ten thousand times. */

export interface WorkSubject {
  readonly chainId: string;
  readonly name: string;
  /** Public keys as texts with the prefix of the chain. */
  readonly owner: string;
  readonly active: string;
  readonly memo: string;
}

export interface Work {
  /** Seconds since 1970. */
  readonly time: number;
  readonly nonce: string;
}

/** Zero bits at the beginning of the hash: nobody can use the work for another name, other keys or another chain. */
function workBits({ chainId, name, owner, active, memo }: WorkSubject, { time, nonce }: Work): number {
  const text = ['register', chainId, name, owner, active, memo, time, nonce].join('|');
  let bits = 0;
  for (const byte of sha256(Buffer.from(text, 'utf8'))) {
    bits += byte === 0 ? 8 : Math.clz32(byte) - 24;
    if (byte !== 0) break;
  }
  return bits;
}

export const isWorkDone = (subject: WorkSubject, work: Work, bits: number): boolean => workBits(subject, work) >= bits;

/** Tries one nonce after the other: about 2 to the power of `bits` of them. */
export function doWork(subject: WorkSubject, time: number, bits: number): Work {
  for (let i = 0; ; i++) {
    const work = { time, nonce: String(i) };
    if (isWorkDone(subject, work, bits)) return work;
  }
}
