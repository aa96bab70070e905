import { invariant } from '../../base/errors.js';
import { COST, entryCost, instructionCost } from '../cost.js';
import { ByteReader } from '../wasm/byte-reader.js';
import { InstructionReader } from '../wasm/instruction.js';
import { EMPTY, type FunctionBody, type FunctionType, type WasmModule } from '../wasm/module.js';
import { NUMERIC, OP } from '../wasm/opcodes.js';

/** Codes of what an interpreter does beside the operations, which keep their opcodes. */
export const CODE = {
  /** Price of a basic block. */
  charge: 0x100,
  /** Price of a basic block in front of which the budget is looked at. */
  checkedCharge: 0x101,
  /** To a label, with nothing on the stack that would have to go. */
  jump: 0x102,
  jumpIfZero: 0x103,
  branch: 0x104,
  branchIf: 0x105,
  branchTable: 0x106,
  call: 0x107,
  callHost: 0x108,
  callIndirect: 0x109,
  leave: 0x10a,
  unreachable: 0x10b,
  /** Constant of 64 bits. */
  wide: 0x10c,
} as const;

/** A code and its immediate. */
const CODE_SIZE = 2;

/** Numbers of a label: where it leads to, the height that the stack is cut down to, and values kept on top. */
const LABEL_SIZE = 3;

/** A function as the interpreter runs it. */
export interface DecodedFunction {
  /** Its number among those with a body. */
  readonly index: number;
  readonly parameters: number;
  /** Parameters and locals; the first operand stands above them. */
  readonly locals: number;
  /** Most places of the stack that it takes. */
  readonly height: number;
  readonly results: number;
  /** Pairs of a code and its immediate. */
  readonly code: Int32Array;
  readonly labels: Int32Array;
  /** Tables of branches: how many labels, then these, the default one last. */
  readonly tables: Int32Array;
  /** Constants of 64 bits: lower half, upper half. */
  readonly wide: Int32Array;
}

interface Control {
  readonly op: number;
  /** Whether a branch leads to its end, which then starts a basic block. */
  targeted: boolean;
  readonly label: number;
  /** Of an `if`: where its other arm begins, until that is known. */
  otherwise: number | undefined;
  readonly height: number;
  readonly results: number;
}

export function decodeFunction(module: WasmModule, index: number): DecodedFunction {
  const body = module.bodies[index];
  invariant(body !== undefined, 'functions are decoded by their index');
  return new Decoder(module, body, index).decode();
}

/**
 * Decodes a function that was type-checked. Basic blocks begin and end where `FunctionRewriter` of compiled code has
 * them, so that both cost the same. Code that cannot be reached is left out.
 */
class Decoder {
  private readonly module: WasmModule;
  private readonly body: FunctionBody;
  private readonly index: number;
  private readonly reader: InstructionReader;
  private readonly constants: ByteReader;
  private readonly code: number[] = [];
  private readonly labels: number[] = [];
  private readonly tables: number[] = [];
  private readonly wide: number[] = [];
  private readonly controls: Control[] = [];
  private readonly locals: number;
  /** Of the stack, locals included. */
  private height: number;
  private cost: number;
  private checked = true;
  /** Where the price of the basic block stands. */
  private blockStart = 0;

  constructor(module: WasmModule, body: FunctionBody, index: number) {
    this.module = module;
    this.body = body;
    this.cost = entryCost(body);
    this.index = index;
    this.reader = new InstructionReader(module.bytes, body.codeStart, body.codeEnd);
    this.constants = new ByteReader(module.bytes);
    this.locals = body.type.parameters.length + body.locals.length;
    this.height = this.locals;
  }

  decode(): DecodedFunction {
    const { locals } = this;
    const { type, operandsMax } = this.body;
    this.emit(CODE.charge, 0);
    this.open(OP.block, type.result, true);
    while (this.controls.length > 0) this.instruction(this.reader.next());
    // The last basic block has nothing in it, and costs nothing.
    this.code.length = this.blockStart;
    this.emit(CODE.leave, 0);
    return {
      index: this.index,
      parameters: type.parameters.length,
      locals,
      height: locals + operandsMax,
      results: resultsOf(type.result),
      code: Int32Array.from(this.code),
      labels: Int32Array.from(this.labels),
      tables: Int32Array.from(this.tables),
      wide: Int32Array.from(this.wide),
    };
  }

  private emit(code: number, immediate: number): void {
    this.code.push(code, immediate);
  }

  /** Ends the basic block, whose price is known now, and begins the next one. */
  private flush(nextIsChecked = false): void {
    // Ends of many blocks in a row are nothing to run, as in compiled code: nobody pays for them.
    const isEmpty = this.cost === 0 && !this.checked && this.code.length === this.blockStart + CODE_SIZE;
    if (!isEmpty) {
      this.code[this.blockStart] = this.checked ? CODE.checkedCharge : CODE.charge;
      this.code[this.blockStart + 1] = this.cost;
      this.blockStart = this.code.length;
      this.emit(CODE.charge, 0);
    }
    this.cost = 0;
    this.checked = nextIsChecked;
  }

  private open(op: number, type: number, targeted = false): Control {
    const results = op === OP.loop ? 0 : resultsOf(type);
    const label = this.newLabel(this.height, results);
    const control: Control = {
      op,
      targeted,
      label,
      otherwise: undefined,
      height: this.height,
      results: resultsOf(type),
    };
    this.controls.push(control);
    return control;
  }

  private newLabel(height: number, results: number): number {
    return this.labels.push(0, height, results) - LABEL_SIZE;
  }

  /** The label leads to the basic block that has just begun. */
  private place(label: number): void {
    this.labels[label] = this.blockStart;
  }

  private control(depth: number): Control {
    const control = this.controls[this.controls.length - 1 - depth];
    invariant(control !== undefined, 'type-checked code has all labels that it names');
    return control;
  }

  /** Label of a branch. */
  private target(depth: number): number {
    const control = this.control(depth);
    control.targeted = true;
    return control.label;
  }

  private instruction(op: number): void {
    this.cost += instructionCost(op);
    if (op <= OP.call_indirect) this.flow(op);
    else this.operation(op);
  }

  private flow(op: number): void {
    const { immediate } = this.reader;
    switch (op) {
      case OP.nop:
        break;
      case OP.block:
        this.open(op, immediate);
        break;
      case OP.loop:
        this.loop(immediate);
        break;
      case OP.if:
        this.if(immediate);
        break;
      case OP.else:
        this.else();
        break;
      case OP.end:
        this.end();
        break;
      case OP.br_if:
        this.height--;
        this.emit(CODE.branchIf, this.target(immediate));
        this.flush();
        break;
      case OP.call:
        this.call(immediate);
        break;
      case OP.call_indirect:
        this.height--;
        this.emit(CODE.callIndirect, immediate);
        this.callOf(this.module.types[immediate]);
        break;
      default:
        this.leave(op);
    }
  }

  private loop(type: number): void {
    this.cost -= instructionCost(OP.loop);
    const { label } = this.open(OP.loop, type);
    this.flush(true);
    this.place(label);
    this.cost = instructionCost(OP.loop);
  }

  private if(type: number): void {
    this.height--;
    // The end of an `if` is reached from both arms.
    const control = this.open(OP.if, type, true);
    control.otherwise = this.newLabel(0, 0);
    this.emit(CODE.jumpIfZero, control.otherwise);
    this.flush();
  }

  private else(): void {
    const control = this.control(0);
    this.emit(CODE.jump, control.label);
    this.flush();
    this.placeOtherwise(control);
    this.height = control.height;
  }

  private placeOtherwise(control: Control): void {
    if (control.otherwise !== undefined) this.place(control.otherwise);
    control.otherwise = undefined;
  }

  private end(): void {
    const control = this.control(0);
    this.controls.pop();
    this.height = control.height + control.results;
    if (control.op === OP.loop || !control.targeted) return;
    this.flush();
    this.place(control.label);
    this.placeOtherwise(control);
  }

  private leave(op: number): void {
    const { reader } = this;
    if (op === OP.unreachable) this.emit(CODE.unreachable, 0);
    else if (op === OP.br_table) {
      this.emit(CODE.branchTable, this.tables.length);
      this.tables.push(reader.targets.length);
      for (const depth of reader.targets) this.tables.push(this.target(depth));
      this.tables.push(this.target(reader.immediate));
    } else this.emit(CODE.branch, this.target(op === OP.return ? this.controls.length - 1 : reader.immediate));
    this.flush();
    this.instruction(reader.skipBlock());
  }

  private call(index: number): void {
    const { functionImports, functionTypes, types } = this.module;
    if (index < functionImports.length) {
      this.cost += COST.host_call;
      this.emit(CODE.callHost, index);
    } else this.emit(CODE.call, index - functionImports.length);
    this.callOf(types[functionTypes[index] as number]);
  }

  private callOf(type: FunctionType | undefined): void {
    invariant(type !== undefined, 'type-checked code calls functions of known types');
    this.height += resultsOf(type.result) - type.parameters.length;
  }

  private operation(op: number): void {
    if (op === OP.i64_const || op === OP.f64_const) {
      this.emit(CODE.wide, this.wide.length);
      this.wide.push(...this.wideConstant(op));
    } else this.emit(op, this.immediate(op));
    this.height += heightChange(op);
  }

  private immediate(op: number): number {
    const { reader } = this;
    if (op >= OP.load_first && op <= OP.store_last) return reader.offset | 0;
    const constants = this.constantReader();
    if (op === OP.i32_const) return constants.i32();
    if (op === OP.f32_const) return new DataView(takeCopy(constants, 4)).getInt32(0, true);
    return op >= OP.local_get && op <= OP.global_set ? reader.immediate : 0;
  }

  /** Behind the opcode that was read last. */
  private constantReader(): ByteReader {
    this.constants.at = this.reader.start + 1;
    return this.constants;
  }

  private wideConstant(op: number): readonly [low: number, high: number] {
    const constants = this.constantReader();
    const view = new DataView(op === OP.f64_const ? takeCopy(constants, 8) : new ArrayBuffer(8));
    if (op === OP.i64_const) view.setBigInt64(0, constants.i64(), true);
    return [view.getInt32(0, true), view.getInt32(4, true)];
  }
}

const takeCopy = (reader: ByteReader, count: number): ArrayBuffer => Uint8Array.from(reader.take(count)).buffer;

const resultsOf = (type: number): number => (type === EMPTY ? 0 : 1);

/** How many operands more there are behind an instruction. */
function heightChange(op: number): number {
  const numeric = NUMERIC[op];
  if (numeric !== undefined) return 1 - numeric.operands.length;
  switch (op) {
    case OP.local_get:
    case OP.global_get:
    case OP.memory_size:
    case OP.i32_const:
    case OP.i64_const:
    case OP.f32_const:
    case OP.f64_const:
      return 1;
    case OP.local_set:
    case OP.global_set:
    case OP.drop:
      return -1;
    case OP.select:
      return -2;
    default:
      return op >= OP.store_first && op <= OP.store_last ? -2 : 0;
  }
}
