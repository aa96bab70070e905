import type { Client } from '@elastic/elasticsearch';
import { check } from '../../src/base/errors.js';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { readCarriedCount } from '../../src/plugin/carried-counts.js';
import { type BlockPlace, type Carried, type FeedBlock, NO_BLOCK } from '../../src/plugin/follower.js';
import { operation as operationType } from '../../src/protocol/operation-slot.js';
import { type Action, BulkWriter } from './bulk.js';
import { type DocumentStyle, documentOf, reducedDocument, type SearchDocument, sharedMembers } from './documents.js';
import { SEARCH_ERRORS } from './errors.js';
import { entryId, indexName, readersPattern } from './names.js';
import { Numbering } from './numbering.js';
import type { Retry } from './retry.js';

export interface VerifySettings {
  readonly client: Client;
  readonly retry: Retry;
  readonly prefix: string;
  readonly style: DocumentStyle;
  /** Where the blocks do not begin with the chain: what the snapshot before them carries for histories. */
  readonly begin?: { readonly place: BlockPlace; readonly carried: Omit<Carried, 'name'> } | undefined;
  /** Blocks that are compared; what is before them is needed for the numbers. */
  readonly from: number;
  readonly to: number;
  readonly startAfterBlock: number;
  readonly repairs: boolean;
  /** Every fault, one line each. */
  report(line: string): void;
}

export interface Verified {
  blocks: number;
  documents: number;
  missing: number;
  different: number;
  /** Documents that no operation of the chain has, or that are in a second index as well. */
  surplus: number;
  /** Right, with less in them: the database did not take more. */
  reduced: number;
  repaired: number;
}

interface Expected {
  readonly index: string;
  readonly document: SearchDocument;
  readonly operationText: string;
}

interface Hit {
  readonly _index: string;
  readonly _id?: string;
  readonly _source?: SearchDocument;
  readonly _seq_no?: number;
  readonly _primary_term?: number;
  readonly sort?: Json[];
}

const PAGE = 1000;
const DOCUMENTS_AT_ONCE = 2000;
const BLOCKS_AT_ONCE = 10_000;
const KEEP_ALIVE = '5m';

/** Compares what the chain did with what the search database says it did, and mends what is wrong if it may. */
export async function verifySearch(blocks: Iterable<FeedBlock>, settings: VerifySettings): Promise<Verified> {
  const { client, prefix, from, to, startAfterBlock, style } = settings;
  const index = readersPattern(prefix);
  await client.indices.refresh({ index });
  const { id } = await client.openPointInTime({ index, keep_alive: KEEP_ALIVE, ignore_unavailable: true });
  const comparison = new Comparison(settings, id);
  try {
    const numbering = await numberingFrom(settings.begin);
    let expected = new Map<string, Expected>();
    let first = from;
    for (const block of blocks) {
      const { number } = block;
      if (number > to) break;
      const isCompared = number >= from && number > startAfterBlock;
      const name = indexName(prefix, block.block.timestamp);
      for (const [entry, one] of numbering.number({ number, id: block.id }, block.operations)) {
        if (!isCompared) continue;
        const document = documentOf(entry, sharedMembers(block, one, style));
        const operationText = JSON.stringify(operationType.toJson(one.operation, style.network));
        expected.set(entryId(entry.id), { index: name, document, operationText });
      }
      numbering.stored({ number, id: block.id });
      if (number < from) continue;
      comparison.verified.blocks++;
      const isFull = expected.size >= DOCUMENTS_AT_ONCE || number - first >= BLOCKS_AT_ONCE;
      if (!isFull && number !== to) continue;
      await comparison.compare(first, number, expected);
      expected = new Map();
      first = number + 1;
    }
  } finally {
    await client.closePointInTime({ id });
  }
  return comparison.verified;
}

async function numberingFrom(begin: VerifySettings['begin']): Promise<Numbering> {
  if (begin === undefined) return new Numbering(NO_BLOCK, 0, Number.POSITIVE_INFINITY);
  const { place, carried } = begin;
  check(carried.about.accounts === 'all', SEARCH_ERRORS.search_numbers_unknown, { first: place.number + 1 });
  const numbering = new Numbering(place, Number(carried.about.entry), Number.POSITIVE_INFINITY);
  for await (const some of carried.entries) {
    for (const one of some) {
      const { account, total, recent = 0 } = readCarriedCount(one);
      numbering.learn(account, { entries: total, newest: recent });
    }
  }
  return numbering;
}

class Comparison {
  readonly verified: Verified = {
    blocks: 0,
    documents: 0,
    missing: 0,
    different: 0,
    surplus: 0,
    reduced: 0,
    repaired: 0,
  };
  readonly #settings: VerifySettings;
  readonly #pointInTime: string;
  readonly #bulk: BulkWriter;

  constructor(settings: VerifySettings, pointInTime: string) {
    this.#settings = settings;
    this.#pointInTime = pointInTime;
    this.#bulk = new BulkWriter(settings.client, settings.retry, (id, reason) =>
      settings.report(`${id} is refused, it gets less: ${reason}`),
    );
  }

  async compare(from: number, to: number, expected: Map<string, Expected>): Promise<void> {
    const { verified } = this;
    const { report, repairs } = this.#settings;
    const wrong = new Map<string, Expected>();
    const seen = new Set<string>();
    verified.documents += expected.size;
    for await (const hit of this.#hits(from, to)) {
      const id = String(hit._id);
      const wanted = expected.get(id);
      if (wanted === undefined || wanted.index !== hit._index) {
        verified.surplus++;
        report(`surplus ${hit._index} ${id}`);
        if (repairs) await this.#remove(hit);
        continue;
      }
      seen.add(id);
      const found = compared(hit._source, wanted);
      if (found === 'reduced') verified.reduced++;
      if (found !== 'different') continue;
      verified.different++;
      report(`different ${hit._index} ${id}`);
      wrong.set(id, wanted);
    }
    for (const [id, wanted] of expected) {
      if (seen.has(id)) continue;
      verified.missing++;
      report(`missing ${wanted.index} ${id}`);
      wrong.set(id, wanted);
    }
    if (repairs) await this.#write(wrong);
  }

  async *#hits(from: number, to: number): AsyncGenerator<Hit> {
    let after: Json[] | undefined;
    for (;;) {
      const { hits } = await this.#settings.client.search<SearchDocument>({
        size: PAGE,
        track_total_hits: false,
        seq_no_primary_term: true,
        pit: { id: this.#pointInTime, keep_alive: KEEP_ALIVE },
        query: { range: { 'block_data.block_num': { gte: from, lte: to } } },
        sort: ['_shard_doc'],
        ...(after === undefined ? {} : { search_after: after as never }),
      });
      const found = hits.hits as readonly Hit[];
      yield* found;
      after = found.at(-1)?.sort;
      if (found.length < PAGE || after === undefined) return;
    }
  }

  /** Unless it was written anew since: then it is another one. */
  async #remove({ _index, _id, _seq_no, _primary_term }: Hit): Promise<void> {
    const { client } = this.#settings;
    const version = { if_seq_no: _seq_no as number, if_primary_term: _primary_term as number };
    const { statusCode } = await client.delete(
      { index: _index, id: String(_id), ...version },
      { ignore: [404, 409], meta: true },
    );
    if (statusCode === 200) this.verified.repaired++;
  }

  async #write(wrong: ReadonlyMap<string, Expected>): Promise<void> {
    const actions = [...wrong].map(([id, { index, document, operationText }]): Action => {
      const bare = { index, id, text: JSON.stringify(reducedDocument(document, () => '')) };
      const asText = {
        index,
        id,
        text: JSON.stringify(reducedDocument(document, () => operationText)),
        less: () => bare,
      };
      return { index, id, text: JSON.stringify(document), less: () => asText };
    });
    await this.#bulk.write(actions, { documents: DOCUMENTS_AT_ONCE });
    this.verified.repaired += actions.length;
  }
}

/** The counter of a process is nobody's business. */
const fixed = ({ operation_history: { trx_in_block, op_in_trx, operation_result }, ...rest }: SearchDocument): string =>
  JSON.stringify([rest.account_history, rest.operation_type, rest.operation_id_num, rest.block_data]) +
  JSON.stringify([trx_in_block, op_in_trx, operation_result]);

/** Ours keeps `amount` in assets, the reference does not. */
function withoutAmounts(value: JsonObject): JsonObject {
  const isAsset = value.asset_id !== undefined && value.amount_str !== undefined;
  const entries = Object.entries(value)
    .filter(([name]) => !(isAsset && name === 'amount'))
    .map(([name, member]): [string, Json] => {
      const isObject = typeof member === 'object' && member !== null && !Array.isArray(member);
      return [name, isObject ? withoutAmounts(member) : member];
    });
  return Object.fromEntries(entries);
}

function compared(
  found: SearchDocument | undefined,
  { document, operationText }: Expected,
): 'same' | 'reduced' | 'different' {
  // Anything may have been written there.
  if (found?.operation_history === undefined || fixed(found) !== fixed(document)) return 'different';
  const { op, op_object: object } = found.operation_history;
  const { op: wantedText, op_object: wanted } = document.operation_history;
  if (object === null || object === undefined) {
    if (wanted === null) return op === wantedText ? 'same' : op === '' ? 'reduced' : 'different';
    return op === operationText || op === '' ? 'reduced' : 'different';
  }
  if (wanted === null) return 'different';
  return JSON.stringify(withoutAmounts(object)) === JSON.stringify(withoutAmounts(wanted)) ? 'same' : 'different';
}
