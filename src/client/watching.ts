import { type FoundObject, foundObject } from '../api/types.js';
import type { Json, JsonObject } from '../codec/json.js';
import type { Network } from '../codec/type.js';
import { blockNumFromId } from '../crypto/digests.js';
import type { NodeClient } from './client.js';
import type { LastingConnection } from './lasting-connection.js';
import type { Tell } from './listeners.js';
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

/** No branch that a node changes to begins further back. */
const TOLD_MAX = 10_000;

/**
 * Every block from now on. Those that came while the connection was lost are told of afterwards, in their order. After a
 * fork switch a number comes again, with another id, also where the switch was meanwhile.
 */
export async function watchBlocks(
  { database }: Pick<NodeClient, 'database'>,
  connection: LastingConnection,
  tell: Tell<SeenBlock>,
): Promise<() => void> {
  const turns = new Turns();
  /** The branch that was told, up to the last one. */
  const told: SeenBlock[] = [];
  const last = (): SeenBlock => told[told.length - 1] as SeenBlock;
  let isOver = false;
  const say = async (block: SeenBlock): Promise<void> => {
    told.push(block);
    if (told.length > TOLD_MAX) told.shift();
    await tell(block);
  };
  const leaveFrom = (number: number): void => {
    while (told.length > 1 && last().number >= number) told.pop();
  };
  /** All up to this number that the node has; where it has another branch since, from there on. */
  const read = async (to: number): Promise<void> => {
    while (!isOver && last().number < to) {
      const number = last().number + 1;
      const block = await database.get_block({ block_num: number });
      if (block === undefined) return;
      if (block.previous !== last().id && told.length > 1) told.pop();
      else if (!isOver) await say({ number, id: block.block_id });
    }
  };
  const next = async (number: number, id: string): Promise<void> => {
    if (isOver || told.some((one) => one.id === id)) return;
    leaveFrom(number);
    await read(number - 1);
    if (!isOver) await say({ number, id });
  };
  const catchUp = async (number: number, id: string): Promise<void> => {
    // A node that is behind on the same branch comes to the others again.
    if (told.some((one) => one.id === id)) return;
    leaveFrom(number);
    await read(number);
  };
  const cb = connection.subscribe((id) => {
    const text = String(id);
    turns.take(() => next(blockNumFromId(text), text)).catch(() => undefined);
  });
  const stop = await connection.always(async () => {
    await database.set_block_applied_callback({ cb });
    const { head_block_number, head_block_id } = await database.get_dynamic_global_properties();
    if (told.length === 0) told.push({ number: head_block_number, id: head_block_id });
    else await turns.take(() => catchUp(head_block_number, head_block_id));
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
