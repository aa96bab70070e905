import { fromHex, toHex } from '../../base/bytes.js';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import { decode, encode } from '../../codec/binary.js';
import { type Json, parseJson } from '../../codec/json.js';
import { type AbiDef, abiDef } from '../../protocol/abi.js';
import { nameToText } from '../../protocol/name.js';
import { abiDefect } from '../../vm/abi/abi-codec.js';
import type { Command } from '../command.js';
import { applyPrefix, readInput, textOf } from '../keys/input.js';

export const ABI_FILE_ERRORS = defineErrors({
  abi_not_json: { ...FAMILY.invalidArgument, text: 'an ABI is a JSON object' },
});

export function readAbi(file: string): AbiDef {
  const json = parseJson(readInput(file));
  check(json !== null && typeof json === 'object' && !Array.isArray(json), ABI_FILE_ERRORS.abi_not_json);
  return abiDef.fromJson(json);
}

/** What the chain does not refuse, but what will not work as its author expects. */
function abiWarnings(abi: AbiDef): string[] {
  const structs = new Set(abi.structs.map(({ name }) => name));
  const warnings: string[] = [];
  for (const { name, type } of abi.actions) {
    const text = nameToText(name);
    if (type !== text) warnings.push(`action ${text}: clients expect its arguments in a struct ${text}, not ${type}`);
  }
  for (const { name, type, index_type: indexType, key_types: keyTypes } of abi.tables) {
    const text = nameToText(name);
    if (!structs.has(text)) {
      warnings.push(`table ${text}: nodes decode its rows as a struct ${text}, which is missing (its type is ${type})`);
    }
    if (indexType !== 'i64') warnings.push(`table ${text}: the only index type is i64, not ${indexType}`);
    if ((name & 0xfn) !== 0n) warnings.push(`table ${text}: with 13 characters it cannot be read over RPC`);
    if (new Set(keyTypes).size !== keyTypes.length) {
      warnings.push(`table ${text}: clients refuse an ABI whose key_types repeat`);
    }
  }
  return warnings;
}

export interface AbiReport {
  readonly refused: string | null;
  readonly warnings: readonly string[];
  readonly actions: readonly string[];
  readonly tables: readonly string[];
  readonly structs: number;
  readonly packed_bytes: number;
}

export function examineAbi(abi: AbiDef): AbiReport {
  const defect = abiDefect(abi);
  return {
    refused: abi.actions.length === 0 ? 'contract has no actions' : (defect?.message ?? null),
    warnings: defect === undefined ? abiWarnings(abi) : [],
    actions: abi.actions.map(({ name }) => nameToText(name)),
    tables: abi.tables.map(({ name }) => nameToText(name)),
    structs: abi.structs.length,
    packed_bytes: encode(abiDef, abi).length,
  };
}

const checkCommand: Command = {
  command: 'check <file>',
  describe: 'Would the ABI work? The exit code answers; the chain itself refuses only one without actions',
  builder: (yargs) => yargs.positional('file', { type: 'string', demandOption: true }),
  handler: (args) => {
    const abi = readAbi(textOf(args, 'file'));
    const { refused, warnings, ...counts } = examineAbi(abi);
    if (refused !== null) process.exitCode = 1;
    if (args.json === true) {
      process.stdout.write(`${JSON.stringify({ ok: refused === null, refused, warnings, ...counts })}\n`);
      return;
    }
    process.stdout.write(refused === null ? 'ok\n' : `refused: ${refused}\n`);
    for (const warning of warnings) process.stdout.write(`warning: ${warning}\n`);
    process.stdout.write(`actions: ${counts.actions.join(' ')}\ntables: ${counts.tables.join(' ')}\n`);
    process.stdout.write(`${counts.packed_bytes} bytes when packed\n`);
  },
};

const toHexCommand: Command = {
  command: 'to-hex <file>',
  describe: 'The ABI as operations carry it',
  builder: (yargs) => yargs.positional('file', { type: 'string', demandOption: true }),
  handler: (args) => {
    process.stdout.write(`${toHex(encode(abiDef, readAbi(textOf(args, 'file'))))}\n`);
  },
};

const fromHexCommand: Command = {
  command: 'from-hex <hex>',
  describe: 'Back to JSON; - reads the standard input',
  builder: (yargs) => yargs.positional('hex', { type: 'string', demandOption: true }),
  handler: (args) => {
    const given = textOf(args, 'hex');
    const hex = /^(?:[0-9a-fA-F]{2})+$/.test(given) ? given : readInput(given).trim();
    const json: Json = abiDef.toJson(decode(abiDef, fromHex(hex)));
    process.stdout.write(`${JSON.stringify(json, null, args.json === true ? undefined : 2)}\n`);
  },
};

export const abiCommand: Command = {
  command: 'abi <what>',
  describe: 'Check an ABI, turn it into bytes and back',
  builder: (yargs) => {
    let all = yargs.demandCommand(1);
    for (const sub of [checkCommand, toHexCommand, fromHexCommand]) {
      all = all.command(
        sub.command,
        sub.describe,
        (y) => sub.builder(y),
        (args) => {
          applyPrefix(args);
          return sub.handler(args);
        },
      );
    }
    return all;
  },
  handler: () => undefined,
};
