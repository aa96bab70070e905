import { check } from '../../base/errors.js';
import { prettyAmount } from '../../client/amounts.js';
import { readMemo } from '../../client/memos.js';
import { array, pair } from '../../codec/containers.js';
import type { Json } from '../../codec/json.js';
import { text } from '../../codec/scalars.js';
import { asset } from '../../protocol/asset.js';
import { publicKey } from '../../protocol/keys.js';
import { assetIdText } from '../chain-view.js';
import { CHECK_ERRORS } from '../errors.js';
import { blindBrainKey } from '../keys/derived.js';
import { blindBalances, blindHistory, receive } from '../stealth/ledger.js';
import { receiptText } from '../stealth/outputs.js';
import { type BlindPayment, payBlind, payFromBlind, paymentJson, payToBlind } from '../stealth/payments.js';
import { type BlindReceipt, blindReceipt } from '../stealth/receipt.js';
import { Describer } from '../text/operations.js';
import { relativeTime } from '../text/relative-time.js';
import type { Wallet } from '../wallet.js';
import { showAmounts } from './accounts.js';
import { BROADCAST } from './common.js';
import { type CommandTable, command } from './define.js';
import { keyOrLabel } from './keys.js';

const finder = (wallet: Wallet) => (given: string) => keyOrLabel(wallet, given);

const labelled = (wallet: Wallet, isMine: boolean): Json =>
  wallet.data.labeled_keys
    .filter(({ key }) => !isMine || wallet.ring.has(key))
    .map(({ label, key }) => [label, publicKey.toJson(key, wallet.network)]);

const amountOf = async (wallet: Wallet, { amount, asset_id }: BlindReceipt['amount']): Promise<string> =>
  prettyAmount(amount, await wallet.chain.asset(assetIdText(asset_id)));

/** What the prompt shows of a payment: the operation in words, then every output with its receipt. */
const shown = new WeakMap<object, BlindPayment>();

async function showPayment(wallet: Wallet, result: Json): Promise<string> {
  const payment = shown.get(result as object);
  if (payment === undefined) return '';
  const describer = new Describer(wallet.chain, wallet.world.rules, (memo) =>
    readMemo(memo, (key) => wallet.ring.find(key)),
  );
  const [operation] = payment.trx.operations;
  const lines = [operation === undefined ? '' : `${(await describer.describe(operation)).description}\n`];
  for (const { label, memo, confirmation } of payment.outputs) {
    lines.push(`${await amountOf(wallet, memo.amount)} to  ${label}\n\t  receipt: ${receiptText(confirmation)}\n\n`);
  }
  return lines.join('');
}

function answer(wallet: Wallet, payment: BlindPayment): Json {
  const result = paymentJson(wallet, payment);
  shown.set(result as object, payment);
  return result;
}

const readReceipts = (wallet: Wallet, result: Json): BlindReceipt[] =>
  array(blindReceipt).fromJson(result, wallet.network);

export const stealthCommands = {
  create_blind_account: command({
    params: { label: text, brain_key: text },
    result: 'public_key',
    secret: ['brain_key'],
    acts: true,
    help: 'Makes a key for blinded balances from words, and gives it a label.',
    run: (wallet, { label, brain_key }) => {
      wallet.ring.requireUnlocked();
      const key = blindBrainKey(brain_key);
      const holder = wallet.keyOfLabel(label);
      check(holder === undefined || holder === key.publicKey, CHECK_ERRORS.blind_label_taken, { label });
      wallet.setLabel(key.publicKey, label);
      wallet.ring.add(key);
      wallet.save();
      return publicKey.toJson(key.publicKey, wallet.network);
    },
  }),
  get_blind_accounts: command({
    params: {},
    result: 'map<string,public_key>',
    help: 'All labels with their keys.',
    run: (wallet) => labelled(wallet, false),
  }),
  get_my_blind_accounts: command({
    params: {},
    result: 'map<string,public_key>',
    help: 'The labels whose private keys are here.',
    run: (wallet) => labelled(wallet, true),
  }),
  get_blind_balances: command({
    params: { key_or_label: text },
    result: 'vector<asset>',
    help: 'What blinded balances of a key hold, by asset.',
    run: async (wallet, { key_or_label }) => {
      const balances = await blindBalances(wallet, keyOrLabel(wallet, key_or_label));
      return balances.map((balance) => asset.toJson(balance));
    },
    show: showAmounts,
  }),
  blind_history: command({
    params: { key_or_account: text },
    result: 'vector<blind_receipt>',
    help: 'Receipts of a key, the newest first.',
    run: (wallet, { key_or_account }) =>
      array(blindReceipt).toJson(blindHistory(wallet, keyOrLabel(wallet, key_or_account)), wallet.network),
    show: async (wallet, result) => {
      const lines = [`WHEN${' '.repeat(11)}AMOUNT  FROM  =>  TO  MEMO\n${'='.repeat(84)}\n`];
      for (const { date, amount, from_label, to_label, memo } of readReceipts(wallet, result)) {
        const when = relativeTime(date, wallet.nowSec());
        lines.push(`${when}  ${await amountOf(wallet, amount)}  ${from_label}  =>  ${to_label}  ${memo}\n`);
      }
      return lines.join('');
    },
  }),
  receive_blind_transfer: command({
    params: { confirmation_receipt: text, opt_from: text, opt_memo: text },
    result: 'blind_receipt',
    acts: true,
    help: 'Takes a blinded balance by the receipt that its payer has handed over, with a label for the payer and a note.',
    run: (wallet, { confirmation_receipt, opt_from, opt_memo }) =>
      blindReceipt.toJson(receive(wallet, confirmation_receipt, opt_from, opt_memo), wallet.network),
    show: async (wallet, result) => {
      const { amount, from_label, to_label, memo } = blindReceipt.fromJson(result, wallet.network);
      return `${await amountOf(wallet, amount)}  ${from_label}  =>  ${to_label}  ${memo}\n`;
    },
  }),
  transfer_to_blind: command({
    params: { from_account_id_or_name: text, asset_symbol: text, to_amounts: array(pair(text, text)), ...BROADCAST },
    result: 'blind_confirmation',
    acts: true,
    help: 'Pays from an account into blinded balances, and answers the receipts to hand over.',
    examples: ['transfer_to_blind "alice" "GXC" [["label","10"],["GXC6…","2.5"]] true'],
    run: async (wallet, { from_account_id_or_name, asset_symbol, to_amounts, broadcast }) =>
      answer(
        wallet,
        await payToBlind(wallet, from_account_id_or_name, asset_symbol, to_amounts, broadcast, finder(wallet)),
      ),
    show: showPayment,
  }),
  blind_transfer: command({
    params: { from_key_or_label: text, to_key_or_label: text, amount: text, symbol: text, ...BROADCAST },
    result: 'blind_confirmation',
    acts: true,
    help: 'Pays from blinded balances into another one. The fee comes out of what is left.',
    run: async (wallet, { from_key_or_label, to_key_or_label, amount, symbol, broadcast }) =>
      answer(
        wallet,
        await payBlind(
          wallet,
          { from: from_key_or_label, to: to_key_or_label, amount, symbol, broadcast },
          finder(wallet),
        ),
      ),
    show: showPayment,
  }),
  transfer_from_blind: command({
    params: {
      from_blind_account_key_or_label: text,
      to_account_id_or_name: text,
      amount: text,
      symbol: text,
      ...BROADCAST,
    },
    result: 'blind_confirmation',
    acts: true,
    help: 'Pays from blinded balances to an account, where everybody sees the amount again.',
    run: async (wallet, { from_blind_account_key_or_label, to_account_id_or_name, amount, symbol, broadcast }) =>
      paymentJson(
        wallet,
        await payFromBlind(
          wallet,
          { from: from_blind_account_key_or_label, account: to_account_id_or_name, amount, symbol, broadcast },
          finder(wallet),
        ),
      ),
  }),
} satisfies CommandTable;
