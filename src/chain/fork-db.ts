import { check, defineErrors, invariant } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { type BlockId, NULL_BLOCK_ID } from '../crypto/digests.js';
import type { BlockFacts } from './facts.js';

export const FORK_ERRORS = defineErrors({
  block_too_old: {
    text: 'item->num > std::max<int64_t>( 0, int64_t(_head->num) - (_max_size) ): attempting to push a block that is too old',
  },
  block_unlinkable: {
    code: 3080000,
    name: 'unlinkable_block_exception',
    title: 'unlinkable block',
    text: 'block does not link to known chain',
  },
  block_below_irreversible: {
    text: 'the branch leaves the chain at block ${parentNumber}, before the last irreversible block ${irreversible}',
  },
});

/** A block with its place in the tree; what it holds may lie in the block store meanwhile. */
export class ForkItem {
  readonly id: BlockId;
  readonly number: number;
  readonly previous: BlockId;
  #held: BlockFacts | (() => BlockFacts) | undefined;

  constructor(block: BlockFacts) {
    this.id = block.id;
    this.number = block.number;
    this.previous = block.block.previous;
    this.#held = block;
  }

  get block(): BlockFacts {
    const held = typeof this.#held === 'function' ? this.#held() : this.#held;
    invariant(held !== undefined, 'nobody asks for a block that the fork database has dropped');
    return held;
  }

  /** Unless it lies in the block store. */
  get held(): BlockFacts | undefined {
    return typeof this.#held === 'function' ? undefined : this.#held;
  }

  /** The block store has it for now: a large one in many objects is ten times as large. */
  rest(read: () => BlockFacts): void {
    this.#held = read;
  }

  /** No branch can lead to it any more. What a map has held is kept by its former tables, of which each leads to the next. */
  forget(): void {
    this.#held = undefined;
  }

  /** The block store is about to lose it. */
  wake(): BlockFacts {
    const { block } = this;
    this.#held = block;
    return block;
  }
}

const INITIAL_SIZE = 1024;

/** Blocks that may still become or have just been part of the chain. The longest branch leads, first seen wins ties. */
export class ForkDb {
  readonly #items = new Map<BlockId, ForkItem>();
  readonly #byNumber = new Map<number, BlockId[]>();
  /** Lowest number that may still be there. */
  #lowest = 0;
  #head: ForkItem | undefined;
  #size = INITIAL_SIZE;
  readonly #isVouched: (block: BlockFacts) => boolean;
  /** Side blocks that anybody may have made, in the order in which they came. */
  #unvouched: BlockId[] = [];

  /**
   * `isVouched`: signed by the key that its witness has in the state of the head. A side block need not be, since the
   * key may have changed on its branch; but blocks that cost nobody anything must not crowd out those of witnesses.
   */
  constructor(isVouched: (block: BlockFacts) => boolean = () => true) {
    this.#isVouched = isVouched;
  }

  get head(): ForkItem | undefined {
    return this.#head;
  }

  get count(): number {
    return this.#items.size;
  }

  find(id: BlockId): ForkItem | undefined {
    return this.#items.get(id);
  }

  /** Blocks of a number, in the order in which they came. */
  withNumber(number: number): readonly ForkItem[] {
    return (this.#byNumber.get(number) ?? []).map((id) => this.#items.get(id) as ForkItem);
  }

  /** Begins anew with the block that the state stands on. */
  start(block: BlockFacts | undefined): void {
    this.#items.clear();
    this.#byNumber.clear();
    this.#unvouched = [];
    this.#head = undefined;
    if (block === undefined) return;
    this.#lowest = block.number;
    this.#head = this.#store(block);
  }

  /** Returns the head after the insertion. */
  insert(block: BlockFacts): ForkItem {
    const head = this.#head;
    const { previous } = block.block;
    if (head !== undefined) {
      check(block.number > Math.max(0, head.number - this.#size), FORK_ERRORS.block_too_old, { num: block.number });
      check(previous === NULL_BLOCK_ID || this.#items.has(previous), FORK_ERRORS.block_unlinkable);
    }
    const known = this.#items.get(block.id);
    if (known !== undefined) {
      invariant(head !== undefined, 'a fork database with blocks has a head');
      if (known.number > head.number) this.#head = known;
      return this.#head as ForkItem;
    }
    const item = this.#store(block);
    if (head === undefined) {
      this.#lowest = item.number;
      this.#head = item;
    } else if (item.number > head.number) {
      this.#head = item;
      this.#dropBelow(item.number - Math.min(this.#size, item.number));
    } else if (!this.#isVouched(block)) {
      this.#unvouched.push(item.id);
      if (this.#unvouched.length > LIMITS.fork_unvouched_max) this.#removeBranch(this.#unvouched.shift() as BlockId);
    }
    return this.#head as ForkItem;
  }

  /** A block and all that build on it, unless the head is among them. */
  #removeBranch(id: BlockId): void {
    const item = this.#items.get(id);
    if (item === undefined || this.ancestor(item.number) === item) return;
    const branch = new Set([id]);
    for (let number = item.number + 1; ; number++) {
      const children = this.withNumber(number).filter((child) => branch.has(child.previous));
      if (children.length === 0) break;
      for (const child of children) branch.add(child.id);
    }
    for (const member of branch) this.remove(member);
  }

  #store(block: BlockFacts): ForkItem {
    const item = new ForkItem(block);
    this.#items.set(item.id, item);
    const siblings = this.#byNumber.get(item.number);
    if (siblings === undefined) {
      this.#byNumber.set(item.number, [item.id]);
      if (item.number < this.#lowest) this.#lowest = item.number;
    } else {
      siblings.push(item.id);
      if (siblings.length > LIMITS.fork_siblings_max) this.#evictLeaf(item.number, siblings);
    }
    return item;
  }

  /**
   * Side blocks are stored before anybody checks who signed them, so they must not pile up. The oldest one that no
   * other block builds on goes; the head's branch always stays.
   */
  #evictLeaf(number: number, siblings: readonly BlockId[]): void {
    const parents = new Set((this.#byNumber.get(number + 1) ?? []).map((id) => this.#items.get(id)?.previous));
    const kept = this.ancestor(number)?.id;
    const victim = siblings.find((id) => id !== kept && !parents.has(id));
    if (victim !== undefined) this.remove(victim);
  }

  /** The head's ancestor with this number. */
  ancestor(number: number): ForkItem | undefined {
    return this.ancestorOf(this.#head, number);
  }

  /** The same of any block: the state need not stand on the branch that leads. */
  ancestorOf(block: ForkItem | undefined, number: number): ForkItem | undefined {
    let item = block;
    while (item !== undefined && item.number > number) item = this.#items.get(item.previous);
    return item?.number === number ? item : undefined;
  }

  /** Removing the head moves it to its parent. */
  remove(id: BlockId): void {
    const item = this.#items.get(id);
    if (item === undefined) return;
    if (this.#head === item) this.#head = this.#items.get(item.previous);
    this.#items.delete(id);
    const siblings = (this.#byNumber.get(item.number) ?? []).filter((other) => other !== id);
    if (siblings.length === 0) this.#byNumber.delete(item.number);
    else this.#byNumber.set(item.number, siblings);
  }

  setHead(item: ForkItem): void {
    invariant(this.#items.get(item.id) === item, 'the head is in the fork database');
    this.#head = item;
  }

  /** This block leads from now on, and all that are above it go. */
  cutTo(id: BlockId): void {
    const item = this.#known(id);
    this.#head = item;
    for (const number of [...this.#byNumber.keys()]) if (number > item.number) this.#drop(number);
  }

  /** How far back blocks are kept; older ones go at once. */
  setSize(size: number): void {
    this.#size = size;
    const head = this.#head;
    if (head !== undefined) this.#dropBelow(head.number - Math.min(size, head.number));
  }

  #dropBelow(number: number): void {
    for (; this.#lowest < number; this.#lowest++) this.#drop(this.#lowest);
  }

  #drop(number: number): void {
    for (const id of this.#byNumber.get(number) ?? []) {
      this.#items.get(id)?.forget();
      this.#items.delete(id);
    }
    this.#byNumber.delete(number);
  }

  /** Both ways back to, and without, the common parent; newest first. */
  branches(a: BlockId, b: BlockId): { readonly ofFirst: ForkItem[]; readonly ofSecond: ForkItem[] } {
    const ofFirst: ForkItem[] = [];
    const ofSecond: ForkItem[] = [];
    let first = this.#known(a);
    let second = this.#known(b);
    while (first.number > second.number) {
      ofFirst.push(first);
      first = this.#known(first.previous);
    }
    while (second.number > first.number) {
      ofSecond.push(second);
      second = this.#known(second.previous);
    }
    while (first.previous !== second.previous) {
      ofFirst.push(first);
      ofSecond.push(second);
      first = this.#known(first.previous);
      second = this.#known(second.previous);
    }
    if (first !== second) {
      ofFirst.push(first);
      ofSecond.push(second);
    }
    return { ofFirst, ofSecond };
  }

  #known(id: BlockId): ForkItem {
    const item = this.#items.get(id);
    check(item !== undefined, FORK_ERRORS.block_unlinkable);
    return item;
  }
}
