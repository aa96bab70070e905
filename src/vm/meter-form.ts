import { addToGlobal, charge, checkDepthForHost } from './helpers.js';
import type { InstrumentationContext, ProfileGlobals } from './instrumentation-context.js';
import type { Assembler } from './wasm/assembler.js';

/**
 * How the meter stands in the code of one function. Both forms take the same prices at the same places and stop at the
 * same ones, so it decides nothing which of them a function has.
 */
export interface MeterForm {
  /** In front of the body. */
  begin(out: Assembler): void;
  /** In front of a basic block: its price, with `isChecked` also whether the budget is used up. */
  charge(out: Assembler, cost: number, isChecked: boolean): void;
  /** Anything that leaves the function and comes back. */
  aroundCall(out: Assembler, call: () => void): void;
  /** A host function needs a free level. The caller has charged for it. */
  callHost(out: Assembler, index: number): void;
  /** Keeps where in the table an indirect call goes; it stays on the stack. */
  keepSlot(out: Assembler): void;
  /** Behind the body. */
  end(out: Assembler): void;
}

/** For speed: the budget lives in a local while the function runs, which keeps it in a register of the compiled code. */
export class FastMeter implements MeterForm {
  private readonly context: InstrumentationContext;
  private readonly budget: number;
  private readonly profile: ProfileGlobals | undefined;

  constructor(context: InstrumentationContext, budget: number, profile: ProfileGlobals | undefined) {
    this.context = context;
    this.budget = budget;
    this.profile = profile;
  }

  begin(out: Assembler): void {
    out.globalGet(this.context.globals.instructions).localSet(this.budget);
    if (this.profile !== undefined) addToGlobal(out, this.profile.calls, 1);
  }

  charge(out: Assembler, cost: number, isChecked: boolean): void {
    charge(out, this.context, cost, this.budget, isChecked);
    if (this.profile !== undefined) addToGlobal(out, this.profile.instructions, cost);
  }

  aroundCall(out: Assembler, call: () => void): void {
    const { instructions } = this.context.globals;
    out.localGet(this.budget).globalSet(instructions);
    call();
    out.globalGet(instructions).localSet(this.budget);
  }

  callHost(out: Assembler, index: number): void {
    this.aroundCall(out, () => {
      checkDepthForHost(out, this.context);
      out.call(this.context.callee(index));
    });
  }

  keepSlot(out: Assembler): void {
    const { slot } = this.context.globals;
    out.globalSet(slot).globalGet(slot);
  }

  end(out: Assembler): void {
    out.localGet(this.budget).globalSet(this.context.globals.instructions);
  }
}

/** Prices up to this have a helper each. */
const OWN_HELPER_MAX = 16;

/**
 * For functions that the fast form makes too large for the compiler: the budget stays in its global, and all that the
 * meter does is a call of a helper, three bytes long in a module of any size.
 */
export class CompactMeter implements MeterForm {
  private readonly context: InstrumentationContext;
  private readonly profile: ProfileGlobals | undefined;
  /** Functions that charge. */
  private readonly helpers: number[] = [];

  constructor(context: InstrumentationContext, profile: ProfileGlobals | undefined) {
    this.context = context;
    this.profile = profile;
  }

  begin(out: Assembler): void {
    if (this.profile !== undefined) addToGlobal(out, this.profile.calls, 1);
  }

  charge(out: Assembler, cost: number, isChecked: boolean): void {
    // Blocks that are short have a low price, and only many short ones make a function much longer than it was.
    const hasOwn = cost <= OWN_HELPER_MAX;
    if (!hasOwn) out.i64(cost);
    const key = 2 * (hasOwn ? cost : OWN_HELPER_MAX + 1) + (isChecked ? 1 : 0);
    this.helpers[key] ??= this.context.chargeHelper(hasOwn ? cost : undefined, isChecked, this.profile?.instructions);
    out.call(this.helpers[key]);
  }

  aroundCall(_out: Assembler, call: () => void): void {
    call();
  }

  callHost(out: Assembler, index: number): void {
    out.call(this.context.checkedHost(index));
  }

  keepSlot(out: Assembler): void {
    out.call(this.context.slotHelper());
  }

  end(): void {
    // The budget is where it belongs.
  }
}
