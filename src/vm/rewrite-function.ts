import { invariant } from '../base/errors.js';
import { COST, entryCost, instructionCost } from './cost.js';
import { isReplacedFloat } from './float-helpers.js';
import { enterFrame, leaveFrame } from './helpers.js';
import type { InstrumentationContext } from './instrumentation-context.js';
import { VM_LIMITS } from './limits.js';
import { CompactMeter, FastMeter, type MeterForm } from './meter-form.js';
import { Assembler, writeLocals } from './wasm/assembler.js';
import { InstructionReader } from './wasm/instruction.js';
import { type FunctionBody, I64 } from './wasm/module.js';
import { OP } from './wasm/opcodes.js';

interface Control {
  readonly op: number;
  /** Whether a branch leads to its end, which then starts a basic block. */
  targeted: boolean;
}

/** Which form of the meter functions have: that of their size, or the same for all, as tests want it. */
export type MeterChoice = 'by size' | 'fast' | 'compact';

/** Instruments the function with this index among those with a body. */
export function rewriteFunction(context: InstrumentationContext, index: number, choice: MeterChoice): Uint8Array {
  const fastMax = { fast: Number.POSITIVE_INFINITY, 'by size': VM_LIMITS.fast_body_bytes_max, compact: 0 }[choice];
  const fast = new FunctionRewriter(context, index, false);
  if (fast.rewrite(fastMax)) return fast.bytes();
  const compact = new FunctionRewriter(context, index, true);
  compact.rewrite(Number.POSITIVE_INFINITY);
  return compact.bytes();
}

/**
 * Writes the instructions of a function anew, with the meter in one of its forms.
 * The body stands in a block, so `return` and branches to the function's label arrive at the single exit.
 */
class FunctionRewriter {
  private readonly context: InstrumentationContext;
  private readonly body: FunctionBody;
  private readonly reader: InstructionReader;
  private readonly out = new Assembler();
  private readonly segment = new Assembler();
  private readonly budget: number;
  private readonly meter: MeterForm;
  private readonly controls: Control[] = [];
  private cost = 0;
  private checked = true;

  constructor(context: InstrumentationContext, index: number, isCompact: boolean) {
    const body = context.module.bodies[index];
    invariant(body !== undefined, 'functions are rewritten by their index');
    this.context = context;
    this.body = body;
    this.reader = new InstructionReader(context.module.bytes, body.codeStart, body.codeEnd);
    const slots = body.type.parameters.length + body.locals.length;
    const profile = context.isProfiled ? context.profileGlobals(index) : undefined;
    this.budget = slots;
    this.meter = isCompact ? new CompactMeter(context, profile) : new FastMeter(context, slots, profile);
  }

  /** Gives up, and is false, when it gets longer than that. */
  rewrite(bytesMax: number): boolean {
    const { context, segment, reader } = this;
    const [out, body] = [this.out, this.body];
    writeLocals(out, [...body.locals, I64]);
    enterFrame(out, context, this.budget);
    this.meter.begin(out);
    this.cost = entryCost(body);
    segment.op(OP.block).u8(body.type.result);
    this.controls.push({ op: OP.block, targeted: true });
    while (this.controls.length > 0) {
      if (out.length + segment.length > bytesMax) return false;
      this.instruction(reader.next());
    }
    this.meter.end(out);
    leaveFrame(out, context);
    out.end();
    return true;
  }

  bytes(): Uint8Array {
    return this.out.finish();
  }

  /** Ends the basic block: its price, then its code. */
  private flush(nextIsChecked = false): void {
    const { segment } = this;
    const out = this.out;
    if (this.cost > 0 || this.checked) this.meter.charge(out, this.cost, this.checked);
    out.raw(segment.view());
    segment.clear();
    this.cost = 0;
    this.checked = nextIsChecked;
  }

  private copy(): void {
    this.segment.raw(this.reader.bytes.subarray(this.reader.start, this.reader.at));
  }

  /** Begins a block. Its type is written anew: the compiler does not know all the forms that may be deployed. */
  private open(): void {
    this.segment.op(this.reader.op).u8(this.reader.immediate);
  }

  private target(depth: number): void {
    const control = this.controls[this.controls.length - 1 - depth];
    if (control !== undefined) control.targeted = true;
  }

  private instruction(op: number): void {
    this.cost += instructionCost(op);
    switch (op) {
      case OP.nop:
        break;
      case OP.block:
        this.open();
        this.controls.push({ op, targeted: false });
        break;
      case OP.loop:
        this.cost -= instructionCost(op);
        this.open();
        this.controls.push({ op, targeted: false });
        this.flush(true);
        this.cost = instructionCost(op);
        break;
      case OP.if:
        this.open();
        // The end of an `if` is reached from both arms.
        this.controls.push({ op, targeted: true });
        this.flush();
        break;
      case OP.else:
        this.copy();
        this.flush();
        break;
      case OP.end: {
        this.copy();
        const control = this.controls.pop();
        if (control?.op !== OP.loop && control?.targeted === true) this.flush();
        break;
      }
      case OP.br_if:
        this.target(this.reader.immediate);
        this.copy();
        this.flush();
        break;
      case OP.br:
      case OP.br_table:
      case OP.return:
      case OP.unreachable:
        this.leave(op);
        break;
      case OP.call:
        this.call(this.reader.immediate);
        break;
      case OP.call_indirect:
        this.meter.aroundCall(this.segment, () => {
          this.meter.keepSlot(this.segment);
          this.copy();
        });
        break;
      case OP.memory_size:
        this.segment.globalGet(this.context.globals.pages);
        break;
      case OP.memory_grow:
        this.meter.aroundCall(this.segment, () => this.segment.call(this.context.growHelper()));
        break;
      default:
        if (isReplacedFloat(op)) this.segment.call(this.context.floatHelper(op));
        else this.copy();
    }
  }

  private leave(op: number): void {
    const { reader, segment } = this;
    if (op === OP.return) segment.op(OP.br).u32(this.controls.length - 1);
    else this.copy();
    if (op === OP.br || op === OP.br_table) this.target(reader.immediate);
    if (op === OP.br_table) for (const depth of reader.targets) this.target(depth);
    this.flush();
    this.instruction(reader.skipBlock());
  }

  private call(index: number): void {
    const { context, segment, meter } = this;
    if (!context.isImport(index)) {
      meter.aroundCall(segment, () => segment.call(index));
      return;
    }
    this.cost += COST.host_call;
    meter.callHost(segment, index);
  }
}
