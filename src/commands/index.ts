import type { Command } from './command.js';
import { keysCommand } from './keys/index.js';
import { startCommand } from './start.js';

/** In the order of `trustnode --help`. */
export const COMMANDS: readonly Command[] = [startCommand, keysCommand];
