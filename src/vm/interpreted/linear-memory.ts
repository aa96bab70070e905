import { COST } from '../cost.js';
import { memoryPagesMax, WASM_PAGE_BYTES } from '../limits.js';
import type { Size } from '../wasm/module.js';
import type { WasmGlobal, WasmMemory } from '../web-assembly.js';

/** Memory of an interpreted contract. */
export class LinearMemory implements WasmMemory {
  /** May be longer than the memory, with zeros behind it. */
  view: DataView<ArrayBuffer>;
  /** Of the memory as the contract sees it. */
  bytes: number;
  /** As the global of compiled code that it stands for. */
  readonly pages: WasmGlobal<number>;
  private readonly pagesMax: number;
  /** Pages that were paid for: a memory that has shrunk gets them back for nothing. */
  private pagesPaid: number;

  constructor(size: Size | undefined) {
    const pages = size?.min ?? 0;
    this.pages = { value: pages };
    this.bytes = pages * WASM_PAGE_BYTES;
    this.view = new DataView(new ArrayBuffer(this.bytes));
    this.pagesMax = memoryPagesMax(size ?? { max: undefined });
    this.pagesPaid = pages;
  }

  get buffer(): ArrayBuffer {
    return this.view.buffer;
  }

  /** Like `growHelper` of compiled code. Gives -1, or the pages from before; `pay` is told what it costs. */
  grow(by: number, pay: (instructions: number) => void): number {
    const old = this.pages.value;
    const wanted = (old + by) >>> 0;
    if (wanted > this.pagesMax) return -1;
    if (wanted < old) {
      pay((old - wanted) * COST.memory_page);
      new Uint8Array(this.buffer).fill(0, wanted * WASM_PAGE_BYTES, old * WASM_PAGE_BYTES);
    }
    if (wanted > this.pagesPaid) {
      pay((wanted - this.pagesPaid) * COST.memory_page);
      this.pagesPaid = wanted;
      this.makeRoom(wanted * WASM_PAGE_BYTES);
    }
    this.pages.value = wanted;
    this.bytes = wanted * WASM_PAGE_BYTES;
    return old;
  }

  /** For half as much again: a memory that grows by single pages must not be copied for each of them. */
  private makeRoom(bytes: number): void {
    const old = new Uint8Array(this.buffer);
    if (bytes <= old.length) return;
    const most = this.pagesMax * WASM_PAGE_BYTES;
    const room = Math.min(Math.max(bytes, 1.5 * old.length), most);
    const buffer = new ArrayBuffer(Math.ceil(room));
    new Uint8Array(buffer).set(old);
    this.view = new DataView(buffer);
  }
}
