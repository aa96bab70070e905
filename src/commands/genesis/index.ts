import type { Command } from '../command.js';
import { commandGroup } from '../group.js';
import { checkCommand } from './check.js';
import { createCommand } from './create.js';

const SUBCOMMANDS: readonly Command[] = [createCommand, checkCommand];

export const genesisCommand = commandGroup(
  { command: 'genesis <action>', describe: 'Make and check genesis files' },
  SUBCOMMANDS,
);
