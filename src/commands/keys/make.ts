import { randomBytes } from 'node:crypto';
import { addressesOfKey, addressOfKey, addressToText } from '../../crypto/address.js';
import { type BrainKeyForm, brainKeyToPrivateKey, normalizeBrainKey, suggestBrainKey } from '../../crypto/brain-key.js';
import { PrivateKey } from '../../crypto/private-key.js';
import { publicKeyToText } from '../../crypto/public-key.js';
import { keyPrefix } from '../../protocol/networks.js';
import type { Command } from '../command.js';
import { applyPrefix, print, readPrivateKey, textOf } from './input.js';

function describeKey(key: PrivateKey): Record<string, unknown> {
  return {
    wif: key.toWif(),
    public_key: publicKeyToText(key.publicKey, keyPrefix()),
    address: addressToText(addressOfKey(key.publicKey), keyPrefix()),
  };
}

export const newCommand: Command = {
  command: 'new',
  describe: 'Make a new random key pair',
  builder: (yargs) => yargs.option('count', { type: 'number', default: 1, describe: 'How many' }),
  handler: (args) => {
    applyPrefix(args);
    for (let i = 0; i < Number(args.count); i++) print(args, describeKey(PrivateKey.fromBytes(randomSecret())));
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
  command: 'suggest-brain-key',
  describe: 'Suggest words from which keys can be derived, with their first key',
  builder: (yargs) => yargs,
  handler: (args) => {
    applyPrefix(args);
    const words = suggestBrainKey((count) => randomBytes(count));
    print(args, { brain_key: words, ...describeKey(brainKeyToPrivateKey(words)) });
  },
};

export const deriveCommand: Command = {
  command: 'derive <words>',
  describe: 'Derive the key of a brain key',
  builder: (yargs) =>
    yargs
      .positional('words', { type: 'string', demandOption: true })
      .option('sequence', { type: 'number', default: 0, describe: 'Number of the derived key' })
      .option('form', {
        choices: ['reference', 'client'] as const,
        default: 'reference' as const,
        describe: 'reference: words in upper case, as wallets do; client: as typed, as the JavaScript libraries do',
      }),
  handler: (args) => {
    applyPrefix(args);
    const form = textOf(args, 'form') as BrainKeyForm;
    const words = textOf(args, 'words');
    const key = brainKeyToPrivateKey(words, Number(args.sequence), form);
    print(args, { brain_key: normalizeBrainKey(words, form), sequence: Number(args.sequence), ...describeKey(key) });
  },
};

export const showCommand: Command = {
  command: 'show <wif>',
  describe: 'Public key and addresses of a private key; - reads it from the standard input',
  builder: (yargs) => yargs.positional('wif', { type: 'string', demandOption: true }),
  handler: (args) => {
    applyPrefix(args);
    const key = readPrivateKey(textOf(args, 'wif'));
    print(args, {
      public_key: publicKeyToText(key.publicKey, keyPrefix()),
      public_key_hex: key.publicKey,
      addresses: addressesOfKey(key.publicKey).map((address) => addressToText(address, keyPrefix())),
    });
  },
};
