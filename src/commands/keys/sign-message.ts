import { fromHex, toHex } from '../../base/bytes.js';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import { sha256 } from '../../crypto/hash.js';
import { publicKeyToText } from '../../crypto/public-key.js';
import { signatureBackend } from '../../crypto/signature.js';
import type { Command } from '../command.js';
import { networkOf, print, readPrivateKey, textOf } from './input.js';

export const SIGN_ERRORS = defineErrors({
  signer_mismatch: { ...FAMILY.invalidArgument, text: 'signature is by ${actual}, not by ${expected}' },
});

const messageDigest = (message: string): Uint8Array => sha256(new TextEncoder().encode(message));

export const signMessageCommand: Command = {
  builder: (yargs) =>
    yargs.positional('message', { type: 'string', demandOption: true }).option('wif', {
      type: 'string',
      demandOption: true,
      describe: 'Private key; - reads it from the standard input',
    }),
  handler: (args, terminal) => {
    const key = readPrivateKey(terminal, textOf(args, 'wif'));
    const signature = signatureBackend().sign(messageDigest(textOf(args, 'message')), key);
    print(terminal, args, {
      signature: toHex(signature),
      public_key: publicKeyToText(key.publicKey, networkOf(args).keyPrefix),
    });
  },
};

export const verifyMessageCommand: Command = {
  builder: (yargs) =>
    yargs
      .positional('signature', { type: 'string', demandOption: true })
      .positional('message', { type: 'string', demandOption: true })
      .option('public-key', { type: 'string', describe: 'Fail unless it was this key' }),
  handler: (args, terminal) => {
    const digest = messageDigest(textOf(args, 'message'));
    const signer = signatureBackend().recover(digest, fromHex(textOf(args, 'signature')));
    const actual = publicKeyToText(signer, networkOf(args).keyPrefix);
    const expected = textOf(args, 'publicKey');
    check(expected === '' || expected === actual, SIGN_ERRORS.signer_mismatch, { actual, expected });
    print(terminal, args, { public_key: actual });
  },
};
