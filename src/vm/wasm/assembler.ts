import { ByteWriter } from './byte-writer.js';
import { EMPTY, type ValueType } from './module.js';
import { OP } from './opcodes.js';

/** Writes instructions; used for what instrumentation adds. Every method returns the assembler. */
export class Assembler extends ByteWriter {
  op(code: number): this {
    return this.u8(code);
  }

  localGet(index: number): this {
    return this.u8(OP.local_get).u32(index);
  }

  localSet(index: number): this {
    return this.u8(OP.local_set).u32(index);
  }

  localTee(index: number): this {
    return this.u8(OP.local_tee).u32(index);
  }

  globalGet(index: number): this {
    return this.u8(OP.global_get).u32(index);
  }

  globalSet(index: number): this {
    return this.u8(OP.global_set).u32(index);
  }

  i32(value: number): this {
    return this.u8(OP.i32_const).signed(value | 0);
  }

  i64(value: bigint | number): this {
    return this.u8(OP.i64_const).signed(typeof value === 'number' ? value : BigInt.asIntN(64, value));
  }

  f32Bits(bits: number): this {
    return this.u8(OP.f32_const).raw([bits & 0xff, (bits >>> 8) & 0xff, (bits >>> 16) & 0xff, bits >>> 24]);
  }

  f64Bits(bits: bigint): this {
    this.u8(OP.f64_const);
    for (let shift = 0n; shift < 64n; shift += 8n) this.u8(Number((bits >> shift) & 0xffn));
    return this;
  }

  call(index: number): this {
    return this.u8(OP.call).u32(index);
  }

  /** `if` without value; the condition is on the stack. */
  when(body: () => void): this {
    this.u8(OP.if).u8(EMPTY);
    body();
    return this.u8(OP.end);
  }

  end(): this {
    return this.u8(OP.end);
  }
}

/** Neighbours of one type as a group, which keeps function heads short. */
export function writeLocals(out: ByteWriter, locals: readonly ValueType[]): void {
  const groups: { type: ValueType; count: number }[] = [];
  for (const type of locals) {
    const last = groups[groups.length - 1];
    if (last?.type === type) last.count++;
    else groups.push({ type, count: 1 });
  }
  out.u32(groups.length);
  for (const { type, count } of groups) out.u32(count).u8(type);
}
