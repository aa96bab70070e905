import { CRASH_POINTS, type CrashPoint, disarmCrashPoints } from '../../src/base/crash-point.js';
import { Chain } from '../../src/chain/chain.js';
import type { GenesisSource } from '../../src/chain/genesis-source.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { SKIP } from '../../src/operations/define.js';
import '../../src/operations/index.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { ReadBlock } from '../../src/protocol/source-block.js';
import { stateHash } from '../../src/state/state-hash.js';
import { verifyBlock } from '../../src/verify/signed.js';
import { testEngine } from '../support/engine.js';
import { WORLD_TIME, worldGenesis } from '../support/world-genesis.js';
import { begunStore } from './begun.js';
import { Checkers, FinalitySplit } from './checkers.js';
import { SimulatedClock } from './clock.js';
import { LIES, type LieName } from './liars.js';
import { CALM, type LinkFaults, SimulatedLinks } from './links.js';
import { SimulatedNode } from './node.js';
import { addressOf, endpointOfNode } from './node-network.js';
import { SeededRandom } from './random.js';
import type { Sabotage } from './sabotage.js';
import { sharedVerifier } from './shared-verifier.js';
import { claimTransactions, fundedNames, randomTransaction, USER_FUNDS } from './workload.js';

export interface Faults extends LinkFaults {
  /** Seconds between two troubles, on average. */
  readonly everySec: number;
  readonly skewMsMax: number;
}

/** Nodes, of which the last has a witness that makes two blocks in each of its slots. */
export interface SimulationOptions {
  readonly seed: number;
  readonly nodes?: number;
  readonly witnesses?: number;
  /** Nodes beside them that mean harm, each in its own way; chance decides where nobody says. */
  readonly liars?: readonly LieName[];
  /** Simulated seconds with faults, and after them without. */
  readonly faultySec?: number;
  readonly calmSec?: number;
  readonly faults?: Partial<Faults>;
  readonly checksSignatures?: boolean;
  /** The first node is broken in this way. */
  readonly sabotage?: Sabotage;
  /** Told of every event while it happens. */
  readonly onEvent?: (line: string) => void;
}

const USUAL_FAULTS: Faults = {
  latencyMsMin: 5,
  latencyMsMax: 250,
  slow: 1 / 40,
  slowMsMax: 2500,
  resetSec: 60,
  // From a poor line to a good one: a full block takes the poor one a second.
  bytesPerMsMin: 50,
  bytesPerMsMax: 5000,
  everySec: 7,
  skewMsMax: 900,
};

const BLOCK_SEC = 3;
/** Everybody has had a slot by then. */
const LAST_WORD_SEC = 24;
/** Every so-manieth node builds the genesis itself; the others find its state on their disk. */
const BUILDS_EVERY = 4;
const EVENTS_KEPT = 50;
const WORK_MS = 250;
const LOOK_MS = 1000;
const CLAIM_MS = 4000;
/** Nobody can produce after everybody has slept: an operator looks at this and steps in. */
const STALLED_SEC = 9;
/** Long enough for everybody to see one branch again before the next partition. */
const BETWEEN_PARTITIONS_SEC = 25;

export interface SimulationReport {
  readonly seed: number;
  readonly blocks: number;
  readonly irreversible: number;
  readonly transactions: number;
  readonly deaths: number;
  readonly switches: number;
  readonly doubled: number;
  /** The one that cheats has split the network for good, as it can in this family; the world ended there. */
  readonly isSplit: boolean;
  readonly partitions: number;
  readonly liars: readonly string[];
  readonly connections: number;
  readonly resets: number;
  readonly bans: number;
  readonly crashPoints: readonly string[];
  /** Equal for equal seeds: the ids of the final head and everything that led there. */
  readonly headId: string;
}

export class SimulationFailure extends Error {
  override readonly name = 'SimulationFailure';
  constructor(seed: number, cause: unknown, events: readonly string[]) {
    const what = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    const lines = [
      `seed ${seed}: ${what}`,
      'last events:',
      ...events,
      `replay: npm run sim -- --seed ${seed}, with the same options`,
    ];
    super(lines.join('\n'), { cause });
  }
}

/** Many nodes in one process. Time, network and disks are ours, so one number decides all that happens. */
export class Simulation {
  readonly #options: Required<Omit<SimulationOptions, 'faults' | 'sabotage' | 'onEvent' | 'liars'>> & SimulationOptions;
  readonly #faults: Faults;
  readonly #random: SeededRandom;
  readonly #clock = new SimulatedClock(WORLD_TIME * 1000);
  readonly #links: SimulatedLinks;
  readonly #checkers: Checkers;
  readonly #liars: readonly LieName[];
  readonly #nodes: SimulatedNode[] = [];
  readonly #genesis: GenesisSource;
  readonly #verifier = sharedVerifier();
  readonly #events: string[] = [];
  #failure: { readonly error: unknown } | undefined;
  #isFaulty = true;
  #partitions = 0;
  #partitionAllowedMs = 0;

  constructor(options: SimulationOptions) {
    const usual = { nodes: 5, witnesses: 7, faultySec: 150, calmSec: 150, checksSignatures: true };
    this.#options = { ...usual, ...options };
    this.#faults = { ...USUAL_FAULTS, ...options.faults };
    this.#random = new SeededRandom(options.seed);
    this.#links = new SimulatedLinks({ clock: this.#clock, random: this.#random.fork() });
    this.#liars = options.liars ?? this.#chooseLiars();
    const { nodes } = this.#options;
    this.#checkers = new Checkers(Array.from({ length: nodes }, (_, index) => addressOf(index)));
    for (let index = 0; index < nodes + this.#liars.length; index++) this.#links.name(endpointOfNode(index), index);
    this.#genesis = this.#createNodes();
  }

  get #skip(): number {
    return this.#options.checksSignatures ? SKIP.none : SKIP.witnessSignature | SKIP.transactionSignatures;
  }

  /** Half of the worlds have none. */
  #chooseLiars(): LieName[] {
    const names = Object.keys(LIES) as LieName[];
    const count = this.#random.pick([0, 0, 1, 2]);
    return Array.from({ length: count }, () => this.#random.pick(names));
  }

  /** Those whose word counts. */
  get #honest(): readonly SimulatedNode[] {
    return this.#nodes.filter((node) => !node.isLiar);
  }

  #createNodes(): GenesisSource {
    const { nodes, witnesses, sabotage } = this.#options;
    const genesis = worldGenesis({
      witnesses,
      accounts: { ...Object.fromEntries(fundedNames(witnesses).map((name) => [name, USER_FUNDS])), 'ram-account': 0n },
      fees: true,
      parameters: {
        maintenance_interval: 30,
        account_fee_scale_bitshifts: 1,
        accounts_per_fee_scale: 5,
        witness_pay_per_block: 1000,
        extensions: [
          [6, { params: [['1', { lock_days: 0, interest_rate: 0, is_valid: true }]] }],
          [11, { params: [['1', { staking_days: 0, weight: 1, is_valid: true }]] }],
        ],
      },
    });
    for (let index = 0; index < nodes + this.#liars.length; index++) {
      const lie = this.#liars[index - nodes];
      const seeds = this.#random.shuffle(Array.from({ length: nodes }, (_, i) => i).filter((i) => i !== index));
      const own = Array.from({ length: witnesses }, (_, i) => i + 1).filter(
        (n) => lie === undefined && (n - 1) % nodes === index,
      );
      const node = new SimulatedNode({
        index,
        genesis,
        // The one that cheats has a single witness: the others must outvote it.
        witnesses: own,
        clock: this.#clock,
        random: this.#random.fork(),
        checkers: this.#checkers,
        links: this.#links,
        verifier: this.#verifier,
        // It learns of the others from those.
        seeds: seeds.slice(0, 2),
        kept: this.#random.chance(0.5) ? seeds.slice(0, 1) : [],
        lie: lie === undefined ? undefined : LIES[lie],
        isDoubleProducer: index === nodes - 1,
        skip: this.#skip,
        sabotage: index === 0 ? sabotage : undefined,
        note: (text) => this.#note(text),
        fail: (error) => this.#fail(error),
      });
      this.#nodes.push(node);
    }
    return genesis;
  }

  #note(text: string): void {
    const line = `${(this.#clock.nowMs / 1000 - WORLD_TIME).toFixed(3)} ${text}`;
    this.#events.push(line);
    if (this.#events.length > EVENTS_KEPT) this.#events.shift();
    this.#options.onEvent?.(line);
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
  }

  async run(): Promise<SimulationReport> {
    try {
      return await this.#run();
    } catch (error) {
      if (error instanceof FinalitySplit) return this.#report(true);
      throw new SimulationFailure(this.#options.seed, error, this.#events);
    } finally {
      disarmCrashPoints();
    }
  }

  async #run(): Promise<SimulationReport> {
    const { faultySec, calmSec } = this.#options;
    const startMs = this.#clock.nowMs;
    const begun = await begunStore(this.#genesis);
    for (const node of this.#nodes) if (node.index % BUILDS_EVERY !== 0) node.beginWith(begun);
    for (const node of this.#nodes) this.#clock.after(this.#random.below(500), node.index, () => node.start());
    this.#clock.after(1000, 'world', () => this.#submitClaims());
    this.#clock.after(2000, 'world', () => this.#trouble());
    this.#clock.after(2000, 'world', () => this.#work(this.#random.fork()));
    this.#links.faults = this.#faults;
    this.#clock.after(LOOK_MS, 'world', () => this.#look());
    await this.#until(startMs + faultySec * 1000);
    this.#calmDown();
    const before = this.#highestHead();
    await this.#until(startMs + (faultySec + calmSec) * 1000);
    this.#checkLiveness(before);
    await this.#checkAgreement();
    await this.#checkRestarts();
    return this.#report(false);
  }

  /** Runs events until a moment. What an event sets going is finished before the next one begins. */
  async #until(endMs: number): Promise<void> {
    for (;;) {
      const event = this.#clock.next(endMs);
      if (event === undefined) return;
      const node = event.owner === 'world' ? undefined : this.#nodes[event.owner];
      node?.armPoint((point) => this.#crashAt(node, point));
      try {
        event.run();
      } catch (error) {
        if (!(error instanceof Error && error.name === 'ProcessDied')) this.#fail(error);
      }
      await new Promise((resolve) => setImmediate(resolve));
      disarmCrashPoints();
      if (this.#failure !== undefined) throw this.#failure.error;
    }
  }

  /** What must hold all the time. */
  #look(): void {
    this.#clock.after(LOOK_MS, 'world', () => this.#look());
    for (const node of this.#honest) node.checkNetwork();
  }

  // Work

  /** Again until all is claimed for good: who was told may die before it has told anybody else. */
  #submitClaims(): void {
    const node = this.#honest.find((one) => one.isUp);
    const { chain } = node ?? {};
    const claims = chain === undefined ? [] : claimTransactions(chain.queries, fundedNames(this.#options.witnesses));
    if (chain === undefined || claims.length > 0 || this.#isFaulty)
      this.#clock.after(CLAIM_MS, 'world', () => this.#submitClaims());
    for (const transaction of claims) node?.submit(transaction);
  }

  #work(random: SeededRandom): void {
    this.#clock.after(random.below(2 * WORK_MS), 'world', () => this.#work(random));
    const node = random.pick(this.#honest);
    if (node.chain === undefined) return;
    const transaction = randomTransaction(node.chain.queries, random);
    if (transaction !== undefined) node.submit(transaction);
  }

  // Trouble

  #trouble(): void {
    if (!this.#isFaulty) return;
    const random = this.#random;
    this.#clock.after(random.below(2000 * this.#faults.everySec), 'world', () => this.#trouble());
    const node = random.pick(this.#nodes);
    switch (random.below(6)) {
      case 0:
        this.#part();
        return;
      case 1:
        node.skewMs = random.between(-this.#faults.skewMsMax, this.#faults.skewMsMax);
        this.#note(`node ${node.index} clock off by ${node.skewMs} ms`);
        return;
      case 2:
        this.#kill(node, 'kill');
        return;
      case 3:
        this.#kill(node, 'power');
        return;
      case 4: {
        const point = random.pick(Object.keys(CRASH_POINTS) as CrashPoint[]);
        this.#note(`node ${node.index} will die at ${point}`);
        // Some points lie on the way up.
        if (/^(recovery|replay)_/.test(point)) this.#kill(node, 'kill');
        if (point.startsWith('replay_')) node.isReplayWanted = true;
        node.arm(point);
        return;
      }
      default:
        if (!node.isUp) return;
        this.#stop(node);
    }
  }

  #part(): void {
    if (this.#links.hasPartition || this.#clock.nowMs < this.#partitionAllowedMs) return;
    const side = this.#nodes.map(({ index }) => index).filter(() => this.#random.chance(0.5));
    if (side.length === 0 || side.length === this.#nodes.length) return;
    const kind = this.#random.chance(0.5) ? 'cut' : 'silent';
    this.#partitions++;
    this.#links.part(side, kind);
    this.#note(`nodes ${side.join(' ')} are cut off from the others, ${kind}`);
    this.#clock.after(this.#random.between(3, 25) * 1000, 'world', () => {
      if (!this.#links.hasPartition) return;
      this.#links.heal();
      this.#partitionAllowedMs = this.#clock.nowMs + BETWEEN_PARTITIONS_SEC * 1000;
      this.#note('the partition is over');
    });
  }

  #stop(node: SimulatedNode): void {
    this.#clock.after(0, node.index, () => {
      if (!node.isUp) return;
      this.#note(`node ${node.index} stops`);
      node.stop(() => {
        this.#note(`node ${node.index} has stopped`);
        this.#startLater(node);
      });
    });
  }

  #kill(node: SimulatedNode, how: 'kill' | 'power'): void {
    if (!node.isUp) return;
    this.#note(`node ${node.index} dies: ${how}`);
    node.die(how, true);
    this.#startLater(node);
  }

  #crashAt(node: SimulatedNode, point: CrashPoint): void {
    const how = this.#random.chance(0.5) ? 'kill' : 'power';
    this.#note(`node ${node.index} dies at ${point}: ${how}`);
    node.die(how, false);
    this.#startLater(node);
  }

  #startLater(node: SimulatedNode): void {
    const delayMs = this.#isFaulty ? this.#random.between(500, 15_000) : 100;
    this.#clock.after(delayMs, node.index, () => node.start());
  }

  // The end

  #calmDown(): void {
    this.#note('no more faults');
    this.#isFaulty = false;
    this.#links.faults = CALM;
    this.#links.heal();
    for (const node of this.#nodes) {
      node.skewMs = 0;
      this.#clock.after(0, node.index, () => node.start());
    }
    const before = this.#highestHead();
    this.#clock.after(STALLED_SEC * 1000, 'world', () => this.#helpStalled(before));
  }

  /** When every node has slept through a slot nobody may produce: operators agree on a head and go on from there. */
  #helpStalled(before: number): void {
    const now = this.#highestHead();
    this.#clock.after(STALLED_SEC * 1000, 'world', () => this.#helpStalled(now));
    if (now > before) return;
    const best = this.#honest.find((node) => node.chain?.blocks.head.number === now)?.chain?.blocks.head.id;
    for (const node of this.#nodes) {
      if (best === undefined || node.isProductionForced || node.chain?.blocks.head.id !== best) continue;
      this.#note(`an operator lets node ${node.index} produce`);
      node.forceProduction();
    }
  }

  #highestHead(): number {
    return Math.max(...this.#honest.map((node) => node.chain?.blocks.head.number ?? 0));
  }

  #checkLiveness(before: number): void {
    const { calmSec, witnesses } = this.#options;
    const gained = this.#highestHead() - before;
    const wanted = Math.floor((calmSec / BLOCK_SEC) * 0.4);
    if (gained < wanted) throw new Error(`only ${gained} blocks in ${calmSec} calm seconds, ${wanted} were expected`);
    for (const node of this.#honest) {
      if (node.chain === undefined) throw new Error(`node ${node.index} is not up`);
      const { number, irreversible } = node.chain.blocks.head;
      const behind = number - irreversible;
      if (behind > 2 * witnesses) throw new Error(`node ${node.index}: ${behind} blocks wait to become irreversible`);
      const asked = claimTransactions(node.chain.queries, fundedNames(witnesses)).length;
      if (asked > 0) throw new Error(`node ${node.index}: ${asked} transactions were asked for and are in no block`);
    }
  }

  /** Nothing new is made; then all have the same head and state. */
  async #checkAgreement(): Promise<void> {
    // Two blocks of one slot are a tie until somebody builds on one of them.
    for (const node of this.#nodes) node.isDoubleProducer = false;
    await this.#until(this.#clock.nowMs + LAST_WORD_SEC * 1000);
    for (const node of this.#nodes) node.pauseProduction();
    await this.#until(this.#clock.nowMs + 10_000);
    this.#compareAll('after healing');
    await this.#checkReplay();
  }

  /** Somebody who comes late applies all blocks, and is where everybody is. */
  async #checkReplay(): Promise<void> {
    const { chain } = this.#nodes[0] ?? {};
    if (chain === undefined) throw new Error('node 0 is up');
    const late = new Chain({
      mustRecountVotes: true,
      genesis: this.#genesis,
      engine: testEngine(),
      blocks: new MemoryBlockStore(),
    });
    for (let n = 1; n <= chain.blocks.head.number; n++) {
      const block = chain.queries.blockByNumber(n) as SignedBlock;
      late.blocks.push((await verifyBlock(this.#verifier, late.chainId, new ReadBlock(block))).open(), this.#skip);
    }
    const { number, id } = late.blocks.head;
    late.snapshots.withHeadState((state) => this.#checkers.wholeState(this.#nodes.length, number, id, state));
  }

  #compareAll(when: string): void {
    const [first] = this.#honest;
    const wanted = first?.chain?.blocks.head.id;
    for (const node of this.#honest) {
      const head = node.chain?.blocks.head;
      if (head === undefined) throw new Error(`node ${node.index} is not up ${when}`);
      if (head.id !== wanted) throw new Error(`node ${node.index}: head ${head.id} ${when}, node 0 has ${wanted}`);
      node.chain?.snapshots.withHeadState((state) => {
        this.#checkers.wholeState(node.index, head.number, head.id, state);
      });
      node.compareJournal();
    }
  }

  /** Everybody restarts, some in order and some not, and is where it was. */
  async #checkRestarts(): Promise<void> {
    for (const node of this.#honest) {
      if (node.index % 2 === 0) this.#stop(node);
      else this.#kill(node, 'kill');
    }
    await this.#until(this.#clock.nowMs + 10_000);
    this.#compareAll('after the last restart');
    const hashes = this.#honest.map(({ chain }) => chain?.snapshots.withHeadState(stateHash));
    if (new Set(hashes).size !== 1) throw new Error(`the state hashes differ: ${hashes.join(' ')}`);
  }

  #report(isSplit: boolean): SimulationReport {
    const sum = (of: (node: SimulatedNode) => number): number => this.#nodes.reduce((n, node) => n + of(node), 0);
    const head = this.#nodes[0]?.chain?.blocks.head;
    let transactions = 0;
    const { chain } = this.#nodes[0] ?? {};
    for (let n = 1; n <= (head?.number ?? 0); n++)
      transactions += chain?.queries.blockByNumber(n)?.transactions.length ?? 0;
    return {
      seed: this.#options.seed,
      blocks: head?.number ?? 0,
      irreversible: head?.irreversible ?? 0,
      transactions,
      deaths: sum((node) => node.counts.deaths),
      switches: sum((node) => node.counts.switches),
      doubled: sum((node) => node.counts.doubled),
      isSplit,
      partitions: this.#partitions,
      liars: this.#liars,
      connections: this.#links.counts.connections,
      resets: this.#links.counts.resets,
      bans: this.#checkers.counts.bans,
      crashPoints: [...new Set(this.#nodes.flatMap((node) => [...node.counts.crashPoints]))].sort(),
      headId: head?.id ?? '',
    };
  }
}
