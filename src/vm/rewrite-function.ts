import { invariant } from '../base/errors.js';
import { COST, instructionCost } from './cost.js';
import { isReplacedFloat } from './float-helpers.js';
import { addToGlobal, charge, checkDepthForHost, enterFrame, leaveFrame } from './helpers.js';
import type { InstrumentationContext, ProfileGlobals } from './instrumentation-context.js';
import { Assembler, writeLocals } from './wasm/assembler.js';
import { InstructionReader } from './wasm/instruction.js';
import { type FunctionBody, I64 } from './wasm/module.js';
import { OP } from './wasm/opcodes.js';

interface Control {
  readonly op: number;
  /** Whether a branch leads to its end, which then starts a basic block. */
  targeted: boolean;
}

/**
 * Instruments one function. The budget lives in a local while the function runs, which keeps it in a register of the
 * compiled code; it is written to the global before every call and at the single exit, and read back after calls.
 * The body stands in a block, so `return` and branches to the function's label arrive at that exit.
 */
export class FunctionRewriter {
  private readonly context: InstrumentationContext;
  private readonly body: FunctionBody;
  private readonly reader: InstructionReader;
  private readonly out = new Assembler();
  private readonly segment = new Assembler();
  private readonly budget: number;
  private readonly frameBytes: number;
  private readonly profile: ProfileGlobals | undefined;
  private readonly controls: Control[] = [];
  private cost = 0;
  private checked = true;

  constructor(context: InstrumentationContext, index: number) {
    const body = context.module.bodies[index];
    invariant(body !== undefined, 'functions are rewritten by their index');
    this.context = context;
    this.body = body;
    this.profile = context.isProfiled ? context.profileGlobals(index) : undefined;
    this.reader = new InstructionReader(context.module.bytes, body.codeStart, body.codeEnd);
    const slots = body.type.parameters.length + body.locals.length;
    this.budget = slots;
    // Operands count twice: once where they live, once where they are passed on as arguments.
    this.frameBytes = 8 * (slots + 1 + 2 * body.operandsMax) + COST.frame_overhead_bytes;
  }

  rewrite(): Uint8Array {
    const { context, segment, budget, reader } = this;
    const [out, body] = [this.out, this.body];
    writeLocals(out, [...body.locals, I64]);
    enterFrame(out, context, this.frameBytes, budget);
    out.globalGet(context.globals.instructions).localSet(budget);
    if (this.profile !== undefined) addToGlobal(out, this.profile.calls, 1);
    this.cost = 1;
    segment.op(OP.block).u8(body.type.result);
    this.controls.push({ op: OP.block, targeted: true });
    while (this.controls.length > 0) this.instruction(reader.next());
    out.localGet(budget).globalSet(context.globals.instructions);
    leaveFrame(out, context, this.frameBytes);
    return out.end().finish();
  }

  /** Ends the basic block: its price, then its code. */
  private flush(nextIsChecked = false): void {
    const { segment } = this;
    const out = this.out;
    if (this.cost > 0 || this.checked) charge(out, this.context, this.cost, this.budget, this.checked);
    if (this.profile !== undefined) addToGlobal(out, this.profile.instructions, this.cost);
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
        this.aroundCall(() => {
          const { slot } = this.context.globals;
          this.segment.globalSet(slot).globalGet(slot);
          this.copy();
        });
        break;
      case OP.memory_size:
        this.segment.globalGet(this.context.globals.pages);
        break;
      case OP.memory_grow:
        this.aroundCall(() => this.segment.call(this.context.growHelper()));
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
    this.instruction(this.skipUnreachable());
  }

  /** Stands at the `else` or `end` that closes the current block afterwards. */
  private skipUnreachable(): number {
    const { reader } = this;
    for (let nesting = 0; ; ) {
      const op = reader.next();
      if (op === OP.block || op === OP.loop || op === OP.if) nesting++;
      else if (op === OP.end && nesting-- === 0) return op;
      else if (op === OP.else && nesting === 0) return op;
    }
  }

  private call(index: number): void {
    const { context, segment } = this;
    const callee = context.callee(index);
    if (!context.isImport(index)) {
      this.aroundCall(() => segment.call(callee));
      return;
    }
    this.cost += COST.host_call;
    this.aroundCall(() => {
      checkDepthForHost(segment, context);
      segment.call(callee);
    });
  }

  private aroundCall(call: () => void): void {
    const { segment, budget } = this;
    const { instructions } = this.context.globals;
    segment.localGet(budget).globalSet(instructions);
    call();
    segment.globalGet(instructions).localSet(budget);
  }
}
