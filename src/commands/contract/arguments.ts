import { fromHex, toHex } from '../../base/bytes.js';
import { type Json, parseJson } from '../../codec/json.js';
import { AbiCodec } from '../../vm/abi/abi-codec.js';
import type { Command } from '../command.js';
import { networkOf, readInput, textOf } from '../keys/input.js';
import type { Terminal } from '../terminal.js';
import { readAbi } from './abi.js';

/** JSON on the command line itself, in a file, or on the standard input; none at all for actions without arguments. */
export function readArguments(terminal: Terminal, given: unknown): Json {
  if (given === undefined) return {};
  const text = String(given);
  return parseJson(/^\s*[[{"\d]/.test(text) ? text : readInput(terminal, text));
}

const BY_TYPE = {
  type: 'boolean',
  default: false,
  describe: 'The name is that of a type or table of the ABI instead of an action',
} as const;

export const packCommand: Command = {
  builder: (yargs) =>
    yargs
      .positional('abi', { type: 'string', demandOption: true, describe: 'File' })
      .positional('name', { type: 'string', demandOption: true, describe: 'Action' })
      .positional('args', { type: 'string', describe: 'JSON, or a file; nothing for {}' })
      .option('by-type', BY_TYPE),
  handler: (args, terminal) => {
    const codec = new AbiCodec(readAbi(terminal, textOf(args, 'abi')), networkOf(args));
    const [name, json] = [textOf(args, 'name'), readArguments(terminal, args.args)];
    const hex = toHex(args.byType === true ? codec.pack(name, json) : codec.packAction(name, json));
    terminal.out(`${args.json === true ? JSON.stringify({ hex }) : hex}\n`);
  },
};

export const unpackCommand: Command = {
  builder: (yargs) =>
    yargs
      .positional('abi', { type: 'string', demandOption: true, describe: 'File' })
      .positional('name', { type: 'string', demandOption: true, describe: 'Action' })
      .positional('hex', { type: 'string', demandOption: true })
      .option('by-type', BY_TYPE),
  handler: (args, terminal) => {
    const codec = new AbiCodec(readAbi(terminal, textOf(args, 'abi')), networkOf(args));
    const name = textOf(args, 'name');
    const given = textOf(args, 'hex');
    const bytes = fromHex(/^(?:[0-9a-fA-F]{2})*$/.test(given) ? given : readInput(terminal, given).trim());
    const json = args.byType === true ? codec.unpack(name, bytes) : codec.unpackAction(name, bytes);
    terminal.out(`${JSON.stringify(json, null, args.json === true ? undefined : 2)}\n`);
  },
};
