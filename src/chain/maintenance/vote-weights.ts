import { highestBit } from '../../base/int.js';
import type { Authority } from '../../protocol/authority.js';
import { compareInstances, type Instance } from '../../protocol/ids.js';

/** Bits that a weight may have. */
const WEIGHT_BITS = 15;

/**
 * Turns votes, most important first, into an authority whose weights keep their proportions. The first vote that is
 * not zero sets the scale. Undefined: nobody has votes, the old authority stays.
 */
export function authorityFromVotes(votes: readonly (readonly [Instance, bigint])[]): Authority | undefined {
  let shift: bigint | undefined;
  let total = 0;
  const members: [Instance, number][] = [];
  for (const [account, vote] of votes) {
    if (vote === 0n) continue;
    shift ??= BigInt(Math.max(highestBit(vote) - WEIGHT_BITS, 0));
    const scaled = Number(BigInt.asUintN(16, vote >> shift));
    const weight = Math.max(scaled, 1);
    members.push([account, weight]);
    total += weight;
  }
  if (total === 0) return undefined;
  return {
    weight_threshold: Math.floor(total / 2) + 1,
    account_auths: members.sort((a, b) => compareInstances(a[0], b[0])),
    key_auths: [],
    address_auths: [],
  };
}
