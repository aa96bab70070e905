import { invariant } from '../base/errors.js';
import { COST } from './cost.js';
import { WASM_PAGE_BYTES } from './limits.js';
import type { Initialiser, WasmModule } from './wasm/module.js';

/** What a contract starts each action with, and what that costs: the same whether it is compiled or interpreted. */

export interface DataRange {
  readonly base: number;
  readonly bytes: Uint8Array;
}

export const memoryBytesOf = ({ memories }: WasmModule): number => (memories[0]?.min ?? 0) * WASM_PAGE_BYTES;

/** Of a segment. */
export const baseOf = (init: Initialiser): number => (init.kind === 'const' ? Number(init.bits) : 0);

/**
 * Price of getting an instance ready: that of a new one, but for what all contracts need. Who calls more contracts in turn
 * than instances wait, or one whose instances cannot be used again, has one made for each call. `tableEntries`: places of
 * the table that something stands in.
 */
export function startCostOf(source: WasmModule, tableEntries: number): number {
  const { globals, functionImports, tables } = source;
  const different = new Set(functionImports.map(({ name }) => name)).size;
  const pages = memoryBytesOf(source) / WASM_PAGE_BYTES;
  const mutable = globals.filter((one) => one.mutable).length;
  return (
    COST.action +
    pages * COST.memory_page +
    mutable * COST.mutable_global +
    (globals.length - mutable) * COST.global +
    Math.max(different - COST.imports_free, 0) * COST.import +
    (functionImports.length - different) * COST.repeated_import +
    (tables[0]?.min ?? 0) * COST.table_place +
    tableEntries * COST.table_entry
  );
}

/**
 * What data segments leave in a memory of zeros, in few ranges: there may be thousands of segments, over each other or
 * of a byte each, and all of it is copied for every action.
 */
export function joinedData(given: readonly DataRange[]): DataRange[] {
  const segments = given.filter(({ bytes }) => bytes.length > 0);
  const spans: { start: number; end: number }[] = [];
  for (const { base, bytes } of [...segments].sort((a, b) => a.base - b.base)) {
    const last = spans[spans.length - 1];
    const end = base + bytes.length;
    // Zeros in between are copied with the rest, as long as they are no more than a page.
    if (last !== undefined && base - last.end < WASM_PAGE_BYTES) last.end = Math.max(last.end, end);
    else spans.push({ start: base, end });
  }
  const ranges = spans.map(({ start, end }) => ({ base: start, bytes: new Uint8Array(end - start) }));
  for (const { base, bytes } of segments) {
    const range = ranges.findLast((one) => one.base <= base);
    invariant(range !== undefined, 'every segment lies in a span');
    range.bytes.set(bytes, base - range.base);
  }
  return ranges;
}

/** Functions by their place in the table: of segments that lie over each other, what the last one has left. */
export function tableContent({ elements }: WasmModule): [slot: number, index: number][] {
  const content = new Map<number, number>();
  for (const { base, functions } of elements) {
    invariant(base.kind === 'const', 'a validated module has no imported globals');
    const first = Number(base.bits);
    functions.forEach((index, i) => {
      content.set(first + i, index);
    });
  }
  return [...content].sort((a, b) => a[0] - b[0]);
}
