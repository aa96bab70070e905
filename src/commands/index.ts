import type { Command } from './command.js';
import { keysCommand } from './keys/index.js';

/** In the order of `trustnode --help`. */
export const COMMANDS: readonly Command[] = [keysCommand];
