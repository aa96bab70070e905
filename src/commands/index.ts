import type { Command } from './command.js';

/**
 * By the first word, in the order of `trustnode --help`. Each is loaded when it is called: making a key must not wait
 * for a contract engine and a database.
 */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./start.js')).startCommand,
  'state-hash': async () => (await import('./chain/state-hash.js')).stateHashCommand,
  'export-state': async () => (await import('./chain/export-state.js')).exportStateCommand,
  'import-blocks': async () => (await import('./chain/import-blocks.js')).importBlocksCommand,
  'export-blocks': async () => (await import('./chain/export-blocks.js')).exportBlocksCommand,
  genesis: async () => (await import('./genesis/index.js')).genesisCommand,
  keys: async () => (await import('./keys/index.js')).keysCommand,
  contract: async () => (await import('./contract/index.js')).contractCommand,
};
