import { type FoundObject, foundObject } from '../api/types.js';
import type { Json, JsonObject } from '../codec/json.js';
import type { Network } from '../codec/type.js';
import { blockNumFromId } from '../crypto/digests.js';
import type { NodeClient } from './client.js';
import type { LastingConnection } from './lasting-connection.js';
import { type PlainObject, toPlain } from './plain.js';

/** Blocks and objects as they change, also across connections that break. */

export interface SeenBlock {
  readonly number: number;
  readonly id: string;
}

/** One after another: a listener that waits is waited for. */
class Turns {
  #last: Promise<void> = Promise.resolve();

  take(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.catch(() => undefined).then(work);
    return this.#last;
  }
}

type Tell<T> = (one: T) => void | Promise<void>;

/**
 * Every block from now on. Those that came while the connection was lost are told of afterwards, in their order. After a
 * fork switch a number comes again, with another id.
 */
export async function watchBlocks(
  { database }: Pick<NodeClient, 'database'>,
  connection: LastingConnection,
  tell: Tell<SeenBlock>,
): Promise<() => void> {
  const turns = new Turns();
  let last: SeenBlock | undefined;
  let isOver = false;
  const next = async (number: number, id: string): Promise<void> => {
    if (isOver || id === last?.id) return;
    for (let missing = (last?.number ?? number) + 1; missing < number && !isOver; missing++) {
      const block = await database.get_block({ block_num: missing });
      if (block === undefined) break;
      last = { number: missing, id: block.block_id };
      await tell(last);
    }
    if (isOver) return;
    last = { number, id };
    await tell(last);
  };
  const cb = connection.subscribe((id) => {
    const text = String(id);
    turns.take(() => next(blockNumFromId(text), text)).catch(() => undefined);
  });
  const stop = await connection.always(async () => {
    await database.set_block_applied_callback({ cb });
    const { head_block_number, head_block_id } = await database.get_dynamic_global_properties();
    if (last === undefined) last = { number: head_block_number, id: head_block_id };
    else await turns.take(() => next(head_block_number, head_block_id));
  });
  return () => {
    isOver = true;
    stop();
  };
}

interface Watch {
  readonly ids: readonly string[];
  readonly tell: Tell<{ readonly id: string; readonly object: PlainObject | undefined }>;
  /** What was told last of each, as text. */
  readonly seen: Map<string, string>;
}

/** A node has one subscription to objects for a connection; all watches of a client share it. */
export class ObjectWatch {
  readonly #client: Pick<NodeClient, 'database'>;
  readonly #connection: LastingConnection;
  readonly #network: Network;
  readonly #watches = new Set<Watch>();
  readonly #turns = new Turns();
  #subscribed: Promise<unknown> | undefined;

  constructor(client: Pick<NodeClient, 'database'>, connection: LastingConnection, network: Network) {
    this.#client = client;
    this.#connection = connection;
    this.#network = network;
  }

  /** Told at once how they are, then of every change; undefined: there is none, or no more. */
  async add(ids: readonly string[], tell: Watch['tell']): Promise<() => void> {
    const watch: Watch = { ids: [...ids], tell, seen: new Map() };
    this.#subscribed ??= this.#subscribe();
    try {
      await this.#subscribed;
    } catch (error) {
      this.#subscribed = undefined;
      throw error;
    }
    this.#watches.add(watch);
    await this.#turns.take(() => this.#ask(watch));
    return () => this.#watches.delete(watch);
  }

  async #subscribe(): Promise<void> {
    const cb = this.#connection.subscribe((changes) => {
      this.#turns.take(() => this.#take(changes)).catch(() => undefined);
    });
    await this.#connection.always(async () => {
      await this.#client.database.set_subscribe_callback({ cb, notify_remove_create: false });
      // What is asked for on this connection is what it is told of.
      for (const watch of this.#watches) await this.#turns.take(() => this.#ask(watch));
    });
  }

  async #ask(watch: Watch): Promise<void> {
    const answers = (await this.#connection.request('get_objects', [[...watch.ids]])) as Json[];
    for (const [i, id] of watch.ids.entries()) await this.#tell(watch, id, answers[i] ?? null);
  }

  /** A list of objects, or of ids where they are gone. */
  async #take(changes: Json): Promise<void> {
    for (const change of (changes as Json[]).flat() as (JsonObject | string)[]) {
      const isGone = typeof change === 'string';
      const id = isGone ? change : String(change.id);
      for (const watch of [...this.#watches]) {
        if (watch.ids.includes(id)) await this.#tell(watch, id, isGone ? null : change);
      }
    }
  }

  async #tell(watch: Watch, id: string, json: Json): Promise<void> {
    const text = JSON.stringify(json);
    if (!this.#watches.has(watch) || watch.seen.get(id) === text) return;
    watch.seen.set(id, text);
    const found = foundObject.fromJson(json, this.#network) as FoundObject | undefined;
    await watch.tell({ id, object: toPlain(foundObject, found, this.#network) as PlainObject | undefined });
  }
}
