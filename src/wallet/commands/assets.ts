import { check } from '../../base/errors.js';
import { parseAmount } from '../../client/amounts.js';
import { memoNonce, writeMemo } from '../../client/memos.js';
import { operationOf } from '../../client/operations.js';
import { optional } from '../../codec/containers.js';
import type { Json } from '../../codec/json.js';
import { text, u8, u32 } from '../../codec/scalars.js';
import { assetOptions, makeAsset } from '../../protocol/asset.js';
import type { MemoData } from '../../protocol/memo.js';
import {
  assetCreateOperation,
  assetFundFeePoolOperation,
  assetIssueOperation,
  assetReserveOperation,
  assetUpdateOperation,
} from '../../protocol/operations/assets.js';
import { transferOperation } from '../../protocol/operations/transfers.js';
import type { SignedTransaction } from '../../protocol/transaction.js';
import type { Account, AssetView } from '../chain-view.js';
import { CHECK_ERRORS, KEYSTORE_ERRORS, LOOKUP_ERRORS } from '../errors.js';
import type { Wallet } from '../wallet.js';
import { act, BROADCAST, FEE_AND_BROADCAST, feeAsset, SIGNED_TRANSACTION, transactionJson, withId } from './common.js';
import { type CommandTable, command } from './define.js';

/** A memo between two accounts, with the sender's memo key; none for an empty text. */
function memoFor(wallet: Wallet, from: Account, to: Account, memo: string): MemoData | undefined {
  if (memo === '') return undefined;
  const sender = wallet.ring.get(from.options.memo_key);
  return writeMemo(sender, to.options.memo_key, memoNonce(wallet.world.clock, wallet.world.random), memo);
}

interface Payment {
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly asset: string;
  readonly memo: string;
  /** Without it the fee is paid in what is transferred. */
  readonly fee?: string;
  readonly broadcast: boolean;
}

async function pay(wallet: Wallet, given: Payment): Promise<SignedTransaction> {
  check(!wallet.ring.isLocked, KEYSTORE_ERRORS.wallet_locked_self);
  const paid = await wallet.chain.asset(given.asset, LOOKUP_ERRORS.asset_option_unknown);
  const from = await wallet.chain.account(given.from);
  const to = await wallet.chain.account(given.to);
  const operation = operationOf(transferOperation, {
    from: from.id,
    to: to.id,
    amount: makeAsset(parseAmount(given.amount, paid), paid.id),
    memo: memoFor(wallet, from, to, given.memo),
  });
  const fees: AssetView = given.fee === undefined ? paid : await feeAsset(wallet, given.fee);
  return wallet.transactions.transact([operation], { feeAsset: fees, broadcast: given.broadcast });
}

const PAYMENT = { from: text, to: text, amount: text, asset_symbol: text, memo: text } as const;

export const transferCommands = {
  transfer: command({
    params: { ...PAYMENT, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Pays an amount from one account to another, with a memo that both can read. The fee is paid in the same asset.',
    examples: ['transfer "alice" "bob" "10.5" "GXC" "for the data" true'],
    run: async (wallet, { asset_symbol, ...args }) =>
      transactionJson(wallet, await pay(wallet, { ...args, asset: asset_symbol })),
  }),
  transfer2: command({
    params: PAYMENT,
    result: 'pair<transaction_id,signed_transaction>',
    acts: true,
    help: 'As transfer, always sent; the answer begins with the id of the transaction.',
    run: async (wallet, { asset_symbol, ...args }) =>
      withId(wallet, await pay(wallet, { ...args, asset: asset_symbol, broadcast: true })),
  }),
  transfer3: command({
    params: { ...PAYMENT, ...FEE_AND_BROADCAST },
    result: 'pair<transaction_id,signed_transaction>',
    acts: true,
    help: 'As transfer, with the fee in any asset; the answer begins with the id of the transaction.',
    run: async (wallet, { asset_symbol, fee_asset_symbol, ...args }) =>
      withId(wallet, await pay(wallet, { ...args, asset: asset_symbol, fee: fee_asset_symbol })),
  }),
} satisfies CommandTable;

async function actWithFee(
  wallet: Wallet,
  operation: Parameters<typeof act>[1][number],
  fee: string,
  broadcast: boolean,
): Promise<Json> {
  return act(wallet, [operation], { feeAsset: await feeAsset(wallet, fee), broadcast });
}

export const assetCommands = {
  create_asset: command({
    params: { issuer: text, symbol: text, precision: u8, options: assetOptions, ...FEE_AND_BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Makes a new asset. In its core_exchange_rate the new asset stands as 1.3.2.',
    examples: [
      'create_asset "alice" "MYTOK" 4 {"max_supply":"100000000000","core_exchange_rate":{"base":{"amount":1,"asset_id":"1.3.1"},"quote":{"amount":1,"asset_id":"1.3.2"}}} "GXC" true',
    ],
    run: async (wallet, { issuer, symbol, precision, options, fee_asset_symbol, broadcast }) => {
      const account = await wallet.chain.account(issuer);
      check((await wallet.chain.findAsset(symbol)) === undefined, CHECK_ERRORS.asset_exists);
      const operation = operationOf(assetCreateOperation, {
        issuer: account.id,
        symbol,
        precision,
        common_options: options,
      });
      return actWithFee(wallet, operation, fee_asset_symbol, broadcast);
    },
  }),
  update_asset: command({
    params: { symbol: text, new_issuer: optional(text), new_options: assetOptions, ...FEE_AND_BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Changes the options of an asset, and with a name its issuer.',
    run: async (wallet, { symbol, new_issuer, new_options, fee_asset_symbol, broadcast }) => {
      const asset = await wallet.chain.asset(symbol, LOOKUP_ERRORS.asset_update_unknown);
      const issuer = new_issuer === undefined ? undefined : (await wallet.chain.account(new_issuer)).id;
      const operation = operationOf(assetUpdateOperation, {
        issuer: asset.issuer,
        asset_to_update: asset.id,
        new_issuer: issuer,
        new_options,
      });
      return actWithFee(wallet, operation, fee_asset_symbol, broadcast);
    },
  }),
  issue_asset: command({
    params: { to_account: text, amount: text, symbol: text, memo: text, ...FEE_AND_BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Makes new units of an asset for an account. The issuer signs.',
    run: async (wallet, { to_account, amount, symbol, memo, fee_asset_symbol, broadcast }) => {
      const asset = await wallet.chain.asset(symbol);
      const to = await wallet.chain.account(to_account);
      const issuer = await wallet.chain.accountById(asset.issuer);
      const operation = operationOf(assetIssueOperation, {
        issuer: issuer.id,
        asset_to_issue: makeAsset(parseAmount(amount, asset), asset.id),
        issue_to_account: to.id,
        memo: memoFor(wallet, issuer, to, memo),
      });
      return actWithFee(wallet, operation, fee_asset_symbol, broadcast);
    },
  }),
  reserve_asset: command({
    params: { from: text, amount: text, symbol: text, ...FEE_AND_BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Takes units of an asset out of circulation for ever.',
    run: async (wallet, { from, amount, symbol, fee_asset_symbol, broadcast }) => {
      const account = await wallet.chain.account(from);
      const asset = await wallet.chain.asset(symbol, LOOKUP_ERRORS.asset_update_unknown);
      const operation = operationOf(assetReserveOperation, {
        payer: account.id,
        amount_to_reserve: makeAsset(parseAmount(amount, asset), asset.id),
      });
      return actWithFee(wallet, operation, fee_asset_symbol, broadcast);
    },
  }),
  fund_asset_fee_pool: command({
    params: { from: text, symbol: text, amount: text, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Gives core asset to the pool from which fees paid in an asset are exchanged.',
    run: async (wallet, { from, symbol, amount, broadcast }) => {
      const account = await wallet.chain.account(from);
      const asset = await wallet.chain.asset(symbol, LOOKUP_ERRORS.asset_pool_unknown);
      const core = await wallet.chain.assetById(wallet.chain.coreAssetAt((await wallet.chain.dynamic()).time));
      const operation = operationOf(assetFundFeePoolOperation, {
        from_account: account.id,
        asset_id: asset.id,
        amount: parseAmount(amount, core),
      });
      return act(wallet, [operation], { broadcast });
    },
  }),
  get_asset: command({
    params: { asset_name_or_id: text },
    result: 'asset_object',
    help: 'An asset by symbol or id.',
    run: async (wallet, { asset_name_or_id }) => (await wallet.chain.asset(asset_name_or_id)).json,
  }),
  list_assets: command({
    params: { lowerbound: text, limit: u32 },
    result: 'vector<asset_object>',
    help: 'Assets from a symbol on, in the order of their symbols.',
    run: (wallet, { lowerbound, limit }) => wallet.chain.ask('list_assets', lowerbound, limit),
  }),
  get_asset_count: command({
    params: {},
    result: 'uint64',
    help: 'How many assets there are.',
    run: (wallet) => wallet.chain.ask('get_asset_count'),
  }),
} satisfies CommandTable;
