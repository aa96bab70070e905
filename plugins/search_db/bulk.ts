import type { Client } from '@elastic/elasticsearch';
import { ChainError } from '../../src/base/errors.js';
import { type Retry, textOf } from './retry.js';

/** Something that is written under an id that is always the same: to do it twice is to do it once. */
export interface Action {
  readonly index: string;
  readonly id: string;
  /** The document's text; undefined to take it away. */
  readonly text: string | undefined;
  /** Of two writes the one with the lower number loses, also when it arrives late. */
  readonly version?: number;
  /** The same document with less in it, where the database refuses this one for what is in it. */
  less?(): Action | undefined;
}

export interface BulkLimits {
  readonly documents: number;
}

/** Most servers and proxies take more; what does not fit is sent in smaller requests. */
const BYTES_MAX = 8 << 20;
const GROWTH = 1.25;
const OK_MAX = 299;
export const GONE = 404;
const NEWER_THERE = 409;
const REFUSED = 400;
const NO_ANSWER_YET = 408;
const TOO_LARGE = 413;
const TOO_MANY = 429;
const NOBODY_ANSWERS = 504;

interface Item {
  readonly status?: number;
  readonly error?: { readonly type?: string; readonly reason?: string };
}

export interface BulkCounts {
  documents: number;
  requests: number;
  /** Written with less in them than they should have. */
  reduced: number;
}

export type OnReduced = (id: string, reason: string) => void;

/** On its way: as it was given, and as it is sent now. */
interface Sent {
  readonly whole: Action;
  readonly action: Action;
  /** Why there is less in it. */
  readonly reason?: string;
  /** Why it was refused as a whole when less in it was no help. */
  readonly inVain?: string;
}

interface Left {
  /** To be sent again. */
  readonly left: readonly Sent[];
  /** Why a pause is due before. */
  readonly reason?: string;
}

/** A full server and a closed index refuse with the status of a document that cannot be read: it would be refused anywhere. */
const IS_OF_THE_INDEX = /^(index_|invalid_index_|validation_exception$)/;

export const statusOf = (error: unknown): number | undefined => {
  const { statusCode } = error as { readonly statusCode?: unknown };
  return typeof statusCode === 'number' ? statusCode : undefined;
};

/** The server, or what stands before it, has not come to an end with it: the same request would take as long again. */
function isTooSlow(error: unknown): boolean {
  const status = statusOf(error);
  return status === NO_ANSWER_YET || status === NOBODY_ANSWERS || (error as Error).name === 'TimeoutError';
}

/** Writes until everything is there. Requests get smaller where they are refused for their size or number, or take too long. */
export class BulkWriter {
  readonly counts: BulkCounts = { documents: 0, requests: 0, reduced: 0 };
  readonly #client: Client;
  readonly #retry: Retry;
  readonly #onReduced: OnReduced;
  readonly #mayWrite: () => Promise<void>;
  /** What the database has shown to take; grows again. */
  #documents = Number.POSITIVE_INFINITY;

  /** `mayWrite` is asked before each request; its refusal is the end of the writing. */
  constructor(client: Client, retry: Retry, onReduced: OnReduced, mayWrite = async (): Promise<void> => undefined) {
    this.#client = client;
    this.#retry = retry;
    this.#onReduced = onReduced;
    this.#mayWrite = mayWrite;
  }

  /** Settles when all of it is there. */
  async write(actions: readonly Action[], limits: BulkLimits): Promise<void> {
    let waiting = actions.map((action): Sent => ({ whole: action, action }));
    while (waiting.length > 0) {
      const request = this.#take(waiting, limits);
      const { left, reason } = await this.#send(request);
      waiting = [...left, ...waiting.slice(request.length)];
      if (reason === undefined) this.#retry.succeeded();
      else await this.#retry.failed('documents are written', reason);
    }
  }

  #take(waiting: readonly Sent[], { documents }: BulkLimits): readonly Sent[] {
    const most = Math.max(1, Math.floor(Math.min(documents, this.#documents)));
    let bytes = 0;
    let count = 0;
    while (count < waiting.length && count < most) {
      bytes += waiting[count]?.action.text?.length ?? 0;
      if (bytes > BYTES_MAX && count > 0) break;
      count++;
    }
    return waiting.slice(0, count);
  }

  async #send(request: readonly Sent[]): Promise<Left> {
    this.counts.requests++;
    let items: readonly Item[] | undefined;
    try {
      await this.#mayWrite();
      const answer = await this.#client.bulk(
        {
          operations: request.flatMap(({ action }) => linesOf(action)),
          filter_path: 'items.*.status,items.*.error.type,items.*.error.reason',
        },
        { maxRetries: 0, signal: this.#retry.signal },
      );
      items = answer.items?.map((item) => Object.values(item)[0] as Item);
    } catch (error) {
      if (error instanceof ChainError) throw error;
      return this.#refused(request, error);
    }
    if (items === undefined || items.length !== request.length) {
      return { left: request, reason: 'the answer does not speak of all documents' };
    }
    return this.#sort(request, items);
  }

  #refused(request: readonly Sent[], error: unknown): Left {
    const status = statusOf(error);
    const reason = textOf(error);
    const [first] = request;
    if (status === TOO_LARGE && request.length === 1 && first !== undefined) return withLess(first, reason);
    if (status === TOO_LARGE || status === TOO_MANY || isTooSlow(error))
      this.#documents = Math.max(1, request.length / 2);
    // Nobody has too much to do because of it: what is too large is sent in halves at once.
    return status === TOO_LARGE ? { left: request } : { left: request, reason };
  }

  #sort(request: readonly Sent[], items: readonly Item[]): Left {
    const left: Sent[] = [];
    let reason: string | undefined;
    for (const [at, sent] of request.entries()) {
      const { status = 0, error } = items[at] as Item;
      if (isDone(sent.action, status)) {
        this.#done(sent);
        continue;
      }
      const { type = '', reason: text = '' } = error ?? {};
      const why = `${status} ${type}: ${text}`;
      const isOfDocument = status === REFUSED && !IS_OF_THE_INDEX.test(type);
      const next: Left = isOfDocument ? withLess(sent, why) : { left: [sent], reason: why };
      left.push(...next.left);
      reason = next.reason ?? reason;
      if (status === TOO_MANY) this.#documents = Math.max(1, request.length / 2);
    }
    if (left.length === 0) this.#documents = Math.max(this.#documents, request.length) * GROWTH;
    return reason === undefined ? { left } : { left, reason };
  }

  #done({ action, reason }: Sent): void {
    this.counts.documents++;
    if (reason === undefined) return;
    this.counts.reduced++;
    this.#onReduced(action.id, reason);
  }
}

/** One that is refused however little is in it is not refused for that: it waits as it was. */
function withLess({ whole, action, reason = '', inVain }: Sent, why: string): Left {
  const first = action === whole ? why : reason;
  const less = first === inVain ? undefined : action.less?.();
  if (less === undefined) return { left: [{ whole, action: whole, inVain: first }], reason: why };
  return { left: [{ whole, action: less, reason: first }] };
}

function isDone({ text, version }: Action, status: number): boolean {
  if (status > 0 && status <= OK_MAX) return true;
  return (text === undefined && status === GONE) || (version !== undefined && status === NEWER_THERE);
}

function linesOf({ index, id, text, version }: Action): string[] {
  const head = { _index: index, _id: id, ...(version === undefined ? {} : { version, version_type: 'external_gte' }) };
  return text === undefined ? [JSON.stringify({ delete: head })] : [JSON.stringify({ index: head }), text];
}
