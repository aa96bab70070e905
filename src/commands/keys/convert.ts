import { fromHex, toHex } from '../../base/bytes.js';
import { decode, encode } from '../../codec/binary.js';
import type { AnyType } from '../../codec/type.js';
import '../../protocol/operations/index.js';
import { signedBlock } from '../../protocol/block.js';
import { operation } from '../../protocol/operation-slot.js';
import { processedTransaction, signedTransaction, transaction } from '../../protocol/transaction.js';
import type { Command } from '../command.js';
import type { Terminal } from '../terminal.js';
import { networkOf, readInput, readJson, textOf } from './input.js';
import { BINARY_KINDS, type BinaryKind } from './kinds.js';

const TYPES: Readonly<Record<BinaryKind, AnyType>> = {
  transaction: signedTransaction,
  'unsigned-transaction': transaction,
  'processed-transaction': processedTransaction,
  block: signedBlock,
  operation,
};

const typeOf = (kind: string): AnyType => TYPES[kind as BinaryKind];

/** Hex given on the command line, in a file, or on the standard input. */
function readHex(terminal: Terminal, given: string): Uint8Array {
  const text = /^(?:[0-9a-fA-F]{2})+$/.test(given) ? given : readInput(terminal, given);
  return fromHex(text.trim());
}

export const decodeCommand: Command = {
  builder: (yargs) =>
    yargs
      .positional('kind', { choices: BINARY_KINDS, demandOption: true })
      .positional('hex', { type: 'string', demandOption: true }),
  handler: (args, terminal) => {
    const type = typeOf(textOf(args, 'kind'));
    const json = type.toJson(decode(type, readHex(terminal, textOf(args, 'hex'))), networkOf(args));
    terminal.out(`${JSON.stringify(json, null, args.json === true ? undefined : 2)}\n`);
  },
};

export const encodeCommand: Command = {
  builder: (yargs) =>
    yargs
      .positional('kind', { choices: BINARY_KINDS, demandOption: true })
      .positional('file', { type: 'string', demandOption: true }),
  handler: (args, terminal) => {
    const type = typeOf(textOf(args, 'kind'));
    const value: unknown = type.fromJson(readJson(terminal, textOf(args, 'file')), networkOf(args));
    terminal.out(`${toHex(encode(type, value))}\n`);
  },
};
