import { invariant } from '../../base/errors.js';
import type { HostCall } from '../host-call.js';
import { EMPTY, F32, F64, type FunctionType, I32, I64, type ValueType } from '../wasm/module.js';

/**
 * Host functions are declared with one word per argument, which gives both the WebAssembly type and the checks:
 *
 * - `i` `I` `f` `F`: i32, i64, f32, f64; floats arrive as their bits
 * - `P`: pointer and length, two i32
 * - `R8` … `R65`: pointer to so many bytes, never null
 * - `Z`: pointer to bytes that end with NUL
 * - after `>`: result
 *
 * Checks run before the body, the last argument first.
 */
export type HostResult = number | bigint | undefined;
// A body takes the parameters of its own signature; `never` lets every such list pass.
export type HostBody = (call: HostCall, ...args: never[]) => unknown;

/** Looking for the NUL; it happens even where the text is then not used. */
const TEXT_BYTES_PER_INSTRUCTION = 12;

interface ArgumentCheck {
  readonly kind: 'range' | 'reference' | 'text';
  readonly index: number;
  readonly bytes: number;
}

export interface HostFunction {
  readonly name: string;
  readonly signature: string;
  readonly type: FunctionType;
  readonly checks: readonly ArgumentCheck[];
  /** Instructions beside the price of every host call. */
  readonly cost: number;
  readonly body: HostBody;
}

const VALUE_TYPES: Readonly<Record<string, ValueType>> = { i: I32, I: I64, f: F32, F: F64 };

export function host(name: string, signature: string, cost: number, body: HostBody): HostFunction {
  const [before = '', after = ''] = signature.split('>');
  const parameters: ValueType[] = [];
  const checks: ArgumentCheck[] = [];
  for (const word of before.split(' ').filter((part) => part !== '')) {
    const index = parameters.length;
    const value = VALUE_TYPES[word];
    if (value !== undefined) {
      parameters.push(value);
      continue;
    }
    parameters.push(I32);
    if (word === 'P') {
      parameters.push(I32);
      checks.unshift({ kind: 'range', index, bytes: 0 });
    } else if (word === 'Z') checks.unshift({ kind: 'text', index, bytes: 1 });
    else {
      const bytes = Number(word.slice(1));
      invariant(word.startsWith('R') && bytes > 0, `signature of ${name}`);
      checks.unshift({ kind: 'reference', index, bytes });
    }
  }
  const result = VALUE_TYPES[after.trim()] ?? EMPTY;
  return { name, signature, type: { parameters, result }, checks, cost, body };
}

/** The function as WebAssembly calls it: checks of the arguments, then the budget, then the body. */
export function bind(definition: HostFunction, current: () => HostCall): (...args: never[]) => HostResult {
  const { checks, cost } = definition;
  // The arguments are what the declared signature says, because WebAssembly checked it when it linked.
  const body = definition.body as (call: HostCall, ...args: unknown[]) => HostResult;
  const prepare = (args: readonly unknown[]): HostCall => {
    const call = current();
    for (const { kind, index, bytes } of checks) {
      const pointer = args[index] as number;
      if (kind === 'range') call.memory.checkRange(pointer, args[index + 1] as number);
      else if (kind === 'reference') call.memory.checkReference(pointer, bytes);
      else call.charge(bytesCost(call.memory.textLength(pointer), TEXT_BYTES_PER_INSTRUCTION));
    }
    if (cost > 0) call.charge(cost);
    return call;
  };
  // Written out by arity: rest parameters cost more than most bodies.
  switch (definition.type.parameters.length) {
    case 0:
      return (): HostResult => body(prepare([]));
    case 1:
      return (a: never): HostResult => body(prepare([a]), a);
    case 2:
      return (a: never, b: never): HostResult => body(prepare([a, b]), a, b);
    case 3:
      return (a: never, b: never, c: never): HostResult => body(prepare([a, b, c]), a, b, c);
    case 4:
      return (a: never, b: never, c: never, d: never): HostResult => body(prepare([a, b, c, d]), a, b, c, d);
    default:
      return (...args: never[]): HostResult => body(prepare(args), ...args);
  }
}

/** Price of work on so many bytes. */
export function bytesCost(length: number, bytesPerInstruction: number): number {
  return Math.ceil((length >>> 0) / bytesPerInstruction);
}
