import { fail } from '../../base/errors.js';
import { COST } from '../cost.js';
import { RUN_ERRORS } from '../errors.js';
import { VM_LIMITS } from '../limits.js';
import { EMPTY, F64, type FunctionType, I64, type ValueType } from '../wasm/module.js';
import type { WasmGlobal } from '../web-assembly.js';
import { CODE, type DecodedFunction } from './decode.js';
import { type Machine, trap } from './machine.js';
import { OPERATIONS } from './operations.js';
import type { Program } from './program.js';

/** As bound to a running action; floats come and go as their bits. */
export type HostFunction = (...args: (number | bigint)[]) => unknown;

/** A caller that waits. */
interface Frame {
  readonly body: DecodedFunction;
  readonly at: number;
  readonly base: number;
}

/** Of a profiled contract, by their names among its exports. */
type Counters = Record<`instructions ${number}` | `calls ${number}`, WasmGlobal<bigint>>;

/** Runs the functions of one instance. Frames lie on the heap, so the native stack does not matter. */
export class Interpreter {
  private readonly program: Program;
  private readonly machine: Machine;
  private readonly hosts: readonly HostFunction[];
  /** What functions have cost by themselves, when a contract is profiled. */
  readonly counters: Counters | undefined;
  private readonly frames: Frame[] = [];
  /** `apply` and the start function take a level themselves, which the reference does not count. */
  private levels = VM_LIMITS.call_depth_max + 1;

  constructor(program: Program, machine: Machine, hosts: readonly HostFunction[], isProfiled: boolean) {
    this.program = program;
    this.machine = machine;
    this.hosts = hosts;
    if (!isProfiled) return;
    this.counters = {};
    for (let body = 0; body < program.module.bodies.length; body++) {
      this.counters[`instructions ${body}`] = { value: 0n };
      this.counters[`calls ${body}`] = { value: 0n };
    }
  }

  /** Calls a function with a body; what it gives is not looked at. */
  call(index: number, args: readonly bigint[]): void {
    for (const arg of args) this.machine.pushI64(arg);
    this.run(this.enter(this.program.body(index)));
  }

  /** The arguments lie on the stack, where they become the first locals. */
  private enter(body: DecodedFunction): DecodedFunction {
    const { machine, counters } = this;
    if (--this.levels < 0) fail(RUN_ERRORS.contract_call_depth);
    const base = machine.top - body.parameters;
    machine.reserve(base + body.height);
    machine.clear(machine.top, base + body.locals);
    machine.base = base;
    machine.top = base + body.locals;
    if (counters !== undefined) count(counters[`calls ${body.index}`], 1);
    return body;
  }

  private charge(body: DecodedFunction, cost: number): number {
    const { machine, counters } = this;
    const price = cost * this.program.instructionPrice;
    machine.budget -= price;
    if (counters !== undefined) count(counters[`instructions ${body.index}`], price);
    return machine.budget;
  }

  /** Until the first function returns. */
  private run(first: DecodedFunction): void {
    const { machine, program } = this;
    let body = first;
    let { code } = body;
    let at = 0;
    for (;;) {
      const op = code[at] as number;
      const immediate = code[at + 1] as number;
      at += 2;
      switch (op) {
        case CODE.charge:
          this.charge(body, immediate);
          break;
        case CODE.checkedCharge:
          if (this.charge(body, immediate) < 0) fail(RUN_ERRORS.contract_time_exceeded);
          break;
        case CODE.jump:
          at = body.labels[immediate] as number;
          break;
        case CODE.jumpIfZero:
          if (machine.popI32() === 0) at = body.labels[immediate] as number;
          break;
        case CODE.branch:
          at = this.branch(body, immediate);
          break;
        case CODE.branchIf:
          if (machine.popI32() !== 0) at = this.branch(body, immediate);
          break;
        case CODE.branchTable:
          at = this.branch(body, this.chosenLabel(body, immediate));
          break;
        case CODE.call:
        case CODE.callIndirect: {
          const callee = op === CODE.call ? immediate : this.chosenFunction(immediate);
          if (callee === undefined) break;
          this.frames.push({ body, at, base: machine.base });
          body = this.enter(program.body(callee));
          code = body.code;
          at = 0;
          break;
        }
        case CODE.callHost:
          this.checkLevelForHost();
          this.callHost(immediate);
          break;
        case CODE.leave: {
          machine.cut(machine.base, body.results);
          this.levels++;
          const frame = this.frames.pop();
          if (frame === undefined) return;
          machine.base = frame.base;
          body = frame.body;
          code = body.code;
          at = frame.at;
          break;
        }
        case CODE.unreachable:
          trap('unreachable executed');
          break;
        case CODE.wide:
          machine.pushHalves(body.wide[immediate] as number, body.wide[immediate + 1] as number);
          break;
        default:
          (OPERATIONS[op] as (typeof OPERATIONS)[number])(machine, immediate);
      }
    }
  }

  /** Brings the stack to what the label wants, and gives the place that it leads to. */
  private branch({ labels }: DecodedFunction, label: number): number {
    const { machine } = this;
    machine.cut(machine.base + (labels[label + 1] as number), labels[label + 2] as number);
    return labels[label] as number;
  }

  private chosenLabel({ tables }: DecodedFunction, table: number): number {
    const last = tables[table] as number;
    const chosen = this.machine.popI32() >>> 0;
    return tables[table + 1 + Math.min(chosen, last)] as number;
  }

  /** The body that an indirect call goes to, or undefined when it was a host function and has returned. */
  private chosenFunction(typeIndex: number): number | undefined {
    const { program, machine } = this;
    const slot = machine.popI32() >>> 0;
    if (slot >= program.tableSize) trap('undefined table index');
    const index = program.table[slot] ?? trap('uninitialized table element');
    if (program.functionTypeKey(index) !== program.typeKey(typeIndex)) trap('indirect call signature mismatch');
    const body = index - program.importTypes.length;
    if (body >= 0) return body;
    this.callHostOfTable(index);
    return undefined;
  }

  /** A host function in a table takes a level like a function of the contract, and the caller has not paid for it. */
  private callHostOfTable(index: number): void {
    if (--this.levels < 0) fail(RUN_ERRORS.contract_call_depth);
    this.machine.budget -= COST.host_call * this.program.instructionPrice;
    if (this.machine.budget < 0) fail(RUN_ERRORS.contract_time_exceeded);
    this.callHost(index);
    this.levels++;
  }

  /** A host function needs a free level, but takes none: it cannot call back. */
  private checkLevelForHost(): void {
    if (this.levels < 1) fail(RUN_ERRORS.contract_call_depth);
  }

  private callHost(index: number): void {
    const { machine } = this;
    const { parameters, result } = this.program.importTypes[index] as FunctionType;
    machine.top -= parameters.length;
    const args = parameters.map((type, i) => this.argument(type, machine.top + i));
    const given = (this.hosts[index] as HostFunction)(...args);
    if (result === EMPTY) return;
    machine.top++;
    if (isWide(result)) machine.setI64(given as bigint);
    else machine.setI32(given as number);
  }

  private argument(type: ValueType, place: number): number | bigint {
    const { i32, i64 } = this.machine;
    return (isWide(type) ? i64[place] : i32[2 * place]) as number | bigint;
  }
}

function count(counter: WasmGlobal<bigint> | undefined, more: number): void {
  if (counter !== undefined) counter.value += BigInt(more);
}

const isWide = (type: ValueType): boolean => type === I64 || type === F64;
