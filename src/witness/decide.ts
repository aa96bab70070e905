import type { PublicKey } from '../crypto/public-key.js';
import { formatObjectId, type Instance } from '../protocol/ids.js';

/** The slots of the head state, as the chain tells them. Times are in seconds. */
export interface SlotView {
  /** Start of a slot; slot 1 is the next one. */
  slotTime(slot: number): number;
  /** Slot that a moment lies in; 0 before the next slot. */
  slotAt(timeSec: number): number;
  scheduledWitness(slot: number): Instance;
  /** Of the witness's object as it stands now. */
  signingKey(witness: Instance): PublicKey;
  /** Share of the last 128 slots that were filled, of 10,000. */
  participation(): number;
}

export interface ProducerState {
  /** Wall clock and half a second, cut to seconds. */
  readonly nowSec: number;
  /** Producing on a head that may be old was allowed, by option or by a head that was once recent. */
  readonly isEnabled: boolean;
  readonly isOurs: (witness: Instance) => boolean;
  readonly hasKey: (key: PublicKey) => boolean;
  /** All active witnesses sign here, and no peer tells of a higher head: nobody can be on another branch. */
  readonly isAlone: boolean;
  /** Of 10,000. */
  readonly participationMin: number;
  /** Another machine makes blocks for this witness with the same key. */
  readonly isSignedElsewhere: (witness: Instance) => boolean;
  /** Start of the last slot for which this node has signed a block, perhaps one that was lost. */
  readonly lastSignedSec: number;
}

/** Numbers up to 8 are those that the family's tools know. */
export const CODES = {
  produced: 0,
  not_synced: 1,
  not_my_turn: 2,
  not_time_yet: 3,
  no_private_key: 4,
  low_participation: 5,
  lag: 6,
  exception_producing_block: 7,
  shutdown: 8,
  slot_signed: 9,
  signed_elsewhere: 10,
} as const;
export type Code = keyof typeof CODES;

/** Why no block is made now. */
export type Refusal =
  | { readonly code: 'not_synced'; readonly nextSlotSec: number }
  | { readonly code: 'not_time_yet'; readonly nextSlotSec: number }
  | { readonly code: 'not_my_turn'; readonly witness: Instance; readonly slotSec: number }
  | {
      readonly code: 'no_private_key';
      readonly witness: Instance;
      readonly signingKey: PublicKey;
      readonly slotSec: number;
    }
  | { readonly code: 'low_participation'; readonly participation: number; readonly slotSec: number }
  | { readonly code: 'lag'; readonly witness: Instance; readonly slotSec: number; readonly lagSec: number }
  | { readonly code: 'signed_elsewhere'; readonly witness: Instance; readonly slotSec: number }
  | {
      readonly code: 'slot_signed';
      readonly witness: Instance;
      readonly slotSec: number;
      readonly lastSignedSec: number;
    };

export interface Turn {
  readonly code: 'produced';
  readonly slot: number;
  readonly slotSec: number;
  readonly witness: Instance;
  readonly signingKey: PublicKey;
}

export interface Decision {
  readonly answer: Refusal | Turn;
  /** Once true it stays true. */
  readonly isEnabled: boolean;
}

const LAG_SEC_MAX = 2.5;

/** Whether a block is to be made this second, and if not, why. The order of the questions is part of the answer. */
export function decide(view: SlotView, state: ProducerState): Decision {
  const { nowSec } = state;
  const nextSlotSec = view.slotTime(1);
  // A head whose next slot is still to come is recent enough to build on, from now on.
  const isEnabled = state.isEnabled || state.isAlone || nextSlotSec >= nowSec;
  const refuse = (answer: Refusal): Decision => ({ answer, isEnabled });
  if (!isEnabled) return refuse({ code: 'not_synced', nextSlotSec });
  const slot = view.slotAt(nowSec);
  if (slot === 0) return refuse({ code: 'not_time_yet', nextSlotSec });
  const slotSec = view.slotTime(slot);
  const witness = view.scheduledWitness(slot);
  if (!state.isOurs(witness)) return refuse({ code: 'not_my_turn', witness, slotSec });
  const signingKey = view.signingKey(witness);
  if (!state.hasKey(signingKey)) return refuse({ code: 'no_private_key', witness, signingKey, slotSec });
  const participation = view.participation();
  if (participation < state.participationMin && !state.isAlone)
    return refuse({ code: 'low_participation', participation, slotSec });
  const lagSec = Math.abs(slotSec - nowSec);
  if (lagSec > LAG_SEC_MAX) return refuse({ code: 'lag', witness, slotSec, lagSec });
  if (state.isSignedElsewhere(witness)) return refuse({ code: 'signed_elsewhere', witness, slotSec });
  const { lastSignedSec } = state;
  if (slotSec <= lastSignedSec) return refuse({ code: 'slot_signed', witness, slotSec, lastSignedSec });
  return { answer: { code: 'produced', slot, slotSec, witness, signingKey }, isEnabled };
}

const WITNESS = { space: 1, type: 6 } as const;
export const witnessText = (witness: Instance): string => formatObjectId(WITNESS.space, WITNESS.type, witness);
export const timeText = (timeSec: number): string => new Date(timeSec * 1000).toISOString().slice(0, 19);
