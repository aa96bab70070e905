import type { Rows } from './rows.js';

/** Where the model's amounts go. Everything is in the core asset of today, and in plain big integers. */

export const CORE = 1;
const SPECIAL_ACCOUNT_LAST = 4;
const PERCENT = 10_000n;
const U128 = 1n << 128n;

/** What of a block's own rules nobody can do: it is no block then. */
export class NoBlock extends Error {}

/** Products of two whose parts are amounts, where the texts say that 63 bits are all there is. */
export function product(a: bigint, b: bigint): bigint {
  if (BigInt.asIntN(64, a * b) !== a * b) throw new NoBlock(`${a} times ${b}`);
  return a * b;
}

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

export function found<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('the model lacks a row');
  return row;
}

export const head = (rows: Rows) => found(rows.dynamic.get(0));
export const properties = (rows: Rows) => found(rows.global.get(0));
export const parameters = (rows: Rows) => properties(rows).parameters;
export const coreData = (rows: Rows) => found(rows.dynamicData.get(found(rows.assets.get(CORE)).dynamic_asset_data_id));

/** Into the vesting balance that is there if it fits, else into a new one, whose number is the answer. */
export function deposit(
  rows: Rows,
  known: number | undefined,
  given: { amount: bigint; owner: number; seconds: number; earned?: boolean },
): number | undefined {
  const { amount, owner, seconds, earned = false } = given;
  const now = head(rows).time;
  if (amount === 0n) return known;
  const age = BigInt(Math.max(seconds, 1));
  const row = known === undefined ? undefined : rows.vestings.get(known);
  const fits = row?.owner === owner && row.balance.asset_id === CORE && row.policy[0] === 1;
  if (row !== undefined && fits && row.policy[0] === 1 && row.policy[1].vesting_seconds === seconds) {
    const policy = row.policy[1];
    const grown = BigInt(now - policy.coin_seconds_earned_last_update) * row.balance.amount;
    const old = least(policy.coin_seconds_earned + grown, row.balance.amount * age);
    policy.coin_seconds_earned = old + (earned ? amount * age : 0n);
    policy.coin_seconds_earned_last_update = now;
    row.balance = { ...row.balance, amount: row.balance.amount + amount };
    return known;
  }
  const id = rows.vestings.size;
  rows.vestings.set(id, {
    id,
    owner,
    balance: { amount, asset_id: CORE },
    policy: [
      1,
      {
        vesting_seconds: seconds,
        start_claim: 0,
        coin_seconds_earned: earned ? (amount * BigInt(seconds)) % U128 : 0n,
        coin_seconds_earned_last_update: now,
      },
    ],
  });
  return id;
}

function cashback(rows: Rows, account: number, amount: bigint, earned: boolean): void {
  if (account <= SPECIAL_ACCOUNT_LAST) {
    coreData(rows).current_supply -= amount;
    return;
  }
  const row = found(rows.accounts.get(account));
  const seconds = parameters(rows).cashback_vesting_period_seconds;
  row.cashback_vb = deposit(rows, row.cashback_vb, { amount, owner: account, seconds, earned });
}

/** What an account has paid since the last maintenance goes to the network and to those who brought it. */
export function payOutFees(rows: Rows, id: number): void {
  const account = found(rows.accounts.get(id));
  const statistics = found(rows.statistics.get(account.statistics));
  const { pending_fees, pending_vested_fees } = statistics;
  if (pending_fees === 0n && pending_vested_fees === 0n) return;
  const cut = (total: bigint, percent: number): bigint => (total * BigInt(percent)) / PERCENT;
  for (const [total, earned] of [
    [pending_fees, false],
    [pending_vested_fees, true],
  ] as const) {
    const referrer = found(rows.accounts.get(account.referrer));
    if (head(rows).time > referrer.membership_expiration_date) account.referrer = account.lifetime_referrer;
    const network = cut(total, account.network_fee_percentage);
    const lifetime = cut(total, account.lifetime_referrer_fee_percentage);
    const rest = total - network - lifetime;
    const forReferrer = cut(rest, account.referrer_rewards_percentage);
    coreData(rows).accumulated_fees += network;
    cashback(rows, account.lifetime_referrer, lifetime, earned);
    cashback(rows, account.referrer, forReferrer, earned);
    cashback(rows, account.registrar, rest - forReferrer, earned);
  }
  statistics.lifetime_fees_paid += pending_fees + pending_vested_fees;
  statistics.pending_fees = 0n;
  statistics.pending_vested_fees = 0n;
}

const WITNESS_VESTING_SEC = 86_400;

export function payWitness(rows: Rows, id: number, amount: bigint): void {
  const witness = found(rows.witnesses.get(id));
  const owner = witness.witness_account;
  witness.pay_vb = deposit(rows, witness.pay_vb, { amount, owner, seconds: WITNESS_VESTING_SEC });
}
