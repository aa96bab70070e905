import { check } from '../../src/base/errors.js';
import { readCarriedCount } from '../../src/plugin/carried-counts.js';
import type { BlockPlace, Carried, FeedBlock, FeedOperation, Follower } from '../../src/plugin/follower.js';
import { operation as operationType } from '../../src/protocol/operation-slot.js';
import type { Action } from './bulk.js';
import type { Claim, SearchDatabase } from './database.js';
import {
  type DocumentStyle,
  documentOf,
  jsonText,
  reducedDocument,
  type SharedMembers,
  sharedMembers,
} from './documents.js';
import { SEARCH_ERRORS } from './errors.js';
import { entryId, indexName } from './names.js';
import { type CountChange, type Entry, NO_COUNT, Numbering } from './numbering.js';
import { GivenUp } from './retry.js';

export interface FollowerSettings {
  readonly database: SearchDatabase;
  readonly style: DocumentStyle;
  readonly prefix: string;
  /** Documents per request, for old blocks and for new ones. */
  readonly replayDocuments: number;
  readonly syncDocuments: number;
  /** After so many the cursor moves on. */
  readonly commitDocuments?: number;
  readonly startAfterBlock: number;
  /** Documents of blocks that may still be undone. */
  readonly writesHead: boolean;
  nowMs(): number;
  monotonicMs(): number;
  /** The last block that there is to write. */
  lastNumber(): number;
}

/** A block that is younger is written at once. */
const NEW_BLOCK_MS = 30_000;
/** What waits longer is sent although there is room for more. */
const WAITED_MS = 1000;
const COMMIT_DOCUMENTS = 20_000;
const COMMIT_BLOCKS = 10_000;
/** Entries that are claimed beyond those that are written, so that not every block needs a claim of its own. */
const CLAIMED_AHEAD = 1000;

/** Writes every operation of the chain into the search database, once per account that it concerns. */
export class SearchFollower implements Follower {
  readonly name = 'search_db';
  readonly reads = 'operations';
  readonly upTo: 'head' | 'irreversible';
  readonly #settings: FollowerSettings;
  readonly beginsWith = ['account_history'];
  #numbering: Numbering;
  #waiting: Action[] = [];
  #waitingSinceMs = 0;
  #inFlight: Promise<void> | undefined;
  #sinceCommit = 0;
  /** The newest index of which it is known that it is made by the template. */
  #preparedFor: string | undefined;
  #isNew = false;
  #settled = 0;
  #hasFailed = false;
  /** Set when nothing is written any more. */
  #abandonedAt: BlockPlace | undefined;
  /** What was written of blocks that may be undone, oldest first; empty where none are written. */
  #written: { readonly index: string; readonly from: number; to: number }[] = [];

  constructor(settings: FollowerSettings) {
    const { place, next } = settings.database.cursor;
    this.#settings = settings;
    this.upTo = settings.writesHead ? 'head' : 'irreversible';
    this.#numbering = new Numbering(place, next);
  }

  get position(): BlockPlace {
    return this.#abandonedAt ?? this.#numbering.position;
  }

  /** An empty search database is told what accounts have done before the snapshot; their documents are not in it. */
  skipTo(place: BlockPlace, carried?: Carried): Promise<void> {
    return this.#unlessGivenUp(place, async () => {
      const { database, prefix } = this.#settings;
      const { number } = database.cursor.place;
      const first = place.number + 1;
      check(number === 0, SEARCH_ERRORS.search_gap, { prefix, number, first });
      check(carried?.about.accounts === 'all', SEARCH_ERRORS.search_numbers_unknown, { first });
      const next = Number(carried.about.entry);
      for await (const some of carried.entries) {
        const counts = some.map((one): CountChange => {
          const { account, total, recent = 0 } = readCarriedCount(one);
          return { account, first: place.number, before: NO_COUNT, after: { entries: total, newest: recent } };
        });
        await database.putCounts(place, counts);
      }
      await database.commit(place, next, [], []);
      this.#numbering = new Numbering(place, next);
    });
  }

  apply(block: FeedBlock): Promise<void> {
    return this.#unlessGivenUp(block, () => this.#apply(block));
  }

  undo(block: BlockPlace): Promise<void> {
    return this.#unlessGivenUp({ number: block.number - 1, id: '' }, () => this.#undo());
  }

  settle(number: number): Promise<void> {
    return this.#unlessGivenUp(this.position, () => this.#settle(number));
  }

  /** What is there is sent, if the database takes it at once. */
  async close(): Promise<void> {
    if (this.#hasFailed) return;
    await this.#unlessGivenUp(this.position, async () => {
      await this.#sendAll();
      await this.#commit(this.upTo === 'head' ? this.#settled : this.position.number);
    });
  }

  /** When nothing is tried any more nobody hears of it but the next start, which finds the cursor where it was. */
  async #unlessGivenUp({ number, id }: BlockPlace, work: () => Promise<void>): Promise<void> {
    try {
      if (this.#abandonedAt === undefined) await work();
      else this.#abandonedAt = { number, id };
    } catch (error) {
      if (!(error instanceof GivenUp)) {
        this.#hasFailed = true;
        throw error;
      }
      this.#abandonedAt = { number, id };
    }
  }

  async #apply(block: FeedBlock): Promise<void> {
    const { database, startAfterBlock, style, nowMs } = this.#settings;
    const { number, id, operations } = block;
    this.#isNew = nowMs() - block.block.timestamp * 1000 < NEW_BLOCK_MS;
    const unknown = this.#numbering.unknown(operations);
    if (unknown.length > 0) {
      for (const [account, count] of await database.countsOf(unknown)) this.#numbering.learn(account, count);
    }
    const index = indexName(this.#settings.prefix, block.block.timestamp);
    const written = { index, from: this.#numbering.next, to: this.#numbering.next };
    if (this.upTo === 'head' && number > startAfterBlock) this.#written.push(written);
    let shared: { readonly one: FeedOperation; readonly members: SharedMembers } | undefined;
    for (const [entry, one] of this.#numbering.number({ number, id }, operations)) {
      if (number <= startAfterBlock) continue;
      written.to = entry.id + 1;
      if (shared?.one !== one) shared = { one, members: sharedMembers(block, one, style) };
      this.#add(this.#action(index, entry, one, shared.members));
      if (this.#waiting.length >= this.#limit) await this.#flush();
    }
    if (this.upTo === 'head') {
      if (this.#isNew || number >= this.#settings.lastNumber()) await this.#sendAll();
    } else if (this.#isMuchOpen) {
      await this.#commit(number);
    }
  }

  /** So much that it is not kept in memory until more time has passed. */
  get #isMuchOpen(): boolean {
    const { commitDocuments = COMMIT_DOCUMENTS } = this.#settings;
    return this.#sinceCommit >= commitDocuments || this.#numbering.openBlocks >= COMMIT_BLOCKS;
  }

  get #limit(): number {
    const { replayDocuments, syncDocuments } = this.#settings;
    return this.#isNew ? syncDocuments : replayDocuments;
  }

  #action(index: string, entry: Entry, one: FeedOperation, members: SharedMembers): Action {
    const { style, database } = this.#settings;
    const document = documentOf(entry, members);
    const common = { index, id: entryId(entry.id), ...(this.upTo === 'head' ? { version: database.version } : {}) };
    // Hardly ever asked for.
    const bare = (): Action => ({ ...common, text: jsonText(reducedDocument(document, () => '')) });
    const operationText = (): string => JSON.stringify(operationType.toJson(one.operation, style.network));
    const asText = (): Action => ({
      ...common,
      text: jsonText(reducedDocument(document, operationText)),
      less: bare,
    });
    return { ...common, text: jsonText(document), less: style.hasObjects ? asText : bare };
  }

  #add(action: Action): void {
    if (this.#waiting.length === 0) this.#waitingSinceMs = this.#settings.monotonicMs();
    this.#waiting.push(action);
    this.#sinceCommit++;
  }

  /** One request is on its way while the next one is made. */
  async #flush(): Promise<void> {
    await this.#arrived();
    if (this.#waiting.length === 0) return;
    const actions = this.#waiting;
    this.#waiting = [];
    await this.#prepare(actions.at(-1)?.index);
    if (this.upTo === 'head') await this.#claimAll();
    const { database } = this.#settings;
    const sent = database.bulk.write(actions, { documents: this.#limit });
    // Whoever waits for it next hears of its failure.
    sent.catch(() => undefined);
    this.#inFlight = sent;
  }

  /** A month has begun, and somebody may have deleted the template since the last one. */
  async #prepare(newest: string | undefined): Promise<void> {
    if (newest === this.#preparedFor) return;
    await this.#settings.database.putTemplate();
    this.#preparedFor = newest;
  }

  async #sendAll(): Promise<void> {
    await this.#flush();
    await this.#arrived();
  }

  async #arrived(): Promise<void> {
    const sent = this.#inFlight;
    await sent;
    this.#inFlight = undefined;
  }

  /** Before something is written that may have to be taken back it is noted down where. */
  async #claimAll(): Promise<void> {
    const { database } = this.#settings;
    const { next, claims } = database.cursor;
    const isClaimed = ({ index, from, to }: Claim): boolean =>
      claims.some((claim) => claim.index === index && claim.from <= Math.max(from, next) && claim.to >= to);
    if (!this.#written.every(isClaimed)) await database.claim(this.#claims(next, CLAIMED_AHEAD));
  }

  /** One per index; what was claimed and is not reached yet stays so. */
  #claims(from: number, ahead: number): Claim[] {
    const ends = new Map<string, number>();
    for (const { index, to } of [...this.#settings.database.cursor.claims, ...this.#written]) {
      ends.set(index, Math.max(to, ends.get(index) ?? 0));
    }
    const newest = this.#written.at(-1);
    if (newest !== undefined) ends.set(newest.index, Math.max(newest.to + ahead, ends.get(newest.index) ?? 0));
    return [...ends].flatMap(([index, to]) => (to > from ? [{ index, from, to }] : []));
  }

  async #undo(): Promise<void> {
    const { database } = this.#settings;
    await this.#arrived();
    const { from, to } = this.#numbering.undo();
    this.#waiting = this.#waiting.filter(({ id }) => Number(id.split('.')[2]) < from);
    const last = this.#written.at(-1);
    if (last === undefined || last.from !== from) return;
    this.#written.pop();
    if (from === to) return;
    await database.nextGeneration();
    await database.takeBack([last]);
  }

  async #settle(number: number): Promise<void> {
    const { lastNumber, monotonicMs } = this.#settings;
    this.#settled = number;
    const isBehind = this.position.number < lastNumber();
    const isWaited = monotonicMs() - this.#waitingSinceMs >= WAITED_MS;
    if (isBehind && !this.#isNew && !isWaited && !this.#isMuchOpen) return;
    await this.#commit(number);
  }

  /** What was written up to this block is final and there: the cursor moves on. */
  async #commit(number: number): Promise<void> {
    const { database } = this.#settings;
    const { place, next, changes } = this.#numbering.changesUpTo(number);
    if (place.number <= database.cursor.place.number) return;
    await this.#sendAll();
    this.#written = this.#written.filter(({ to }) => to > next);
    const claims = this.upTo === 'head' ? this.#claims(next, 0) : [];
    await database.commit(place, next, changes, claims);
    this.#numbering.stored(place);
    this.#sinceCommit = 0;
  }
}
