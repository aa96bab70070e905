import type { Asset } from '../../../src/protocol/asset.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { must } from '../tables.js';
import { FOREVER, type OwnModel } from './model.js';

export const hasFee = ({ fee }: { fee: Asset }): void => must(fee.amount >= 0n, 'operation_fee_negative');

export const bytesOf = (text: string): number => Buffer.byteLength(text);

/** Seconds between two moments, in 32 bits without a sign. */
export const secondsFrom = (earlier: number, later: number): number => (later - earlier) >>> 0;

/** How far they are apart; the difference has 32 bits and a sign. */
export const distance = (a: number, b: number): number => Math.abs((a - b) | 0);

export const signed = (value: bigint): bigint => BigInt.asIntN(64, value);
export const unsigned = (value: bigint): bigint => BigInt.asUintN(64, value);

export const idOf = (type: number, instance: number): bigint => (1n << 56n) | (BigInt(type) << 48n) | BigInt(instance);
export const created = (type: number, instance: number): [1, bigint] => [1, idOf(type, instance)];

type Role = 'merchant' | 'datasource' | 'data_transaction_member';

export const isMember = (m: OwnModel, id: number, role: Role): boolean =>
  m.get(accountObject, id)[`${role}_expiration_date`] === FOREVER;

/** Both sides may hold the asset, one of them is its issuer where it is not to change hands, and it is there. */
export function mayMove(m: OwnModel, given: { from: number; to: number; amount: Asset }, stuck: string): void {
  const { from, to, amount } = given;
  m.account(from);
  m.account(to);
  const { id, issuer, options } = m.asset(amount.asset_id);
  must(m.mayHold(from, id), 'transfer_from_unauthorized');
  must(m.mayHold(to, id), 'transfer_to_unauthorized');
  must((options.flags & 8) === 0 || from === issuer || to === issuer, stuck);
  must(m.balance(from, id) >= amount.amount, 'transfer_balance');
}
