import type { Link, LinkEvents } from '../../src/p2p/driver.js';
import type { Connected } from '../../src/p2p/ports.js';
import type { EndpointText } from '../../src/p2p/wire/endpoint.js';
import type { SimulatedClock } from './clock.js';
import type { SeededRandom } from './random.js';

/**
 * What lies between nodes, in place of sockets: connections with latency and bandwidth of their own. Within one the
 * bytes come in order, among several they do not. Loss shows as a connection that is reset, as it does with real ones.
 */

export interface LinkFaults {
  readonly latencyMsMin: number;
  readonly latencyMsMax: number;
  /** Now and then bytes take much longer, and those behind them wait. */
  readonly slow: number;
  readonly slowMsMax: number;
  /** Seconds until a connection is reset, on average; 0: never. */
  readonly resetSec: number;
  /** Of one direction of a connection. */
  readonly bytesPerMsMin: number;
  readonly bytesPerMsMax: number;
}

export const CALM: LinkFaults = {
  latencyMsMin: 5,
  latencyMsMax: 60,
  slow: 0,
  slowMsMax: 0,
  resetSec: 0,
  bytesPerMsMin: 1000,
  bytesPerMsMax: 1000,
};

/** `cut`: the connections across it are reset; `silent`: nothing comes through, and nobody is told. */
export type PartitionKind = 'cut' | 'silent';

/** Says who is at the other end, or that nobody takes the connection. */
export type Accept = (link: Link, ends: Connected) => LinkEvents | undefined;

interface Listener {
  readonly owner: number;
  readonly accept: Accept;
}

interface Side {
  readonly owner: number;
  /** Undefined: nobody is there, and nobody says so. */
  events: LinkEvents | undefined;
  /** Until when bytes to this side are under way: what follows comes later. */
  arrivalMs: number;
  /** Is here, unless a partition holds it back. */
  readonly arrived: ((to: Side) => void)[];
}

type End = 0 | 1;

class Connection {
  readonly #links: SimulatedLinks;
  readonly sides: readonly [Side, Side];
  readonly #latencyMs: number;
  readonly #bytesPerMs: number;
  isOpen = true;

  constructor(links: SimulatedLinks, from: Side, to: Side) {
    this.#links = links;
    this.sides = [from, to];
    const { random, faults } = links;
    this.#latencyMs = random.between(faults.latencyMsMin, faults.latencyMsMax);
    this.#bytesPerMs = random.between(faults.bytesPerMsMin, faults.bytesPerMsMax);
  }

  get #other(): readonly [Side, Side] {
    return [this.sides[1], this.sides[0]];
  }

  linkOf(end: End): Link {
    const own = this.sides[end];
    return {
      write: (bytes, taken) => {
        const copy = bytes.slice();
        this.#send(end, copy.length, (to) => to.events?.data(copy));
        // The system takes what the way takes.
        this.#links.later(own.owner, this.#other[end].arrivalMs - this.#latencyMs, () => {
          if (this.isOpen && own.events !== undefined) taken();
        });
      },
      end: () => {
        this.#send(end, 0, () => this.#finish());
      },
      destroy: () => {
        this.#links.later(own.owner, this.#links.nowMs, () => this.#closeSide(own));
        this.#send(end, 0, () => this.#finish());
      },
    };
  }

  #send(from: End, size: number, arrive: (to: Side) => void): void {
    const to = this.#other[from];
    const { random, faults, nowMs } = this.#links;
    const slowMs = random.chance(faults.slow) ? random.between(0, faults.slowMsMax) : 0;
    to.arrivalMs = Math.max(to.arrivalMs, nowMs + this.#latencyMs + slowMs) + size / this.#bytesPerMs;
    this.#links.later(to.owner, to.arrivalMs, () => this.#arrive(to, arrive));
  }

  #arrive(to: Side, arrive: (to: Side) => void): void {
    to.arrived.push(arrive);
    this.#drain(to);
  }

  #drain(to: Side): void {
    while (this.isOpen && !this.#isHeldBack) {
      const arrive = to.arrived.shift();
      if (arrive === undefined) return;
      if (to.events !== undefined) arrive(to);
      else if (this.#links.isListening(to.owner)) this.#finish();
    }
  }

  get #isHeldBack(): boolean {
    const [a, b] = this.sides;
    return this.#links.isParted(a.owner, b.owner);
  }

  /** A partition is over: what it has held back comes. */
  release(): void {
    for (const side of this.sides) this.#links.later(side.owner, this.#links.nowMs, () => this.#drain(side));
  }

  opened(ends: Connected, listener: Listener | undefined): void {
    const [from, to] = this.sides;
    if (!this.isOpen || this.#isHeldBack) return;
    if (listener === undefined) {
      this.#finish();
      return;
    }
    // The one who has dialed hears of it on the way back.
    this.#links.later(from.owner, this.#links.nowMs + this.#latencyMs, () => {
      if (this.isOpen) from.events?.opened(ends);
    });
    from.arrivalMs = this.#links.nowMs + this.#latencyMs;
    to.events = listener.accept(this.linkOf(1), { local: ends.remote, remote: ends.local });
    if (to.events === undefined) this.#finish();
  }

  /** One side's process is gone; `isTold`: its system says so to the other. */
  leave(owner: number, isTold: boolean): void {
    for (const side of this.sides) if (side.owner === owner) side.events = undefined;
    if (isTold) this.#finish();
  }

  #closeSide(side: Side): void {
    const { events } = side;
    side.events = undefined;
    events?.closed();
  }

  #finish(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#links.forget(this);
    for (const side of this.sides) this.#links.later(side.owner, this.#links.nowMs, () => this.#closeSide(side));
  }

  /** Both sides see it end. */
  cut(): void {
    this.#finish();
  }
}

export interface LinksParts {
  readonly clock: SimulatedClock;
  readonly random: SeededRandom;
}

const FIRST_PORT = 40_000;

export class SimulatedLinks {
  faults: LinkFaults = CALM;
  readonly random: SeededRandom;
  readonly #clock: SimulatedClock;
  readonly #listeners = new Map<EndpointText, Listener>();
  readonly #connections = new Set<Connection>();
  #side: ReadonlySet<number> | undefined;
  #nextPort = FIRST_PORT;
  counts = { connections: 0, resets: 0 };

  constructor({ clock, random }: LinksParts) {
    this.#clock = clock;
    this.random = random;
  }

  get nowMs(): number {
    return this.#clock.nowMs;
  }

  later(owner: number, atMs: number, run: () => void): void {
    this.#clock.after(Math.max(0, atMs - this.nowMs), owner, run);
  }

  listen(endpoint: EndpointText, owner: number, accept: Accept): void {
    this.#listeners.set(endpoint, { owner, accept });
  }

  isListening(owner: number): boolean {
    for (const listener of this.#listeners.values()) if (listener.owner === owner) return true;
    return false;
  }

  /** A process takes no more connections; those that are there stay. */
  refuse(owner: number): void {
    for (const [endpoint, listener] of this.#listeners) {
      if (listener.owner === owner) this.#listeners.delete(endpoint);
    }
  }

  /** A process has ended. When it was killed its system closes its connections; when the power has gone nobody does. */
  leave(owner: number, how: 'kill' | 'power'): void {
    this.refuse(owner);
    for (const connection of [...this.#connections]) {
      if (connection.sides.some((side) => side.owner === owner)) connection.leave(owner, how === 'kill');
    }
  }

  dial(owner: number, endpoint: EndpointText, events: LinkEvents): Link {
    const local: EndpointText = `${this.#addressOf(owner)}:${this.#nextPort++}`;
    const listener = this.#listeners.get(endpoint);
    const target = listener?.owner ?? this.#ownerOf(endpoint);
    const from: Side = { owner, events, arrivalMs: 0, arrived: [] };
    const to: Side = { owner: target, events: undefined, arrivalMs: 0, arrived: [] };
    const connection = new Connection(this, from, to);
    this.#connections.add(connection);
    this.counts.connections++;
    const { latencyMsMin, latencyMsMax, resetSec } = this.faults;
    this.later(target, this.nowMs + this.random.between(latencyMsMin, latencyMsMax), () =>
      connection.opened({ local, remote: endpoint }, this.#listeners.get(endpoint)),
    );
    if (resetSec > 0) this.#resetLater(connection, 2 * resetSec);
    return connection.linkOf(0);
  }

  #resetLater(connection: Connection, secMax: number): void {
    this.later(-1, this.nowMs + this.random.below(1000 * secMax), () => {
      if (this.faults.resetSec === 0 || !connection.isOpen) return;
      this.counts.resets++;
      connection.cut();
    });
  }

  readonly #endpoints = new Map<EndpointText, number>();

  /** Also while nobody listens there: who is addressed decides which side of a partition it is. */
  name(endpoint: EndpointText, owner: number): void {
    this.#endpoints.set(endpoint, owner);
  }

  #ownerOf(endpoint: EndpointText): number {
    return this.#endpoints.get(endpoint) ?? -1;
  }

  #addressOf(owner: number): string {
    for (const [endpoint, one] of this.#endpoints) if (one === owner) return endpoint.split(':')[0] as string;
    throw new Error(`node ${owner} has an address`);
  }

  forget(connection: Connection): void {
    this.#connections.delete(connection);
  }

  isParted(a: number, b: number): boolean {
    return this.#side !== undefined && this.#side.has(a) !== this.#side.has(b);
  }

  get hasPartition(): boolean {
    return this.#side !== undefined;
  }

  part(side: readonly number[], kind: PartitionKind = 'cut'): void {
    this.#side = new Set(side);
    if (kind === 'silent') return;
    for (const connection of [...this.#connections]) {
      const [a, b] = connection.sides;
      if (this.isParted(a.owner, b.owner)) connection.cut();
    }
  }

  heal(): void {
    this.#side = undefined;
    for (const connection of [...this.#connections]) connection.release();
  }
}
