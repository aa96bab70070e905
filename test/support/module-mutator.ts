import { InstructionReader } from '../../src/vm/wasm/instruction.js';
import { OP } from '../../src/vm/wasm/opcodes.js';
import { parseModule } from '../../src/vm/wasm/parse.js';

/** A small generator with a known state, so that a failure can be run again by its number. */
export function random(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const INTERESTING = [0x00, 0x01, 0x0b, 0x7f, 0x80, 0xff, 0x40, 0x10, 0x11, 0x0e, 0x0c, 0x03];

/** Bytes changed, moved or cut off anywhere. */
export function mutate(source: Uint8Array, next: (below: number) => number): Uint8Array {
  const copy = source.slice();
  const changes = 1 + next(4);
  for (let i = 0; i < changes; i++) {
    const at = next(copy.length);
    switch (next(4)) {
      case 0:
        copy[at] = next(256);
        break;
      case 1:
        copy[at] = INTERESTING[next(INTERESTING.length)] as number;
        break;
      case 2:
        copy[at] = (copy[at] as number) ^ (1 << next(8));
        break;
      default:
        copy.copyWithin(at, next(copy.length), Math.min(copy.length, at + next(64)));
    }
  }
  return next(10) === 0 ? copy.subarray(0, next(copy.length)) : copy;
}

const range = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** Opcodes that take and give the same types. */
const ALIKE = [
  [...range(0x46, 0x4f), ...range(0x6a, 0x78)],
  [0x45, ...range(0x67, 0x69)],
  range(0x51, 0x5a),
  range(0x7c, 0x8a),
  range(0x99, 0x9f),
  range(0xa0, 0xa6),
  [0x28, ...range(0x2c, 0x2f)],
  [0x29, ...range(0x30, 0x35)],
  [0x36, 0x3a, 0x3b],
  [0x37, ...range(0x3c, 0x3e)],
  [OP.block, OP.loop],
];

/** Changes what the code does, so that most results are still modules: other operators, constants, places, targets. */
export function mutateCode(source: Uint8Array, next: (below: number) => number): Uint8Array {
  const copy = source.slice();
  const { bodies } = parseModule(copy.slice());
  const changes = 1 + next(6);
  for (let i = 0; i < changes; i++) {
    const body = bodies[next(bodies.length)] as (typeof bodies)[number];
    const reader = new InstructionReader(source, body.codeStart, body.codeEnd);
    const places: (readonly [op: number, start: number, end: number])[] = [];
    while (reader.at < body.codeEnd) places.push([reader.next(), reader.start, reader.at]);
    const [op, start, end] = places[next(places.length)] as (typeof places)[number];
    const alike = ALIKE.find((ops) => ops.includes(op));
    if (alike !== undefined && (end === start + 1 || next(2) === 0)) copy[start] = alike[next(alike.length)] as number;
    else if (end > start + 1) copy[end - 1] = next(3) === 0 ? next(128) : next(4);
  }
  return copy;
}
