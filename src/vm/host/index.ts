import type { ImportTypes } from '../validate.js';
import { ACTION_FUNCTIONS } from './action.js';
import { ASSET_FUNCTIONS } from './assets.js';
import { BUILTIN_FUNCTIONS } from './builtins.js';
import { CHAIN_FUNCTIONS } from './chain.js';
import { CRYPTO_FUNCTIONS } from './crypto.js';
import { PRIMARY_FUNCTIONS, SECONDARY_FUNCTIONS } from './database.js';
import type { HostFunction } from './define.js';
import { MEMORY_FUNCTIONS } from './memory.js';
import { PRINT_FUNCTIONS } from './print.js';
import { SYSTEM_FUNCTIONS } from './system.js';
import { TRANSACTION_FUNCTIONS } from './transaction.js';

/** All functions that a contract can import from `env`. */
export const HOST_FUNCTIONS: ReadonlyMap<string, HostFunction> = new Map(
  [
    ...ACTION_FUNCTIONS,
    ...TRANSACTION_FUNCTIONS,
    ...CHAIN_FUNCTIONS,
    ...ASSET_FUNCTIONS,
    ...CRYPTO_FUNCTIONS,
    ...SYSTEM_FUNCTIONS,
    ...MEMORY_FUNCTIONS,
    ...PRINT_FUNCTIONS,
    ...PRIMARY_FUNCTIONS,
    ...SECONDARY_FUNCTIONS,
    ...BUILTIN_FUNCTIONS,
  ].map((definition) => [definition.name, definition]),
);

export const HOST_TYPES: ImportTypes = new Map([...HOST_FUNCTIONS].map(([name, { type }]) => [name, type]));
