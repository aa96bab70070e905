import t from 'tap';
import { COST, compileWeight, entryCost, frameBytesOf, instructionCost } from '../../../src/vm/cost.js';
import { HOST_FUNCTIONS } from '../../../src/vm/host/index.js';
import { INSTRUCTIONS_PER_MICROSECOND, VM_LIMITS } from '../../../src/vm/limits.js';
import { type FunctionBody, I32 } from '../../../src/vm/wasm/module.js';

/**
 * What a call of a proposal costs decides whether the proposal succeeds, and each node measures it for itself. So whoever
 * changes one of these numbers makes another chain of this node where the others go on with the old ones.
 */

const OPCODES = Array.from({ length: 256 }, (_, op) => op);

/** Opcodes by what is said of them, neighbours as ranges. */
function rangesBy(numberOf: (op: number) => number): Record<number, string> {
  const ranges = new Map<number, [first: number, last: number][]>();
  for (const op of OPCODES) {
    const of = ranges.get(numberOf(op)) ?? [];
    ranges.set(numberOf(op), of);
    const last = of.at(-1);
    if (last !== undefined && last[1] === op - 1) last[1] = op;
    else of.push([op, op]);
  }
  const text = ([first, last]: readonly [number, number]) =>
    first === last ? first.toString(16) : `${first.toString(16)}-${last.toString(16)}`;
  return Object.fromEntries([...ranges].map(([value, of]) => [value, of.map(text).join(' ')]));
}

const body = (locals: number, operandsMax = 0, parameters = 0) =>
  ({
    locals: new Array(locals).fill(I32),
    operandsMax,
    type: { parameters: new Array(parameters).fill(I32) },
  }) as never as FunctionBody;

t.test('instructions', async (t) => {
  t.same(rangesBy(instructionCost), {
    0: '1-2 5 b',
    1: '0 3-4 6-a c-f 12-3f 41-6c 71-7e 83-8a a7 ac-ad b2-b5 b7-ba bc-ff',
    4: '10 8b-a6 a8-ab ae-b1 b6 bb',
    6: '6d-70 7f-82',
    8: '11',
    32: '40',
  });
  t.equal(INSTRUCTIONS_PER_MICROSECOND, 200n);
  const entries = [0, 3, 4, 31, 32, 127, 128, 131, 2048].map((locals) => entryCost(body(locals)));
  t.same(entries, [1, 1, 2, 8, 10, 35, 37, 37, 97]);
});

t.test('the start of an action, calls, memory, and what is interpreted', async (t) => {
  t.same(COST, {
    ...{ call: 4, call_indirect: 8, division: 6, float_helper: 4, memory_grow: 32, host_call: 40, interpreted: 10 },
    ...{ action: 2000, memory_page: 2048, global: 40, mutable_global: 130, table_place: 15, table_entry: 25 },
    ...{ import: 60, imports_free: 20, repeated_import: 150, frame_overhead_bytes: 160 },
  });
});

t.test('host functions', async (t) => {
  const counts: Record<number, number> = {};
  for (const { cost } of HOST_FUNCTIONS.values()) counts[cost] = (counts[cost] ?? 0) + 1;
  t.same(counts, {
    ...{ 0: 17, 20: 2, 40: 17, 80: 2, 100: 13, 180: 1, 200: 2, 300: 36, 400: 8, 500: 1 },
    ...{ 1500: 7, 2000: 2, 3000: 4, 4000: 2, 20000: 2, 100000: 1 },
  });
});

t.test('what is interpreted, at ten times the price', async (t) => {
  t.same(
    rangesBy((op) => compileWeight(op, false)),
    {
      0: '0-2 5-b 12-3f 41-8a a7 ac-ad b2-b5 b7-ba bc-ff',
      1: '10-11 40 8b-a6 a8-ab ae-b1 b6 bb',
      8: '3-4 c-f',
    },
  );
  t.equal(compileWeight(0x10, true), 8);
  t.equal(frameBytesOf(body(10, 100, 5)), 8 * (5 + 10 + 1 + 200) + 160);
  const { parameters_max, frame_stack_bytes_max, call_depth_max, values_max } = VM_LIMITS;
  t.same([parameters_max, frame_stack_bytes_max, call_depth_max, values_max], [1000, 5_242_880, 250, 16_777_216]);
  const { compile_steps_max, compile_steps_max_per_byte, fast_body_bytes_max } = VM_LIMITS;
  t.same([compile_steps_max, compile_steps_max_per_byte, fast_body_bytes_max], [1_000_000, 100, 6_000_000]);
});
