import { ChainError, check } from '../../base/errors.js';
import { combineSignatures } from '../../client/signing.js';
import { array } from '../../codec/containers.js';
import { bool, time } from '../../codec/scalars.js';
import { compareKeysByAddress } from '../../crypto/address.js';
import { publicKey } from '../../protocol/keys.js';
import { type SignedTransaction, signedTransaction } from '../../protocol/transaction.js';
import { NODE_ERRORS, SIGNING_ERRORS } from '../errors.js';
import { requiredJson, requiredLines } from '../sending/authority-tree.js';
import { Describer } from '../text/operations.js';
import { explainOperations, memoReader, requiredOf, signersOf } from '../text/review.js';
import { idOf } from '../transactions.js';
import type { Wallet } from '../wallet.js';
import { SIGNED_TRANSACTION, transactionJson } from './common.js';
import { type CommandTable, command } from './define.js';

/**
 * A transaction that several must sign goes from one to the next as a file: prepared once, with an expiry that leaves
 * them time, signed by each, combined, sent.
 */

/** Whether the signatures are enough, as the node sees it; else what it says is missing. */
async function missing(wallet: Wallet, tx: SignedTransaction): Promise<string | undefined> {
  try {
    const isEnough = await wallet.chain.ask('verify_authority', transactionJson(wallet, tx));
    return isEnough === true ? undefined : 'signatures are missing';
  } catch (error) {
    if (error instanceof ChainError && error.row === NODE_ERRORS.node_refused) return error.message;
    throw error;
  }
}

export const signingCommands = {
  prepare_transaction: command({
    params: { tx: signedTransaction, expiration: time },
    result: SIGNED_TRANSACTION,
    help: 'Gives a transaction a block to build on and an expiry that leaves all who must sign it the time, and no signature yet.',
    examples: ['prepare_transaction {"operations":[]} "2027-01-01T12:00:00"'],
    run: async (wallet, { tx, expiration }) => {
      const block = await wallet.chain.irreversibleTapos(await wallet.chain.dynamic());
      return transactionJson(wallet, { ...tx, ...block, expiration, signatures: [] });
    },
  }),
  add_signatures: command({
    params: { tx: signedTransaction, broadcast: bool },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Adds the signatures that this wallet can give and that are still needed. Those that are there stay, and so does the id.',
    run: async (wallet, { tx, broadcast }) => {
      wallet.ring.requireUnlocked();
      const { time: now } = await wallet.chain.dynamic();
      check(tx.expiration > now, SIGNING_ERRORS.signing_expired, { expiration: time.toJson(tx.expiration) });
      const keys = await wallet.chain.signersOf(tx, (key) => wallet.ring.has(key));
      const signed = wallet.transactions.signWith(tx, keys);
      if (broadcast) await wallet.transactions.broadcast(signed);
      return transactionJson(wallet, signed);
    },
  }),
  combine_signatures: command({
    params: { transactions: array(signedTransaction) },
    result: SIGNED_TRANSACTION,
    help: 'Puts the signatures of copies of one transaction together.',
    run: (wallet, { transactions }) => transactionJson(wallet, combineSignatures(transactions)),
  }),
  review_transaction: command({
    params: { tx: signedTransaction },
    result: 'transaction_review',
    help: 'Tells in words what a transaction does and costs, who must sign it, who has, and whether that is enough.',
    run: async (wallet, { tx }) => {
      const describer = new Describer(wallet.chain, wallet.world.rules, memoReader(wallet));
      const operations: string[] = [];
      for (const operation of tx.operations) operations.push((await describer.describe(operation)).description);
      const lacking = await missing(wallet, tx);
      const keys = signersOf(wallet, tx).sort(compareKeysByAddress);
      return {
        id: idOf(tx),
        operations,
        details: await explainOperations(wallet, tx),
        expiration: time.toJson(tx.expiration),
        signed_by: keys.map((key) => publicKey.toJson(key, wallet.network)),
        required: (await requiredOf(wallet, tx)).map(requiredJson),
        is_complete: lacking === undefined,
        ...(lacking === undefined ? {} : { missing: lacking }),
      };
    },
    show: async (wallet, _, { tx }) => {
      const required = (await requiredOf(wallet, tx)).flatMap(requiredLines);
      return `${[...(await explainOperations(wallet, tx)), ...required, `expires at ${time.toJson(tx.expiration)}`].join('\n')}\n`;
    },
  }),
} satisfies CommandTable;
