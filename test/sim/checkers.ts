import { toHex } from '../../src/base/bytes.js';
import type { ChainEvent } from '../../src/chain/events.js';
import type { BlockFacts } from '../../src/chain/facts.js';
import { Writer } from '../../src/codec/writer.js';
import { sha256 } from '../../src/crypto/hash.js';
import { HELD_MAX, type Held, type HeldKind } from '../../src/p2p/held.js';
import type { ChainState } from '../../src/state/chain-state.js';
import type { AnyObjectDef, ObjectDef } from '../../src/state/define.js';
import { blockSummaryObject } from '../../src/state/objects/block-summary.js';
import { OBJECTS } from '../../src/state/objects/index.js';
import { transactionObject } from '../../src/state/objects/transaction.js';
import { type Segment, SegmentWriter } from '../../src/storage/journal/segment.js';
import { type SupplySnapshot, supplySnapshot, supplyViolations } from '../support/supply.js';

/** Blocks between two looks at the whole state; every block's own changes are always compared. */
const WHOLE_STATE_BLOCKS = 16;

type Applied = Extract<ChainEvent, { kind: 'applied' }>;

/**
 * What must hold at every moment on all nodes. A violation is reported by throwing; who calls this from within a chain
 * must keep the error and stop the world afterwards.
 */
export class Checkers {
  /** Of every block that was made. */
  readonly #parents = new Map<string, string>();
  /** Two blocks of one slot each, by the one that cheats. */
  readonly #doubles: (readonly [string, string])[] = [];
  /** By block id: digest of what the block changed. */
  readonly #changes = new Map<string, string>();
  /** By block id: digests of all objects, by their type. */
  readonly #states = new Map<string, ReadonlyMap<string, string>>();
  readonly #irreversible = new Map<number, string>();
  /** By block id: digest of its segment in the operation journal. */
  readonly #segments = new Map<string, string>();
  /** By witness and slot: the block that an honest node has made. */
  readonly #produced = new Map<string, string>();
  /** Addresses of nodes that mean no harm. */
  readonly #honest: ReadonlySet<string>;
  #supply: SupplySnapshot | undefined;
  counts = { bans: 0, changes: 0, states: 0, segments: 0, issued: 0, irreversible: 0, highestIrreversible: 0 };

  constructor(honest: Iterable<string>) {
    this.#honest = new Set(honest);
  }

  /** No honest node takes another one for a bad one. */
  banned(node: number, isLiar: boolean, address: string): void {
    this.counts.bans++;
    if (!isLiar && this.#honest.has(address)) throw new Error(`node ${node} has banned ${address}, which did no harm`);
  }

  /** Whatever the others do, what the network keeps because of them has its bounds. */
  held(node: number, held: Held): void {
    for (const kind of Object.keys(HELD_MAX) as HeldKind[]) {
      if (held[kind] > HELD_MAX[kind]) {
        throw new Error(`node ${node} holds ${held[kind]} ${kind} for the network, ${HELD_MAX[kind]} at most`);
      }
    }
  }

  made({ id, block }: Pick<BlockFacts, 'id' | 'block'>): void {
    this.#parents.set(id, block.previous);
  }

  /** The one that cheats has made both, for the same slot. */
  doubled(first: string, second: string): void {
    this.#doubles.push([first, second]);
  }

  #splits([first, second]: readonly [string, string], one: string, other: string): boolean {
    const split = (a: string, b: string): boolean => this.#isBehind(first, a) && this.#isBehind(second, b);
    return split(one, other) || split(other, one);
  }

  #isBehind(id: string, ancestor: string): boolean {
    let at: string | undefined = id;
    while (at !== undefined && at !== ancestor) at = this.#parents.get(at);
    return at === ancestor;
  }

  /** Whoever does not cheat makes one block for a slot, whatever it has been through. */
  produced(node: number, witness: number, slotSec: number, id: string): void {
    const slot = `${witness} ${slotSec}`;
    const known = this.#produced.get(slot);
    if (known !== undefined && known !== id) {
      throw new Error(`node ${node} has made two blocks of witness ${witness} for slot ${slotSec}: ${known} and ${id}`);
    }
    this.#produced.set(slot, id);
  }

  /** Right after a block: the state is that of the block. */
  applied(node: number, event: Applied, state: ChainState): void {
    const { id, number } = event.block;
    const digest = digestOf(event);
    const known = this.#changes.get(id);
    this.counts.changes++;
    if (known === undefined) this.#changes.set(id, digest);
    else if (known !== digest)
      throw new Error(`node ${node}: block ${number} ${id} has changed other things than elsewhere`);
    if (number % WHOLE_STATE_BLOCKS === 0) this.wholeState(node, number, id, state);
  }

  wholeState(node: number, number: number, id: string, state: ChainState): void {
    this.counts.states++;
    const digests = OBJECTS.map((definition) => [definition.name, digestOfType(state, definition, number)] as const);
    const known = this.#states.get(id);
    if (known === undefined) {
      this.#states.set(id, new Map(digests));
    } else {
      const other = digests.filter(([name, digest]) => known.get(name) !== digest).map(([name]) => name);
      if (other.length > 0)
        throw new Error(`node ${node}: the state at block ${number} ${id} differs: ${other.join(', ')}`);
    }
    const supply = supplySnapshot(state);
    this.#supply ??= supply;
    const violations = supplyViolations(this.#supply, supply);
    if (violations.length > 0) throw new Error(`node ${node}: at block ${number}: ${violations.join('; ')}`);
  }

  /** What the journal says of a block, the numbers of its operations among it, follows from the block's past alone. */
  segment(node: number, number: number, id: string, segment: Segment | undefined): void {
    if (segment === undefined) throw new Error(`node ${node}: the journal does not have block ${number} ${id}`);
    const digest = toHex(sha256(segmentBytes(segment)));
    const known = this.#segments.get(id);
    this.counts.segments++;
    this.counts.issued += segment.entries.length;
    if (known === undefined) this.#segments.set(id, digest);
    else if (known !== digest) throw new Error(`node ${node}: the journal says other things of block ${number} ${id}`);
  }

  /** Block ids by number, as a node holds them to be irreversible. */
  irreversible(node: number, number: number, id: string | undefined): void {
    if (id === undefined) throw new Error(`node ${node}: irreversible block ${number} is missing`);
    this.counts.irreversible++;
    const known = this.#irreversible.get(number);
    if (known === undefined) {
      this.#irreversible.set(number, id);
      this.counts.highestIrreversible = Math.max(this.counts.highestIrreversible, number);
    } else if (known !== id) {
      if (this.#doubles.some((pair) => this.#splits(pair, known, id))) throw new FinalitySplit(number, known, id);
      throw new Error(`node ${node}: irreversible block ${number} is ${id}, it was ${known}`);
    }
  }
}

/**
 * Witnesses of this family promise nothing with a block: one that goes over to another branch before it has seen that its
 * old one is final counts for both. With one that cheats besides, two branches may each have been confirmed by enough.
 */
export class FinalitySplit extends Error {
  override readonly name = 'FinalitySplit';
  constructor(number: number, first: string, second: string) {
    super(`block ${number} is irreversible as ${first} and as ${second}, and somebody has signed twice for both`);
  }
}

function segmentBytes(segment: Segment): Uint8Array {
  const writer = new SegmentWriter();
  writer.begin(segment);
  for (const entry of segment.entries) writer.add(entry);
  return writer.bytes;
}

/** All objects that the block changed. Remembered transactions have ids of their own on each node. */
function digestOf(event: Applied): string {
  const writer = new Writer();
  const changes = event.changes().filter(({ definition }) => definition !== transactionObject);
  const ordered = [...changes].sort(
    (a, b) =>
      a.definition.space - b.definition.space || a.definition.type - b.definition.type || a.instance - b.instance,
  );
  for (const { definition, instance, value } of ordered) {
    writer.u8(definition.space);
    writer.u8(definition.type);
    writer.u64(BigInt(instance));
    writer.u8(value === undefined ? 0 : 1);
    if (value !== undefined) definition.schema.write(writer, value as never);
  }
  return toHex(sha256(writer.peek()));
}

/**
 * As the state hash does, but told apart by type and much faster: of the 65,536 block summaries only those are looked at
 * that the chain has reached. The state hash itself is compared at the end of a run.
 */
function digestOfType(state: ChainState, definition: AnyObjectDef, number: number): string {
  const writer = new Writer();
  if (definition === transactionObject) {
    const ids = [...state.all(transactionObject)].map(({ trx_id }) => trx_id).sort((a, b) => (a < b ? -1 : 1));
    for (const id of ids) writer.hex(id);
  } else if (definition === blockSummaryObject) {
    for (let n = 0; n <= number; n++)
      blockSummaryObject.schema.write(writer, state.get(blockSummaryObject, n) as never);
  } else {
    writer.u32(state.nextInstance(definition));
    for (const object of state.all(definition as ObjectDef)) {
      writer.u32(object.id);
      definition.schema.write(writer, object as never);
    }
  }
  return toHex(sha256(writer.peek()));
}
