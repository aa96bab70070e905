import { addressToText } from '../../crypto/address.js';
import { addressesOfKey } from '../../crypto/old-addresses.js';
import { publicKeyToText } from '../../crypto/public-key.js';
import type { Command } from '../command.js';
import { networkOf, print, readPrivateKey, textOf } from './input.js';

export const showCommand: Command = {
  builder: (yargs) => yargs.positional('wif', { type: 'string', demandOption: true }),
  handler: (args, terminal) => {
    const { keyPrefix } = networkOf(args);
    const key = readPrivateKey(terminal, textOf(args, 'wif'));
    print(terminal, args, {
      public_key: publicKeyToText(key.publicKey, keyPrefix),
      public_key_hex: key.publicKey,
      addresses: addressesOfKey(key.publicKey).map((address) => addressToText(address, keyPrefix)),
    });
  },
};
