import type { Cancel, Clock, Logger } from '../base/world.js';
import type { Json } from '../codec/json.js';
import type { BlockId, TransactionId } from '../crypto/digests.js';
import type { SignedTransaction } from '../protocol/transaction.js';
import type { Machine } from './machine.js';
import type {
  BlockOutcome,
  Connected,
  ConnectionId,
  GivenToPush,
  PushBlock,
  Reading,
  TransactionOutcome,
  Wish,
} from './ports.js';
import type { EndpointText } from './wire/endpoint.js';

/** One connection as the machine's bytes travel over it: a socket, or a pipe of a simulation. */
export interface Link {
  /** `taken` is called when the other side, or the system, has taken the bytes. */
  write(bytes: Uint8Array, taken: () => void): void;
  /** Closes when all that was written is taken. */
  end(): void;
  /** Closes at once. */
  destroy(): void;
}

/** What a link tells. After `closed` it tells nothing more. */
export interface LinkEvents {
  opened(ends: Connected): void;
  data(bytes: Uint8Array): void;
  /** `why`: what the system says of it. */
  closed(why?: string): void;
}

export interface DriverParts {
  readonly machine: Machine;
  readonly clock: Clock;
  readonly log: Logger;
  dial(endpoint: EndpointText, events: LinkEvents): Link;
  /** The chain's answer to a block; blocks are handed over in their order, and many at a time. */
  pushBlock(block: PushBlock): Promise<BlockOutcome>;
  pushTransactions(transactions: readonly GivenToPush[]): Promise<readonly TransactionOutcome[]>;
  /** Keeps the peer database for the next start. */
  storePeers(peers: Json): void;
  /** The node cannot go on. */
  fail(error: unknown): void;
}

/** Does what the machine wishes and tells it what happens: all that waits in the network is here. */
export class NetworkDriver {
  readonly #p: DriverParts;
  readonly #links = new Map<ConnectionId, Link>();
  #cancelTick: Cancel = () => undefined;
  #isClosed = false;
  #wasClosed: () => void = () => undefined;

  constructor(parts: DriverParts) {
    this.#p = parts;
  }

  get #now(): Reading {
    const { clock } = this.#p;
    return { wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
  }

  get connections(): number {
    return this.#links.size;
  }

  start(): void {
    this.#tick();
  }

  #tick(): void {
    this.#cancelTick();
    if (this.#isClosed && this.#links.size === 0) return;
    const { machine, clock } = this.#p;
    machine.tick(this.#now);
    this.#settle();
    const delayMs = Math.max(1, machine.nextWakeupMs - clock.monotonicMs());
    this.#cancelTick = clock.after(delayMs, () => this.#guard(() => this.#tick()));
  }

  /** Somebody has connected to this node. Undefined: the connection is not taken. */
  accept(link: Link, ends: Connected): LinkEvents | undefined {
    const id = this.#isClosed ? undefined : this.#p.machine.accepted(this.#now, ends);
    if (id === undefined) {
      this.#settle();
      return undefined;
    }
    this.#links.set(id, link);
    this.#settle();
    return this.#eventsOf(id);
  }

  #eventsOf(id: ConnectionId): LinkEvents {
    const { machine } = this.#p;
    const tell = (work: () => void) =>
      this.#guard(() => {
        work();
        this.#settle();
      });
    return {
      opened: (ends) => tell(() => machine.connected(this.#now, id, ends)),
      data: (bytes) => tell(() => machine.received(this.#now, id, bytes)),
      closed: (why) =>
        tell(() => {
          this.#links.delete(id);
          machine.gone(this.#now, id, why);
          if (this.#isClosed && this.#links.size === 0) this.#wasClosed();
        }),
    };
  }

  /** A bug of the machine ends the node in order; nobody else would notice it in a callback. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#p.fail(error);
    }
  }

  publishBlock(id: BlockId, bytes: Uint8Array): void {
    this.#p.machine.publishBlock(this.#now, id, bytes);
    this.#settle();
  }

  publishTransaction(id: TransactionId, transaction: SignedTransaction): void {
    this.#p.machine.publishTransaction(this.#now, id, transaction);
    this.#settle();
  }

  addPeer(endpoint: EndpointText): void {
    this.#p.machine.addPeer(this.#now, endpoint);
    this.#settle();
  }

  keepPeer(endpoint: EndpointText, before?: EndpointText): void {
    this.#p.machine.keepPeer(this.#now, endpoint, before);
    this.#settle();
  }

  setLimits(wanted: number, max: number): void {
    this.#p.machine.setLimits(this.#now, wanted, max);
    this.#settle();
  }

  #settle(): void {
    for (let wishes = this.#p.machine.take(); wishes.length > 0; wishes = this.#p.machine.take()) {
      for (const wish of wishes) this.#do(wish);
    }
  }

  #do(wish: Wish): void {
    switch (wish.kind) {
      case 'send':
        this.#send(wish.connection, wish.bytes);
        return;
      case 'close':
        this.#close(wish.connection, wish.afterSending);
        return;
      case 'dial':
        this.#links.set(wish.connection, this.#p.dial(wish.endpoint, this.#eventsOf(wish.connection)));
        return;
      case 'push_block':
        this.#pushBlock(wish);
        return;
      case 'push_transactions':
        this.#pushTransactions(wish.transactions);
        return;
      case 'store_peers':
        this.#p.storePeers(this.#p.machine.storedPeers);
        return;
      case 'tell':
        this.#p.log[wish.level](wish.text, wish.values);
    }
  }

  #send(id: ConnectionId, bytes: Uint8Array): void {
    this.#links.get(id)?.write(bytes, () =>
      this.#guard(() => {
        this.#p.machine.taken(this.#now, id, bytes.length);
        this.#settle();
      }),
    );
  }

  #close(id: ConnectionId, afterSending: boolean): void {
    const link = this.#links.get(id);
    if (afterSending) link?.end();
    else link?.destroy();
  }

  #pushBlock(wish: PushBlock): void {
    this.#p
      .pushBlock(wish)
      .then((outcome) => {
        this.#p.machine.blockDecided(this.#now, wish.ticket, outcome);
        this.#settle();
      })
      .catch((error: unknown) => this.#p.fail(error));
  }

  #pushTransactions(transactions: readonly GivenToPush[]): void {
    this.#p
      .pushTransactions(transactions)
      .then((outcomes) => {
        this.#p.machine.transactionsDecided(this.#now, outcomes);
        this.#settle();
      })
      .catch((error: unknown) => this.#p.fail(error));
  }

  /** Says goodbye, waits a moment for it to be taken, and ends what is left. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    this.#cancelTick();
    this.#p.machine.shutDown(this.#now);
    this.#settle();
    if (this.#links.size === 0) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#p.clock.after(graceMs, () => {
        for (const link of [...this.#links.values()]) link.destroy();
        resolve();
      });
      this.#wasClosed = () => {
        cancel();
        resolve();
      };
    });
  }
}
