import { readdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { toHex } from '../../base/bytes.js';
import { defineErrors, fail } from '../../base/errors.js';
import { type Json, parseJson } from '../../codec/json.js';
import { isJsonObject } from '../../codec/struct.js';
import { sha256 } from '../../crypto/hash.js';
import { isAlive } from '../../services/common/is-alive.js';
import { nodeFiles, PRIVATE } from '../../storage/files.js';
import { writeJson } from '../../trade/json.js';
import type { Order, Orders } from '../../trade/orders.js';

export const ORDER_ERRORS = defineErrors(
  {
    order_file: {
      text: 'cannot read ${file}, which has a request that may be paid',
      hint: 'What was paid stands among the transfers of the account. Without the file the same command is another purchase.',
    },
  },
  'environment',
);

const NAME_CHARS = 32;
/** Of what is being sent: of the process that does it. */
const SENT = /^\.(\d+)\.json$/;
const LEFT = /^\.[0-9a-f]{8}\.left$/;
const MARK_CHARS = 8;

const hashOf = (text: string): string => toHex(sha256(new TextEncoder().encode(text)));

/** Files of this process. In a container the next one may well have the number of the one that was killed. */
const sending = new Set<string>();

function readOrder(file: string): Order {
  try {
    const value = parseJson(nodeFiles.readText(file) ?? '');
    if (isJsonObject(value)) {
      const { path, body, expiration } = value;
      if (typeof path === 'string' && body !== undefined && typeof expiration === 'number') {
        return { path, body, expiration };
      }
    }
  } catch {
    // Said below.
  }
  return fail(ORDER_ERRORS.order_file, { file });
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Others have requests in it, or it is not this user's to remove: it may stay.
  }
}

/**
 * Orders as files of a folder: one that was left, and one of a program that was killed, is taken up by the next that
 * wishes the same. What another program is just sending is its own: two at the same time are two purchases.
 */
export class OrderFiles implements Orders {
  readonly #folder: string;
  readonly #buyer: string;
  readonly #tell: (text: string) => void;
  readonly #now: () => number;

  /** `buyer`: who buys, and where. */
  constructor(folder: string, buyer: string, tell: (text: string) => void, now: () => number = Date.now) {
    this.#folder = folder;
    this.#buyer = buyer;
    this.#tell = tell;
    this.#now = now;
  }

  /** Whether the exchange may have a request of this process that it has not answered. */
  get isSending(): boolean {
    return sending.size > 0;
  }

  #nameOf(wish: string): string {
    return hashOf(`${this.#buyer} ${wish}`).slice(0, NAME_CHARS);
  }

  #ownFile(wish: string): string {
    return join(this.#folder, `${this.#nameOf(wish)}.${process.pid}.json`);
  }

  take(wish: string): Order | undefined {
    const name = this.#nameOf(wish);
    for (const file of nodeFiles.exists(this.#folder) ? readdirSync(this.#folder) : []) {
      if (!file.startsWith(name)) continue;
      const rest = file.slice(name.length);
      const [, pid] = SENT.exec(rest) ?? [];
      const isLeft = LEFT.test(rest) || (pid !== undefined && !this.#isSent(file, Number(pid)));
      if (!isLeft || !this.#makeOwn(file, wish)) continue;
      const order = readOrder(this.#ownFile(wish));
      // It was paid, or never will be: who wishes the same so much later wishes it anew.
      if (order.expiration * 1000 < this.#now()) {
        this.end(wish);
        continue;
      }
      this.#tell('this was asked for before, and not answered: the same request is sent once more\n');
      return order;
    }
    return undefined;
  }

  #isSent(file: string, pid: number): boolean {
    return pid === process.pid ? sending.has(join(this.#folder, file)) : isAlive(pid);
  }

  /** False where another program was faster. */
  #makeOwn(file: string, wish: string): boolean {
    try {
      renameSync(join(this.#folder, file), this.#ownFile(wish));
      sending.add(this.#ownFile(wish));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }

  begin(wish: string, { path, body, expiration }: Order): void {
    const text = writeJson({ path, body, expiration } satisfies Json);
    const write = (): void => {
      nodeFiles.makeFolder(this.#folder);
      nodeFiles.writeText(this.#ownFile(wish), text, PRIVATE);
    };
    try {
      write();
    } catch (error) {
      // Another program has just ended the last request that was kept.
      if (nodeFiles.exists(this.#folder)) throw error;
      write();
    }
    sending.add(this.#ownFile(wish));
  }

  /** Under a name of its own: the same may have been wished, and left, twice. */
  leave(wish: string, { body }: Order): void {
    const mark = hashOf(writeJson(body)).slice(0, MARK_CHARS);
    sending.delete(this.#ownFile(wish));
    nodeFiles.rename(this.#ownFile(wish), join(this.#folder, `${this.#nameOf(wish)}.${mark}.left`));
  }

  end(wish: string): void {
    sending.delete(this.#ownFile(wish));
    nodeFiles.remove(this.#ownFile(wish));
    removeIfEmpty(this.#folder);
  }
}
