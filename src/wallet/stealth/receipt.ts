import { optional } from '../../codec/containers.js';
import { bool, text, time, u32 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import type { ValueOf } from '../../codec/type.js';
import { asset } from '../../protocol/asset.js';
import { authority } from '../../protocol/authority.js';
import { blindFactor, commitment, publicKey } from '../../protocol/keys.js';
import { stealthConfirmation } from '../../protocol/operations/transfers.js';

/** What the receiver of a blinded balance learns from the encrypted memo: all that is needed to spend it. */
export const blindMemo = struct('blind_memo', {
  from: optional(publicKey),
  amount: asset,
  blinding_factor: blindFactor,
  commitment,
  check: u32,
});
export type BlindMemo = ValueOf<typeof blindMemo>;
export type StealthConfirmation = ValueOf<typeof stealthConfirmation>;

/** A blinded balance that the wallet has received, as it stands in the wallet file. */
export const blindReceipt = struct('blind_receipt', {
  date: time,
  from_key: publicKey,
  from_label: text,
  to_key: publicKey,
  to_label: text,
  amount: asset,
  memo: text,
  control_authority: authority,
  data: blindMemo,
  used: bool,
  conf: stealthConfirmation,
});
export type BlindReceipt = ValueOf<typeof blindReceipt>;
