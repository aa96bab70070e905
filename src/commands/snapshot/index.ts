import type { CommandGroup } from '../command.js';

export const snapshotCommands: CommandGroup = {
  members: [
    {
      command: 'list <folder>',
      describe: 'List the snapshots and packed snapshots in a folder',
      load: async () => (await import('./list.js')).listCommand,
    },
    {
      command: 'verify <snapshot>',
      describe: 'Load a snapshot, packed or not, and print its block and state hash',
      load: async () => (await import('./verify.js')).verifyCommand,
    },
    {
      command: 'pack <snapshot> <file>',
      describe: 'Put a snapshot into one file that can be carried elsewhere',
      load: async () => (await import('./pack.js')).packCommand,
    },
    {
      command: 'restore <snapshot>',
      describe: 'Begin or go on with a snapshot: a folder, a packed file, or an address of one',
      load: async () => (await import('./restore.js')).restoreCommand,
    },
  ],
};
