import { check, defineErrors, FAMILY } from '../../base/errors.js';
import { add64, checkI64, divFloor, I64_MAX, mul64 } from '../../base/int.js';
import type { ValueOf } from '../../codec/type.js';
import { type Asset, makeAsset } from '../../protocol/asset.js';
import { findFeeParameters } from '../../protocol/chain-parameters.js';
import { CORE_ASSET, type Instance } from '../../protocol/ids.js';
import { callFeeParameters } from '../../protocol/operations/contracts.js';
import type { accountReceipt, OperationResult } from '../../protocol/results.js';
import { type AccountObject, accountObject } from '../../state/objects/account.js';
import { adjustBalance, adjustBalanceBy, balanceOf } from '../../state/rules/balances.js';
import { depositContractCashback } from '../../state/rules/cashback.js';
import { fromCore } from '../../state/rules/convert.js';
import { coreValueOfFee } from '../../state/rules/fee-checks.js';
import { bookFee, convertFee } from '../../state/rules/fees.js';
import { parameters } from '../../state/rules/parameters.js';
import type { ReadState, WriteState } from '../../state/views.js';

/**
 * What a contract call costs, known only after it has run: a base fee, which comes back to the caller as a vesting
 * balance, and a price for RAM, which goes to the account `ram-account` and comes back from it when RAM is freed.
 */

export const CALL_FEE_ERRORS = defineErrors({
  ram_account_missing: { text: 'account_itr != account_idx.end(): ram-account not exist' },
  ram_fee_overflow: { ...FAMILY.overflow, text: 'fee of ${bytes} bytes of RAM is out of range' },
});

const CONTRACT_CALL_TAG = 75;
const RAM_ACCOUNT = 'ram-account';
const BYTES_PER_KBYTE = 1024;

type AccountReceipt = ValueOf<typeof accountReceipt>;
type CallFeeParameters = ValueOf<typeof callFeeParameters>;

/** What is to be paid for, as the engine or the block says. */
export interface CallUsage {
  readonly cpuTimeUs: number;
  /** Ascending by account. */
  readonly ram: readonly (readonly [account: Instance, bytes: number])[];
  /** Of all accounts together, without table objects. */
  readonly ramTotal: number;
}

/** The schedule's scale does not count here. */
function pricesOf(s: ReadState): CallFeeParameters {
  const entry = findFeeParameters(parameters(s).current_fees, CONTRACT_CALL_TAG);
  return (entry as CallFeeParameters | undefined) ?? callFeeParameters.default();
}

export function ramAccount(s: ReadState): Readonly<AccountObject> {
  const account = s.findBy(accountObject.by.name, RAM_ACCOUNT);
  check(account !== undefined, CALL_FEE_ERRORS.ram_account_missing);
  return account;
}

/** Base fee in the core asset. */
function baseFee(s: ReadState, cpuTimeUs: number): bigint {
  const prices = pricesOf(s);
  return add64(prices.fee, mul64(BigInt(cpuTimeUs), prices.price_per_ms_cpu));
}

/** Takes a fee that was computed in the core asset; returns what the fee asset's pool paid for it. */
function convertCallFee(s: WriteState, payer: Readonly<AccountObject>, fee: Asset): bigint {
  const core = coreValueOfFee(s, payer, fee);
  convertFee(s, fee.asset_id, fee.amount, core);
  return core;
}

/** Charges a call by the rules since fork 1016. `asset` is the one that the operation's fee names. */
export function chargeCall(
  s: WriteState,
  caller: Readonly<AccountObject>,
  asset: Instance,
  usage: CallUsage,
): OperationResult {
  const base = baseFee(s, usage.cpuTimeUs);
  const fee = makeAsset(fromCore(s, base, asset), asset);
  convertCallFee(s, caller, fee);
  depositContractCashback(s, caller, base);
  adjustBalance(s, caller.id, asset, -fee.amount);
  const ram_receipts = usage.ram.map(([account, bytes]): AccountReceipt => {
    const ram_fee = chargeRam(s, caller, account, asset, bytes);
    return { account, ram_bytes: BigInt(bytes), ram_fee };
  });
  return [4, { billed_cpu_time_us: usage.cpuTimeUs, fee, ram_receipts }];
}

/** Price of bytes in the core asset, rounded up; of freed bytes, rounded toward zero. */
export function ramPrice(bytes: number, pricePerKbyte: bigint): bigint {
  // Quirk: the reference computes this with doubles.
  const price = Math.ceil((bytes * Number(pricePerKbyte)) / BYTES_PER_KBYTE); // nondet-ok: IEEE-754 is exactly defined
  check(Math.abs(price) < Number(I64_MAX), CALL_FEE_ERRORS.ram_fee_overflow, { bytes });
  return BigInt(price);
}

function chargeRam(
  s: WriteState,
  caller: Readonly<AccountObject>,
  account: Instance,
  asset: Instance,
  bytes: number,
): Asset {
  if (bytes === 0) return makeAsset(0n, asset);
  const bank = ramAccount(s).id;
  let price = ramPrice(bytes, pricesOf(s).price_per_kbyte_ram);
  if (price < 0n) {
    // No more comes back than there is.
    const there = balanceOf(s, bank, CORE_ASSET);
    if (-price > there) price = -there;
  }
  if (account !== caller.id) {
    adjustBalance(s, account, CORE_ASSET, -price);
    adjustBalance(s, bank, CORE_ASSET, price);
    return makeAsset(price, CORE_ASSET);
  }
  const fee = makeAsset(fromCore(s, price, asset), asset);
  if (price < 0n) {
    adjustBalance(s, caller.id, CORE_ASSET, -price);
    adjustBalance(s, bank, CORE_ASSET, price);
  } else {
    const core = convertCallFee(s, caller, fee);
    adjustBalance(s, caller.id, asset, -fee.amount);
    adjustBalance(s, bank, CORE_ASSET, core);
  }
  return fee;
}

/** Charges a call by the rules before fork 1016: one fee, booked as any other, in which RAM is never paid back. */
export function chargeOldCall(
  s: WriteState,
  caller: Readonly<AccountObject>,
  asset: Instance,
  usage: CallUsage,
): OperationResult {
  const bytes = usage.ramTotal;
  const ram = divFloor(mul64(BigInt(bytes), pricesOf(s).price_per_kbyte_ram), BigInt(BYTES_PER_KBYTE));
  const core = add64(baseFee(s, usage.cpuTimeUs), checkI64(ram, 'price of RAM'));
  const fee = makeAsset(fromCore(s, core, asset), asset);
  bookFee(s, caller, convertCallFee(s, caller, fee));
  adjustBalanceBy(s, caller.id, { ...fee, amount: -fee.amount });
  return [3, { billed_cpu_time_us: usage.cpuTimeUs, ram_usage_bs: bytes >>> 0, fee }];
}
