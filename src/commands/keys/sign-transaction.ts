import { writeFileSync } from 'node:fs';
import { toHex } from '../../base/bytes.js';
import { encodeWith } from '../../codec/binary.js';
import { signatureDigest, transactionId } from '../../crypto/digests.js';
import { publicKeyToText } from '../../crypto/public-key.js';
import { signatureBackend } from '../../crypto/signature.js';
import '../../protocol/operations/index.js';
import { type SignedTransaction, signedTransaction, transaction } from '../../protocol/transaction.js';
import { guarded } from '../../storage/errors.js';
import type { Command } from '../command.js';
import { networkOf, print, readJson, readPrivateKey, textOf } from './input.js';

const digestOf = (chainId: string, tx: SignedTransaction): Uint8Array =>
  encodeWith(transaction, tx, (bytes) => signatureDigest(chainId, bytes));

export const signTransactionCommand: Command = {
  builder: (yargs) =>
    yargs
      .positional('file', { type: 'string', demandOption: true })
      .option('wif', {
        type: 'string',
        array: true,
        nargs: 1,
        demandOption: true,
        describe: 'Private key; may be repeated; - reads it from the standard input',
      })
      .option('chain-id', { type: 'string', demandOption: true })
      .option('out', { type: 'string', describe: 'Write the signed transaction to this file' }),
  handler: (args, terminal) => {
    const tx = signedTransaction.fromJson(readJson(terminal, textOf(args, 'file')), networkOf(args));
    const digest = digestOf(textOf(args, 'chainId'), tx);
    for (const wif of args.wif as readonly string[]) {
      const signature = signatureBackend().sign(digest, readPrivateKey(terminal, wif));
      // The chain refuses a transaction that a key has signed twice.
      if (!tx.signatures.some((one) => toHex(one) === toHex(signature))) tx.signatures.push(signature);
    }
    const signed = signedTransaction.toJson(tx, networkOf(args));
    const out = textOf(args, 'out');
    if (out !== '') guarded(out, () => writeFileSync(out, `${JSON.stringify(signed)}\n`));
    const id = encodeWith(transaction, tx, transactionId);
    if (out !== '') print(terminal, args, { id, file: out });
    else terminal.out(`${JSON.stringify(signed, null, args.json === true ? undefined : 2)}\n`);
  },
};

export const verifyTransactionCommand: Command = {
  builder: (yargs) =>
    yargs
      .positional('file', { type: 'string', demandOption: true })
      .option('chain-id', { type: 'string', demandOption: true }),
  handler: (args, terminal) => {
    const tx = signedTransaction.fromJson(readJson(terminal, textOf(args, 'file')), networkOf(args));
    const digest = digestOf(textOf(args, 'chainId'), tx);
    const signers = tx.signatures.map((signature) => signatureBackend().recover(digest, signature));
    print(terminal, args, {
      id: encodeWith(transaction, tx, transactionId),
      signed_by: signers.map((key) => publicKeyToText(key, networkOf(args).keyPrefix)),
    });
  },
};
