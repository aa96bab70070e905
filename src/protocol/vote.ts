import { check, defineErrors, FAMILY } from '../base/errors.js';
import { u32, wrongKind } from '../codec/scalars.js';
import type { Type } from '../codec/type.js';

export const VOTE_ERRORS = defineErrors({
  vote_text: { text: 'colon != std::string::npos: ' },
  vote_number: { ...FAMILY.parse, text: "Couldn't parse uint64_t" },
});

export const VOTE_TYPE = { committee: 0, witness: 1, worker: 2 } as const;

/** 24 bits of instance above 8 bits of type. Sets compare the instance alone: equal instances collapse. */
export const voteId: Type<number> = {
  ...u32,
  name: 'vote_id',
  toJson: (value) => `${voteType(value)}:${voteInstance(value)}`,
  fromJson: (json) => {
    if (typeof json !== 'string') wrongKind(json, 'vote_id');
    const match = /^(\d{1,3}):(\d{1,8})$/.exec(json);
    const [type, instance] = [Number(match?.[1]), Number(match?.[2])];
    check(json.includes(':'), VOTE_ERRORS.vote_text, { serial: json });
    check(match !== null && type < 256 && instance < 2 ** 24, VOTE_ERRORS.vote_number, { serial: json });
    return makeVoteId(type, instance);
  },
  compare: (a, b) => voteInstance(a) - voteInstance(b),
};

export function makeVoteId(type: number, instance: number): number {
  return instance * 256 + type;
}

export function voteType(id: number): number {
  return id & 0xff;
}

export function voteInstance(id: number): number {
  return id >>> 8;
}
