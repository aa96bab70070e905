import type { Client, estypes } from '@elastic/elasticsearch';
import { check, fail } from '../../src/base/errors.js';
import type { BlockPlace } from '../../src/plugin/follower.js';
import type { Instance } from '../../src/protocol/ids.js';
import { type Action, BulkWriter, GONE, type OnReduced, statusOf } from './bulk.js';
import { SEARCH_ERRORS } from './errors.js';
import { entryId, readersPattern, stateIndexName } from './names.js';
import type { Count, CountChange } from './numbering.js';
import { Retry, type RetryParts } from './retry.js';
import { type Copies, indexTemplate, stateIndex, TEMPLATE_VERSION, templateName } from './template.js';

const FORMAT = 1;
const CURSOR = 'cursor';
/** Documents per request of the plugin's own. */
const COUNTS_PER_REQUEST = 2000;
/** Above what a database may have given documents by itself. */
const VERSION_BASE = 1_000_000;
const CREATED_BEFORE = 'resource_already_exists_exception';

/** Entries of these numbers may be in the index although their block is not final. */
export interface Claim {
  readonly index: string;
  readonly from: number;
  readonly to: number;
}

/** How far the database is: all entries of the blocks up to here are there. */
export interface Cursor {
  readonly place: BlockPlace;
  /** Number of the entry that comes next. */
  readonly next: number;
  readonly claims: readonly Claim[];
  /** Grows whenever entries are taken back. */
  readonly generation: number;
}

interface StoredCursor extends Cursor {
  readonly format: number;
  readonly chain: string;
  /** The process that wrote it. */
  readonly writer: string;
}

/** What is stored of an account: its count, and the one before the run of blocks that changed it last. */
interface StoredCount {
  readonly block: number;
  readonly count: Count;
  readonly first: number;
  readonly before: Count;
  /** Where the cursor stood when this was written: of an earlier one it says nothing. */
  readonly since?: number;
}

type How = { readonly signal: AbortSignal };

/** What an answer about the cursor says of its place among all writes. */
interface FoundCursor {
  readonly found?: boolean;
  readonly status?: number;
  readonly _seq_no?: number;
  readonly _primary_term?: number;
}

const isNot = (status: number) => (error: unknown) => statusOf(error) === status;

/** Not the answer of somebody who stands before the server. */
const isMissing = ({ found, status }: FoundCursor): boolean => found === false || status === GONE;

export interface DatabaseSettings {
  readonly client: Client;
  readonly prefix: string;
  readonly chain: string;
  readonly copies: Copies;
  /** Tells this process from all others. */
  readonly writer: string;
  readonly onReduced: OnReduced;
  nowMs(): number;
}

/**
 * The search database as the plugin uses it. What fails for a time is tried until it is done. Documents come first, then
 * the counts of their accounts, then the cursor: a crash in between has the same documents written again under the same
 * ids. A count says what it was before the blocks that changed it last, so that the one that belongs to the cursor is there.
 */
export class SearchDatabase {
  readonly retry: Retry;
  readonly bulk: BulkWriter;
  readonly #settings: DatabaseSettings;
  readonly #state: string;
  #version: { readonly if_seq_no: number; readonly if_primary_term: number } | undefined;
  #cursor: Cursor = { place: { number: 0, id: '' }, next: 0, claims: [], generation: 0 };

  constructor(settings: DatabaseSettings, parts: RetryParts) {
    this.#settings = settings;
    this.#state = stateIndexName(settings.prefix);
    this.retry = new Retry(parts);
    this.bulk = new BulkWriter(settings.client, this.retry, settings.onReduced, () => this.#checkIsOurs());
  }

  get cursor(): Cursor {
    return this.#cursor;
  }

  /** Version of documents that may have to be taken back. */
  get version(): number {
    return VERSION_BASE + this.#cursor.generation;
  }

  /** Makes ready what is missing and takes over from whoever wrote here before. What was not final is taken away. */
  async begin(): Promise<void> {
    await this.putTemplate();
    await this.retry.until('the index of the plugin is made', (how) => this.#makeStateIndex(how));
    const stored = await this.retry.until('the cursor is read', () => this.#readCursor());
    if (stored !== undefined) {
      const { prefix, chain } = this.#settings;
      const { format, chain: found } = stored;
      check(format === FORMAT, SEARCH_ERRORS.search_format, { found: format, known: FORMAT });
      check(found === chain, SEARCH_ERRORS.search_other_chain, { found, chain, prefix });
      const { place, next, claims, generation } = stored;
      this.#cursor = { place, next, claims, generation };
    }
    // Above that of every earlier life, also of one whose notes are not there any more: in milliseconds no life can have
    // taken back so much that its own has run ahead of the clock.
    const generation = Math.max(this.#cursor.generation + 1, Math.floor(this.#settings.nowMs()));
    await this.putCursor({ ...this.#cursor, generation });
    await this.takeBack(this.#cursor.claims, this.#cursor.next);
    await this.putCursor({ ...this.#cursor, claims: [] });
  }

  /** Where it is not there: without it the types of all fields are guessed in an index that is made. */
  async putTemplate(): Promise<void> {
    await this.retry.until('the index template is put', (how) => this.#putTemplate(how));
  }

  async #putTemplate(how: How): Promise<void> {
    const { client, prefix, copies } = this.#settings;
    const name = templateName(prefix);
    const found = await client.indices.getIndexTemplate({ name }, { ignore: [404], signal: this.retry.signal });
    const version = found.index_templates?.[0]?.index_template.version;
    if (version !== undefined && version >= TEMPLATE_VERSION) return;
    await client.indices.putIndexTemplate({ name, ...indexTemplate(prefix, copies) } as never, how);
  }

  async #makeStateIndex(how: How): Promise<void> {
    const { client, copies } = this.#settings;
    if (await client.indices.exists({ index: this.#state }, how)) return;
    try {
      await client.indices.create({ index: this.#state, ...stateIndex(copies) }, how);
    } catch (error) {
      if (!String(error).includes(CREATED_BEFORE)) throw error;
    }
  }

  async #readCursor(): Promise<StoredCursor | undefined> {
    const found = await this.#settings.client.get<StoredCursor>(
      { index: this.#state, id: CURSOR },
      { ignore: [404], signal: this.retry.signal },
    );
    if (isMissing(found)) return undefined;
    const { _seq_no: seq, _primary_term: term, _source: source } = found;
    if (seq === undefined || term === undefined || source === undefined) throw new Error('half a cursor');
    this.#version = { if_seq_no: seq, if_primary_term: term };
    return source;
  }

  /**
   * Whoever restores an older copy, deletes the notes, or writes here with a second node, does so while requests are tried
   * again: what is numbered behind another cursor must not get between what belongs to the one that is there now.
   */
  async #checkIsOurs(): Promise<void> {
    const found = await this.#settings.client.get(
      { index: this.#state, id: CURSOR, _source: false },
      { ignore: [404], signal: this.retry.signal },
    );
    await this.#checkFound(found);
  }

  async #checkFound(found: FoundCursor): Promise<void> {
    check(!isMissing(found), SEARCH_ERRORS.search_taken, { prefix: this.#settings.prefix });
    const { _seq_no: seq, _primary_term: term } = found;
    if (seq === undefined || term === undefined) throw new Error('half a cursor');
    if (seq === this.#version?.if_seq_no && term === this.#version.if_primary_term) return;
    // A server that was cut off from the others says what it had. One that takes writes knows.
    await this.putCursor(this.#cursor);
  }

  /** Only if nobody else has written it since. */
  async putCursor(cursor: Cursor): Promise<void> {
    const { client, chain, writer, prefix } = this.#settings;
    const document: StoredCursor = { format: FORMAT, chain, writer, ...cursor };
    const id = { index: this.#state, id: CURSOR };
    const put = (how: How) =>
      this.#version === undefined
        ? client.index({ ...id, op_type: 'create', document }, how)
        : client.index({ ...id, ...this.#version, document }, how);
    try {
      const { _seq_no: seq, _primary_term: term } = await this.retry.until(
        'the cursor is written',
        async (how) => {
          const answer = await put(how);
          if (answer._seq_no === undefined || answer._primary_term === undefined) throw new Error('half an answer');
          return answer as Required<typeof answer>;
        },
        isNot(409),
      );
      this.#version = { if_seq_no: seq, if_primary_term: term };
    } catch (error) {
      if (statusOf(error) !== 409) throw error;
      const found = await this.retry.until('the cursor is read', () => this.#readCursor());
      // An earlier try of ours has come through after all.
      check(JSON.stringify(found) === JSON.stringify(document), SEARCH_ERRORS.search_taken, { prefix });
    }
    this.#cursor = cursor;
  }

  /** The same documents may be written by an earlier try that is late: those of now have a higher version. */
  async takeBack(claims: readonly Claim[], from = 0): Promise<void> {
    for (const claim of claims) {
      for (let at = Math.max(claim.from, from); at < claim.to; at += COUNTS_PER_REQUEST) {
        const to = Math.min(claim.to, at + COUNTS_PER_REQUEST);
        const actions: Action[] = [];
        for (let id = at; id < to; id++) {
          actions.push({ index: claim.index, id: entryId(id), text: undefined, version: this.version });
        }
        await this.bulk.write(actions, { documents: COUNTS_PER_REQUEST });
      }
    }
  }

  /** How many entries the accounts had behind the cursor's block. */
  async countsOf(accounts: readonly Instance[]): Promise<Map<Instance, Count | undefined>> {
    const counts = new Map<Instance, Count | undefined>();
    for (let at = 0; at < accounts.length; at += COUNTS_PER_REQUEST) {
      const some = accounts.slice(at, at + COUNTS_PER_REQUEST);
      const found = await this.retry.until('counts are read', () => this.#readCounts(some));
      for (const [i, account] of some.entries()) counts.set(account, await this.#countAtCursor(account, found[i]));
    }
    return counts;
  }

  async #readCounts(accounts: readonly Instance[]): Promise<(StoredCount | undefined)[]> {
    const ids = [CURSOR, ...accounts.map((account) => `1.2.${account}`)];
    const { docs } = await this.#settings.client.mget<StoredCount>(
      { index: this.#state, ids },
      { signal: this.retry.signal },
    );
    if (docs?.length !== ids.length) throw new Error('the answer does not speak of all accounts');
    const failed = docs.find((doc) => 'error' in doc);
    if (failed !== undefined) {
      // Where the whole index is gone nothing else will ever be answered.
      await this.#checkIsOurs();
      throw new Error(JSON.stringify(failed));
    }
    const [cursor, ...counts] = docs as estypes.GetGetResult<StoredCount>[];
    await this.#checkFound(cursor as FoundCursor);
    return counts.map((doc) => (doc.found ? doc._source : undefined));
  }

  async #countAtCursor(account: Instance, stored: StoredCount | undefined): Promise<Count | undefined> {
    const { number } = this.#cursor.place;
    if (stored === undefined || stored.block <= number) return stored?.count;
    const { first, before, since = 0 } = stored;
    if (number < first && number >= since) return before;
    // Two nodes have written in turns. The documents themselves know it.
    return this.retry.until('an account is looked up', (how) => this.#countOfDocuments(account, number, how));
  }

  async #countOfDocuments(account: Instance, number: number, how: How): Promise<Count> {
    const { client, prefix } = this.#settings;
    const index = readersPattern(prefix);
    await client.indices.refresh({ index }, how);
    const { hits } = await client.search<{ account_history: { id: string; sequence: number } }>(
      {
        index,
        size: 1,
        query: {
          bool: {
            filter: [
              { term: { 'account_history.account': `1.2.${account}` } },
              { range: { 'block_data.block_num': { lte: number } } },
            ],
          },
        },
        sort: [{ 'account_history.sequence': 'desc' }],
      },
      how,
    );
    const newest = hits.hits[0]?._source?.account_history;
    if (newest === undefined) fail(SEARCH_ERRORS.search_counts_lost, { account, number, index: this.#state });
    return { entries: newest.sequence, newest: Number(newest.id.split('.')[2]) };
  }

  /** All documents up to `place` are there: now this is told. */
  async commit(
    place: BlockPlace,
    next: number,
    changes: readonly CountChange[],
    claims: readonly Claim[],
  ): Promise<void> {
    await this.putCounts(place, changes);
    // A request of counts asks itself; the cursor alone would have the server make an index that is gone, by guesses.
    if (changes.length === 0) await this.retry.until('the cursor is read', () => this.#checkIsOurs());
    await this.putCursor({ place, next, claims, generation: this.#cursor.generation });
  }

  /** They count when the cursor stands on their block. */
  async putCounts({ number }: BlockPlace, changes: readonly CountChange[]): Promise<void> {
    for (let at = 0; at < changes.length; at += COUNTS_PER_REQUEST) {
      const actions = changes.slice(at, at + COUNTS_PER_REQUEST).map(({ account, first, before, after }): Action => {
        const since = this.#cursor.place.number;
        const stored: StoredCount = { block: number, count: after, first, before, since };
        // A late earlier try must not win.
        return { index: this.#state, id: `1.2.${account}`, text: JSON.stringify(stored), version: number };
      });
      await this.bulk.write(actions, { documents: COUNTS_PER_REQUEST });
    }
  }

  async claim(claims: readonly Claim[]): Promise<void> {
    await this.putCursor({ ...this.#cursor, claims });
  }

  async nextGeneration(): Promise<void> {
    await this.putCursor({ ...this.#cursor, generation: this.#cursor.generation + 1 });
  }
}
