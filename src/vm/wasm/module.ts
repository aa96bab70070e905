/** A parsed module: just what validation and instrumentation need, with code and data as ranges of the input. */

export const I32 = 0x7f;
export const I64 = 0x7e;
export const F32 = 0x7d;
export const F64 = 0x7c;
export type ValueType = typeof I32 | typeof I64 | typeof F32 | typeof F64;
/** Block type without a value, and "no result" of a function. */
export const EMPTY = 0x40;
/** Quirk: the reference reads this byte as EMPTY too, where a block or a result has its type. */
export const TYPE_NONE = 0x00;

export function typeName(type: number): string {
  switch (type) {
    case I32:
      return 'i32';
    case I64:
      return 'i64';
    case F32:
      return 'f32';
    case F64:
      return 'f64';
    default:
      return 'nothing';
  }
}

export function typeBytes(type: number): number {
  return type === I32 || type === F32 ? 4 : 8;
}

export interface FunctionType {
  readonly parameters: readonly ValueType[];
  readonly result: ValueType | typeof EMPTY;
}

export type ExternalKind = 'function' | 'table' | 'memory' | 'global';
export const EXTERNAL_KINDS: readonly ExternalKind[] = ['function', 'table', 'memory', 'global'];

export interface ImportEntry {
  readonly module: string;
  readonly name: string;
  readonly kind: ExternalKind;
  /** Of a function. */
  readonly typeIndex: number;
  readonly type: FunctionType | undefined;
}

export interface Size {
  readonly min: number;
  readonly max: number | undefined;
}

/** A constant, or the value of a global. `bits` of floats are their IEEE bits. */
export type Initialiser =
  | { readonly kind: 'const'; readonly type: ValueType; readonly bits: bigint }
  | { readonly kind: 'global'; readonly type: ValueType; readonly index: number };

export interface GlobalEntry {
  readonly type: ValueType;
  readonly mutable: boolean;
  readonly imported: boolean;
  readonly init: Initialiser | undefined;
}

export interface ExportEntry {
  readonly name: string;
  readonly kind: ExternalKind;
  readonly index: number;
}

export interface ElementSegment {
  readonly base: Initialiser;
  readonly functions: readonly number[];
}

export interface DataSegment {
  readonly base: Initialiser;
  readonly bytes: Uint8Array;
}

export interface FunctionBody {
  readonly typeIndex: number;
  readonly type: FunctionType;
  /** Types of the declared locals, parameters not included. */
  readonly locals: readonly ValueType[];
  /** First instruction and the byte after the final `end`. */
  readonly codeStart: number;
  readonly codeEnd: number;
  /** Largest height of the operand stack, known after the type check. */
  operandsMax: number;
  /** Locals and operands that the compiler looks through, summed over instructions; known after the type check. */
  compileSteps: number;
  /** Instructions stand behind the final `end`; known after the type check. */
  hasTrailingCode: boolean;
}

export interface WasmModule {
  readonly bytes: Uint8Array;
  readonly types: FunctionType[];
  readonly imports: ImportEntry[];
  /** Type index of every function, imported ones first. */
  readonly functionTypes: number[];
  readonly functionImports: ImportEntry[];
  readonly bodies: FunctionBody[];
  readonly tables: Size[];
  readonly memories: Size[];
  readonly globals: GlobalEntry[];
  readonly exports: ExportEntry[];
  start: number | undefined;
  readonly elements: ElementSegment[];
  readonly data: DataSegment[];
}

export function sameParameters(a: FunctionType, b: FunctionType): boolean {
  return a.parameters.length === b.parameters.length && a.parameters.every((type, i) => type === b.parameters[i]);
}

export function sameType(a: FunctionType, b: FunctionType): boolean {
  return a.result === b.result && sameParameters(a, b);
}
