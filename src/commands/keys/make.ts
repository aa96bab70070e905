import { randomBytes } from 'node:crypto';
import type { ArgumentsCamelCase } from 'yargs';
import { check } from '../../base/errors.js';
import { addressOfKey, addressToText } from '../../crypto/address.js';
import { type BrainKeyForm, brainKeyToPrivateKey, normalizeBrainKey, suggestBrainKey } from '../../crypto/brain-key.js';
import { PrivateKey } from '../../crypto/private-key.js';
import { publicKeyToText } from '../../crypto/public-key.js';
import type { Command } from '../command.js';
import { KEYS_ERRORS, networkOf, print, textOf } from './input.js';

function describeKey(key: PrivateKey, args: ArgumentsCamelCase): Record<string, unknown> {
  const { keyPrefix } = networkOf(args);
  return {
    wif: key.toWif(),
    public_key: publicKeyToText(key.publicKey, keyPrefix),
    address: addressToText(addressOfKey(key.publicKey), keyPrefix),
  };
}

export const newCommand: Command = {
  builder: (yargs) => yargs.option('count', { type: 'number', default: 1, describe: 'How many' }),
  handler: (args, terminal) => {
    for (let i = 0; i < Number(args.count); i++)
      print(terminal, args, describeKey(PrivateKey.fromBytes(randomSecret()), args));
  },
};

/** One in 2^128 draws is not a valid secret; it is drawn again instead of failing. */
function randomSecret(): Uint8Array {
  for (;;) {
    const secret = randomBytes(32);
    try {
      PrivateKey.fromBytes(secret);
      return secret;
    } catch {
      // Outside the order of the curve.
    }
  }
}

export const suggestCommand: Command = {
  builder: (yargs) => yargs,
  handler: (args, terminal) => {
    const words = suggestBrainKey((count) => randomBytes(count));
    print(terminal, args, { brain_key: words, ...describeKey(brainKeyToPrivateKey(words), args) });
  },
};

export const deriveCommand: Command = {
  builder: (yargs) =>
    yargs
      .positional('words', { type: 'string', demandOption: true })
      .option('sequence', { type: 'number', default: 0, describe: 'Number of the derived key' })
      .option('form', {
        choices: ['reference', 'client'] as const,
        default: 'reference' as const,
        describe: 'reference: words in upper case, as wallets do; client: as typed, as the JavaScript libraries do',
      }),
  handler: (args, terminal) => {
    const form = textOf(args, 'form') as BrainKeyForm;
    const words = textOf(args, 'words');
    check(normalizeBrainKey(words, form) !== '', KEYS_ERRORS.no_words);
    const key = brainKeyToPrivateKey(words, Number(args.sequence), form);
    print(terminal, args, {
      brain_key: normalizeBrainKey(words, form),
      sequence: Number(args.sequence),
      ...describeKey(key, args),
    });
  },
};
