import type { Network } from '../../codec/type.js';
import type { Instance } from '../../protocol/ids.js';
import type { AnyObjectDeclaration } from '../../protocol/objects/declare.js';
import { objectOf } from '../../protocol/objects/declare.js';
import type { StateObject } from '../../state/define.js';
import { blockSummaryObject } from '../../state/objects/block-summary.js';
import { RememberedTransaction } from '../../state/objects/transaction.js';
import { idOf } from '../objects/change-tracker.js';
import { eachInPieces, type Pieces } from '../pieces/pieces.js';
import type { Followed } from './followed.js';
import { relevantAccounts } from './relevance.js';

/** What became of an object of the state or of the history. */
export interface ShownChange {
  readonly definition: AnyObjectDeclaration;
  readonly instance: Instance;
  readonly value: Readonly<StateObject> | undefined;
  readonly isNew?: boolean;
  readonly before?: Readonly<StateObject> | undefined;
}

/** One object of a block's changes, printed at most once however many clients hear of it. */
class Printed {
  readonly id: string;
  readonly #change: ShownChange;
  readonly #network: Network;
  #text: string | undefined;

  constructor(change: ShownChange, network: Network) {
    this.#change = change;
    this.#network = network;
    this.id = idOf(change);
  }

  /** Whom it concerned before the change; what is new had nobody before. */
  get accounts(): Iterable<Instance> {
    const { definition, value, before } = this.#change;
    const concerned = before ?? value;
    return concerned === undefined ? [] : relevantAccounts(definition, concerned);
  }

  get text(): string {
    const { definition, value } = this.#change;
    this.#text ??=
      value === undefined ? `"${this.id}"` : JSON.stringify(objectOf(definition).toJson(value, this.#network));
    return this.#text;
  }
}

/** The order in which clients are told. */
export const KINDS = ['created', 'modified', 'removed'] as const;
export type Kind = (typeof KINDS)[number];

/** Changes of one kind. */
class ObjectsOfKind {
  readonly objects: Printed[] = [];
  #accounts: Set<Instance> | undefined;
  #all: string | undefined;
  #places: Map<string, number> | undefined;

  /** Everybody whom any of them concerns. */
  *accounts(): Pieces<ReadonlySet<Instance>> {
    if (this.#accounts !== undefined) return this.#accounts;
    const accounts = new Set<Instance>();
    yield* eachInPieces(this.objects, (object) => {
      for (const account of object.accounts) accounts.add(account);
    });
    this.#accounts = accounts;
    return accounts;
  }

  /** The argument of a notice of all of them. */
  *all(): Pieces<string> {
    this.#all ??= yield* listOf(this.objects);
    return this.#all;
  }

  /** The argument of a notice of some of them; undefined when none is wanted. Looks through the fewer. */
  *some(wanted: Followed<string>): Pieces<string | undefined> {
    const found = wanted.size < this.objects.length ? this.#wanted(wanted) : this.#followed(wanted);
    return found.length === 0 ? undefined : yield* listOf(found);
  }

  #followed(wanted: Followed<string>): Printed[] {
    return this.objects.filter(({ id }) => wanted.has(id));
  }

  #wanted(wanted: Followed<string>): Printed[] {
    this.#places ??= new Map(this.objects.map(({ id }, place) => [id, place]));
    const places: number[] = [];
    for (const id of wanted) {
      const place = this.#places.get(id);
      if (place !== undefined) places.push(place);
    }
    return places.sort((a, b) => a - b).map((place) => this.objects[place] as Printed);
  }
}

function* listOf(objects: readonly Printed[]): Pieces<string> {
  return `[${(yield* eachInPieces(objects, ({ text }) => text)).join(',')}]`;
}

export class ObjectChanges {
  readonly created = new ObjectsOfKind();
  readonly modified = new ObjectsOfKind();
  readonly removed = new ObjectsOfKind();

  /** As they are now: what waits for a block changes objects in their places, and clients are told of the block. */
  constructor(changes: readonly ShownChange[], network: Network) {
    for (const change of changes) this[kindOf(change)].objects.push(new Printed(copyOf(change), network));
  }
}

function copyOf(change: ShownChange): ShownChange {
  const { value, before } = change;
  return { ...change, value: value && copyOfObject(value), before: before && copyOfObject(before) };
}

/** What is remembered of a transaction never changes. */
const copyOfObject = (object: Readonly<StateObject>): Readonly<StateObject> =>
  object instanceof RememberedTransaction ? object : { ...object };

function kindOf({ definition, value, isNew }: ShownChange): Kind {
  if (value === undefined) return 'removed';
  // All block summaries are there from the start; that ours come into being with their first block is our own affair.
  return isNew === true && definition !== blockSummaryObject ? 'created' : 'modified';
}
