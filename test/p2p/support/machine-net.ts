import '../../../src/operations/index.js';
import { toHex } from '../../../src/base/bytes.js';
import { ChainError } from '../../../src/base/errors.js';
import type { Clock } from '../../../src/base/world.js';
import { Chain } from '../../../src/chain/chain.js';
import { FORK_ERRORS } from '../../../src/chain/fork-db.js';
import type { GenesisSource } from '../../../src/chain/genesis-source.js';
import { MemoryBlockStore } from '../../../src/chain/memory-block-store.js';
import { decode, encode } from '../../../src/codec/binary.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { signatureBackend } from '../../../src/crypto/signature.js';
import { networkView } from '../../../src/node/chain/network-view.js';
import { type Link, type LinkEvents, NetworkDriver } from '../../../src/p2p/driver.js';
import { Machine } from '../../../src/p2p/machine.js';
import type {
  BlockOutcome,
  ChainView,
  Connected,
  GivenToPush,
  MachineOptions,
  PushBlock,
  TransactionOutcome,
} from '../../../src/p2p/ports.js';
import type { EndpointText } from '../../../src/p2p/wire/endpoint.js';
import { signedBlock } from '../../../src/protocol/block.js';
import { SimulatedClock } from '../../sim/clock.js';
import { SeededRandom } from '../../sim/random.js';
import { silentLog } from '../../sim/silent-log.js';
import { testEngine } from '../../support/engine.js';
import { WORLD_TIME, witnessKey, worldGenesis } from '../../support/world-genesis.js';

/**
 * Nodes in one process: real chains, the real machine and its driver, over links with latency that one seed decides.
 * Nothing but the sockets and the clock is made up.
 */

const WITNESSES = 4;
const PORT = 6789;

/** Two directions of one connection, with bytes under way. */
class Pipe {
  #isOpen = true;
  readonly #net: MachineNet;
  readonly #sides: readonly [Side, Side];
  /** Bytes arrive in the order in which they were sent. */
  readonly #lastMs: [number, number] = [0, 0];

  constructor(net: MachineNet, sides: readonly [Side, Side]) {
    this.#net = net;
    this.#sides = sides;
  }

  linkOf(side: 0 | 1): Link {
    return {
      write: (bytes, taken) => this.#write(side, bytes.slice(), taken),
      end: () => this.#net.later(this.#arrival(side), () => this.cut()),
      destroy: () => this.#net.later(this.#net.clock.nowMs, () => this.cut()),
    };
  }

  #arrival(side: 0 | 1): number {
    const at = Math.max(this.#lastMs[side], this.#net.clock.nowMs + this.#net.latencyMs());
    this.#lastMs[side] = at;
    return at;
  }

  #write(side: 0 | 1, bytes: Uint8Array, taken: () => void): void {
    this.#net.later(this.#arrival(side), () => {
      if (!this.#isOpen) return;
      taken();
      this.#sides[1 - side]?.events?.data(bytes);
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get nodes(): readonly [number, number] {
    return [this.#sides[0].node, this.#sides[1].node];
  }

  cut(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const { events } of this.#sides) events?.closed();
  }
}

interface Side {
  readonly node: number;
  events: LinkEvents | undefined;
}

export interface NodeOptions {
  readonly witnesses?: readonly number[];
  readonly seeds?: readonly number[];
  readonly machine?: Partial<MachineOptions>;
  /** What this node says of its chain, where that is not the truth. */
  readonly lie?: (truth: ChainView) => ChainView;
}

export class MachineNode {
  readonly index: number;
  readonly chain: Chain;
  readonly machine: Machine;
  readonly driver: NetworkDriver;
  readonly #witnesses: readonly number[];

  constructor(net: MachineNet, index: number, options: NodeOptions) {
    this.index = index;
    this.#witnesses = options.witnesses ?? [];
    this.chain = new Chain({
      genesis: net.genesis,
      engine: testEngine(),
      blocks: new MemoryBlockStore(),
    });
    const truth = networkView({ queries: this.chain.queries, pending: this.chain.pending, genesisTime: WORLD_TIME });
    const { clock } = net;
    this.machine = new Machine(
      {
        nodeKey: PrivateKey.fromSeed(`node ${index}`),
        nodeId: toHex(net.bytes(33)),
        userAgent: 'trustnode/test',
        platform: 'linux',
        listenPort: PORT,
        acceptIncoming: true,
        advertisePeers: true,
        allowPrivate: true,
        connectionsWanted: 20,
        connectionsMax: 200,
        seeds: (options.seeds ?? []).map(endpointOfNode),
        kept: [],
        allowedPeers: [],
        itemsPerRequest: 32,
        random: (count) => net.bytes(count),
        ...options.machine,
      },
      options.lie?.(truth) ?? truth,
      { wallMs: clock.nowMs, monotonicMs: clock.nowMs },
    );
    this.driver = new NetworkDriver({
      machine: this.machine,
      clock: net.clockOf(index),
      log: silentLog,
      dial: (endpoint, events) => net.dial(index, endpoint, events),
      pushBlock: async (wish) => this.#pushBlock(wish),
      pushTransactions: async (list) => this.#pushTransactions(list),
      storePeers: () => undefined,
      fail: (error) => net.fail(error),
    });
  }

  get head() {
    return this.chain.queries.head;
  }

  #pushBlock({ block }: PushBlock): BlockOutcome {
    const bytes = block instanceof Uint8Array ? block : block.bytes;
    try {
      this.chain.blocks.push({ block: decode(signedBlock, bytes) });
      return { kind: 'accepted' };
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return { kind: 'refused', error, isUnlinkable: error.row === FORK_ERRORS.block_unlinkable };
    }
  }

  #pushTransactions(list: readonly GivenToPush[]): TransactionOutcome[] {
    return list.map(({ ticket, transaction }) => {
      try {
        this.chain.pending.push({ transaction });
        return { ticket, error: undefined };
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        return { ticket, error };
      }
    });
  }

  /** Makes the block of a slot if it is one of its witnesses' turn; `announce` is false for a chain made in advance. */
  produce(nowSec: number, announce = true): boolean {
    const { queries, blocks } = this.chain;
    const slot = queries.slotAt(nowSec);
    if (slot === 0) return false;
    const witness = queries.scheduledWitness(slot);
    if (!this.#witnesses.includes(witness)) return false;
    const key = witnessKey(`init${witness - 1}`);
    const signer = { publicKey: key.publicKey, sign: (digest: Uint8Array) => signatureBackend().sign(digest, key) };
    const facts = blocks.produce({ when: queries.slotTime(slot), witness, signer });
    if (announce) this.driver.publishBlock(facts.id, encode(signedBlock, facts.block));
    return true;
  }
}

/** All in one private network, so that addresses count like those of strangers. */
export const endpointOfNode = (index: number): EndpointText => `10.${index}.0.1:${PORT}`;

export class MachineNet {
  readonly clock: SimulatedClock;
  readonly genesis: GenesisSource;
  readonly nodes: MachineNode[] = [];
  readonly #random: SeededRandom;
  readonly #pipes = new Set<Pipe>();
  #side: ReadonlySet<number> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #nextPort = 40_000;
  readonly #startMs: number;

  /** `agedSec`: seconds between the genesis and now. */
  constructor(seed: number, agedSec = 0) {
    this.#random = new SeededRandom(seed);
    this.genesis = worldGenesis({ witnesses: WITNESSES, accounts: { alice: 1_000_000n, bob: 0n } });
    this.#startMs = 1000 * (WORLD_TIME + agedSec);
    this.clock = new SimulatedClock(this.#startMs);
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.#random.below(256));
  }

  latencyMs(): number {
    return this.#random.between(1, 80);
  }

  later(atMs: number, run: () => void): void {
    this.clock.after(Math.max(0, atMs - this.clock.nowMs), 'world', run);
  }

  clockOf(index: number): Clock {
    return {
      nowMs: () => this.clock.nowMs,
      monotonicMs: () => this.clock.nowMs - this.#startMs,
      after: (delayMs, run) => {
        let isWanted = true;
        this.clock.after(delayMs, index, () => {
          if (isWanted) run();
        });
        return () => {
          isWanted = false;
        };
      },
    };
  }

  add(options: NodeOptions = {}): MachineNode {
    const node = new MachineNode(this, this.nodes.length, options);
    this.nodes.push(node);
    return node;
  }

  dial(from: number, endpoint: EndpointText, events: LinkEvents): Link {
    const to = this.nodes.findIndex((_, index) => endpointOfNode(index) === endpoint);
    const ends: Connected = { local: `10.${from}.0.1:${this.#nextPort++}`, remote: endpoint };
    const dialer: Side = { node: from, events };
    const listener: Side = { node: to, events: undefined };
    const pipe = new Pipe(this, [dialer, listener]);
    this.#pipes.add(pipe);
    this.later(this.clock.nowMs + this.latencyMs(), () => {
      const target = this.nodes[to];
      const isCut = this.#side !== undefined && this.#side.has(from) !== this.#side.has(to);
      if (target === undefined || isCut || !pipe.isOpen) {
        pipe.cut();
        return;
      }
      events.opened(ends);
      // The first bytes must find somebody who listens.
      listener.events = target.driver.accept(pipe.linkOf(1), { local: endpoint, remote: ends.local });
      if (listener.events === undefined) pipe.cut();
    });
    return pipe.linkOf(0);
  }

  /** Cuts every connection between the two sides, and lets none come about. */
  part(side: readonly number[]): void {
    this.#side = new Set(side);
    for (const pipe of [...this.#pipes]) {
      const [a, b] = pipe.nodes;
      if (this.#side.has(a) !== this.#side.has(b)) pipe.cut();
    }
  }

  heal(): void {
    this.#side = undefined;
  }

  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  start(): void {
    for (const node of this.nodes) node.driver.start();
  }

  /** Lets time pass; every second whoever's turn it is makes a block. In the end what is under way arrives. */
  async run(seconds: number, produces = true): Promise<void> {
    await this.#run(seconds, produces);
    if (produces) await this.#run(1, false);
  }

  async #run(seconds: number, produces: boolean): Promise<void> {
    const endMs = this.clock.nowMs + 1000 * seconds;
    let nextSec = Math.ceil(this.clock.nowMs / 1000);
    while (this.clock.nowMs < endMs) {
      for (let next = this.clock.next(Math.min(endMs, 1000 * nextSec)); next !== undefined; ) {
        next.run();
        // What was handed to a chain is answered in a later turn.
        for (let i = 0; i < 6; i++) await undefined;
        if (this.#failure !== undefined) throw this.#failure.error;
        next = this.clock.next(Math.min(endMs, 1000 * nextSec));
      }
      if (produces) for (const node of this.nodes) node.produce(nextSec);
      nextSec++;
    }
  }

  /** Blocks made before anybody is connected, by one node for all witnesses. */
  prepare(node: MachineNode, blocks: number): void {
    for (let sec = WORLD_TIME + 3; node.head.number < blocks; sec++) node.produce(sec, false);
  }
}
