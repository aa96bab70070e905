import { type CommandGroup, jsonAndPrefix } from '../command.js';

const abiCommands: CommandGroup = {
  members: [
    {
      command: 'check <file>',
      describe: 'Would the ABI work? The exit code answers; the chain itself refuses only one without actions',
      load: async () => (await import('./abi.js')).checkCommand,
    },
    {
      command: 'to-hex <file>',
      describe: 'The ABI as operations carry it',
      load: async () => (await import('./abi.js')).toHexCommand,
    },
    {
      command: 'from-hex <hex>',
      describe: 'Back to JSON; - reads the standard input',
      load: async () => (await import('./abi.js')).fromHexCommand,
    },
  ],
};

export const contractCommands: CommandGroup = {
  options: jsonAndPrefix('Text in front of public keys'),
  members: [
    {
      command: 'new <name> [folder]',
      describe: 'A project for a contract: source, build, test, and a loop that does both after each change',
      load: async () => (await import('./new.js')).newCommand,
    },
    {
      command: 'inspect <file>',
      describe: 'What is in a .wasm file, and would the chain take it? The exit code answers',
      load: async () => (await import('./inspect.js')).inspectCommand,
    },
    {
      command: 'abi <what>',
      describe: 'Check an ABI, turn it into bytes and back',
      load: async () => abiCommands,
    },
    {
      command: 'pack <abi> <name> [args]',
      describe: 'Arguments of an action from JSON to hex; - reads them from the standard input',
      load: async () => (await import('./arguments.js')).packCommand,
    },
    {
      command: 'unpack <abi> <name> <hex>',
      describe: 'Arguments of an action, or a row of a table with --by-type, from hex to JSON',
      load: async () => (await import('./arguments.js')).unpackCommand,
    },
    {
      command: 'profile <contract> <method> [args]',
      describe: 'Run a call on the state of a data directory, show where its instructions go, and forget it',
      appliesBlocks: true,
      load: async () => (await import('./profile.js')).profileCommand,
    },
  ],
};
