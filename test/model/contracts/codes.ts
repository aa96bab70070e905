import { createHash } from 'node:crypto';
import { equalBytes } from '../../../src/base/bytes.js';
import type { Assembler } from '../../../src/vm/wasm/assembler.js';
import { EMPTY, I32 } from '../../../src/vm/wasm/module.js';
import { OP } from '../../../src/vm/wasm/opcodes.js';
import { buildModule } from '../../support/wasm-builder.js';
import { runnerCode } from './runner.js';

/** Runners that differ in their length, and with it in their version. */
export const RUNNERS: readonly Uint8Array[] = [0, 1, 100].map(runnerCode);

const withMemory = (min: number): Uint8Array => buildModule({ memory: { min } });
const withData = (at: number): Uint8Array => buildModule({ data: [{ at, bytes: Uint8Array.of(1, 2) }] });

/** What it exports has another name. */
function withoutApply(): Uint8Array {
  const code = buildModule({});
  const at = Buffer.from(code).indexOf('apply');
  const other = code.slice();
  other[at] = 0x62;
  return other;
}

/** So many calls inside of each other. */
function nested(calls: number): Uint8Array {
  const code = (a: Assembler) => {
    a.localGet(0).op(OP.if).u8(EMPTY).localGet(0).i32(1).op(0x6b).call(0).end();
  };
  return buildModule({ functions: [{ parameters: [I32], code }], apply: (a) => a.i32(calls - 1).call(0) });
}

/** Asks for nothing, at the beginning of a memory or where there is none. */
const askingAtZero = (memory: { min: number } | null): Uint8Array =>
  buildModule({ memory, imports: ['read_action_data'], apply: (a) => a.i32(0).i32(0).call(0).op(OP.drop) });

/** Before the action, which fails if it is come to. */
const starting = (work: (a: Assembler) => unknown): Uint8Array =>
  buildModule({
    imports: ['graphene_exit', 'abort'],
    functions: [{ code: work }],
    start: 2,
    apply: (a) => a.call(1),
  });

interface Code {
  readonly code: Uint8Array;
  /** Why it is not deployed. */
  readonly why?: string;
  /** What it comes to when it is called all the same, from before anybody looked. */
  readonly end: string;
}

/** At the edge of what may be, and beyond. */
const OTHERS: readonly Code[] = [
  { code: withMemory(528), end: 'nothing' },
  { code: withMemory(529), why: 'wasm_memory_size', end: 'contract_memory_bounds' },
  { code: withData(65_534), end: 'nothing' },
  { code: withData(65_535), why: 'wasm_data_range', end: 'contract_data_range' },
  { code: buildModule({ table: 1024 }), end: 'nothing' },
  { code: buildModule({ table: 1025 }), why: 'wasm_table_size', end: 'nothing' },
  { code: withoutApply(), why: 'wasm_apply_missing', end: 'contract_apply_missing' },
  { code: Uint8Array.of(0, 0x61, 0x73, 0x6d, 2, 0, 0, 0), why: 'no module', end: 'no module' },
  { code: nested(250), end: 'nothing' },
  { code: nested(251), end: 'contract_call_depth' },
  { code: askingAtZero({ min: 0 }), end: 'nothing' },
  { code: askingAtZero(null), end: 'contract_access_violation' },
  { code: starting((a) => a.i32(0).call(0)), end: 'nothing' },
  { code: starting((a) => a.op(OP.unreachable)), end: 'contract_trap_in_start' },
  { code: starting(() => undefined), end: 'contract_abort' },
];

export const OTHER_CODES: readonly Uint8Array[] = OTHERS.map(({ code }) => code);

const other = (code: Uint8Array): Code | undefined => OTHERS.find((one) => equalBytes(one.code, code));

export const whyRefused = (code: Uint8Array): string | undefined => other(code)?.why;

/** `runs` for a runner, and `nothing` for what does none; otherwise the reason why it fails. */
export const endOf = (code: Uint8Array): string => other(code)?.end ?? 'runs';

/** Of the code with its length before it. */
export function versionOf(code: Uint8Array): string {
  const length: number[] = [];
  let rest = code.length;
  for (; rest >= 0x80; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
  return createHash('sha256')
    .update(Uint8Array.of(...length, rest))
    .update(code)
    .digest('hex');
}
