import { randomBytes } from 'node:crypto';
import { Client } from '@elastic/elasticsearch';
import { SearchDatabase } from '../../../../plugins/search_db/database.js';
import { type FollowerSettings, SearchFollower } from '../../../../plugins/search_db/follower.js';
import { type Verified, verifySearch } from '../../../../plugins/search_db/verify.js';
import '../../../../src/operations/index.js';
import { feedLog } from '../../../../src/node/chain/feed-log.js';
import type { StoredChain } from '../../../../src/node/chain/stored-chain.js';
import { systemClock } from '../../../../src/node/runtime/clock.js';
import { BlockFeed } from '../../../../src/plugin/feed.js';
import type { AddedFollower, FeedBlock } from '../../../../src/plugin/follower.js';
import { FollowerHost } from '../../../../src/plugin/host.js';
import type { SignedBlock } from '../../../../src/protocol/block.js';
import { goldenBlocks, goldenGenesis } from '../../../support/golden.js';
import { MemoryDisk } from '../../../support/memory-disk.js';
import { MemoryLog } from '../../../support/memory-log.js';
import { NETWORK } from '../../../support/network.js';

export interface SearchSettings extends Partial<FollowerSettings> {
  readonly hasObjects?: boolean;
  readonly prefix: string;
  readonly chain?: string;
  readonly replicas?: number;
}

/** Pauses before another try are the plugin's business; a test has seen enough of them after a fraction. */
const HASTY = {
  monotonicMs: () => systemClock.monotonicMs(),
  after: (delayMs: number, run: () => void) => systemClock.after(delayMs / 20, run),
};

const genesis = goldenGenesis();
const blocks: readonly SignedBlock[] = [...goldenBlocks()];

/** The golden chain on a disk in memory. */
export function openGolden(disk = new MemoryDisk(genesis)): Promise<StoredChain> {
  return disk.open({ saveBlocks: 1 });
}

export function pushTo({ chain }: StoredChain, last: number): void {
  for (let number = chain.queries.head.number + 1; number <= last; number++) {
    chain.blocks.push({ block: blocks[number - 1] as SignedBlock });
  }
}

/** A chain and the search database's follower, as the plugin puts them together. */
export class SearchWorld {
  readonly log = new MemoryLog();
  readonly database: SearchDatabase;
  readonly client: Client;
  readonly #host: FollowerHost;
  readonly #stored: StoredChain;
  readonly #settings: SearchSettings;
  #added: AddedFollower | undefined;

  constructor(stored: StoredChain, url: string | readonly string[], settings: SearchSettings) {
    this.#stored = stored;
    this.#settings = settings;
    const feed = new BlockFeed(stored.chain.blocks, feedLog(stored.storage));
    const { objects } = stored.storage;
    const carried = objects.carried.bind(objects);
    this.#host = new FollowerHost({ feed, clock: systemClock, log: this.log, carried });
    this.client = new Client({ nodes: [url].flat(), requestTimeout: 60_000, maxRetries: 0 });
    this.database = new SearchDatabase(
      {
        client: this.client,
        prefix: settings.prefix,
        chain: settings.chain ?? stored.chain.chainId,
        copies: { shards: 1, replicas: settings.replicas ?? 0 },
        writer: randomBytes(8).toString('hex'),
        nowMs: () => systemClock.nowMs(),
        onReduced: (id, reason) => this.log.warn('reduced', { id, reason }),
      },
      { clock: HASTY, log: this.log },
    );
  }

  /** Settles when it stands on the last block that there is for it. */
  async follow(): Promise<void> {
    if (this.#added === undefined) {
      await this.database.begin();
      this.#added = this.#host.add(this.#follower());
    }
    await this.#added.caughtUp();
    const { state, reason } = this.#added.status;
    if (state === 'failed' || state === 'refused') throw new Error(reason);
  }

  get status(): AddedFollower['status'] | undefined {
    return this.#added?.status;
  }

  #follower(): SearchFollower {
    const { queries } = this.#stored.chain;
    const { hasObjects = true, ...settings } = this.#settings;
    const writesHead = settings.writesHead ?? false;
    return new SearchFollower({
      database: this.database,
      style: { network: NETWORK, hasObjects },
      replayDocuments: 5000,
      syncDocuments: 50,
      startAfterBlock: 0,
      writesHead,
      nowMs: () => systemClock.nowMs(),
      monotonicMs: () => systemClock.monotonicMs(),
      lastNumber: () => (writesHead ? queries.head.number : queries.head.irreversible),
      ...settings,
    });
  }

  /** All blocks up to this one against the database. */
  async verify(to: number, repairs = false): Promise<Verified & { readonly lines: readonly string[] }> {
    const { prefix, hasObjects = true, startAfterBlock = 0 } = this.#settings;
    const { chain, storage } = this.#stored;
    const feed = new BlockFeed(chain.blocks, feedLog(storage));
    const from = feed.firstNumber('operations');
    const place = { number: from - 1, id: feed.idOf(from - 1) ?? '' };
    const carried = storage.objects.carried('account_history', place);
    const lines: string[] = [];
    const verified = await verifySearch(blocksOf(feed, from, to), {
      begin: carried && { place, carried },
      client: this.client,
      retry: this.database.retry,
      prefix,
      style: { network: NETWORK, hasObjects },
      from,
      to,
      startAfterBlock,
      repairs,
      report: (line) => lines.push(line),
    });
    return { ...verified, lines };
  }

  /** As when the node ends in order. */
  async close(): Promise<void> {
    await this.#host.close();
    await this.client.close();
  }

  /** As when its process is killed: nothing more is written. */
  async kill(): Promise<void> {
    this.database.retry.giveUp();
    await this.close();
  }
}

function* blocksOf(feed: BlockFeed, from: number, to: number): Generator<FeedBlock> {
  for (let number = from; number <= to; number++) yield feed.read(number) as FeedBlock;
}

export interface Found {
  readonly _index: string;
  readonly _id: string;
  readonly doc: Record<string, unknown>;
}

const PAGE = 1000;

/** Every document that readers find, in the order of ids. */
export async function documentsIn(client: Client, prefix: string): Promise<Found[]> {
  const index = `${prefix}*`;
  await client.indices.refresh({ index });
  const found: Found[] = [];
  let after: unknown[] | undefined;
  for (;;) {
    const { hits } = await client.search<Record<string, unknown>>({
      index,
      size: PAGE,
      sort: [{ operation_id_num: 'asc' }, { 'account_history.id': 'asc' }, { _index: 'asc' }],
      ...(after === undefined ? {} : { search_after: after as never }),
    });
    for (const { _index, _id, _source } of hits.hits) found.push({ _index, _id: _id as string, doc: _source ?? {} });
    if (hits.hits.length < PAGE) break;
    after = hits.hits.at(-1)?.sort;
  }
  const numberOf = ({ _id }: Found): number => Number(_id.split('.')[2]);
  return found.sort((a, b) => numberOf(a) - numberOf(b) || (a._index < b._index ? -1 : 1));
}
