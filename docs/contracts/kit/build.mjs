#!/usr/bin/env node
// Compiles a contract: contract.ts to contract.wasm and contract.abi.
//
//   node kit/build.mjs contract.ts [more.ts ...] [--out folder] [--names]
//
// --names keeps the names of functions in the binary, which `trustnode contract profile` then shows; the code is larger.
//
// What the annotations say is put into the source before it is compiled, on the lines where they stand:
//   @action, @payable on functions   the exported `apply` decodes the arguments and calls the function
//   @table("name"), @struct          methods that write and read the fields of a class
//   @index on methods of a table     secondary keys, in the order of the methods
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import asc from 'assemblyscript/asc';
import * as compiler from 'assemblyscript';

const KIT = dirname(fileURLToPath(import.meta.url));
/** All sources lie below the folder that holds the kit. */
const BASE = dirname(KIT);

/** WebAssembly 1.0 and nothing newer: the chain refuses the rest. */
const FEATURES = ['bulk-memory', 'sign-extension', 'nontrapping-f2i', 'mutable-globals', 'multi-value', 'simd',
  'threads', 'reference-types', 'exception-handling', 'gc', 'stringref', 'relaxed-simd', 'memory64', 'extended-const'];

class BuildError extends Error {}

const ALPHABET = '.12345abcdefghijklmnopqrstuvwxyz';

/** The 64-bit number of a name, as AssemblyScript writes it. */
function nameLiteral(text, longest) {
  if (!/^[a-z1-5.]+$/.test(text) || text.endsWith('.') || text.length > longest) {
    throw new BuildError(`"${text}" is no name: at most ${longest} characters of a-z, 1-5 and dots`);
  }
  let value = 0n;
  for (let i = 0; i < 12; i++) value = (value << 5n) | BigInt(Math.max(0, ALPHABET.indexOf(text[i] ?? '.')));
  return `0x${(value << 4n).toString(16)}`;
}

// ---- types ---------------------------------------------------------------------------------------------------------

/** AssemblyScript type, type in the ABI, method of Writer and Reader. */
const PLAIN = new Map([
  ['bool', ['bool', 'bool']],
  ...['8', '16', '32', '64'].flatMap((width) => [
    [`u${width}`, [`uint${width}`, `u${width}`]],
    [`i${width}`, [`int${width}`, `i${width}`]],
  ]),
  ['f32', ['float32', 'f32']],
  ['f64', ['float64', 'f64']],
  ['Name', ['name', 'u64']],
  ['TimePointSec', ['time_point_sec', 'u32']],
  ['string', ['string', 'string']],
  ['Uint8Array', ['bytes', 'bytes']],
  ['Asset', ['contract_asset', 'asset']],
]);

const FIXED = new Map([
  ['Checksum160', ['checksum160', 20]],
  ['Checksum256', ['checksum256', 32]],
  ['Checksum512', ['checksum512', 64]],
  ['PublicKey', ['public_key', 33]],
  ['Signature', ['signature', 65]],
]);

/** Types of the ABI that no struct can be called by: where its name stands, everybody reads the type. */
const BUILT_IN = new Set([...PLAIN.values(), ...FIXED.values()].map(([abiName]) => abiName)
  .concat('time_point', 'symbol', 'symbol_code', 'block_id_type'));

/** How a type is written, read, and called in the ABI. */
class Types {
  /** @param {Map<string, {abiName: string}>} classes annotated classes of all sources */
  constructor(classes) {
    this.classes = classes;
  }

  parse(text) {
    const type = text.replaceAll(/\s+/g, '');
    const optional = /^(.*)\|null$/.exec(type);
    if (optional) return { kind: 'optional', of: this.parse(optional[1]) };
    const list = /^(?:Array<(.*)>|(.*)\[\])$/.exec(type);
    if (list) {
      const of = this.parse(list[1] ?? list[2]);
      if (of.kind === 'list' || of.kind === 'optional') throw new BuildError(`${text}: lists of lists have no ABI type`);
      return { kind: 'list', of };
    }
    if (PLAIN.has(type)) return { kind: 'plain', name: type };
    if (FIXED.has(type)) return { kind: 'fixed', name: type };
    if (this.classes.has(type)) return { kind: 'class', name: type };
    throw new BuildError(`type ${text} has no ABI type; is @struct missing on its class?`);
  }

  abi(type) {
    if (type.kind === 'plain') return PLAIN.get(type.name)[0];
    if (type.kind === 'fixed') return FIXED.get(type.name)[0];
    if (type.kind === 'class') return this.classes.get(type.name).abiName;
    if (type.kind === 'list') return `${this.abi(type.of)}[]`;
    if (type.of.kind === 'class') throw new BuildError('an optional struct cannot be packed; make its fields optional');
    if (type.of.kind === 'list') throw new BuildError('an optional list has no ABI type; an empty list may say it');
    return `${this.abi(type.of)}?`;
  }

  source(type) {
    return type.kind === 'list' ? `Array<${this.source(type.of)}>` : type.kind === 'optional'
      ? `${this.source(type.of)} | null` : type.kind === 'fixed' ? 'Uint8Array' : type.name;
  }

  write(type, value) {
    switch (type.kind) {
      case 'plain': return `w.${PLAIN.get(type.name)[1]}(${value});`;
      case 'fixed': return `w.raw(${value}, ${FIXED.get(type.name)[1]});`;
      case 'class': return `${value}.__pack(w);`;
      case 'list': return `{ const list = ${value}; w.count(list.length); ` +
        `for (let i = 0; i < list.length; i++) { ${this.write(type.of, 'list[i]')} } }`;
      default: return `{ const maybe = ${value}; w.bool(maybe !== null); ` +
        `if (maybe !== null) { ${this.write(type.of, 'maybe')} } }`;
    }
  }

  /** Statements that hand the value to `sink`, which makes a statement of an expression. */
  read(type, sink) {
    switch (type.kind) {
      case 'plain': return sink(`r.${PLAIN.get(type.name)[1]}()`);
      case 'fixed': return sink(`r.raw(${FIXED.get(type.name)[1]})`);
      case 'class': return sink(`__readStruct<${type.name}>(r)`);
      case 'list': return `{ const list = new ${this.source(type)}(); const count = r.count(); ` +
        `for (let i = 0; i < count; i++) { ${this.read(type.of, (value) => `list.push(${value});`)} } ${sink('list')} }`;
      default: return `if (r.bool()) { ${this.read(type.of, sink)} } else { ${sink('null')} }`;
    }
  }
}

// ---- annotations ---------------------------------------------------------------------------------------------------

const { NodeKind } = compiler;
const textOf = (node) => node.range.source.text.slice(node.range.start, node.range.end);

function decoratorsOf(node) {
  return new Map((node.decorators ?? []).map((decorator) => {
    const first = decorator.args?.[0];
    return [decorator.name.text, { decorator, argument: first === undefined ? undefined : textOf(first).slice(1, -1) }];
  }));
}

/** Annotated functions and classes of one source file. */
function scan(path, text) {
  const program = compiler.newProgram(compiler.newOptions());
  compiler.parse(program, text, path, true);
  const source = program.sources.find(({ normalizedPath }) => normalizedPath === path) ?? program.sources.at(-1);
  const found = { path, text, classes: [], actions: [], edits: [] };
  for (const statement of source.statements) {
    if (statement.kind === NodeKind.ClassDeclaration) scanClass(found, statement);
    else if (statement.kind === NodeKind.FunctionDeclaration) scanFunction(found, statement);
  }
  return found;
}

/** Our decorators mean nothing to the compiler. */
const blank = (found, { decorator }) =>
  found.edits.push({ start: decorator.range.start, end: decorator.range.end, text: '' });

function scanFunction(found, node) {
  const decorators = decoratorsOf(node);
  const mark = decorators.get('payable') ?? decorators.get('action');
  if (mark === undefined) return;
  for (const name of ['action', 'payable']) if (decorators.has(name)) blank(found, decorators.get(name));
  const functionName = textOf(node.name);
  found.actions.push({
    functionName,
    name: mark.argument ?? functionName,
    payable: decorators.has('payable'),
    parameters: node.signature.parameters.map((parameter) => ({
      name: textOf(parameter.name),
      type: textOf(parameter.type),
    })),
  });
}

function scanClass(found, node) {
  const decorators = decoratorsOf(node);
  const mark = decorators.get('table') ?? decorators.get('struct');
  if (mark === undefined) return;
  blank(found, mark);
  const name = textOf(node.name);
  const isTable = decorators.has('table');
  const fields = [];
  const indexes = [];
  for (const member of node.members) {
    if (member.kind === NodeKind.FieldDeclaration) {
      if (member.is(compiler.CommonFlags.Static)) continue;
      if (member.type === null) throw new BuildError(`${name}.${textOf(member.name)} needs a type`);
      fields.push({ name: textOf(member.name), type: textOf(member.type) });
    } else if (member.kind === NodeKind.MethodDeclaration) {
      const index = decoratorsOf(member).get('index');
      if (index === undefined) continue;
      blank(found, index);
      indexes.push(textOf(member.name));
    }
  }
  if (indexes.length > 16) throw new BuildError(`${name}: a table has at most 16 indexes`);
  if (node.extendsType) throw new BuildError(`${name}: a class of the ABI extends no other class`);
  // Clients read rows by the struct that is named as the table.
  const abiName = isTable ? (mark.argument ?? name.toLowerCase().replaceAll('_', '')) : (mark.argument ?? name);
  found.classes.push({ name, abiName, isTable, fields, indexes, end: node.range.end - 1 });
}

// ---- generated code ------------------------------------------------------------------------------------------------

function classMembers(types, { name, abiName, isTable, fields, indexes }) {
  const parsed = fields.map((field) => ({ ...field, type: types.parse(field.type) }));
  const write = parsed.map((field) => types.write(field.type, `this.${field.name}`)).join(' ');
  const read = parsed.map((field) => types.read(field.type, (value) => `this.${field.name} = ${value};`)).join(' ');
  let text = ` __pack(w: __Writer): void { ${write} } __unpack(r: __Reader): void { ${read} }`;
  if (isTable) {
    const keys = indexes.map((method, i) => `if (n == ${i}) return this.${method}();`).join(' ');
    text += ` @inline __table(): u64 { return ${nameLiteral(abiName, 12)}; } @inline __indexes(): i32 { return ${indexes.length}; }` +
      ` __key(n: i32): u64 { ${keys} return 0; }`;
  }
  if (fields.length === 0) throw new BuildError(`${name} has no fields`);
  return text;
}

function applyFunction(types, actions) {
  const cases = actions.map(({ functionName, name, parameters }) => {
    const reads = parameters.map((parameter, i) => {
      const type = types.parse(parameter.type);
      if (type.kind !== 'list' && type.kind !== 'optional') return types.read(type, (value) => `const a${i} = ${value};`);
      const start = type.kind === 'list' ? `new ${types.source(type)}()` : 'null';
      return `let a${i}: ${types.source(type)} = ${start}; ${types.read(type, (value) => `a${i} = ${value};`)}`;
    });
    const args = parameters.map((_, i) => `a${i}`).join(', ');
    const reader = parameters.length === 0 ? '' : 'const r = __actionData(); ';
    return `if (action == ${nameLiteral(name, 12)}) { ${reader}${reads.join(' ')} ${functionName}(${args}); return; }`;
  });
  return ` export function apply(receiver: u64, code: u64, action: u64): void { ${cases.join(' ')} }`;
}

function rewrite(types, found, isEntry) {
  const edits = [...found.edits];
  for (const definition of found.classes) {
    edits.push({ start: definition.end, end: definition.end, text: classMembers(types, definition) });
  }
  edits.sort((a, b) => b.start - a.start);
  let { text } = found;
  for (const { start, end, text: inserted } of edits) text = text.slice(0, start) + inserted + text.slice(end);
  if (isEntry) text += applyFunction(types, found.actions);
  const kit = relative(dirname(join(BASE, found.path)), KIT).replaceAll('\\', '/');
  const from = kit.startsWith('.') ? kit : `./${kit}`;
  return `import { Writer as __Writer, Reader as __Reader, actionData as __actionData, readStruct as __readStruct } from "${from}/data"; ${text}`;
}

function abiOf(types, sources, actions) {
  const structs = [];
  const tables = [];
  const fieldsOf = (fields) => fields.map(({ name, type }) => ({ name, type: types.abi(types.parse(type)) }));
  const add = (struct) => {
    if (BUILT_IN.has(struct.name)) {
      throw new BuildError(`${struct.name} is a type of the ABI: no action, table or struct can be called like it`);
    }
    if (structs.some(({ name }) => name === struct.name)) {
      throw new BuildError(`two structs of the ABI are called ${struct.name}: actions, tables and structs share their names`);
    }
    structs.push(struct);
  };
  for (const { name, parameters } of actions) add({ name, base: '', fields: fieldsOf(parameters) });
  for (const { abiName, isTable, fields } of sources.flatMap(({ classes }) => classes)) {
    const own = fieldsOf(fields);
    add({ name: abiName, base: '', fields: own });
    if (!isTable) continue;
    const [key] = own;
    tables.push({ name: abiName, index_type: 'i64', key_names: [key.name], key_types: [key.type], type: abiName });
  }
  return {
    version: 'gxc::abi/1.0',
    types: [],
    structs,
    actions: actions.map(({ name, payable }) => ({ name, type: name, payable })),
    tables,
    error_messages: [],
    abi_extensions: [],
  };
}

// ---- build ---------------------------------------------------------------------------------------------------------

/** The sources that a contract consists of, without the kit. */
function collect(entry) {
  const found = new Map();
  const visit = (path) => {
    if (found.has(path)) return;
    const text = readFileSync(join(BASE, path), 'utf8');
    const source = scan(path, text);
    found.set(path, source);
    for (const [, target] of text.matchAll(/^\s*(?:import|export)\b[^;]*?\bfrom\s*["'](\.[^"']*)["']/gms)) {
      const absolute = resolve(dirname(join(BASE, path)), target);
      if (absolute === KIT || absolute.startsWith(`${KIT}/`)) continue;
      visit(`${relative(BASE, absolute).replaceAll('\\', '/')}.ts`);
    }
  };
  visit(entry);
  return [...found.values()];
}

/**
 * @param {string} file the contract's source
 * @param {{names?: boolean}} options
 * @returns {Promise<{wasm: Uint8Array, abi: object}>}
 */
export async function buildContract(file, { names = false } = {}) {
  const entry = relative(BASE, resolve(file)).replaceAll('\\', '/');
  if (entry.startsWith('..')) throw new BuildError(`${file} must lie in ${BASE}, where the kit is`);
  const sources = collect(entry);
  const actions = sources.flatMap((source) => source.actions);
  if (actions.length === 0) throw new BuildError(`${file} has no @action`);
  if (sources[0].actions.length !== actions.length) throw new BuildError('all actions stand in the main source');
  const classes = new Map(sources.flatMap((source) => source.classes.map((definition) => [definition.name, definition])));
  const types = new Types(classes);
  const abi = abiOf(types, sources, actions);
  const rewritten = new Map(sources.map((source) => [source.path, rewrite(types, source, source.path === entry)]));

  let wasm;
  const folder = relative(BASE, KIT).replaceAll('\\', '/');
  const flags = [entry, '--outFile', 'contract.wasm', '--runtime', 'stub', '--optimizeLevel', '3', '--shrinkLevel', '1',
    '--converge', '--use', `abort=${folder}/system/abort`, '--disable', FEATURES.join(','), '--noColors'];
  if (names) flags.push('--debug');
  const output = asc.createMemoryStream();
  const { error } = await asc.main(flags, {
    stdout: output,
    stderr: output,
    readFile: (name, base) => rewritten.get(name) ?? readText(join(base, name)) ?? readText(join(BASE, name)),
    writeFile: (name, content) => {
      if (name.endsWith('.wasm')) wasm = content;
    },
    listFiles: () => [],
  });
  if (error !== null || wasm === undefined) throw new BuildError(output.toString() || String(error));
  return { wasm, abi };
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

async function main(args) {
  const files = [];
  let out = '.';
  let names = false;
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '--out') out = args[++i];
    else if (args[i] === '--names') names = true;
    else files.push(args[i]);
  }
  if (files.length === 0) throw new BuildError('which contract? node kit/build.mjs contract.ts');
  mkdirSync(out, { recursive: true });
  for (const file of files) {
    const { wasm, abi } = await buildContract(file, { names });
    const target = join(out, basename(file, '.ts'));
    writeFileSync(`${target}.wasm`, wasm);
    writeFileSync(`${target}.abi`, `${JSON.stringify(abi, null, 2)}\n`);
    process.stdout.write(`${target}.wasm ${wasm.length} bytes, ${target}.abi ${abi.actions.length} actions\n`);
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`${error instanceof BuildError ? error.message : error.stack}\n`);
    process.exitCode = 1;
  });
}
