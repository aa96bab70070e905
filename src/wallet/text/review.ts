import { readMemo } from '../../client/memos.js';
import { digestOf } from '../../client/signing.js';
import { time } from '../../codec/scalars.js';
import type { PublicKey } from '../../crypto/public-key.js';
import { signatureBackend } from '../../crypto/signature.js';
import type { SignedTransaction } from '../../protocol/transaction.js';
import { AuthorityTree, type RequiredNode, requiredLines } from '../sending/authority-tree.js';
import { idOf } from '../transactions.js';
import type { Wallet } from '../wallet.js';
import { Explainer } from './explain.js';
import type { ReadMemo } from './operations.js';

/** A whole transaction in plain words: what it does and costs, until when, who has signed and who has not. */

export const memoReader =
  (wallet: Wallet): ReadMemo =>
  (memo) =>
    wallet.ring.isLocked ? undefined : readMemo(memo, (key) => wallet.ring.find(key));

export const explainerOf = (wallet: Wallet): Explainer =>
  new Explainer(wallet.chain, wallet.world.rules, memoReader(wallet));

/** In the order of the signatures. */
export function signersOf(wallet: Wallet, tx: SignedTransaction): PublicKey[] {
  const digest = digestOf(tx, wallet.chainId);
  return tx.signatures.map((one) => signatureBackend().recover(digest, one));
}

export function requiredOf(wallet: Wallet, tx: SignedTransaction): Promise<RequiredNode[]> {
  const tree = new AuthorityTree(wallet.chain, { keys: signersOf(wallet, tx) });
  return tree.of(tx.operations, wallet.world.rules);
}

export async function explainOperations(wallet: Wallet, { operations }: SignedTransaction): Promise<string[]> {
  const explainer = explainerOf(wallet);
  const lines: string[] = [];
  for (const operation of operations) lines.push(...(await explainer.explain(operation)));
  return lines;
}

/** What somebody reads before saying yes. Whoever has to sign besides is named when signatures are missing. */
export async function previewText(wallet: Wallet, tx: SignedTransaction): Promise<string> {
  const lines = await explainOperations(wallet, tx);
  const required = await requiredOf(wallet, tx);
  const lacking = required.filter(({ isSatisfied }) => !isSatisfied);
  if (lacking.length > 0) lines.push('not signed by all who must:', ...lacking.flatMap(requiredLines));
  lines.push(`transaction ${idOf(tx)}, expires at ${String(time.toJson(tx.expiration))}`);
  return `${lines.join('\n')}\n`;
}
