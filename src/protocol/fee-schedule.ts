import { set, withDefault } from '../codec/containers.js';
import { u32 } from '../codec/scalars.js';
import { struct } from '../codec/struct.js';
import type { ValueOf } from '../codec/type.js';
import { type FeeParameters, feeParameters } from './operation-slot.js';

export const FEE_SCALE_UNIT = 10_000;

export const feeSchedule = struct('fee_schedule', {
  parameters: set(feeParameters),
  scale: withDefault(u32, () => FEE_SCALE_UNIT),
});
export type FeeSchedule = ValueOf<typeof feeSchedule>;

/** The schedule's entry for an operation; undefined means that the operation's built-in defaults apply. */
export function findFeeParameters(schedule: FeeSchedule, tag: number): FeeParameters[1] | undefined {
  // Entries are ascending by tag and nearly always complete, so the entry usually stands at its own number.
  const guess = schedule.parameters[tag];
  if (guess !== undefined && guess[0] === tag) return guess[1];
  for (const entry of schedule.parameters) if (entry[0] === tag) return entry[1];
  return undefined;
}
