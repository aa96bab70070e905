import t from 'tap';
import { HOST_TYPES } from '../../src/vm/host/index.js';
import { instrument } from '../../src/vm/instrument.js';
import { validateModule } from '../../src/vm/validate.js';
import type { Assembler } from '../../src/vm/wasm/assembler.js';
import { EMPTY, I32 } from '../../src/vm/wasm/module.js';
import { OP } from '../../src/vm/wasm/opcodes.js';
import { type ContractExports, webAssembly } from '../../src/vm/web-assembly.js';
import { buildModule, type FunctionSource } from '../support/wasm-builder.js';

/**
 * Random programs do the same before and after instrumentation. They have loops with a bound, branches over several
 * levels, tables of branches, early returns, calls and dead code; their result is the trace of a global that every
 * statement stirs.
 */

type Next = (below: number) => number;

function random(seed: number): Next {
  let state = (seed * 2654435761) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const ARITHMETIC = [0x6a, 0x6b, 0x6c, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77];
const LOCALS = 4;
const TRACE = 0;

class Program {
  private readonly next: Next;
  private readonly a: Assembler;
  /** Locals from here on count the rounds of loops. */
  private counter = 1 + LOCALS;
  /** Open labels, innermost last; true where a branch goes backwards. */
  private readonly labels: boolean[] = [];
  private readonly callee: number | undefined;

  constructor(next: Next, a: Assembler, callee: number | undefined) {
    this.next = next;
    this.a = a;
    this.callee = callee;
  }

  expression(depth: number): void {
    const { a, next } = this;
    switch (depth === 0 ? next(2) : next(6)) {
      case 0:
        a.i32(next(1 << 30) - (1 << 29));
        break;
      case 1:
        a.localGet(next(1 + LOCALS));
        break;
      case 2:
        this.expression(depth - 1);
        this.expression(depth - 1);
        a.op(ARITHMETIC[next(ARITHMETIC.length)] as number);
        break;
      case 3:
        this.expression(depth - 1);
        this.expression(depth - 1);
        this.expression(depth - 1);
        a.op(OP.select);
        break;
      case 4:
        this.expression(0);
        a.op(OP.if).u8(I32);
        this.labels.push(false);
        this.expression(depth - 1);
        a.op(OP.else);
        this.expression(depth - 1);
        a.end();
        this.labels.pop();
        break;
      default:
        if (this.callee === undefined) a.globalGet(TRACE);
        else {
          this.expression(depth - 1);
          a.call(this.callee);
        }
    }
  }

  private stir(): void {
    this.a.globalGet(TRACE).i32(31).op(0x6c);
    this.expression(1);
    this.a.op(0x6a).globalSet(TRACE);
  }

  /** Depth of a label that a branch may take: loops only behind their counter. */
  private forward(): number | undefined {
    const depths = this.labels.flatMap((backwards, i) => (backwards ? [] : [this.labels.length - 1 - i]));
    return depths[this.next(Math.max(1, depths.length))];
  }

  statements(count: number, depth: number): void {
    for (let i = 0; i < count; i++) this.statement(depth);
  }

  private nested(op: number, depth: number): void {
    this.a.op(op).u8(EMPTY);
    this.labels.push(false);
    this.statements(1 + this.next(3), depth - 1);
  }

  private statement(depth: number): void {
    const { a, next } = this;
    const target = this.forward();
    switch (depth === 0 ? next(3) : next(9)) {
      case 0:
        this.stir();
        break;
      case 1:
        this.expression(2);
        a.localSet(next(1 + LOCALS));
        break;
      case 2:
        if (target === undefined) break;
        this.expression(1);
        a.op(OP.br_if).u32(target);
        break;
      case 3:
        this.nested(OP.block, depth);
        a.end();
        this.labels.pop();
        break;
      case 4:
        this.expression(1);
        this.nested(OP.if, depth);
        if (next(4) === 0) this.leave();
        if (next(2) === 0) {
          a.op(OP.else);
          this.statements(1 + next(2), depth - 1);
        }
        a.end();
        this.labels.pop();
        break;
      case 5:
        this.loop(depth);
        break;
      case 6:
        // A block that is left early, with dead code behind.
        a.op(OP.block).u8(EMPTY);
        this.labels.push(false);
        this.stir();
        this.leave();
        a.end();
        this.labels.pop();
        break;
      default:
        this.stir();
    }
  }

  /** Nobody comes to what stands behind the jump, other arms among it. */
  private leave(): void {
    this.jump();
    this.a.op(0x6a).op(OP.drop).op(OP.block).u8(EMPTY).op(OP.unreachable).end();
    this.a.i32(0).op(OP.if).u8(EMPTY).op(OP.nop).op(OP.else).op(OP.unreachable).end();
  }

  private jump(): void {
    const { a, next } = this;
    const targets = Array.from({ length: 1 + next(4) }, () => this.forward() ?? 0);
    switch (next(4)) {
      case 0:
        this.expression(0);
        a.op(OP.return);
        break;
      case 1:
        this.expression(1);
        a.op(OP.br_table).u32(targets.length);
        for (const target of targets) a.u32(target);
        a.u32(this.forward() ?? 0);
        break;
      default:
        a.op(OP.br).u32(targets[0] as number);
    }
  }

  private loop(depth: number): void {
    const { a, next } = this;
    const counter = this.counter++;
    a.i32(0).localSet(counter).op(OP.loop).u8(EMPTY);
    this.labels.push(true);
    this.statements(1 + next(3), depth - 1);
    a.localGet(counter)
      .i32(1)
      .op(0x6a)
      .localTee(counter)
      .i32(2 + next(5))
      .op(0x49)
      .op(OP.br_if)
      .u32(0)
      .end();
    this.labels.pop();
  }

  get locals(): number {
    return this.counter - 1;
  }
}

/** Three functions, of which each calls only the one before, so that programs end. */
function program(seed: number): Uint8Array<ArrayBuffer> {
  const next = random(seed);
  const bodies = [0, 1, 2].map(
    (index): FunctionSource => ({
      parameters: [I32],
      result: I32,
      locals: new Array(200).fill(I32),
      code: (a: Assembler): void => {
        const p = new Program(next, a, index === 0 ? undefined : index - 1);
        p.statements(2 + next(5), 3);
        p.expression(3);
      },
    }),
  );
  return buildModule({
    globals: [{ type: I32, mutable: true, value: 7 }],
    functions: bodies,
    apply: (a) =>
      a
        .localGet(0)
        .op(0xa7)
        .call(2)
        .globalGet(TRACE)
        .op(0x6a)
        .globalSet(TRACE)
        .i32(16)
        .globalGet(TRACE)
        .op(0x36)
        .u32(2)
        .u32(0),
  });
}

/** What an instrumented program leaves in memory, and how many instructions it took. */
function trace(module: Uint8Array<ArrayBuffer>, input: bigint): { result: number | string; used: bigint } {
  const exports = new webAssembly.Instance(new webAssembly.Module(module), {}).exports as ContractExports;
  exports.instructions.value = 1n << 40n;
  try {
    exports.apply(input, 0n, 0n);
  } catch (error) {
    return { result: String(error), used: 0n };
  }
  const { buffer } = exports.memory as { readonly buffer: ArrayBuffer };
  return { result: new DataView(buffer).getInt32(16, true), used: (1n << 40n) - exports.instructions.value };
}

t.test('300 random programs', async (t) => {
  let different = 0;
  for (let seed = 1; seed <= 300; seed++) {
    const code = program(seed);
    const metered = instrument(validateModule(code, HOST_TYPES)).bytes;
    const plain = plainRun(code);
    for (const input of [0n, 1n, -5n]) {
      const { result, used } = trace(metered, input);
      const expected = plain(input);
      if (result !== expected) t.fail(`seed ${seed}, input ${input}: ${result} instead of ${expected}`);
      if (used <= 0n) t.fail(`seed ${seed}: nothing was counted`);
      if (trace(metered, input).used !== used) t.fail(`seed ${seed}: counts differ`);
      if (typeof expected === 'number' && expected !== 0) different++;
    }
  }
  t.ok(different > 800, 'the programs do something');
});

/** Runs the original module; its memory is reached through a second export that is spliced in. */
function plainRun(code: Uint8Array<ArrayBuffer>): (input: bigint) => number | string {
  // The export section of `buildModule` has the one entry `apply`; one more entry for the memory is put behind it.
  const apply = [0x05, 0x61, 0x70, 0x70, 0x6c, 0x79, 0x00];
  const at = code.findIndex((_, i) => apply.every((byte, k) => code[i + k] === byte));
  const end = at + apply.length + 1;
  const memory = [0x06, 0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79, 0x02, 0x00];
  const patched = new Uint8Array(code.length + memory.length);
  patched.set(code.subarray(0, end));
  patched.set(memory, end);
  patched.set(code.subarray(end), end + memory.length);
  patched[at - 2] = (patched[at - 2] as number) + memory.length;
  patched[at - 1] = 2;
  const module = new webAssembly.Module(patched);
  return (input) => {
    const exports = new webAssembly.Instance(module, {}).exports as ContractExports;
    try {
      exports.apply(input, 0n, 0n);
    } catch (error) {
      return String(error);
    }
    const { buffer } = exports.memory as { readonly buffer: ArrayBuffer };
    return new DataView(buffer).getInt32(16, true);
  };
}
