import type { RequiredAuthorities } from '../../src/protocol/authority.js';
import {
  type AuthoritySource,
  isAuthorized,
  type KeysAtHand,
  requiredSignatures,
} from '../../src/protocol/authority-check.js';

/** The required signatures without every key that can be left out: the chain refuses a superfluous one. */
export function minimalSignatures(
  source: AuthoritySource,
  required: RequiredAuthorities,
  atHand: KeysAtHand,
): string[] {
  let kept = requiredSignatures(source, required, atHand);
  for (const key of [...kept]) {
    const fewer = kept.filter((other) => other !== key);
    if (isAuthorized(source, required, { keys: [...atHand.signed, ...fewer] })) kept = fewer;
  }
  return kept;
}
