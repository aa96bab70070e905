import { exportBlocksCommand } from './chain/export-blocks.js';
import { exportStateCommand } from './chain/export-state.js';
import { importBlocksCommand } from './chain/import-blocks.js';
import { stateHashCommand } from './chain/state-hash.js';
import type { Command } from './command.js';
import { contractCommand } from './contract/index.js';
import { genesisCommand } from './genesis/index.js';
import { keysCommand } from './keys/index.js';
import { startCommand } from './start.js';

/** In the order of `trustnode --help`. */
export const COMMANDS: readonly Command[] = [
  startCommand,
  stateHashCommand,
  exportStateCommand,
  importBlocksCommand,
  exportBlocksCommand,
  genesisCommand,
  keysCommand,
  contractCommand,
];
