import { fromHex, toHex } from '../../base/bytes.js';
import { decode, encode } from '../../codec/binary.js';
import type { AnyType } from '../../codec/type.js';
import '../../operations/index.js';
import { signedBlock } from '../../protocol/block.js';
import { operation } from '../../protocol/operation-slot.js';
import { processedTransaction, signedTransaction, transaction } from '../../protocol/transaction.js';
import type { Command } from '../command.js';
import { applyPrefix, readInput, readJson, textOf } from './input.js';

const TYPES: Readonly<Record<string, AnyType>> = {
  transaction: signedTransaction,
  'unsigned-transaction': transaction,
  'processed-transaction': processedTransaction,
  block: signedBlock,
  operation,
};
const KINDS = Object.keys(TYPES);

const typeOf = (kind: string): AnyType => TYPES[kind] as AnyType;

/** Hex given on the command line, in a file, or on the standard input. */
function readHex(given: string): Uint8Array {
  const text = /^(?:[0-9a-fA-F]{2})+$/.test(given) ? given : readInput(given);
  return fromHex(text.trim());
}

export const decodeCommand: Command = {
  command: 'decode <kind> <hex>',
  describe: `From bytes to JSON: ${KINDS.join(', ')}; the hex may be in a file, or - for the standard input`,
  builder: (yargs) =>
    yargs
      .positional('kind', { choices: KINDS, demandOption: true })
      .positional('hex', { type: 'string', demandOption: true }),
  handler: (args) => {
    applyPrefix(args);
    const type = typeOf(textOf(args, 'kind'));
    const json = type.toJson(decode(type, readHex(textOf(args, 'hex'))));
    process.stdout.write(`${JSON.stringify(json, null, args.json === true ? undefined : 2)}\n`);
  },
};

export const encodeCommand: Command = {
  command: 'encode <kind> <file>',
  describe: 'From a JSON file to hex; - reads the standard input',
  builder: (yargs) =>
    yargs
      .positional('kind', { choices: KINDS, demandOption: true })
      .positional('file', { type: 'string', demandOption: true }),
  handler: (args) => {
    applyPrefix(args);
    const type = typeOf(textOf(args, 'kind'));
    process.stdout.write(`${toHex(encode(type, type.fromJson(readJson(textOf(args, 'file')))))}\n`);
  },
};
