import { check, defineErrors, FAMILY, fail } from '../base/errors.js';
import { textOf, u32 } from '../codec/scalars.js';
import type { AsText, PlainType } from '../codec/type.js';

export const VOTE_ERRORS = defineErrors({
  vote_text: {
    text: 'colon != std::string::npos: ',
    hint: 'a vote id is its type and its number with a colon between them',
  },
  vote_number: { ...FAMILY.standard, text: '${half} begins with no number' },
  vote_range: {
    ...FAMILY.outOfRange,
    text: '${serial} is no vote id: its type is at most 255, its number at most 16777215',
  },
});

export const VOTE_TYPE = { committee: 0, witness: 1, worker: 2 } as const;

/** 24 bits of instance above 8 bits of type. Sets compare the instance alone: equal instances collapse. */
export const voteId: PlainType<AsText<number, `${number}:${number}`>> = {
  ...u32,
  name: 'vote_id',
  toJson: (value) => `${voteType(value)}:${voteInstance(value)}`,
  fromJson: (json) => {
    const text = textOf(json, 'vote_id');
    const colon = text.indexOf(':');
    check(colon >= 0, VOTE_ERRORS.vote_text, { serial: text });
    const [type, instance] = [leadingNumber(text.slice(0, colon)), leadingNumber(text.slice(colon + 1))];
    check(type < 256 && instance < 2 ** 24, VOTE_ERRORS.vote_range, { serial: text });
    return makeVoteId(type, instance);
  },
  compare: (a, b) => voteInstance(a) - voteInstance(b),
};

/** Quirk: what stands behind the digits is not looked at. */
function leadingNumber(half: string): number {
  const digits = /^\s*\+?(\d+)/.exec(half)?.[1];
  if (digits === undefined) fail(VOTE_ERRORS.vote_number, { half });
  return Number(digits);
}

export function makeVoteId(type: number, instance: number): number {
  return instance * 256 + type;
}

export function voteType(id: number): number {
  return id & 0xff;
}

export function voteInstance(id: number): number {
  return id >>> 8;
}
