import type { CommandGroup } from '../command.js';

export const genesisCommands: CommandGroup = {
  members: [
    {
      command: 'create <file>',
      describe: 'Make a folder with all that a private network needs, or a genesis file with its keys',
      load: async () => (await import('./create.js')).createCommand,
    },
    {
      command: 'claim <file>',
      describe: 'Sign the claims of all balances in a genesis file, for the first block (start --first-transactions)',
      load: async () => (await import('./claim.js')).claimCommand,
    },
    {
      command: 'check <file>',
      describe:
        'Begin a chain with a genesis file in memory; print its id, counts and supply, or the field that is wrong',
      load: async () => (await import('./check.js')).checkCommand,
    },
  ],
};
