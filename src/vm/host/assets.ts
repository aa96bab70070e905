import { check, defineErrors } from '../../base/errors.js';
import { host } from './define.js';

export const ASSET_HOST_ERRORS = defineErrors({
  contract_balance_account: { text: 'account id must > 0' },
  contract_balance_asset: { text: 'asset id to must > 0' },
  contract_withdraw_source: { text: 'can only withdraw from contract ${c}' },
  contract_withdraw_self: { text: 'from != to: cannot transfer to self' },
  contract_withdraw_amount: { text: 'withdraw  amount ${a} must > 0' },
  contract_transfer_to: { text: 'account id ${a} to must > 0' },
  contract_transfer_asset: { text: 'asset id ${a} must > 0' },
  contract_withdraw_balance: {
    text: "insufficient balance: ${balance}, unable to withdraw '${total_transfer}' from account '${a}' to '${t}'",
  },
  contract_inline_transfer_disabled: { text: 'inline_transfer not enabled' },
  contract_transfer_source: { text: 'can only transfer from contract ${c}' },
});

const INSTANCE_MASK = (1n << 48n) - 1n;
const EMPTY_MEMO = new Uint8Array(0);

export const ASSET_FUNCTIONS = [
  host('get_balance', 'I I > I', 200, (call, account: bigint, asset: bigint) => {
    check(account >= 0n, ASSET_HOST_ERRORS.contract_balance_account);
    check(asset >= 0n, ASSET_HOST_ERRORS.contract_balance_asset);
    return call.host.chain.balance(account & INSTANCE_MASK, asset & INSTANCE_MASK);
  }),
  host('withdraw_asset', 'I I I I >', 2000, (call, from: bigint, to: bigint, asset: bigint, amount: bigint) => {
    check(BigInt.asUintN(64, from) === call.receiver, ASSET_HOST_ERRORS.contract_withdraw_source, {
      c: call.receiver,
    });
    check(from !== to, ASSET_HOST_ERRORS.contract_withdraw_self);
    check(amount > 0n, ASSET_HOST_ERRORS.contract_withdraw_amount, { a: amount });
    check(to >= 0n, ASSET_HOST_ERRORS.contract_transfer_to, { a: to });
    check(asset >= 0n, ASSET_HOST_ERRORS.contract_transfer_asset, { a: asset });
    const transfer = {
      from: from & INSTANCE_MASK,
      to: to & INSTANCE_MASK,
      asset: asset & INSTANCE_MASK,
      amount,
      memo: EMPTY_MEMO,
    };
    const { chain, effects } = call.host;
    const balance = chain.balance(transfer.from, transfer.asset);
    check(balance >= amount, ASSET_HOST_ERRORS.contract_withdraw_balance, () => ({
      balance: chain.formatAsset(balance, transfer.asset),
      total_transfer: chain.formatAsset(amount, transfer.asset),
      a: transfer.from,
      t: transfer.to,
    }));
    effects.transfer(transfer);
  }),
  host(
    'inline_transfer',
    'I I I I P >',
    2000,
    (call, from: bigint, to: bigint, asset: bigint, amount: bigint, pointer: number, length: number) => {
      check(call.host.rules.inline_transfer, ASSET_HOST_ERRORS.contract_inline_transfer_disabled);
      check(BigInt.asUintN(64, from) === call.receiver, ASSET_HOST_ERRORS.contract_transfer_source, {
        c: call.receiver,
      });
      check(to >= 0n, ASSET_HOST_ERRORS.contract_transfer_to, { a: to });
      check(asset >= 0n, ASSET_HOST_ERRORS.contract_transfer_asset, { a: asset });
      call.host.effects.transfer({
        from: from & INSTANCE_MASK,
        to: to & INSTANCE_MASK,
        asset: asset & INSTANCE_MASK,
        amount,
        memo: call.memory.slice(pointer, length).slice(),
      });
    },
  ),
];
