import type { Command } from '../command.js';
import { commandGroup, jsonAndPrefix } from '../group.js';
import { decodeCommand, encodeCommand } from './convert.js';
import { deriveCommand, newCommand, showCommand, suggestCommand } from './make.js';
import { signMessageCommand, signTransactionCommand, verifyMessageCommand, verifyTransactionCommand } from './sign.js';

const SUBCOMMANDS: readonly Command[] = [
  newCommand,
  suggestCommand,
  deriveCommand,
  showCommand,
  signMessageCommand,
  verifyMessageCommand,
  signTransactionCommand,
  verifyTransactionCommand,
  decodeCommand,
  encodeCommand,
];

export const keysCommand = commandGroup(
  { command: 'keys <action>', describe: 'Make, show and use keys; sign, verify and decode transactions and blocks' },
  SUBCOMMANDS,
  jsonAndPrefix('Text in front of public keys and addresses'),
);
