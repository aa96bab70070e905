import { equalBytes } from '../../../src/base/bytes.js';
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
];

export const OTHER_CODES: readonly Uint8Array[] = OTHERS.map(({ code }) => code);

const other = (code: Uint8Array): Code | undefined => OTHERS.find((one) => equalBytes(one.code, code));

export const whyRefused = (code: Uint8Array): string | undefined => other(code)?.why;

/** `runs` for a runner, and `nothing` for what does none; otherwise the reason why it fails. */
export const endOf = (code: Uint8Array): string => other(code)?.end ?? 'runs';
