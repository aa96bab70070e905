import { writeFileSync } from 'node:fs';
import { fromHex, toHex } from '../../base/bytes.js';
import { encodeWith } from '../../codec/binary.js';
import { signatureDigest, transactionId } from '../../crypto/digests.js';
import { sha256 } from '../../crypto/hash.js';
import { publicKeyToText } from '../../crypto/public-key.js';
import { signatureBackend } from '../../crypto/signature.js';
import '../../operations/index.js';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import { keyPrefix } from '../../protocol/networks.js';
import { type SignedTransaction, signedTransaction, transaction } from '../../protocol/transaction.js';
import type { Command } from '../command.js';
import { applyPrefix, print, readJson, readPrivateKey, textOf } from './input.js';

export const SIGN_ERRORS = defineErrors({
  signer_mismatch: { ...FAMILY.invalidArgument, text: 'signature is by ${actual}, not by ${expected}' },
});

const messageDigest = (message: string): Uint8Array => sha256(new TextEncoder().encode(message));

export const signMessageCommand: Command = {
  command: 'sign-message <message>',
  describe: 'Sign the sha256 of a text',
  builder: (yargs) =>
    yargs.positional('message', { type: 'string', demandOption: true }).option('wif', {
      type: 'string',
      demandOption: true,
      describe: 'Private key; - reads it from the standard input',
    }),
  handler: (args) => {
    applyPrefix(args);
    const key = readPrivateKey(textOf(args, 'wif'));
    const signature = signatureBackend().sign(messageDigest(textOf(args, 'message')), key);
    print(args, { signature: toHex(signature), public_key: publicKeyToText(key.publicKey, keyPrefix()) });
  },
};

export const verifyMessageCommand: Command = {
  command: 'verify-message <signature> <message>',
  describe: 'Who signed this text? With --public-key the exit code answers',
  builder: (yargs) =>
    yargs
      .positional('signature', { type: 'string', demandOption: true })
      .positional('message', { type: 'string', demandOption: true })
      .option('public-key', { type: 'string', describe: 'Fail unless it was this key' }),
  handler: (args) => {
    applyPrefix(args);
    const digest = messageDigest(textOf(args, 'message'));
    const signer = signatureBackend().recover(digest, fromHex(textOf(args, 'signature')));
    const actual = publicKeyToText(signer, keyPrefix());
    const expected = textOf(args, 'publicKey');
    check(expected === '' || expected === actual, SIGN_ERRORS.signer_mismatch, { actual, expected });
    print(args, { public_key: actual });
  },
};

const digestOf = (chainId: string, tx: SignedTransaction): Uint8Array =>
  encodeWith(transaction, tx, (bytes) => signatureDigest(chainId, bytes));

export const signTransactionCommand: Command = {
  command: 'sign-transaction <file>',
  describe: 'Add signatures to a transaction in a JSON file; - reads it from the standard input',
  builder: (yargs) =>
    yargs
      .positional('file', { type: 'string', demandOption: true })
      .option('wif', { type: 'string', array: true, demandOption: true, describe: 'Private key; may be repeated' })
      .option('chain-id', { type: 'string', demandOption: true })
      .option('out', { type: 'string', describe: 'Write the signed transaction to this file' }),
  handler: (args) => {
    applyPrefix(args);
    const tx = signedTransaction.fromJson(readJson(textOf(args, 'file')));
    const digest = digestOf(textOf(args, 'chainId'), tx);
    for (const wif of args.wif as readonly string[]) {
      tx.signatures.push(signatureBackend().sign(digest, readPrivateKey(wif)));
    }
    const signed = signedTransaction.toJson(tx);
    const out = textOf(args, 'out');
    if (out !== '') writeFileSync(out, `${JSON.stringify(signed)}\n`);
    const id = encodeWith(transaction, tx, transactionId);
    if (out !== '') print(args, { id, file: out });
    else process.stdout.write(`${JSON.stringify(signed, null, args.json === true ? undefined : 2)}\n`);
  },
};

export const verifyTransactionCommand: Command = {
  command: 'verify-transaction <file>',
  describe: 'Id and signing keys of a transaction in a JSON file; - reads it from the standard input',
  builder: (yargs) =>
    yargs
      .positional('file', { type: 'string', demandOption: true })
      .option('chain-id', { type: 'string', demandOption: true }),
  handler: (args) => {
    applyPrefix(args);
    const tx = signedTransaction.fromJson(readJson(textOf(args, 'file')));
    const digest = digestOf(textOf(args, 'chainId'), tx);
    const signers = tx.signatures.map((signature) => signatureBackend().recover(digest, signature));
    print(args, {
      id: encodeWith(transaction, tx, transactionId),
      signed_by: signers.map((key) => publicKeyToText(key, keyPrefix())),
    });
  },
};
