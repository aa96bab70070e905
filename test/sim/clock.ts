/** Who an event belongs to: a node, or the world around them. */
export type Owner = number | 'world';

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly owner: Owner;
  readonly run: () => void;
}

/**
 * Time of the simulated world. It stands still while something happens and then jumps to the next event; events of the
 * same moment come in the order in which they were asked for.
 */
export class SimulatedClock {
  #nowMs: number;
  #order = 0;
  /** A binary heap, earliest first. */
  readonly #heap: Event[] = [];

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, owner: Owner, run: () => void): void {
    this.#push({ atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, owner, run });
  }

  /** Moves time to the next event and hands it over; undefined when nothing comes before `endMs`. */
  next(endMs: number): { readonly owner: Owner; readonly run: () => void } | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.atMs > endMs) {
      this.#nowMs = Math.max(this.#nowMs, endMs);
      return undefined;
    }
    this.#pop();
    this.#nowMs = first.atMs;
    return first;
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(heap[parent] as Event, event)) break;
      heap[at] = heap[parent] as Event;
      at = parent;
    }
    heap[at] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Event;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event)) child++;
      if (isBefore(last, heap[child] as Event)) break;
      heap[at] = heap[child] as Event;
      at = child;
    }
    heap[at] = last;
  }
}

const isBefore = (a: Event, b: Event): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
