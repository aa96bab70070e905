import { check, defineErrors } from '../../base/errors.js';
import { INSTANCE_END } from '../../protocol/ids.js';
import { checkInstance } from '../instance.js';
import { bytesCost, host } from './define.js';

export const ASSET_HOST_ERRORS = defineErrors({
  contract_balance_account: { text: 'account >= 0: account id must > 0' },
  contract_balance_asset: { text: 'asset_id >= 0: asset id to must > 0' },
  contract_withdraw_source: { text: 'from == receiver: can only withdraw from contract ${c}' },
  contract_withdraw_self: { text: 'from != to: cannot transfer to self' },
  contract_withdraw_amount: { text: 'amount > 0: withdraw  amount ${a} must > 0' },
  contract_transfer_to: { text: 'to >= 0: account id ${a} to must > 0' },
  contract_transfer_asset: { text: 'asset_id >= 0: asset id ${a} must > 0' },
  contract_withdraw_balance: {
    text: 'sufficient_balance: insufficient balance ${b}, unable to withdraw ${a} from account ${c}',
  },
  contract_inline_transfer_disabled: { text: 'false: inline_transfer not enabled' },
  contract_transfer_source: { text: 'from == receiver: can only transfer from contract ${c}' },
});

const INSTANCE_MASK = INSTANCE_END - 1n;
/** An operation of its own, with its checks and two balances. */
const TRANSFER = 4000;

/** Copied, made a text and written by whoever keeps histories. */
const MEMO_BYTES_PER_INSTRUCTION = 1;

const EMPTY_MEMO = new Uint8Array(0);

function checkTarget(to: bigint, asset: bigint): void {
  check(to >= 0n, ASSET_HOST_ERRORS.contract_transfer_to, { a: to });
  check(asset >= 0n, ASSET_HOST_ERRORS.contract_transfer_asset, { a: asset });
  checkInstance(to);
  checkInstance(asset);
}

export const ASSET_FUNCTIONS = [
  host('get_balance', 'I I > I', 200, (call, account: bigint, asset: bigint) => {
    check(account >= 0n, ASSET_HOST_ERRORS.contract_balance_account);
    check(asset >= 0n, ASSET_HOST_ERRORS.contract_balance_asset);
    return call.host.chain.balance(account & INSTANCE_MASK, asset & INSTANCE_MASK);
  }),
  host('withdraw_asset', 'I I I I >', TRANSFER, (call, from: bigint, to: bigint, asset: bigint, amount: bigint) => {
    check(BigInt.asUintN(64, from) === call.receiver, ASSET_HOST_ERRORS.contract_withdraw_source, {
      c: call.receiver,
    });
    check(from !== to, ASSET_HOST_ERRORS.contract_withdraw_self);
    check(amount > 0n, ASSET_HOST_ERRORS.contract_withdraw_amount, { a: amount });
    checkTarget(to, asset);
    const { chain, effects } = call.host;
    const balance = chain.balance(from, asset);
    check(balance >= amount, ASSET_HOST_ERRORS.contract_withdraw_balance, () => ({
      b: chain.formatAsset(balance, asset),
      a: amount,
      c: `1.2.${from}`,
    }));
    effects.transfer({ from, to, asset, amount, memo: EMPTY_MEMO });
  }),
  host(
    'inline_transfer',
    'I I I I P >',
    TRANSFER,
    (call, from: bigint, to: bigint, asset: bigint, amount: bigint, pointer: number, length: number) => {
      check(call.host.rules.inline_transfer, ASSET_HOST_ERRORS.contract_inline_transfer_disabled);
      check(BigInt.asUintN(64, from) === call.receiver, ASSET_HOST_ERRORS.contract_transfer_source, {
        c: call.receiver,
      });
      checkTarget(to, asset);
      call.charge(bytesCost(length, MEMO_BYTES_PER_INSTRUCTION));
      call.settle();
      const memo = call.memory.slice(pointer, length).slice();
      call.host.effects.transfer({ from, to, asset, amount, memo });
    },
  ),
];
