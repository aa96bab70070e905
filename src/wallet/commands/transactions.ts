import { toHex } from '../../base/bytes.js';
import { check, fail } from '../../base/errors.js';
import { prettyAmount } from '../../client/amounts.js';
import { declarationByName, operationOf } from '../../client/operations.js';
import { digestOf } from '../../client/signing.js';
import { encode } from '../../codec/binary.js';
import { text, time, u16, u32 } from '../../codec/scalars.js';
import { encodeText } from '../../codec/text.js';
import { signatureBackend } from '../../crypto/signature.js';
import { asset, multiplyByPrice } from '../../protocol/asset.js';
import { coreTarget, type FeeTarget } from '../../protocol/fee-target.js';
import { publicKey } from '../../protocol/keys.js';
import { operation } from '../../protocol/operation-slot.js';
import { customOperation } from '../../protocol/operations/accounts.js';
import { proposalCreateOperation } from '../../protocol/operations/governance.js';
import { proxyRequestDigest, proxyTransferParams } from '../../protocol/proxy-transfer.js';
import { signedTransaction, transaction } from '../../protocol/transaction.js';
import type { AssetView } from '../chain-view.js';
import { BUILDER_ERRORS, CHECK_ERRORS, KEYSTORE_ERRORS } from '../errors.js';
import { feeTarget, totalFee, withFees } from '../fees.js';
import { asObject } from '../node-link.js';
import { emptyTransaction, idOf } from '../transactions.js';
import type { Wallet } from '../wallet.js';
import { act, BROADCAST, FEE_AND_BROADCAST, feeAsset, SIGNED_TRANSACTION, transactionJson, withId } from './common.js';
import { type CommandTable, command } from './define.js';

const HANDLE = { transaction_handle: u16 } as const;

/** The core asset one to one, whatever rate is stored with it. */
async function builderTarget(wallet: Wallet, paidIn: AssetView): Promise<FeeTarget> {
  const core = wallet.chain.coreAssetAt((await wallet.chain.dynamic()).time);
  return paidIn.id === core ? coreTarget(core) : feeTarget(core, paidIn.options.core_exchange_rate);
}

/** A fee in another asset is exchanged by the chain from a pool: what is not there cannot be exchanged. */
async function checkPool(wallet: Wallet, paidIn: AssetView, target: FeeTarget, total: bigint): Promise<void> {
  if (paidIn.id === target.core) return;
  const dynamic = asObject(await wallet.chain.object(paidIn.dynamic_asset_data_id), 'get_objects');
  const pool = BigInt(String(dynamic.fee_pool));
  const inCore = multiplyByPrice({ amount: total, asset_id: paidIn.id }, target.rate).amount;
  check(inCore <= pool, BUILDER_ERRORS.builder_fee_pool, {
    asset: paidIn.symbol,
    fee: prettyAmount(total, paidIn),
    pool,
  });
}

async function propose(
  wallet: Wallet,
  handle: number,
  payer: number,
  expiration: number,
  review: number,
  broadcast: boolean,
) {
  const built = wallet.builders.get(handle);
  const proposal = operationOf(proposalCreateOperation, {
    fee_paying_account: payer,
    expiration_time: expiration,
    proposed_ops: built.operations.map((op) => ({ op })),
    review_period_seconds: review > 0 ? review : undefined,
  });
  const { current_fees } = await wallet.chain.parameters();
  const priced = withFees(wallet.world.rules, [proposal], current_fees, await wallet.transactions.feeTarget());
  const signed = await wallet.transactions.sign(emptyTransaction(priced), { broadcast });
  // Quirk: the builder then holds the proposal.
  wallet.builders.set(handle, signed);
  return transactionJson(wallet, signed);
}

export const transactionCommands = {
  begin_builder_transaction: command({
    params: {},
    result: 'uint16',
    help: 'Begins a transaction and answers its number, by which the other builder commands name it.',
    run: (wallet) => wallet.builders.begin(),
  }),
  add_operation_to_builder_transaction: command({
    params: { ...HANDLE, op: operation },
    result: 'null',
    help: 'Adds an operation: [0,{"from":"1.2.17",…}]. get_prototype_operation shows what one is made of.',
    run: (wallet, { transaction_handle, op }) => {
      wallet.builders.add(transaction_handle, op);
      return null;
    },
  }),
  replace_operation_in_builder_transaction: command({
    params: { handle: u16, operation_index: u32, new_op: operation },
    result: 'null',
    help: 'Puts another operation in the place of one, counted from 0.',
    run: (wallet, { handle, operation_index, new_op }) => {
      wallet.builders.replace(handle, operation_index, new_op);
      return null;
    },
  }),
  set_fees_on_builder_transaction: command({
    params: { handle: u16, fee_asset: text },
    result: 'asset',
    help: 'Sets the fees of all operations in one asset and answers their sum.',
    run: async (wallet, { handle, fee_asset }) => {
      const built = wallet.builders.get(handle);
      const paidIn = await feeAsset(wallet, fee_asset);
      const target = await builderTarget(wallet, paidIn);
      const { current_fees } = await wallet.chain.parameters();
      const operations = withFees(wallet.world.rules, built.operations, current_fees, target);
      const total = totalFee(operations, paidIn.id);
      await checkPool(wallet, paidIn, target, total.amount);
      wallet.builders.set(handle, { ...built, operations });
      return asset.toJson(total);
    },
  }),
  preview_builder_transaction: command({
    params: { handle: u16 },
    result: 'transaction',
    help: 'The transaction as it stands.',
    run: (wallet, { handle }) => transaction.toJson(wallet.builders.get(handle), wallet.network),
  }),
  sign_builder_transaction: command({
    params: { ...HANDLE, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Signs a transaction with the keys that it needs, and sends it if so wanted.',
    run: async (wallet, { transaction_handle, broadcast }) => {
      const signed = await wallet.transactions.sign(wallet.builders.get(transaction_handle), { broadcast });
      wallet.builders.set(transaction_handle, signed);
      return transactionJson(wallet, signed);
    },
  }),
  propose_builder_transaction: command({
    params: { handle: u16, expiration: time, review_period_seconds: u32, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'As propose_builder_transaction2, but account 1.2.0 pays: use the other one.',
    run: (wallet, { handle, expiration, review_period_seconds, broadcast }) =>
      propose(wallet, handle, 0, expiration, review_period_seconds, broadcast),
  }),
  propose_builder_transaction2: command({
    params: {
      handle: u16,
      account_name_or_id: text,
      expiration: time,
      review_period_seconds: u32,
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Proposes the operations of a transaction to those who must approve them; the account pays the fee.',
    run: async (wallet, { handle, account_name_or_id, expiration, review_period_seconds, broadcast }) => {
      const payer = (await wallet.chain.account(account_name_or_id)).id;
      return propose(wallet, handle, payer, expiration, review_period_seconds, broadcast);
    },
  }),
  remove_builder_transaction: command({
    params: { handle: u16 },
    result: 'null',
    help: 'Forgets a transaction that was being built.',
    run: (wallet, { handle }) => {
      wallet.builders.remove(handle);
      return null;
    },
  }),
  broadcast_transaction: command({
    params: { tx: signedTransaction },
    result: 'pair<transaction_id,signed_transaction>',
    acts: true,
    help: 'Sends a signed transaction. The same one again is never a second payment.',
    run: async (wallet, { tx }) => {
      await wallet.transactions.broadcast(tx);
      return withId(wallet, tx);
    },
  }),
  get_transaction_id: command({
    params: { tx: signedTransaction },
    result: 'transaction_id',
    help: 'The id of a transaction; its signatures do not count.',
    run: (_, { tx }) => idOf(tx),
  }),
  serialize_transaction: command({
    params: { tx: signedTransaction },
    result: 'string',
    help: 'The bytes of a transaction with its signatures, as hex.',
    run: (_, { tx }) => toHex(encode(signedTransaction, tx)),
  }),
  sign_transaction: command({
    params: { tx: signedTransaction, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Gives a transaction a new block and expiry and signs it; signatures that it had are dropped.',
    run: async (wallet, { tx, broadcast }) =>
      transactionJson(wallet, await wallet.transactions.sign(tx, { broadcast })),
  }),
  verify_transaction_signature: command({
    params: { trx: signedTransaction, pub_key: publicKey },
    result: 'bool',
    help: 'Whether a transaction carries the signature of a key.',
    run: (wallet, { trx, pub_key }) => {
      const digest = digestOf(trx, wallet.chainId);
      return trx.signatures.some((one) => signatureBackend().recover(digest, one) === pub_key);
    },
  }),
  get_prototype_operation: command({
    params: { operation_type: text },
    result: 'operation',
    help: 'An operation with all its members at their defaults: transfer_operation.',
    run: (wallet, { operation_type }) => {
      const found = /^(\w+)_operation$/.exec(operation_type)?.[1];
      const definition = found === undefined ? undefined : declarationByName(found);
      if (definition === undefined) return fail(CHECK_ERRORS.prototype_unknown, { operation_name: operation_type });
      return [definition.tag, definition.schema.toJson(definition.schema.default(), wallet.network)];
    },
  }),
  serialize_proxy_transfer_params: command({
    params: { params: proxyTransferParams },
    result: 'string',
    help: 'The bytes of a proxy transfer request, as hex.',
    run: (_, { params }) => toHex(encode(proxyTransferParams, params)),
  }),
  verify_proxy_transfer_signature: command({
    params: { params: proxyTransferParams, pub_key: publicKey },
    result: 'bool',
    help: 'Whether a proxy transfer request carries the signature of a key.',
    run: (_, { params, pub_key }) => {
      const digest = proxyRequestDigest(params);
      return params.signatures.some((one) => signatureBackend().recover(digest, one) === pub_key);
    },
  }),
  custom: command({
    params: { account: text, id: u16, data: text, ...FEE_AND_BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Puts a text of any meaning on the chain.',
    run: async (wallet, args) => {
      check(!wallet.ring.isLocked, KEYSTORE_ERRORS.wallet_locked_self);
      const payer = (await wallet.chain.account(args.account)).id;
      const made = operationOf(customOperation, { payer, id: args.id, data: encodeText(args.data) });
      return act(wallet, [made], {
        feeAsset: await feeAsset(wallet, args.fee_asset_symbol),
        broadcast: args.broadcast,
      });
    },
  }),
} satisfies CommandTable;
