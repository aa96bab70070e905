import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { encode } from '../../src/codec/binary.js';
import { signedBlock } from '../../src/protocol/block.js';
import { type SignedTransaction, signedTransaction } from '../../src/protocol/transaction.js';
import { FUNDED } from '../fuzz/chain/scene.js';
import { YOUNG_SPACE_MB } from '../runner/young-space.js';
import { SeededRandom } from '../sim/random.js';
import { claimTransactions } from '../sim/workload.js';
import { eventually } from '../support/eventually.js';
import { metricOf } from '../support/measured-process.js';
import { NETWORK } from '../support/network.js';
import { rpcCall } from '../support/rpc-call.js';
import { Attackers } from './attackers.js';
import { Blocks } from './blocks.js';
import { HonestClient } from './honest.js';
import { Ledger, type LedgerEntries } from './ledger.js';
import { type EmptySlot, Mirror } from './mirror.js';
import type { StreamWork } from './stream-worker.js';
import { ABSENT, HONEST, Target, type TransportName } from './target.js';
import { Transactions } from './transactions.js';

const MEGABYTE = 1024 * 1024;
/** Code that is compiled, caches that fill, a heap that is laid out for more: not what every input would add to. */
const GROWTH_MAX = 96 * MEGABYTE;
/** The young generation of the heap may come to its full size only after the warm-up, and keeps it. */
const YOUNG_MAX = 3 * YOUNG_SPACE_MB * MEGABYTE;
/** What the chain has taken it keeps: as bytes of blocks, and a few times as much as rows and compiled modules. */
const GROWTH_PER_BLOCK_BYTE = 16;
/** Between two inputs of one attacker: the machine is everybody's. */
const PAUSE_MS = 2;
const FOLLOW_MS = 300;
const HONEST_PAUSE_MS = 250;
/** What has been accepted last comes into one of these. */
const BLOCKS_AFTER = 2;
/** A machine with other work misses slots. A chain without a block for so long does not go on. */
const STANDSTILL_MS = 90_000;

/** Connections on which requests come without a pause, and how many wait for answers on one over HTTP. */
const STREAMS = {
  uws: { sockets: 4, http: 8, window: 1 },
  'node-http': { sockets: 4, http: 4, window: 100 },
} as const;

export interface CampaignOptions {
  readonly folder: string;
  readonly transport: TransportName;
  readonly seed: number;
  readonly seconds: number;
  /** Every kind of input once and more before memory is measured for the first time. */
  readonly warmSeconds: number;
  /** What has to have been tried however slow the machine is: the attack goes on until it was. */
  readonly isEnough?: (ledger: Ledger) => boolean;
  readonly say?: (line: string) => void;
}

export interface CampaignReport {
  readonly ledger: Ledger;
  /** Empty when the node has withstood. */
  readonly problems: readonly string[];
  readonly lines: readonly string[];
}

/**
 * One node, attacked in every way at once for so many seconds. The seed decides what every attacker draws; what it meets
 * then is a matter of time, so that the same seed leads to nearly the same inputs.
 */
export class Campaign {
  readonly #options: CampaignOptions;
  readonly #target: Target;
  readonly #problems: string[] = [];
  readonly #ledger = new Ledger();
  #isOver = false;

  constructor(options: CampaignOptions) {
    this.#options = options;
    this.#target = new Target(options.folder, options.transport, ABSENT);
  }

  async run(): Promise<CampaignReport> {
    const { process: child } = this.#target;
    const end = (): void => child.kill('SIGKILL');
    process.once('exit', end);
    try {
      return await this.#run();
    } finally {
      process.off('exit', end);
      if (this.#target.isAlive) end();
    }
  }

  async #run(): Promise<CampaignReport> {
    const target = this.#target;
    await target.open();
    const mirror = new Mirror(target.genesis, target.plain);
    await this.#fund(mirror);
    const honest = new HonestClient(target.plain, mirror);
    await honest.open();

    const workers = this.#workers(mirror, honest);
    await this.#stretch(this.#options.warmSeconds);
    // A node that has ended while it was warmed up has none.
    const before = target.isAlive ? await target.memory() : { held: 0, resident: 0 };
    const first = mirror.chain.blocks.head.number;
    const inputsBefore = this.#ledger.total;
    const startMs = performance.now();
    await this.#stretch(this.#options.seconds);
    const { isEnough } = this.#options;
    if (isEnough !== undefined && target.isAlive) {
      await eventually('enough of every attack', () => !target.isAlive || isEnough(this.#ledger));
    }
    const seconds = (performance.now() - startMs) / 1000;
    this.#isOver = true;
    await Promise.all(workers);
    const rate = (this.#ledger.total - inputsBefore) / seconds;

    const lines: string[] = [];
    if (target.isAlive && this.#problems.length === 0) {
      honest.close();
      await this.#pause(mirror);
      const last = mirror.chain.blocks.head.number;
      const isOurs = ({ number, witness }: EmptySlot): boolean => number > first && !ABSENT.includes(witness);
      const missed = mirror.emptySlots.filter(isOurs).length;
      if (missed > 0) this.#problems.push(`${missed} slots were missed between blocks ${first} and ${last}`);
      const lost = honest.missing(mirror.blocks);
      if (lost.length > 0) this.#problems.push(`transfers of the honest client are in no block: ${lost.join(' ')}`);
      const taken = mirror.blocks.slice(first).reduce((sum, block) => sum + encode(signedBlock, block).length, 0);
      const transactions = mirror.blocks.slice(first).reduce((sum, block) => sum + block.transactions.length, 0);
      lines.push(
        `blocks ${first} to ${last}: ${missed} slots missed, ${transactions} transactions, ${taken} bytes`,
        ...(await this.#memory(before, GROWTH_MAX + GROWTH_PER_BLOCK_BYTE * taken)),
        `honest client: ${honest.answers} answers, the slowest in ${honest.slowestMs.toFixed()} ms; ${honest.transfers} transfers, ${lost.length} lost, ${honest.keptOut} kept out by the temp account`,
      );
      const badEnd = await target.stop();
      if (badEnd !== undefined) this.#problems.push(`the node did not stop in an orderly way: ${badEnd}`);
    } else if (!target.isAlive) {
      this.#problems.push(`the node has ended: ${target.process.stderr.slice(-3000)}`);
    }
    this.#problems.push(...honest.problems, ...target.bugs, ...this.#ledger.wrong);
    return {
      ledger: this.#ledger,
      problems: this.#problems,
      lines: [`${this.#ledger.total} inputs, ${rate.toFixed()} a second`, ...this.#ledger.table(), ...lines],
    };
  }

  async #memory(before: { held: number; resident: number }, bound: number): Promise<string[]> {
    const after = await this.#target.memory();
    const text = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB`;
    for (const what of ['held', 'resident'] as const) {
      const grown = after[what] - before[what];
      const most = what === 'held' ? bound : bound + YOUNG_MAX;
      if (!(grown < most)) this.#problems.push(`memory ${what} has grown by ${text(grown)}, more than ${text(most)}`);
    }
    return [
      `memory resident: ${text(before.resident)} after warming up, ${text(after.resident)} after the attack; may grow by ${text(bound + YOUNG_MAX)}`,
      `memory held: ${text(before.held)} after warming up, ${text(after.held)} after the attack; may grow by ${text(bound)}`,
    ];
  }

  /** Everybody claims what the genesis holds for him: some of it only when a block has been made. */
  async #fund(mirror: Mirror): Promise<void> {
    const sent = new Set<string>();
    await eventually(
      'the balances of the genesis are claimed',
      async () => {
        await mirror.catchUp();
        const claims = claimTransactions(mirror.chain.queries, [...FUNDED, HONEST]);
        for (const claim of claims) await this.#claim(claim, sent);
        return claims.length === 0;
      },
      FOLLOW_MS,
    );
  }

  async #claim(claim: SignedTransaction, sent: Set<string>): Promise<void> {
    const key = JSON.stringify(claim.operations, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    if (sent.has(key)) return;
    sent.add(key);
    await rpcCall(this.#target.plain, 'call', [
      'network_broadcast',
      'broadcast_transaction',
      [signedTransaction.toJson(claim, NETWORK)],
    ]);
  }

  #workers(mirror: Mirror, honest: HonestClient): Promise<void>[] {
    const { seed } = this.#options;
    const random = new SeededRandom(seed);
    const attackers = new Attackers(this.#target.plain, this.#ledger);
    const [chance, blockChance] = [random.fork(), random.fork()];
    const transactions = new Transactions(mirror, chance, () => this.#target.genesis.file.initial_parameters);
    const blocks = new Blocks(mirror, blockChance);
    const each = (count: number, attack: (own: SeededRandom) => Promise<void>): Promise<void>[] =>
      Array.from({ length: count }, () => {
        const own = random.fork();
        return this.#repeat(PAUSE_MS, () => attack(own));
      });
    return [
      ...each(3, (own) => attackers.document(own)),
      ...each(2, (own) => attackers.rawHttp(own)),
      ...each(3, (own) => attackers.webSocket(own)),
      this.#stream(random.below(2 ** 31)),
      this.#repeat(PAUSE_MS, () => attackers.transaction(transactions)),
      this.#repeat(PAUSE_MS * 5, () => attackers.block(blocks)),
      this.#repeat(FOLLOW_MS, () => mirror.catchUp()),
      this.#watch(mirror),
      this.#repeat(HONEST_PAUSE_MS, () => honest.turn()),
    ];
  }

  /** The attack ends where the chain does. */
  async #watch(mirror: Mirror): Promise<void> {
    let seen = { number: 0, atMs: performance.now() };
    await this.#repeat(FOLLOW_MS, async () => {
      const { number } = mirror.chain.blocks.head;
      const nowMs = performance.now();
      if (number !== seen.number) seen = { number, atMs: nowMs };
      if (nowMs - seen.atMs > STANDSTILL_MS) {
        throw new Error(
          `no block after ${number} in ${STANDSTILL_MS / 1000} s; the node said last:\n${this.#target.lastWords}`,
        );
      }
    });
  }

  /** Thousands of requests a second from a thread of its own, for as long as the attack goes on. */
  async #stream(seed: number): Promise<void> {
    const workerData: StreamWork = { endpoint: this.#target.plain, seed, ...STREAMS[this.#options.transport] };
    const worker = new Worker(new URL('./stream-worker.js', import.meta.url), { workerData });
    worker.on('message', (entries: LedgerEntries) => this.#ledger.take(entries));
    const ended = new Promise<void>((resolve) => {
      worker.on('error', (error) => {
        if (this.#target.isAlive) this.#problems.push(`the streams cannot go on: ${error.stack}`);
        this.#isOver = true;
      });
      worker.on('exit', () => resolve());
    });
    await this.#repeat(FOLLOW_MS, () => Promise.resolve());
    worker.postMessage('end');
    await ended;
  }

  /** An attacker that fails is a fault of this program: the run ends and says so. */
  async #repeat(pauseMs: number, work: () => Promise<void>): Promise<void> {
    while (!this.#isOver && this.#target.isAlive) {
      try {
        await work();
      } catch (error) {
        if (this.#target.isAlive) this.#problems.push(`the attack cannot go on: ${(error as Error).stack}`);
        this.#isOver = true;
        return;
      }
      await sleep(pauseMs);
    }
  }

  /** Some time of the attack; less when it ends early. */
  async #stretch(seconds: number): Promise<void> {
    const endMs = performance.now() + seconds * 1000;
    let toldMs = performance.now();
    while (performance.now() < endMs && !this.#isOver && this.#target.isAlive) {
      await sleep(200);
      if (performance.now() - toldMs < 10_000) continue;
      toldMs = performance.now();
      this.#options.say?.(`${this.#ledger.total} inputs, ${this.#ledger.wrong.length} wrong answers`);
    }
  }

  /** Nobody attacks: all connections go, and what was accepted comes into blocks. */
  async #pause(mirror: Mirror): Promise<void> {
    await mirror.catchUp();
    const wanted = mirror.chain.blocks.head.number + BLOCKS_AFTER;
    await eventually(
      `block ${wanted}`,
      async () => {
        await mirror.catchUp();
        return mirror.chain.blocks.head.number >= wanted;
      },
      FOLLOW_MS,
    );
    await eventually(
      'every connection is gone',
      async () => (await metricOf(this.#target.monitor, 'trustnode_rpc_connections')) === 0,
      FOLLOW_MS,
    );
  }
}
