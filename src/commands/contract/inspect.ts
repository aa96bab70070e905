import { ChainError } from '../../base/errors.js';
import { codeVersion } from '../../operations/contract/contract-checks.js';
import { COST } from '../../vm/cost.js';
import { HOST_TYPES } from '../../vm/host/index.js';
import { InterpretedContract } from '../../vm/interpreted/interpreted-contract.js';
import { loadContract } from '../../vm/load-contract.js';
import { brokenRules, isImportKnown } from '../../vm/validate.js';
import { EMPTY, type FunctionType, type Size, typeName, type WasmModule } from '../../vm/wasm/module.js';
import { parseModule } from '../../vm/wasm/parse.js';
import type { Command } from '../command.js';
import { readBytes, textOf } from '../keys/input.js';
import { EXIT } from '../terminal.js';
import { customSections, functionNames } from './names.js';

interface Refusal {
  readonly code: number;
  readonly name: string;
  readonly message: string;
}

const refusalOf = ({ code, row, message }: ChainError): Refusal => ({ code: Number(code), name: row.name, message });

interface Loaded {
  /** It can be deployed, but every call fails with this. */
  readonly fails_when_called: Refusal | null;
  /** Why it is not compiled, which makes its instructions ten times as dear. */
  readonly interpreted: InterpretedContract['reason'] | null;
}

/** What becomes of it when it is called. */
function load(code: Uint8Array): Loaded {
  try {
    const contract = loadContract(code);
    return { fails_when_called: null, interpreted: contract instanceof InterpretedContract ? contract.reason : null };
  } catch (error) {
    if (error instanceof ChainError) return { fails_when_called: refusalOf(error), interpreted: null };
    throw error;
  }
}

const NOT_LOADED: Loaded = { fails_when_called: null, interpreted: null };

const typeText = ({ parameters, result }: FunctionType): string =>
  `(${parameters.map(typeName).join(' ')})${result === EMPTY ? '' : ` -> ${typeName(result)}`}`;

const sizeOf = (size: Size | undefined): { min: number; max: number | null } | null =>
  size === undefined ? null : { min: size.min, max: size.max ?? null };

/** Members in the order in which people want to read them. */
function describe(module: WasmModule): Record<string, unknown> {
  const { data } = module;
  const ends = data.map(({ base, bytes }) => (base.kind === 'const' ? Number(base.bits) : 0) + bytes.length);
  const nameOf = functionNames(module);
  const bodies = module.bodies.map((body, i) => ({
    name: nameOf(module.functionImports.length + i),
    bytes: body.codeEnd - body.codeStart,
  }));
  const largest = bodies.reduce((a, b) => (b.bytes > a.bytes ? b : a), { name: '', bytes: 0 });
  return {
    imports: module.imports.map((entry) => ({
      name: `${entry.module}.${entry.name}`,
      type: entry.type === undefined ? entry.kind : typeText(entry.type),
      known: isImportKnown(entry, HOST_TYPES),
    })),
    exports: module.exports.map(({ name, kind }) => ({ name, kind })),
    memory_pages: sizeOf(module.memories[0]),
    table_elements: sizeOf(module.tables[0]),
    globals: { mutable: module.globals.filter(({ mutable }) => mutable).length, all: module.globals.length },
    start: module.start === undefined ? null : nameOf(module.start),
    data: {
      segments: data.length,
      bytes: data.reduce((sum, { bytes }) => sum + bytes.length, 0),
      end: Math.max(0, ...ends),
    },
    functions: { count: bodies.length, largest: largest.name, largest_bytes: largest.bytes },
    custom_sections: customSections(module.bytes).map(({ name, start, end }) => ({ name, bytes: end - start })),
  };
}

export interface Inspection extends Loaded {
  readonly bytes: number;
  readonly code_version: string;
  /** Every rule that it breaks; a deployment ends with the first. */
  readonly refused: readonly Refusal[];
}

export function inspect(code: Uint8Array): Inspection & Record<string, unknown> {
  const base = { bytes: code.length, code_version: codeVersion(code) };
  let module: WasmModule;
  try {
    module = parseModule(code);
  } catch (error) {
    if (error instanceof ChainError) return { ...base, refused: [refusalOf(error)], ...NOT_LOADED };
    throw error;
  }
  const refused = brokenRules(module, HOST_TYPES).map(refusalOf);
  return { ...base, refused, ...(refused.length > 0 ? NOT_LOADED : load(code)), ...describe(module) };
}

const range = (size: unknown): string => {
  const { min, max } = size as { min: number; max: number | null };
  return max === null ? `${min}, no maximum` : `${min} to ${max}`;
};

const BOUNDS = {
  parameters: 'parameters in a type of its functions',
  frame_bytes: 'bytes in the frame of a function, by its locals and operands',
  compile_steps: 'steps to compile it, by its branches among locals and operands',
} as const;

function interpretedText(reason: NonNullable<Inspection['interpreted']>): string {
  const why =
    typeof reason === 'string'
      ? reason
      : `${reason.found} ${BOUNDS[reason.bound]}, and no more than ${reason.max} are compiled`;
  return `interpreted, each instruction at the price of ${COST.interpreted}: ${why}`;
}

function toText(found: Inspection & Record<string, unknown>): string {
  const lines = [`${found.bytes} bytes, code_version ${found.code_version}`];
  if (found.imports !== undefined) {
    const { mutable, all } = found.globals as { mutable: number; all: number };
    const data = found.data as { segments: number; bytes: number; end: number };
    const functions = found.functions as { count: number; largest: string; largest_bytes: number };
    lines.push(`memory pages: ${found.memory_pages === null ? 'none' : range(found.memory_pages)}`);
    lines.push(`table elements: ${found.table_elements === null ? 'none' : range(found.table_elements)}`);
    lines.push(`globals: ${all}, ${mutable} of them mutable`);
    lines.push(`data: ${data.segments} segments, ${data.bytes} bytes, up to address ${data.end}`);
    lines.push(`functions: ${functions.count}, the largest is ${functions.largest} (${functions.largest_bytes} bytes)`);
    if (found.start !== null) lines.push(`start function: ${String(found.start)}`);
    const custom = found.custom_sections as { name: string; bytes: number }[];
    for (const { name, bytes } of custom) lines.push(`custom section: ${name} (${bytes} bytes)`);
    lines.push('imports:');
    for (const { name, type, known } of found.imports as { name: string; type: string; known: boolean }[]) {
      lines.push(`  ${known ? ' ' : '!'} ${name} ${type}`);
    }
    lines.push('exports:');
    for (const { name, kind } of found.exports as { name: string; kind: string }[]) lines.push(`    ${name} ${kind}`);
  }
  const { refused, fails_when_called: failing, interpreted } = found;
  for (const { code, name, message } of refused) lines.push(`refused: ${name} (${code}) ${message}`);
  if (failing !== null) lines.push(`every call fails: ${failing.name} (${failing.code}) ${failing.message}`);
  if (interpreted !== null) lines.push(interpretedText(interpreted));
  if (refused.length === 0 && failing === null) lines.push('the chain takes it');
  return lines.join('\n');
}

export const inspectCommand: Command = {
  builder: (yargs) => yargs.positional('file', { type: 'string', demandOption: true }),
  handler: (args, terminal) => {
    const found = inspect(readBytes(terminal, textOf(args, 'file')));
    if (found.refused.length > 0 || found.fails_when_called !== null) terminal.exitCode = EXIT.refused;
    terminal.out(`${args.json === true ? JSON.stringify(found) : toText(found)}\n`);
  },
};
