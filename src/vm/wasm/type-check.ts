import { fail } from '../../base/errors.js';
import { compileWeight } from '../cost.js';
import { WASM_ERRORS } from '../errors.js';
import { InstructionReader } from './instruction.js';
import {
  EMPTY,
  F32,
  F64,
  type FunctionBody,
  type FunctionType,
  I32,
  I64,
  typeName,
  type ValueType,
  type WasmModule,
} from './module.js';
import { accessAlignmentMax, accessType, NUMERIC, OP } from './opcodes.js';

/** Operand of any type, taken from the stack of unreachable code. */
const UNKNOWN = 0;

interface Control {
  readonly op: number;
  readonly result: ValueType | typeof EMPTY;
  readonly height: number;
  unreachable: boolean;
}

/** Checks every function of the module and notes how high its operand stack grows. */
export function typeCheck(module: WasmModule): void {
  const checker = new Checker(module);
  module.bodies.forEach((body, index) => {
    checker.check(body, module.functionImports.length + index);
  });
}

class Checker {
  private readonly module: WasmModule;
  private reader: InstructionReader;
  private function = 0;
  private locals: ValueType[] = [];
  private readonly operands: number[] = [];
  private readonly controls: Control[] = [];
  private height = 0;
  private steps = 0;

  constructor(module: WasmModule) {
    this.module = module;
    this.reader = new InstructionReader(module.bytes);
  }

  check(body: FunctionBody, index: number): void {
    const reader = new InstructionReader(this.module.bytes, body.codeStart, body.codeEnd);
    this.reader = reader;
    this.function = index;
    this.locals = [...body.type.parameters, ...body.locals];
    this.operands.length = 0;
    this.controls.length = 0;
    this.height = 0;
    this.steps = 0;
    this.enter(OP.block, body.type.result);
    while (this.controls.length > 0) this.instruction(reader.next());
    body.operandsMax = this.height;
    body.compileSteps = this.steps;
    // Quirk: behind the final `end` anything may stand that pops nothing.
    body.hasTrailingCode = reader.at < reader.end;
    while (reader.at < reader.end) this.instruction(reader.next());
    if (this.controls.length > 0) this.mismatch('block without end behind the end of the function');
  }

  private mismatch(what: string): never {
    fail(WASM_ERRORS.wasm_type_mismatch, { function: this.function, what, at: this.reader.start });
  }

  private push(type: number): void {
    this.operands.push(type);
    if (this.operands.length > this.height) this.height = this.operands.length;
  }

  private innermost(): Control {
    return this.controls[this.controls.length - 1] ?? this.mismatch('code after the end of the function');
  }

  private popAny(): number {
    if (this.isBottomless()) return UNKNOWN;
    if (this.operands.length === this.innermost().height) this.mismatch('operand missing');
    return this.operands.pop() as number;
  }

  /** Nothing lies on the stack, and anything can be taken from it. */
  private isBottomless(): boolean {
    const { unreachable, height } = this.innermost();
    return unreachable && this.operands.length === height;
  }

  private pop(expected: number): number {
    const actual = this.popAny();
    if (actual !== expected && actual !== UNKNOWN && expected !== UNKNOWN) {
      this.mismatch(`expected ${typeName(expected)}, got ${typeName(actual)}`);
    }
    return actual === UNKNOWN ? expected : actual;
  }

  private enter(op: number, result: ValueType | typeof EMPTY): void {
    this.controls.push({ op, result, height: this.operands.length, unreachable: false });
  }

  private leave(): Control {
    const control = this.innermost();
    if (control.result !== EMPTY) this.pop(control.result);
    if (this.operands.length !== control.height) this.mismatch('operands left at the end of a block');
    this.controls.pop();
    return control;
  }

  private dead(): void {
    const control = this.innermost();
    this.operands.length = control.height;
    control.unreachable = true;
  }

  /** Type that a branch to the label carries; a loop is entered again with nothing. */
  private label(depth: number): ValueType | typeof EMPTY {
    const control = this.controls[this.controls.length - 1 - depth];
    if (control === undefined) return this.mismatch('unknown label');
    return control.op === OP.loop ? EMPTY : control.result;
  }

  private local(index: number): ValueType {
    return this.locals[index] ?? this.mismatch('unknown local');
  }

  private needsMemory(): void {
    if (this.module.memories.length === 0) this.mismatch('memory missing');
  }

  private call(type: FunctionType): void {
    for (let i = type.parameters.length - 1; i >= 0; i--) {
      // Unreachable code gives operands of any type without end: three bytes of it could ask for 8191 of them.
      if (this.isBottomless()) break;
      this.pop(type.parameters[i] as number);
    }
    if (type.result !== EMPTY) this.push(type.result);
  }

  private branchTable(): void {
    const { reader } = this;
    const type = this.label(reader.immediate);
    for (const target of reader.targets) if (this.label(target) !== type) this.mismatch('targets of br_table differ');
    this.pop(I32);
    if (type !== EMPTY) this.pop(type);
    this.dead();
  }

  private instruction(op: number): void {
    this.countSteps(op);
    const numeric = NUMERIC[op];
    if (numeric !== undefined) {
      for (let i = numeric.operands.length - 1; i >= 0; i--) this.pop(numeric.operands[i] as number);
      this.push(numeric.result);
    } else if (op >= OP.load_first && op <= OP.store_last) this.access(op);
    else if (op <= OP.return) this.control(op);
    else this.plain(op);
  }

  private countSteps(op: number): void {
    const { immediate, targets } = this.reader;
    const callsHost = op === OP.call && immediate < this.module.functionImports.length;
    const ways = op === OP.br_table ? targets.length + 1 : 1;
    this.steps += ways * compileWeight(op, callsHost) * (this.locals.length + this.operands.length);
  }

  private access(op: number): void {
    this.needsMemory();
    if (this.reader.immediate > accessAlignmentMax(op)) this.mismatch('alignment larger than natural');
    if (op >= OP.store_first) this.pop(accessType(op));
    this.pop(I32);
    if (op <= OP.load_last) this.push(accessType(op));
  }

  private control(op: number): void {
    const { reader } = this;
    switch (op) {
      case OP.unreachable:
        this.dead();
        break;
      case OP.nop:
        break;
      case OP.if:
        this.pop(I32);
        this.enter(op, reader.immediate as ValueType | typeof EMPTY);
        break;
      case OP.block:
      case OP.loop:
        this.enter(op, reader.immediate as ValueType | typeof EMPTY);
        break;
      case OP.else: {
        const { op: opener, result } = this.leave();
        if (opener !== OP.if) this.mismatch('else without if');
        this.enter(OP.else, result);
        break;
      }
      case OP.end: {
        const { op: opener, result } = this.leave();
        if (opener === OP.if && result !== EMPTY) this.mismatch('if without else yields a value');
        if (result !== EMPTY) this.push(result);
        break;
      }
      case OP.br:
      case OP.br_if: {
        const type = this.label(reader.immediate);
        if (op === OP.br_if) this.pop(I32);
        if (type !== EMPTY) this.pop(type);
        if (op === OP.br) this.dead();
        else if (type !== EMPTY) this.push(type);
        break;
      }
      case OP.br_table:
        this.branchTable();
        break;
      default: {
        const { result } = this.controls[0] ?? this.innermost();
        if (result !== EMPTY) this.pop(result);
        this.dead();
      }
    }
  }

  private plain(op: number): void {
    const { reader, module } = this;
    const index = reader.immediate;
    switch (op) {
      case OP.call: {
        const typeIndex = module.functionTypes[index];
        if (typeIndex === undefined) this.mismatch('unknown function');
        this.call(module.types[typeIndex] as FunctionType);
        break;
      }
      case OP.call_indirect: {
        if (module.tables.length === 0) this.mismatch('table missing');
        const type = module.types[index];
        if (type === undefined) this.mismatch('unknown type');
        this.pop(I32);
        this.call(type);
        break;
      }
      case OP.drop:
        this.popAny();
        break;
      case OP.select: {
        this.pop(I32);
        const second = this.popAny();
        const first = this.pop(second);
        this.push(first);
        break;
      }
      case OP.local_get:
        this.push(this.local(index));
        break;
      case OP.local_set:
        this.pop(this.local(index));
        break;
      case OP.local_tee:
        this.push(this.pop(this.local(index)));
        break;
      case OP.global_get:
      case OP.global_set: {
        const global = module.globals[index];
        if (global === undefined) this.mismatch('unknown global');
        if (op === OP.global_get) this.push(global.type);
        else if (!global.mutable) this.mismatch('assignment to an immutable global');
        else this.pop(global.type);
        break;
      }
      case OP.memory_size:
        this.needsMemory();
        this.push(I32);
        break;
      case OP.memory_grow:
        this.needsMemory();
        this.pop(I32);
        this.push(I32);
        break;
      case OP.i32_const:
        this.push(I32);
        break;
      case OP.i64_const:
        this.push(I64);
        break;
      case OP.f32_const:
        this.push(F32);
        break;
      default:
        this.push(F64);
    }
  }
}
