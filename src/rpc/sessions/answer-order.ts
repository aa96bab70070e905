import type { Room } from '../../http/memory-budget.js';

/** The place of one request among those of its connection. */
export class Place {
  readonly #order: AnswerOrder;
  text: string | undefined;
  isDone = false;
  isLate = false;

  constructor(order: AnswerOrder) {
    this.#order = order;
  }

  /** Its answer may take as long as a block: others do not wait for it. */
  comesLate(): void {
    this.isLate = true;
    this.#order.goOn();
  }
}

/**
 * Answers of one connection, in the order of its requests, whatever threads and turns each of them took: public clients
 * take the number of the newest answer for that of the last one they have, and fail at the end of the connection
 * where an older one came behind it.
 */
export class AnswerOrder {
  readonly #leave: (text: string) => void;
  readonly #room: Room | undefined;
  readonly #places: Place[] = [];
  #heldChars = 0;
  #isClosed = false;

  /** `room` counts what is ready and has to wait. */
  constructor(leave: (text: string) => void, room: Room | undefined) {
    this.#leave = leave;
    this.#room = room;
  }

  /** Requests that are not answered, or whose answers wait for older ones. */
  get size(): number {
    return this.#places.length;
  }

  /** Characters of answers that wait for older ones. */
  get heldChars(): number {
    return this.#heldChars;
  }

  open(): Place {
    const place = new Place(this);
    this.#places.push(place);
    return place;
  }

  answer(place: Place, text: string | undefined): void {
    if (this.#isClosed) return;
    const isFirst = this.#places[0] === place;
    if (isFirst) this.#places.shift();
    // Nothing has to wait and be counted for nearly all answers.
    if (isFirst || place.isLate) {
      if (text !== undefined) this.#leave(text);
      this.goOn();
      return;
    }
    place.isDone = true;
    place.text = text;
    this.#hold(text?.length ?? 0);
  }

  /** Lets go what has nothing older before it. */
  goOn(): void {
    for (let first = this.#places[0]; first !== undefined; first = this.#places[0]) {
      if (!first.isDone && !first.isLate) return;
      this.#places.shift();
      const { text } = first;
      if (text === undefined) continue;
      this.#hold(-text.length);
      this.#leave(text);
    }
  }

  #hold(chars: number): void {
    this.#heldChars += chars;
    if (chars > 0) this.#room?.take(chars, true);
    else this.#room?.give(-chars);
  }

  close(): void {
    this.#isClosed = true;
    this.#hold(-this.#heldChars);
    this.#places.length = 0;
  }
}
