import type { Command } from '../command.js';
import { commandGroup, jsonAndPrefix } from '../group.js';
import { abiCommand } from './abi.js';
import { packCommand, unpackCommand } from './arguments.js';
import { inspectCommand } from './inspect.js';
import { profileCommand } from './profile.js';

const SUBCOMMANDS: readonly Command[] = [inspectCommand, abiCommand, packCommand, unpackCommand, profileCommand];

export const contractCommand = commandGroup(
  { command: 'contract <action>', describe: 'Look into contracts: code, ABI, arguments, and what a call costs' },
  SUBCOMMANDS,
  jsonAndPrefix('Text in front of public keys'),
);
