import type { IdHash } from './id-hash.js';
import { PlaceTable } from './place-table.js';

/**
 * What is found by an id in hex that is a hash: transactions, of which hundreds of thousands are remembered. A map of texts has to
 * look at the text of each that shares a bucket, and waits for memory three or four times before it knows that an id is new;
 * here that is in one place of a column of integers.
 */
export class IdTable<T> {
  private readonly hasher: IdHash;
  private readonly idOf: (member: T) => string;
  private readonly places = new PlaceTable();
  private readonly members: (T | undefined)[] = [];
  /** Of members that went. */
  private readonly free: number[] = [];
  private wanted: string | undefined;
  /** Of what is wanted: who has made sure that an id is new mostly adds it next. */
  private hash = 0;
  private readonly isIt = (place: number): boolean => this.idOf(this.members[place] as T) === this.wanted;

  constructor(hasher: IdHash, idOf: (member: T) => string) {
    this.hasher = hasher;
    this.idOf = idOf;
  }

  get size(): number {
    return this.members.length - this.free.length;
  }

  get(id: string): T | undefined {
    this.want(id);
    const place = this.places.find(this.hash, this.isIt);
    return place === undefined ? undefined : this.members[place];
  }

  private want(id: string): void {
    if (id === this.wanted) return;
    this.wanted = id;
    this.hash = this.hasher.ofHex(id);
  }

  /** Whoever has its id already goes. */
  set(member: T): void {
    this.want(this.idOf(member));
    const taken = this.places.find(this.hash, this.isIt);
    const place = taken ?? this.free.pop() ?? this.members.length;
    this.members[place] = member;
    if (taken === undefined) this.places.add(this.hash, place);
  }

  delete(id: string): void {
    this.want(id);
    const place = this.places.take(this.hash, this.isIt);
    if (place === undefined) return;
    this.members[place] = undefined;
    this.free.push(place);
  }

  clear(): void {
    this.places.clear();
    this.members.length = 0;
    this.free.length = 0;
  }
}
