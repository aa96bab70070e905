import type { StructValue } from '../../../src/codec/struct.js';
import type { Asset } from '../../../src/protocol/asset.js';
import type { contractCallOperation } from '../../../src/protocol/operations/contracts.js';
import type { OperationResult } from '../../../src/protocol/results.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { share } from '../amounts.js';
import { must } from '../tables.js';
import type { Run } from './action.js';
import type { ContractHow, ContractModel } from './model.js';
import { Ram } from './ram.js';

type Call = StructValue<typeof contractCallOperation.schema.fields>;

const CORE = 1;
const VESTING_SEC = 259_200;
const PRICES = { fee: 100n, price_per_kbyte_ram: 50_000n, price_per_ms_cpu: 0n };

function pricesOf(m: ContractModel): typeof PRICES {
  const entry = m.parameters.current_fees.parameters.find(([tag]) => tag === 75);
  return (entry?.[1] as unknown as typeof PRICES | undefined) ?? PRICES;
}

/** Does not look which side of the rate is which. */
function fromCore(m: ContractModel, amount: bigint, asset_id: number): Asset {
  if (asset_id === m.core) return { amount, asset_id };
  const { base, quote } = m.asset(asset_id).options.core_exchange_rate;
  if (m.isAfter('1013')) {
    must(base.amount !== 0n, 'the rate divides by nothing');
    return { amount: share(amount * quote.amount) / base.amount, asset_id };
  }
  const rate = BigInt(Math.trunc(Number(base.amount) / Number(quote.amount)));
  must(rate !== 0n, 'the rate divides by nothing');
  return { amount: amount / rate, asset_id };
}

function check(m: ContractModel, { account, contract_id, method_name, amount }: Call): void {
  m.account(contract_id);
  const action = m.contractAction(contract_id, method_name);
  must(action !== 'no contract', 'call_no_code');
  must(action !== undefined, 'call_method_unknown');
  if (amount !== undefined) {
    must(action.payable, 'call_method_not_payable');
    must(amount.amount > 0n, 'call_amount');
    m.asset(amount.asset_id);
    must(m.balance(account, amount.asset_id) >= amount.amount, 'call_balance');
  }
  if (m.isAfter('1016')) must(ramAccount(m) !== undefined, 'ram_account_missing');
}

const ramAccount = (m: ContractModel): number | undefined =>
  m.where(accountObject, ({ name }) => name === 'ram-account')?.id;

/** What the payer owes, without a word in the statistics. */
function pay(m: ContractModel, payer: number, fee: Asset): bigint {
  const paid = m.worth(payer, fee);
  if (fee.asset_id !== m.core) {
    m.changeSupply(fee.asset_id, (o) => {
      o.accumulated_fees = share(o.accumulated_fees + fee.amount);
      o.fee_pool = share(o.fee_pool - paid);
    });
  }
  m.take(payer, fee);
  return paid;
}

function payBase(m: ContractModel, account: number, base: bigint, asset_id: number): Asset {
  const fee = fromCore(m, base, asset_id);
  pay(m, account, fee);
  const field = m.isAfter('1027') ? 'contract_call_cashback_vb' : 'cashback_vb';
  const seconds = m.parameter(10, 'contract_basic_fee_vesting_period_seconds', VESTING_SEC);
  const vb = m.deposit(account, base, seconds, true, m.account(account)[field]);
  if (vb !== undefined) {
    m.change(accountObject, account, (o) => {
      o[field] = vb;
    });
  }
  return fee;
}

function payRam(m: ContractModel, caller: number, payer: number, bytes: bigint, asset_id: number): Asset {
  if (bytes === 0n) return { amount: 0n, asset_id };
  const seller = ramAccount(m) as number;
  let amount = BigInt(Math.ceil((Number(bytes) * Number(pricesOf(m).price_per_kbyte_ram)) / 1024));
  const has = m.balance(seller, CORE);
  if (amount < 0n && -amount > has) amount = -has;
  const core = { amount, asset_id: CORE };
  if (payer !== caller) {
    m.take(payer, core);
    m.give(seller, core);
    return core;
  }
  const fee = fromCore(m, amount, asset_id);
  if (amount < 0n) {
    m.take(payer, core);
    m.give(seller, core);
  } else {
    m.give(seller, { amount: pay(m, payer, fee), asset_id: CORE });
  }
  return fee;
}

/** Before there were payers: one fee, for the network. */
function payAll(m: ContractModel, op: Call, ram: bigint, cpuUs: number): OperationResult {
  const prices = pricesOf(m);
  const bytes = BigInt.asUintN(32, ram);
  const core = prices.fee + (ram * prices.price_per_kbyte_ram) / 1024n + BigInt(cpuUs) * prices.price_per_ms_cpu;
  const fee = fromCore(m, core, op.fee.asset_id);
  m.book(op.account, fee, m.worth(op.account, fee));
  m.take(op.account, fee);
  return [3, { billed_cpu_time_us: cpuUs, ram_usage_bs: Number(bytes), fee }];
}

/** A call pays for itself what it turns out to cost. */
export function callContract(m: ContractModel, op: Call, how: ContractHow): OperationResult {
  m.worth(op.account, op.fee);
  check(m, op);
  const { account, contract_id, method_name, data, amount } = op;
  const ram = new Ram(m);
  const run: Run = { origin: account, ram, transaction: how.transaction, sent: 0, command: -1 };
  m.act(run, { contract: contract_id, sender: account, method: method_name, data, amount });
  if (!m.isAfter('1016')) return payAll(m, op, ram.sum, how.billedCpuUs);
  const prices = pricesOf(m);
  const base = prices.fee + BigInt(how.billedCpuUs) * prices.price_per_ms_cpu;
  const fee = payBase(m, account, base, op.fee.asset_id);
  const payers = [...ram.perAccount].sort(([a], [b]) => (a < b ? -1 : 1));
  const ram_receipts = payers.map(([payer, ram_bytes]) => ({
    account: Number(payer),
    ram_bytes,
    ram_fee: payRam(m, account, Number(payer), ram_bytes, op.fee.asset_id),
  }));
  return [4, { billed_cpu_time_us: how.billedCpuUs, fee, ram_receipts }];
}
