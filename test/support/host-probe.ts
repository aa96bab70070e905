import type { HostFunction } from '../../src/vm/host/define.js';
import { HOST_FUNCTIONS } from '../../src/vm/host/index.js';
import type { Assembler } from '../../src/vm/wasm/assembler.js';
import { EMPTY, F32, F64, I32, I64 } from '../../src/vm/wasm/module.js';
import { OP } from '../../src/vm/wasm/opcodes.js';
import { type CallOptions, ContractWorld, methods } from './contract-world.js';
import { buildModule } from './wasm-builder.js';

export const PROBE = 2000;
const MARK = 60_000;

/** Arguments in WebAssembly's order; floats as their bits. */
export type ProbeCall = readonly [name: string, ...args: (number | bigint)[]];

export interface ProbeResult {
  /** Results of the calls, `undefined` where there is none; floats as their bits, integers signed. */
  readonly results: readonly (bigint | undefined)[];
  /** What the functions printed themselves. */
  readonly printed: string;
  /** Memory from `dump` on. */
  readonly memory: string;
  readonly ram: Readonly<Record<string, number>>;
}

export interface ProbeOptions extends CallOptions {
  readonly data?: Uint8Array | string;
  readonly place?: Readonly<Record<number, Uint8Array>>;
  readonly dump?: readonly [at: number, length: number];
  readonly world?: ContractWorld;
}

function definition(name: string): HostFunction {
  const found = HOST_FUNCTIONS.get(name);
  if (found === undefined) throw new Error(`no host function ${name}`);
  return found;
}

function push(a: Assembler, call: ProbeCall): void {
  const [name, ...args] = call;
  definition(name).type.parameters.forEach((type, i) => {
    const value = args[i] ?? 0;
    if (type === I32) a.i32(Number(value));
    else if (type === I64) a.i64(BigInt(value));
    else if (type === F32) a.f32Bits(Number(value));
    else a.f64Bits(BigInt(value));
  });
}

/**
 * A contract that makes the calls one after the other in one action. Results come back through the console, each
 * behind a mark, so that what the functions print themselves stays apart.
 */
export function probe(calls: readonly ProbeCall[], options: ProbeOptions = {}): ProbeResult {
  const { world = new ContractWorld(), place = {}, dump = [0, 0] } = options;
  const imports = [...new Set(calls.map(([name]) => name)), 'printi', 'printhex', 'prints_l'];
  const index = (name: string): number => imports.lastIndexOf(name);
  const code = buildModule({
    imports,
    data: [
      ...Object.entries(place).map(([at, bytes]) => ({ at: Number(at), bytes })),
      { at: MARK, bytes: Uint8Array.of(0x01) },
    ],
    applyLocals: [I64],
    apply: (a) => {
      for (const call of calls) {
        const { type } = definition(call[0]);
        push(a, call);
        a.call(imports.indexOf(call[0]));
        if (type.result === F32) a.op(0xbc);
        if (type.result === F64) a.op(0xbd);
        if (type.result === I32 || type.result === F32) a.op(0xac);
        if (type.result !== EMPTY) a.localSet(3);
        a.i32(MARK).i32(1).call(index('prints_l'));
        if (type.result !== EMPTY) a.localGet(3).call(index('printi'));
        a.i32(MARK).i32(1).call(index('prints_l'));
      }
      a.i32(dump[0]).i32(dump[1]).call(index('printhex'));
      a.op(OP.nop);
    },
  });
  world.install(PROBE, code, methods('run'));
  const { console, ram } = world.call(PROBE, 'run', { instructions: 1n << 40n, ...options });
  const parts = console.split('\u0001');
  const memory = parts.pop() ?? '';
  const results: (bigint | undefined)[] = [];
  let printed = '';
  parts.forEach((part, i) => {
    if (i % 2 === 0) printed += part;
    else results.push(part === '' ? undefined : BigInt(part));
  });
  return { results, printed, memory, ram };
}
