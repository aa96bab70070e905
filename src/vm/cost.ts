import { isReplacedFloat } from './float-helpers.js';
import type { FunctionBody } from './wasm/module.js';
import { OP } from './wasm/opcodes.js';

/**
 * Prices of the meter, in instructions. They follow measured time closely enough that no program is much slower per
 * instruction than another; they are not part of consensus with the reference (a billed time in a block is taken as
 * it is), but all trustnodes must agree on them, since they end in receipts of produced blocks.
 */
export const COST = {
  call: 4,
  call_indirect: 8,
  division: 6,
  float_helper: 4,
  memory_grow: 32,
  /** Making and clearing 64 KiB, at the start of an action and when the memory changes its size. */
  memory_page: 2048,
  /** Starting an action, whatever it does. */
  action: 2000,
  /** Each global of the contract has to be set for an action; one that can change is an object of its own as well. */
  global: 40,
  mutable_global: 130,
  /** Each import that an instance is made with, beyond those that start an action: more than the contracts have that were seen. */
  import: 60,
  imports_free: 20,
  /** Each beyond one of each: no compiler names a function twice. */
  repeated_import: 150,
  /** Each place of the table, and what is put there. */
  table_place: 15,
  table_entry: 25,
  /** What an instruction of an interpreted contract costs for each that compiled code counts. */
  interpreted: 10,
  /** The crossing into JavaScript and the checks of the arguments. */
  host_call: 40,
  /** Estimate of return address, saved registers and instance slots of a frame. */
  frame_overhead_bytes: 160,
} as const;

const PRICES = new Uint8Array(256).fill(1);
for (const free of [OP.nop, OP.block, OP.else, OP.end]) PRICES[free] = 0;
for (const first of [0x6d, 0x7f]) PRICES.fill(COST.division, first, first + 4);
for (let op = 0; op < 256; op++) if (isReplacedFloat(op)) PRICES[op] = COST.float_helper;
PRICES[OP.call] = COST.call;
PRICES[OP.call_indirect] = COST.call_indirect;
PRICES[OP.memory_grow] = COST.memory_grow;

/**
 * How often the compiler looks through all locals and operands for an instruction. For a branch it also copies them; a
 * loop and an `if` have one in them, and so has the meter's check before a host function.
 */
const COMPILE_WEIGHTS = new Uint8Array(256);
const BRANCH_WEIGHT = 8;
for (const op of [OP.loop, OP.if, OP.br, OP.br_if, OP.br_table, OP.return]) COMPILE_WEIGHTS[op] = BRANCH_WEIGHT;
for (const op of [OP.call, OP.call_indirect, OP.memory_grow]) COMPILE_WEIGHTS[op] = 1;
for (let op = 0; op < 256; op++) if (isReplacedFloat(op)) COMPILE_WEIGHTS[op] = 1;

export function compileWeight(op: number, callsHost: boolean): number {
  return callsHost ? BRANCH_WEIGHT : (COMPILE_WEIGHTS[op] as number);
}

export function instructionCost(op: number): number {
  return PRICES[op] as number;
}

/** Up to here a compiler clears locals one by one; of more, most are cleared in one go. */
const DEAR_LOCALS = 128;

/** Price of entering a function, whose locals have to be cleared. */
export function entryCost({ locals }: FunctionBody): number {
  return 1 + (Math.min(locals.length, DEAR_LOCALS) >> 2) + (locals.length >> 5);
}

/** Native stack that a compiled function takes, by our estimate. */
export function frameBytesOf({ type, locals, operandsMax }: FunctionBody): number {
  // Operands count twice: once where they live, once where they are passed on as arguments.
  return 8 * (type.parameters.length + locals.length + 1 + 2 * operandsMax) + COST.frame_overhead_bytes;
}
