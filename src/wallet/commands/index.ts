import type { Json } from '../../codec/json.js';
import type { Wallet } from '../wallet.js';
import { accountCommands } from './accounts.js';
import { assetCommands, transferCommands } from './assets.js';
import { chainCommands } from './chain.js';
import { contractCommands } from './contracts.js';
import { dataExchangeCommands } from './data-exchange.js';
import { dataMarketCommands } from './data-market/index.js';
import { type AnyCommand, type CommandTable, findCommand, readArguments } from './define.js';
import { generalCommands } from './general.js';
import { helpCommands } from './help.js';
import { historyCommands } from './history.js';
import { keyCommands } from './keys.js';
import { proposalCommands } from './proposals.js';
import { sendingCommands } from './sending.js';
import { signingCommands } from './signing.js';
import { stealthCommands } from './stealth.js';
import { testCommands } from './test-helpers.js';
import { transactionCommands } from './transactions.js';
import { trustNodeCommands } from './trust-nodes.js';

/** By what they are about. */
export const COMMAND_GROUPS: readonly (readonly [title: string, table: CommandTable])[] = [
  ['Help', helpCommands(() => COMMANDS)],
  ['Wallet', generalCommands],
  ['Keys and memos', keyCommands],
  ['Accounts', accountCommands],
  ['Transfers', transferCommands],
  ['Assets', assetCommands],
  ['Chain', chainCommands],
  ['Histories', historyCommands],
  ['Contracts', contractCommands],
  ['Transactions', transactionCommands],
  ['Sent transactions', sendingCommands],
  ['Several signers', signingCommands],
  ['Trust nodes, votes and staking', trustNodeCommands],
  ['Proposals', proposalCommands],
  ['Data market', dataMarketCommands],
  ['Data exchange', dataExchangeCommands],
  ['Blinded balances', stealthCommands],
  ['Trials', testCommands],
];

export const COMMANDS: CommandTable = Object.fromEntries(COMMAND_GROUPS.flatMap(([, table]) => Object.entries(table)));

export interface Answer {
  readonly command: AnyCommand;
  readonly result: Json;
  /** What the prompt prints. */
  show(): Promise<string | undefined>;
}

/** Runs one command, whichever way it came in. */
export async function runCommand(wallet: Wallet, name: string, given: readonly Json[]): Promise<Answer> {
  const command = findCommand(COMMANDS, name);
  const args = readArguments(name, command, given, wallet.network);
  const result = await command.run(wallet, args);
  return { command, result, show: async () => command.show?.(wallet, result, args) };
}
