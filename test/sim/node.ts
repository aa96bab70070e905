import { armCrashPoint, type CrashPoint } from '../../src/base/crash-point.js';
import { ChainError } from '../../src/base/errors.js';
import type { Clock, Logger } from '../../src/base/world.js';
import type { Chain } from '../../src/chain/chain.js';
import type { BlockDoor } from '../../src/chain/doors.js';
import { BlockFacts } from '../../src/chain/facts.js';
import type { GenesisSource } from '../../src/chain/genesis-source.js';
import type { PrivateKey } from '../../src/crypto/private-key.js';
import { BlockImporter } from '../../src/importer/importer.js';
import { SignedSlots } from '../../src/node/chain/signed-slots.js';
import { headSigningKeys } from '../../src/node/chain/signing-keys.js';
import { slotSigner } from '../../src/node/chain/slot-signer.js';
import { flushInBackground, openStoredChain, type StoredChain } from '../../src/node/chain/stored-chain.js';
import { SKIP } from '../../src/operations/define.js';
import type { Instance } from '../../src/protocol/ids.js';
import type { SignedTransaction } from '../../src/protocol/transaction.js';
import type { ChainState } from '../../src/state/chain-state.js';
import type { SignatureVerifier } from '../../src/verify/verify.js';
import type { Turn } from '../../src/witness/decide.js';
import { Producer } from '../../src/witness/producer.js';
import type { SlotRecord } from '../../src/witness/slot-record.js';
import { NETWORK } from '../support/network.js';
import { WORLD_TIME } from '../support/world-genesis.js';
import type { StoredEntries } from './begun.js';
import type { Checkers } from './checkers.js';
import type { SimulatedClock } from './clock.js';
import { ProcessDied, SimulatedDisk } from './disk.js';
import type { Lie } from './liars.js';
import type { SimulatedLinks } from './links.js';
import { NodeNetwork } from './node-network.js';
import type { SeededRandom } from './random.js';
import { type Sabotage, sabotageState } from './sabotage.js';
import { silentLog } from './silent-log.js';
import { signingKeys } from './workload.js';

/** How a process ends. */
export type Death = 'kill' | 'power';

export interface NodeParts {
  readonly index: number;
  readonly genesis: GenesisSource;
  readonly witnesses: readonly Instance[];
  readonly clock: SimulatedClock;
  readonly random: SeededRandom;
  readonly checkers: Checkers;
  readonly links: SimulatedLinks;
  /** Nodes that it knows from the start. */
  readonly seeds: readonly number[];
  /** And of those the ones that it always wants to be connected with. */
  readonly kept: readonly number[];
  readonly isDoubleProducer: boolean;
  readonly lie: Lie | undefined;
  readonly verifier: SignatureVerifier;
  /** Checks that this world leaves out, to be faster. */
  readonly skip: number;
  readonly sabotage: Sabotage | undefined;
  readonly note: (text: string) => void;
  readonly fail: (error: unknown) => void;
}

/** Of a clock to which every block is an old one. */
const HURRY_MS = 3_600_000;

const FORGETFUL: SlotRecord = { lastSec: 0, claim: () => undefined };
const DATA_DIR = '/node';
const GOODBYE_MS = 1000;
const SAVE_BLOCKS_MAX = 4;
/** Starts at which an operator wants the state rebuilt from the log. */
const REPLAY_CHANCE = 0.15;
const SABOTAGE_FROM_BLOCK = 8;

/** What a node had when it was ended from outside, to be compared with what it has after its restart. */
interface Before {
  readonly head: string;
  readonly irreversible: number;
  /** Ended between two events and nothing lost: the head must be the very same. */
  readonly isExact: boolean;
}

/** One life of a process: what stands open between a start and an end. */
interface Life {
  readonly number: number;
  readonly stored: StoredChain;
  readonly importer: BlockImporter;
  readonly slots: SignedSlots;
  readonly network: NodeNetwork;
  producer: Producer;
}

/** A whole node without sockets: chain, storage, importer, network and block production as the real one has them. */
export class SimulatedNode {
  readonly index: number;
  skewMs = 0;
  /** The next start rebuilds the state from the log. */
  isReplayWanted = false;
  isDoubleProducer: boolean;
  isProductionForced = false;
  readonly #p: NodeParts;
  readonly #disk: SimulatedDisk;
  #life: Life | undefined;
  /** Grows with every start; what belongs to older ones is ignored. */
  #lives = 0;
  #isStarting = false;
  #isStopping = false;
  #isProductionPaused = false;
  #irreversible = 0;
  #before: Before | undefined;
  #armed: CrashPoint | undefined;
  counts = {
    produced: 0,
    doubled: 0,
    deaths: 0,
    starts: 0,
    switches: 0,
    crashPoints: new Set<string>(),
    closures: new Map<string, number>(),
  };

  constructor(parts: NodeParts) {
    this.#p = parts;
    this.index = parts.index;
    this.isDoubleProducer = parts.isDoubleProducer;
    const { clock, random, index } = parts;
    this.#disk = new SimulatedDisk({
      clock,
      random: random.fork(),
      owner: index,
      isLying: parts.sabotage === 'lying_disk',
    });
  }

  get isUp(): boolean {
    return this.#life !== undefined;
  }

  get isLiar(): boolean {
    return this.#p.lie !== undefined;
  }

  get chain(): Chain | undefined {
    return this.#life?.stored.chain;
  }

  get network(): NodeNetwork | undefined {
    return this.#life?.network;
  }

  // Life and death

  /** It has been started once and ended before its first block. */
  beginWith(entries: StoredEntries): void {
    this.#disk.begin(entries);
  }

  start(): void {
    if (this.#life !== undefined || this.#isStarting || this.#isStopping) return;
    this.#isStarting = true;
    const number = ++this.#lives;
    void this.#open(number).catch((error: unknown) => this.#failIn(number, error));
  }

  #failIn(life: number, error: unknown): void {
    if (this.#lives === life && !(error instanceof ProcessDied)) this.#p.fail(error);
  }

  async #open(number: number): Promise<void> {
    const { genesis, random } = this.#p;
    const files = this.#disk.files();
    const stored = await openStoredChain({
      dataDir: DATA_DIR,
      genesis,
      start: this.isReplayWanted || random.chance(REPLAY_CHANCE) ? 'replay' : 'normal',
      log: silentLog,
      storage: { files, openKv: async () => this.#disk.keyValueStore() },
      // An event's work is done before the next event: nobody else gets a turn in between.
      monotonicMs: () => 0,
      chain: { saveBlocks: random.between(1, SAVE_BLOCKS_MAX) },
    });
    if (this.#lives !== number) return;
    stored.storage.flushLimits = { blocks: random.between(1, 8), objects: 10_000 };
    this.#isStarting = false;
    this.isReplayWanted = false;
    this.counts.starts++;
    const { chain } = stored;
    this.#p.note(
      `node ${this.index} is up, head ${chain.blocks.head.number}, applied ${stored.recovered.to - stored.recovered.from + 1}`,
    );
    const clock = this.#clockOf(number);
    const slots = new SignedSlots({
      files,
      dataDir: DATA_DIR,
      chainId: chain.queries.chainId,
      nowSec: Math.ceil(clock.nowMs() / 1000),
      isBegun: chain.queries.head.number > 0,
      lost: (file, how) => this.#p.fail(new Error(`node ${this.index}: ${file} is ${how}`)),
    });
    const importer = new BlockImporter({
      door: this.#doorOf(chain, number),
      network: genesis.network,
      chainId: genesis.chainId,
      verifier: this.#p.verifier,
      nowMs: () => clock.nowMs(),
      monotonicMs: () => 0,
      bytesMax: () => Number.MAX_SAFE_INTEGER,
    });
    const network = new NodeNetwork({
      ...this.#p,
      files,
      dataDir: DATA_DIR,
      chain,
      importer,
      clock,
      genesisTime: WORLD_TIME,
      log: this.#logOf(number),
      isAlive: () => this.#lives === number,
      fail: (error) => this.#failIn(number, error),
    });
    const open = { number, stored, importer, slots, network };
    const life: Life = { ...open, producer: this.#producerOf(open, clock, this.isProductionForced) };
    this.#compareWithBefore(chain);
    this.#life = life;
    this.compareJournal();
    this.#watch(life);
    // Each second life takes every block for an old one, of many that stream in.
    const aheadMs = number % 4 === 1 ? HURRY_MS : 0;
    flushInBackground(
      stored,
      (error) => this.#failIn(number, error),
      () => clock.nowMs() + aheadMs,
    );
    network.start();
    if (!this.#isProductionPaused) life.producer.start();
  }

  /** Of one life: its timers end with it. */
  #clockOf(life: number): Clock {
    const { clock } = this.#p;
    return {
      nowMs: () => clock.nowMs + this.skewMs,
      monotonicMs: () => clock.nowMs - 1000 * WORLD_TIME,
      after: (delayMs, run) => {
        let isWanted = true;
        clock.after(delayMs, this.index, () => {
          if (isWanted && this.#lives === life) run();
        });
        return () => {
          isWanted = false;
        };
      },
    };
  }

  /** The chain's door as the importer uses it, told of and without what this world leaves out. */
  #doorOf({ blocks }: Chain, life: number): Pick<BlockDoor, 'push' | 'produce'> {
    const { skip } = this.#p;
    return {
      produce: (request) => blocks.produce(request, skip),
      push: (block, given = 0) => {
        const before = blocks.head.id;
        const result = blocks.push(block, given | skip);
        if (result.hasSwitched && this.#lives === life) {
          this.counts.switches++;
          this.#p.note(`node ${this.index} switched from ${before.slice(0, 16)} to ${blocks.head.id.slice(0, 16)}`);
        }
        return result;
      },
    };
  }

  #logOf(life: number): Logger {
    const tell = (text: string, values: Readonly<Record<string, unknown>> = {}): void => {
      if (this.#lives !== life) return;
      if (text === 'an address is banned') this.#p.checkers.banned(this.index, this.isLiar, String(values.address));
      if (text === 'a connection has ended') {
        const reason = String(values.reason);
        this.counts.closures.set(reason, (this.counts.closures.get(reason) ?? 0) + 1);
      }
      const more = Object.entries(values).map(([name, value]) => `${name}=${String(value)}`);
      this.#p.note(`node ${this.index} says: ${text} ${more.join(' ')}`);
    };
    return { ...silentLog, debug: tell, info: tell, warn: tell, error: tell, child: () => silentLog };
  }

  #compareWithBefore(chain: Chain): void {
    const before = this.#before;
    this.#before = undefined;
    const { head } = chain.blocks;
    for (let n = 1; n <= head.irreversible; n++)
      this.#p.checkers.irreversible(this.index, n, chain.queries.blockIdOf(n));
    this.#irreversible = head.irreversible;
    chain.snapshots.withHeadState((state) => this.#p.checkers.wholeState(this.index, head.number, head.id, state));
    if (before === undefined) return;
    if (before.isExact && head.id !== before.head) {
      throw new Error(`node ${this.index}: restarted at ${head.id}, it was at ${before.head}`);
    }
    if (head.number < before.irreversible) {
      throw new Error(`node ${this.index}: restarted at ${head.number}, ${before.irreversible} was irreversible`);
    }
  }

  /** All that block log and journal have. */
  compareJournal(): void {
    if (this.#life === undefined) return;
    const { journal, log } = this.#life.stored.storage;
    for (let n = 1; n <= log.headNumber; n++) {
      this.#p.checkers.segment(this.index, n, log.idOf(n) ?? '', journal.segmentOf(n));
    }
  }

  #watch({ number: life, stored: { chain, storage } }: Life): void {
    const { checkers, fail, sabotage } = this.#p;
    const state = chain.queries.state as ChainState;
    chain.blocks.subscribe((event) => {
      if (this.#lives !== life) return;
      try {
        if (event.kind === 'applied') {
          const { number, id } = event.block;
          checkers.applied(this.index, event, state);
          checkers.segment(this.index, number, id, storage.journal.segmentOf(number));
          if (event.block.number >= SABOTAGE_FROM_BLOCK) sabotageState(state, sabotage);
        } else if (event.kind === 'irreversible') {
          for (let n = this.#irreversible + 1; n <= event.number; n++) {
            checkers.irreversible(this.index, n, chain.queries.blockIdOf(n));
          }
          this.#irreversible = event.number;
        }
      } catch (error) {
        fail(error);
      }
    });
  }

  /** What the network holds must have its bounds, whatever the others do. */
  checkNetwork(): void {
    if (this.#life === undefined) return;
    this.#p.checkers.held(this.index, this.#life.network.machine.held);
    const others = this.#life.producer.signedElsewhere;
    if (others.length > 0) throw new Error(`node ${this.index} takes itself for two machines: ${others.join(' ')}`);
  }

  /** Ends the process here and now. Whatever it still tries fails. */
  die(how: Death, isBetweenEvents: boolean): void {
    const { chain } = this;
    const irreversible = how === 'kill' ? (this.#before?.irreversible ?? this.#irreversible) : 0;
    const head = chain?.blocks.head.id ?? '';
    this.#before = { head, irreversible, isExact: how === 'kill' && isBetweenEvents && chain !== undefined };
    if (this.#before.isExact && chain !== undefined) this.#rememberState(chain);
    this.#life = undefined;
    this.#isStarting = false;
    this.#isStopping = false;
    this.#lives++;
    this.#armed = undefined;
    this.isReplayWanted = false;
    this.counts.deaths++;
    this.#p.links.leave(this.index, how);
    if (how === 'kill') this.#disk.kill();
    else this.#disk.losePower();
  }

  /** So that the state after the restart has something to be equal to. */
  #rememberState(chain: Chain): void {
    const { number, id } = chain.blocks.head;
    chain.snapshots.withHeadState((state) => this.#p.checkers.wholeState(this.index, number, id, state));
  }

  /** An orderly stop: everything is written. `then` is called when it is done. */
  stop(then: () => void): void {
    const life = this.#life;
    if (life === undefined) {
      then();
      return;
    }
    this.#life = undefined;
    this.#isStopping = true;
    life.producer.stop();
    this.#close(life)
      .then(() => {
        if (this.#lives !== life.number) return;
        this.#lives++;
        this.#isStopping = false;
        then();
      })
      .catch((error: unknown) => this.#failIn(life.number, error));
  }

  async #close({ network, importer, stored, slots, number }: Life): Promise<void> {
    await network.close(GOODBYE_MS);
    await importer.close();
    if (this.#lives !== number) return;
    const { head } = stored.chain.blocks;
    this.#before = { head: head.id, irreversible: head.irreversible, isExact: true };
    this.#rememberState(stored.chain);
    slots.close();
    await stored.close();
  }

  /** The process ends when it next passes this point. */
  arm(point: CrashPoint): void {
    this.#armed = point;
  }

  /** Called before anything of this node runs; crash points are one per process, and here all nodes share one. */
  armPoint(crash: (point: CrashPoint) => void): void {
    const point = this.#armed;
    if (point === undefined) return;
    armCrashPoint(point, 0, () => {
      if (this.#armed === point) {
        this.counts.crashPoints.add(point);
        crash(point);
      }
      throw new ProcessDied();
    });
  }

  // Production

  #producerOf(life: Omit<Life, 'producer'>, clock: Clock, staleProduction: boolean): Producer {
    const { chain } = life.stored;
    const { queries } = chain;
    const { witnesses } = this.#p;
    const producer = new Producer(
      {
        witnesses,
        keys: witnesses.flatMap((witness) => signingKeys(witness)),
        staleProduction,
        participationMin: 0,
      },
      {
        clock,
        log: silentLog,
        network: NETWORK,
        slots: this.#p.sabotage === 'forgets_slots' ? FORGETFUL : life.slots,
        plan: () => queries.slotPlan(),
        processorMs: () => 0,
        view: {
          slotTime: (slot) => queries.slotTime(slot),
          slotAt: (time) => queries.slotAt(time),
          scheduledWitness: (slot) => queries.scheduledWitness(slot),
          signingKey: headSigningKeys(chain, witnesses),
          participation: () => queries.participation(),
        },
        produce: (turn, key) => {
          const { number, id, transactions } = this.isDoubleProducer
            ? this.#produceTwice(life, turn, key)
            : this.#produce(life, turn, key);
          return { number, id, transactions: transactions.length };
        },
      },
    );
    life.importer.subscribe(({ kind }, outcome) => {
      // The one that cheats meets its other blocks.
      if (kind !== 'peer' || 'error' in outcome || this.#p.isDoubleProducer) return;
      const block = queries.blockById(outcome.id);
      if (block === undefined) return;
      const { witness, timestamp: slotSec } = block;
      const { id, number } = outcome;
      producer.blockCame({ id, number, witness, slotSec, signer: () => new BlockFacts(block).signer });
    });
    return producer;
  }

  /** An operator's decision: go on from an old head. */
  forceProduction(): void {
    this.isProductionForced = true;
    const life = this.#life;
    if (life === undefined) return;
    life.producer.stop();
    life.producer = this.#producerOf(life, this.#clockOf(life.number), true);
    life.producer.start();
  }

  pauseProduction(): void {
    this.#isProductionPaused = true;
    this.#life?.producer.stop();
  }

  #produce(life: Omit<Life, 'producer'>, turn: Turn, key: PrivateKey): BlockFacts {
    const { slotSec, witness } = turn;
    const slots = this.#p.sabotage === 'forgets_slots' ? FORGETFUL : life.slots;
    const signer = slotSigner(slots, slotSec, key);
    // In a world without signatures nobody asks it for one, and the slot is taken all the same.
    if ((this.#p.skip & SKIP.witnessSignature) !== 0) slots.claim(slotSec);
    const facts = life.importer.produce({ when: slotSec, witness, signer });
    this.counts.produced++;
    this.#p.checkers.made(facts);
    if (!this.isDoubleProducer) this.#p.checkers.produced(this.index, witness, slotSec, facts.id);
    this.#p.note(
      `node ${this.index} made block ${facts.number} ${facts.id.slice(8, 16)} txs ${facts.transactions.length}`,
    );
    return facts;
  }

  /** Two blocks of one slot, each for one half of the others. */
  #produceTwice(life: Omit<Life, 'producer'>, turn: Turn, key: PrivateKey): BlockFacts {
    const { chain } = life.stored;
    const first = this.#produce(life, turn, key);
    const { irreversible, number } = chain.blocks.head;
    if (irreversible >= number) return first;
    chain.blocks.popTo(number - 1);
    // A slot lasts three seconds, and any of them will do.
    const second = this.#produce(life, { ...turn, slotSec: turn.slotSec + 1 }, key);
    this.counts.doubled++;
    this.#p.checkers.doubled(first.id, second.id);
    life.network.tellEachHalf(first, second);
    return second;
  }

  /** Into the pending transactions and on to the others; false when it was refused. */
  submit(transaction: SignedTransaction): boolean {
    const { chain } = this;
    if (chain === undefined) return false;
    try {
      chain.pending.push({ transaction }, this.#p.skip);
      return true;
    } catch (error) {
      if (error instanceof ChainError) return false;
      throw error;
    }
  }
}
