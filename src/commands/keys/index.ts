import { type CommandGroup, jsonAndPrefix } from '../command.js';
import { BINARY_KINDS } from './kinds.js';

export const keysCommands: CommandGroup = {
  options: jsonAndPrefix('Text in front of public keys and addresses'),
  members: [
    {
      command: 'new',
      describe: 'Make a new random key pair',
      load: async () => (await import('./make.js')).newCommand,
    },
    {
      command: 'suggest-brain-key',
      describe: 'Suggest words from which keys can be derived, with their first key',
      load: async () => (await import('./make.js')).suggestCommand,
    },
    {
      command: 'derive <words>',
      describe: 'Derive the key of a brain key',
      load: async () => (await import('./make.js')).deriveCommand,
    },
    {
      command: 'show <wif>',
      describe: 'Public key and addresses of a private key; - reads it from the standard input',
      load: async () => (await import('./show.js')).showCommand,
    },
    {
      command: 'open <file>',
      describe: 'Private key of a key file that the page of a market has saved; asks for its password',
      load: async () => (await import('./open.js')).openCommand,
    },
    {
      command: 'sign-message <message>',
      describe: 'Sign the sha256 of a text',
      load: async () => (await import('./sign-message.js')).signMessageCommand,
    },
    {
      command: 'verify-message <signature> <message>',
      describe: 'Who signed this text? With --public-key the exit code answers',
      load: async () => (await import('./sign-message.js')).verifyMessageCommand,
    },
    {
      command: 'sign-transaction <file>',
      describe: 'Add signatures to a transaction in a JSON file; - reads it from the standard input',
      load: async () => (await import('./sign-transaction.js')).signTransactionCommand,
    },
    {
      command: 'verify-transaction <file>',
      describe: 'Id and signing keys of a transaction in a JSON file; - reads it from the standard input',
      load: async () => (await import('./sign-transaction.js')).verifyTransactionCommand,
    },
    {
      command: 'decode <kind> <hex>',
      describe: `From bytes to JSON: ${BINARY_KINDS.join(', ')}; the hex may be in a file, or - for the standard input`,
      load: async () => (await import('./convert.js')).decodeCommand,
    },
    {
      command: 'encode <kind> <file>',
      describe: 'From a JSON file to hex; - reads the standard input',
      load: async () => (await import('./convert.js')).encodeCommand,
    },
  ],
};
