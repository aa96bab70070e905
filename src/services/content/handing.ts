import type { Kysely } from 'kysely';
import { CID } from 'multiformats/cid';
import { Gauge, type Registry } from 'prom-client';
import { ChainError } from '../../base/errors.js';
import type { Cancel, Clock, Logger } from '../../base/world.js';
import { isDatabaseError } from '../common/database.js';
import { toldOfDatabase } from '../common/database-errors.js';
import { BLOCK_FILE_ERRORS } from './block-files.js';
import type { ContentStore } from './content-store.js';
import type { IpfsNode } from './ipfs-node.js';
import type { ContentTables } from './tables.js';

/**
 * Contents that everybody may have are handed to an IPFS node as well, block by block, and pinned there. What it has is
 * recorded when it has it; doing it again does no harm, so a node that was away gets all that it has missed.
 */

export interface HandingParts {
  readonly db: Kysely<ContentTables>;
  readonly content: ContentStore;
  readonly node: IpfsNode;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Logger;
}

const LOOK_MS = 1000;
const AT_ONCE_MAX = 50;
const PAUSE_MS_MAX = 60_000;
/** What is damaged may be stored once more, and a disk that cannot be read may come back. */
const BROKEN_MS = 60_000;

export class Handing {
  readonly #parts: HandingParts;
  /** Damaged here: an error in the log, and no reason for others to wait. Until when nobody looks again. */
  readonly #broken = new Map<string, number>();
  /** Stored by an instance with a folder of its own, which hands them over when it is there. */
  readonly #elsewhere = new Set<string>();
  #trouble: string | undefined;
  #pauseMs = LOOK_MS;
  #cancel: Cancel | undefined;
  #round: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: HandingParts) {
    this.#parts = parts;
    const { db } = parts;
    new Gauge({
      name: 'trustnode_ipfs_contents',
      help: 'Contents for everybody: pinned by the IPFS node, and waiting for it',
      labelNames: ['state'],
      registers: [parts.registry],
      async collect() {
        const { pinned } = await db
          .selectFrom('content_handed')
          .select((of) => of.fn.countAll().as('pinned'))
          .executeTakeFirstOrThrow();
        const { waiting } = await waitingIn(db)
          .select((of) => of.fn.count('content_pin.root').distinct().as('waiting'))
          .executeTakeFirstOrThrow();
        this.set({ state: 'pinned' }, Number(pinned));
        this.set({ state: 'waiting' }, Number(waiting));
      },
    });
  }

  /** Why the node does not get what it should. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  start(): void {
    const again = (): void => {
      if (this.#isStopped) return;
      this.#round = this.#try().then(() => {
        if (!this.#isStopped) this.#cancel = this.#parts.clock.after(this.#pauseMs, again);
      });
    };
    again();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#round;
  }

  async #try(): Promise<void> {
    try {
      await this.#handOver();
      await this.#takeBack();
      this.#trouble = undefined;
      this.#pauseMs = LOOK_MS;
    } catch (error) {
      const trouble = isDatabaseError(error)
        ? toldOfDatabase(error)
        : 'the IPFS node does not take contents: the log says why';
      if (this.#trouble !== trouble) this.#parts.log.warn('contents cannot be handed to the IPFS node', { error });
      this.#trouble = trouble;
      this.#pauseMs = Math.min(PAUSE_MS_MAX, 2 * this.#pauseMs);
    }
  }

  async #handOver(): Promise<void> {
    for (let last = ''; ; ) {
      const rows = await waitingIn(this.#parts.db)
        .select('content_pin.root')
        .distinct()
        .where('content_pin.root', '>', last)
        .orderBy('content_pin.root')
        .limit(AT_ONCE_MAX)
        .execute();
      for (const { root } of rows) {
        if (this.#isStopped) return;
        if ((this.#broken.get(root) ?? 0) <= this.#parts.clock.monotonicMs()) await this.#handOne(root);
        last = root;
      }
      if (rows.length < AT_ONCE_MAX) return;
    }
  }

  async #handOne(root: string): Promise<void> {
    const { db, content, node, clock } = this.#parts;
    try {
      for await (const { cid, bytes } of content.walkHere(CID.parse(root))) await node.put(cid, bytes);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      this.#notHere(root, error);
      return;
    }
    await node.pin(CID.parse(root));
    this.#elsewhere.delete(root);
    this.#broken.delete(root);
    await db
      .insertInto('content_handed')
      .values({ root, handed_ms: clock.nowMs() })
      .onConflict((one) => one.doNothing())
      .execute();
  }

  #notHere(root: string, { row, message }: ChainError): void {
    const { clock, log } = this.#parts;
    if (row !== BLOCK_FILE_ERRORS.content_missing) {
      if (!this.#broken.has(root)) {
        log.error('a content cannot be handed to the IPFS node', { root, why: message });
      }
      this.#broken.set(root, clock.monotonicMs() + BROKEN_MS);
    } else if (!this.#elsewhere.has(root)) {
      this.#elsewhere.add(root);
      log.info('a content is not in this folder: whoever has stored it hands it to the IPFS node', { root });
    }
  }

  /** What nobody keeps any more. */
  async #takeBack(): Promise<void> {
    const { db, node } = this.#parts;
    const rows = await db
      .selectFrom('content_handed')
      .leftJoin('content_root', 'content_root.root', 'content_handed.root')
      .select('content_handed.root')
      .where('content_root.root', 'is', null)
      .limit(AT_ONCE_MAX)
      .execute();
    for (const { root } of rows) {
      await node.unpin(CID.parse(root));
      await db.deleteFrom('content_handed').where('root', '=', root).execute();
    }
  }
}

const waitingIn = (db: Kysely<ContentTables>) =>
  db
    .selectFrom('content_pin')
    .leftJoin('content_handed', 'content_handed.root', 'content_pin.root')
    .where('released_ms', 'is not', null)
    .where('content_handed.root', 'is', null);
