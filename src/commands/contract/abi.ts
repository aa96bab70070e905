import { fromHex, toHex } from '../../base/bytes.js';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import { decode, encode } from '../../codec/binary.js';
import { type Json, parseJson } from '../../codec/json.js';
import { isJsonObject } from '../../codec/struct.js';
import { type AbiDef, abiDef } from '../../protocol/abi.js';
import { nameToText } from '../../protocol/name.js';
import { abiDefect } from '../../vm/abi/abi-codec.js';
import { isBuiltinType } from '../../vm/abi/builtin-types.js';
import type { Command } from '../command.js';
import { readInput, textOf } from '../keys/input.js';
import { EXIT, type Terminal } from '../terminal.js';

export const ABI_FILE_ERRORS = defineErrors({
  abi_not_json: { ...FAMILY.invalidArgument, text: 'an ABI is a JSON object' },
});

export function readAbi(terminal: Terminal, file: string): AbiDef {
  const json = parseJson(readInput(terminal, file));
  check(isJsonObject(json), ABI_FILE_ERRORS.abi_not_json);
  return abiDef.fromJson(json);
}

/** What the chain does not refuse, but what will not work as its author expects. */
function abiWarnings(abi: AbiDef): string[] {
  const structs = new Set(abi.structs.map(({ name }) => name));
  const warnings: string[] = [];
  for (const name of structs) {
    if (isBuiltinType(name))
      warnings.push(`struct ${name}: is never read, because the built-in type ${name} goes before it`);
  }
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

export const checkCommand: Command = {
  builder: (yargs) => yargs.positional('file', { type: 'string', demandOption: true }),
  handler: (args, terminal) => {
    const abi = readAbi(terminal, textOf(args, 'file'));
    const { refused, warnings, ...counts } = examineAbi(abi);
    if (refused !== null) terminal.exitCode = EXIT.refused;
    if (args.json === true) {
      terminal.out(`${JSON.stringify({ ok: refused === null, refused, warnings, ...counts })}\n`);
      return;
    }
    terminal.out(refused === null ? 'ok\n' : `refused: ${refused}\n`);
    for (const warning of warnings) terminal.out(`warning: ${warning}\n`);
    terminal.out(`actions: ${counts.actions.join(' ')}\ntables: ${counts.tables.join(' ')}\n`);
    terminal.out(`${counts.packed_bytes} bytes when packed\n`);
  },
};

export const toHexCommand: Command = {
  builder: (yargs) => yargs.positional('file', { type: 'string', demandOption: true }),
  handler: (args, terminal) => {
    terminal.out(`${toHex(encode(abiDef, readAbi(terminal, textOf(args, 'file'))))}\n`);
  },
};

export const fromHexCommand: Command = {
  builder: (yargs) => yargs.positional('hex', { type: 'string', demandOption: true }),
  handler: (args, terminal) => {
    const given = textOf(args, 'hex');
    const hex = /^(?:[0-9a-fA-F]{2})+$/.test(given) ? given : readInput(terminal, given).trim();
    const json: Json = abiDef.toJson(decode(abiDef, fromHex(hex)));
    terminal.out(`${JSON.stringify(json, null, args.json === true ? undefined : 2)}\n`);
  },
};
