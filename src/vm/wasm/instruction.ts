import { ByteReader } from './byte-reader.js';
import { EMPTY, TYPE_NONE } from './module.js';
import { isBlockType, isKnownOpcode, OP } from './opcodes.js';

/**
 * Decodes one instruction after the other into its own fields; no object is made per instruction.
 * `start` is where the last decoded one begins, `at` where it ends.
 */
export class InstructionReader extends ByteReader {
  start = 0;
  op = 0;
  /** Block type, index, alignment, or default target of `br_table`. */
  immediate = 0;
  /** Offset of a load or store. */
  offset = 0;
  /** Targets of `br_table` without the default one. */
  targets: number[] = [];

  next(): number {
    this.start = this.at;
    const op = this.u8();
    this.op = op;
    if (op >= OP.numeric_first && op <= OP.numeric_last) return op;
    if (op >= OP.load_first && op <= OP.store_last) {
      // The alignment is one byte, not a LEB128 number.
      this.immediate = this.u8();
      this.offset = this.u32();
      return op;
    }
    switch (op) {
      case OP.block:
      case OP.loop:
      case OP.if:
        this.immediate = this.blockType();
        break;
      case OP.br:
      case OP.br_if:
      case OP.call:
      case OP.local_get:
      case OP.local_set:
      case OP.local_tee:
      case OP.global_get:
      case OP.global_set:
        this.immediate = this.u32();
        break;
      case OP.br_table: {
        const count = this.count();
        this.targets = [];
        for (let i = 0; i < count; i++) this.targets.push(this.u32());
        this.immediate = this.u32();
        break;
      }
      case OP.call_indirect:
        this.immediate = this.u32();
        this.reserved();
        break;
      case OP.memory_size:
      case OP.memory_grow:
        this.reserved();
        break;
      case OP.i32_const:
        this.i32();
        break;
      case OP.i64_const:
        this.skipI64();
        break;
      case OP.f32_const:
        this.skip(4);
        break;
      case OP.f64_const:
        this.skip(8);
        break;
      default:
        if (!isKnownOpcode(op)) this.malformed(`invalid opcode ${op}`);
    }
    return op;
  }

  /** To the `else` or `end` that closes the current block, past what cannot be reached. */
  skipBlock(): number {
    for (let nesting = 0; ; ) {
      const op = this.next();
      if (op === OP.block || op === OP.loop || op === OP.if) nesting++;
      else if (op === OP.end && nesting-- === 0) return op;
      else if (op === OP.else && nesting === 0) return op;
    }
  }

  private blockType(): number {
    const type = this.u8();
    if (type === TYPE_NONE) return EMPTY;
    if (!isBlockType(type)) this.malformed('invalid block type');
    return type;
  }

  private reserved(): void {
    if (this.u8() !== 0) this.malformed('reserved byte is not zero');
  }

  /** As `i64`, without building the value. */
  private skipI64(): void {
    for (let i = 0; i < 9; i++) if (this.u8() < 0x80) return;
    const byte = this.u8();
    if (byte !== 0 && byte !== 0x7f) this.malformed('LEB128 integer is too long or has wrong unused bits');
  }
}
