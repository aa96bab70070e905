import type { CommandGroup } from '../command.js';

export const searchCommands: CommandGroup = {
  members: [
    {
      command: 'verify',
      describe:
        'Compare the search database with the blocks and the operation journal of a data directory, and mend it',
      load: async () => (await import('./verify.js')).verifyCommand,
    },
  ],
};
