import { givenOptions } from '../../config/command-line.js';
import { resolveOptions } from '../../config/load.js';
import { WALLET_OPTIONS } from '../../wallet/options.js';

export type WalletOptions = ReturnType<typeof readOptions>;

export const readOptions = (args: Readonly<Record<string, unknown>>) =>
  resolveOptions(WALLET_OPTIONS, givenOptions(args, WALLET_OPTIONS), new Map());
