import type { LocalNode } from './local-node.js';
import type { FinalChain, Slot } from './slots.js';

/** Which empty slots count against the nodes, and what the log says of each of them. */

export interface AppliedBlock {
  readonly atMs: number;
  readonly number: number;
  /** The first digits of the id. */
  readonly id: string;
  readonly witness: number;
}

export interface Miss {
  readonly slot: Slot;
  readonly node: number;
  /** Undefined: the log says nothing. */
  readonly because: string | undefined;
}

export interface SlotReport {
  /** Slots of witnesses whose node had stood at the head for long enough. */
  readonly due: number;
  readonly misses: readonly Miss[];
}

/** So long a node must have stood at the head. */
const SETTLED_MS = 10_000;
/** A block that is there so long after its time is there at once: its maker, its way, and a busy machine. */
const PROMPT_MS = 2000;
/** A node that is ended within this time may not have heard of the next block. */
const SAID_MS = 10_000;

const TIMED = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) /;
const BLOCK = / block +num=(\d+) id=([0-9a-f]+) witness=init(\d+) /;

interface Line {
  readonly atMs: number;
  readonly text: string;
}

function linesOf(log: string): Line[] {
  return log.split('\n').flatMap((text) => {
    const found = TIMED.exec(text);
    return found === null ? [] : [{ atMs: Date.parse(`${found[1]}T${found[2]}Z`), text }];
  });
}

function blocksOf(lines: readonly Line[]): AppliedBlock[] {
  return lines.flatMap(({ atMs, text }) => {
    const found = BLOCK.exec(text);
    if (found === null || text.includes('block undone')) return [];
    return [{ atMs, number: Number(found[1]), id: found[2] as string, witness: Number(found[3]) }];
  });
}

/** What one node has seen and said. */
export class NodeHistory {
  readonly node: LocalNode;
  readonly lines: readonly Line[];
  readonly blocks: readonly AppliedBlock[];
  /** The first moment at which it had a block, by the beginning of the block's id. */
  readonly #known = new Map<string, number>();

  constructor(node: LocalNode) {
    this.node = node;
    this.lines = linesOf(node.log);
    this.blocks = blocksOf(this.lines);
    for (const { id, atMs } of this.blocks) if (!this.#known.has(id)) this.#known.set(id, atMs);
  }

  /** Up, and with every block of the chain soon after its time, for the last seconds before that moment. */
  stoodAtHead(chain: FinalChain, atMs: number): boolean {
    const upSince = this.node.upSinceMs(atMs);
    if (upSince === undefined || upSince > atMs - SETTLED_MS) return false;
    return chain.ids.every((id, i) => {
      const timeMs = 1000 * (chain.times[i] as number);
      if (timeMs >= atMs || timeMs < atMs - SETTLED_MS) return true;
      const there = this.#known.get(id.slice(0, BLOCK_ID_CHARS));
      return there !== undefined && there <= timeMs + PROMPT_MS;
    });
  }

  /** What it says of a slot that stayed empty. */
  explain(slot: Slot): string | undefined {
    const atMs = 1000 * slot.timeSec;
    const names = [`witness=1.6.${slot.witness + 1} `, `slot=${new Date(atMs).toISOString().slice(0, 19)} `];
    const said = this.lines.find(
      ({ text }) => text.includes('stayed empty') && names.every((name) => text.includes(name)),
    );
    if (said !== undefined) return said.text;
    // One that was ended before it heard of a block after the slot can say nothing.
    const ending = this.node.events.find(
      ({ atMs: ms, kind }) =>
        (kind === 'killed' || kind === 'stopped' || kind === 'paused') && ms >= atMs - 1000 && ms <= atMs + SAID_MS,
    );
    return ending === undefined ? undefined : `it was ${ending.kind} ${ending.atMs - atMs} ms after the slot began`;
  }
}

const STOOD_STILL = /stood still for (\d+) s from \S+ on, in which it had ([\d.]+) s of processor time/;
/** Of the time in which it stood still: one that was busy itself had nearly all of it, and all of it on several threads. */
const BUSY_SHARE = 1 / 2;

/** Whether a slot is empty because the machine had no time for the node, as its own log says. */
export function wasKeptWaiting(because: string): boolean {
  const found = STOOD_STILL.exec(because);
  return found !== null && Number(found[2]) < BUSY_SHARE * Number(found[1]);
}

const BLOCK_ID_CHARS = 16;

/** `fromSec` and `toSec`: the slots that are looked at. */
export function slotReport(
  chain: FinalChain,
  histories: readonly NodeHistory[],
  { fromSec, toSec }: { readonly fromSec: number; readonly toSec: number },
): SlotReport {
  let due = 0;
  const misses: Miss[] = [];
  for (const slot of chain.slots) {
    if (slot.timeSec < fromSec || slot.timeSec > toSec) continue;
    const history = histories.find(({ node }) => node.witnesses.includes(slot.witness));
    if (history === undefined) throw new Error(`nobody has witness ${slot.witness}`);
    if (!history.stoodAtHead(chain, 1000 * slot.timeSec)) continue;
    due++;
    if (slot.block === undefined) {
      misses.push({ slot, node: history.node.index, because: history.explain(slot) });
    }
  }
  return { due, misses };
}
