/** A place in the line of blocks that somebody wants to come back to. */
export interface LineMark {
  /** Of the head block when it was made. */
  readonly number: number;
  /** Last block that listeners had been told of as irreversible. */
  readonly announced: number;
  /** Amendments that came before it. */
  readonly amendments: number;
}

/** A change of a marked head, in a frame of its own behind that of the block. */
interface Amendment {
  readonly number: number;
  readonly serial: number;
}

/**
 * Marks on the line of blocks, the oldest first. What came after the oldest one stays in frames that can be undone,
 * irreversible or not. A block is one frame; what changes a marked head afterwards is another one, so that going back to
 * the mark leaves the block and takes the change.
 */
export class LineMarks {
  #marks: LineMark[] = [];
  #amendments: Amendment[] = [];
  #count = 0;

  /** No block up to this one is undone by going back to a mark. */
  get lowest(): number {
    return this.#marks[0]?.number ?? Number.POSITIVE_INFINITY;
  }

  add(number: number, announced: number): LineMark {
    const mark: LineMark = { number, announced, amendments: this.#count };
    this.#marks.push(mark);
    return mark;
  }

  has(mark: LineMark): boolean {
    return this.#marks.includes(mark);
  }

  clear(): void {
    this.#marks = [];
  }

  /** This one alone. */
  forget(mark: LineMark): void {
    this.#marks = this.#marks.filter((one) => one !== mark);
  }

  /** With all that are later. */
  drop(mark: LineMark): void {
    this.#marks.length = this.#marks.indexOf(mark);
  }

  /** True if the change needs a frame of its own. */
  noteAmendment(number: number): boolean {
    if (this.#marks.at(-1)?.number !== number) return false;
    this.#amendments.push({ number, serial: ++this.#count });
    return true;
  }

  /** The newest amendment, if it was made after the mark. */
  takeAmendmentAfter(mark: LineMark): boolean {
    const newest = this.#amendments.at(-1);
    if (newest === undefined || newest.serial <= mark.amendments) return false;
    this.#amendments.pop();
    return true;
  }

  /** How many frames a block has that is undone now. Marks on it lose their place. */
  takeBlock(number: number): number {
    const left = this.#amendments.filter((one) => one.number !== number);
    const frames = this.#amendments.length - left.length + 1;
    this.#amendments = left;
    this.#marks = this.#marks.filter((mark) => mark.number < number);
    return frames;
  }

  /**
   * Frames of amendments that are not handed to the store with blocks up to this one. Those of a marked block are not: a
   * start makes the amendments of the block that it begins with once more.
   */
  amendmentsBehind(number: number): number {
    const { lowest } = this;
    return this.#amendments.filter((one) => one.number > number || one.number >= lowest).length;
  }

  /** The store has what belongs to blocks up to this one. */
  forgetAmendments(number: number): void {
    const { lowest } = this;
    this.#amendments = this.#amendments.filter((one) => one.number > number || one.number >= lowest);
  }
}
