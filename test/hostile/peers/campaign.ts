import { setTimeout as pause } from 'node:timers/promises';
import { REASONS } from '../../../src/p2p/policy/reasons.js';
import { LocalNetwork } from '../../network/local-network.js';
import { NodeHistory, wasKeptWaiting } from '../../network/misses.js';
import { finalChain } from '../../network/slots.js';
import { SeededRandom } from '../../sim/random.js';
import { eventually } from '../../support/eventually.js';
import { COLLECT_FLAGS, collectGarbage, heldBytes, metricOf } from '../../support/measured-process.js';
import { Attacks, type Tally } from './attacks.js';

/**
 * A live node that makes all blocks, an honest one that follows it, and a crowd of bad peers. Every slot is filled,
 * memory comes back, every connection ends with a reason of the table, and the honest node has everything.
 */

export interface PeersCampaignOptions {
  readonly folder: string;
  readonly seed: number;
  readonly seconds: number;
  readonly warmSeconds: number;
  /** Ends earlier when so many frames and handshakes were sent. */
  readonly inputsMax?: number;
  readonly say?: (line: string) => void;
  /** A slot in which the node got no processor time to speak of is no fault of its own. */
  readonly machineMayBeBusy?: boolean;
}

export interface PeersReport {
  readonly problems: readonly string[];
  readonly lines: readonly string[];
  readonly tally: Tally;
  readonly reasons: ReadonlyMap<string, number>;
}

const BLOCK_SEC = 3;
const WITNESSES = 3;
const MEGABYTE = 1024 * 1024;
/** Caches that fill and code that is compiled, not what every input would add to. */
const GROWTH_MAX = 16 * MEGABYTE;
const HEAP_LIMIT = '--max-old-space-size=512';
const TELL_MS = 10_000;
/** The blocks of a quiet end. */
const BLOCKS_AFTER = 2;
const CROWD = {
  frames: 6,
  handshakes: 12,
  connections: 1,
  halfOpen: 1,
  inventory: 2,
  oversize: 1,
  slowReader: 2,
} as const;

export class PeersCampaign {
  readonly #options: PeersCampaignOptions;
  readonly #network: LocalNetwork;
  readonly #tally: Tally = { inputs: 0, connections: 0, kinds: new Map(), problems: [] };
  #isOver = false;

  constructor(options: PeersCampaignOptions) {
    this.#options = options;
    this.#network = new LocalNetwork({
      folder: options.folder,
      nodes: 2,
      witnesses: WITNESSES,
      producers: 1,
      blockIntervalSec: BLOCK_SEC,
      more: ['--verify-threads', '0'],
      flags: [HEAP_LIMIT, ...COLLECT_FLAGS],
    });
  }

  async run(): Promise<PeersReport> {
    try {
      return await this.#run();
    } finally {
      this.#isOver = true;
      await this.#network.close();
    }
  }

  async #run(): Promise<PeersReport> {
    const { seconds, warmSeconds } = this.#options;
    const network = this.#network;
    await network.start();
    await network.reach(2);
    const [victim, honest] = [network.node(0), network.node(1)];
    const client = await victim.client();
    const chainId = await client.database.get_chain_id();
    const attacks = new Attacks({ endpoint: victim.peer, chainId }, this.#tally);
    const workers = this.#crowd(attacks);

    await this.#stretch(warmSeconds);
    const before = await this.#held();
    const fromSec = Math.floor(Date.now() / 1000);
    const inputsBefore = this.#tally.inputs;
    const startMs = performance.now();
    await this.#stretch(seconds);
    const rate = (1000 * (this.#tally.inputs - inputsBefore)) / (performance.now() - startMs);
    const toSec = Math.floor(Date.now() / 1000);
    this.#isOver = true;
    await Promise.all(workers);

    const target = ((await victim.status())?.head ?? 0) + BLOCKS_AFTER;
    await network.reach(target);
    await eventually('the bad peers are gone', async () => (await metricOf(victim.monitor, PEERS)) <= 1, 200);
    const after = await this.#held();
    const reasons = await this.#reasons();
    const chain = await finalChain(honest, network.genesis.bytes, target);
    const empty = chain.slots.filter(
      ({ timeSec, block }) => timeSec >= fromSec && timeSec <= toSec && block === undefined,
    );
    const codes = await network.stop();
    const late = this.#lateness(fromSec);
    const problems = [...this.#tally.problems];
    const { machineMayBeBusy } = this.#options;
    const excused: string[] = [];
    const history = new NodeHistory(victim);
    for (const slot of empty) {
      const why = history.explain(slot) ?? 'its log does not say why';
      const line = `the slot of ${new Date(1000 * slot.timeSec).toISOString()} is empty: ${why}`;
      if (machineMayBeBusy === true && wasKeptWaiting(why)) excused.push(line);
      else problems.push(line);
    }
    if (codes.some((code) => code !== 0)) problems.push(`exit codes ${codes.join(' ')}`);
    if (after - before > GROWTH_MAX) problems.push(`memory has grown by ${text(after - before)}`);
    for (const reason of reasons.keys()) if (!(reason in REASONS)) problems.push(`there is no reason ${reason}`);
    const ended = [...reasons.values()].reduce((sum, count) => sum + count, 0);
    if (ended === 0) problems.push('no connection was ended');
    for (const { log } of network.nodes) {
      const bug = log.split('\n').find((line) => /error of its own|met a bug|cannot go on/.test(line));
      if (bug !== undefined) problems.push(bug);
    }
    return {
      problems,
      tally: this.#tally,
      reasons,
      lines: [
        `${this.#tally.inputs} frames and handshakes with faults on ${this.#tally.connections} connections, ${rate.toFixed()} a second`,
        [...this.#tally.kinds].map(([kind, count]) => `${kind} ${count}`).join(', '),
        `ended by reason: ${[...reasons].map(([reason, count]) => `${reason} ${count}`).join(', ')}`,
        `memory held: ${text(before)} after warming up, ${text(after)} after the attack`,
        ...excused,
        `blocks: ${empty.length} slots empty, the latest at the honest node ${late.toFixed()} ms after its time`,
      ],
    };
  }

  async #held(): Promise<number> {
    const { process, monitor } = this.#network.node(0);
    await collectGarbage(process);
    return heldBytes(monitor);
  }

  /** How many connections the node has ended, and why. */
  async #reasons(): Promise<Map<string, number>> {
    const answer = await (await fetch(`http://${this.#network.node(0).monitor}/metrics`)).text();
    const found = answer.matchAll(/^trustnode_p2p_connections_ended\{reason="(\w+)"\} (\d+)$/gm);
    return new Map([...found].map(([, reason, count]) => [reason as string, Number(count)]));
  }

  /** Of all blocks at the honest node. */
  #lateness(fromSec: number): number {
    const { blocks, lines } = new NodeHistory(this.#network.node(1));
    if (lines.length === 0) return Number.NaN;
    const mods = blocks.filter(({ atMs }) => atMs > 1000 * fromSec).map(({ atMs }) => atMs % (1000 * BLOCK_SEC));
    return Math.max(0, ...mods);
  }

  #crowd(attacks: Attacks): Promise<void>[] {
    const random = new SeededRandom(this.#options.seed);
    return Object.entries(CROWD).flatMap(([name, count]) =>
      Array.from({ length: count }, () => {
        const own = random.fork();
        return this.#repeat(() => attacks[name as keyof typeof CROWD](own));
      }),
    );
  }

  async #repeat(attack: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      try {
        await attack();
      } catch (error) {
        this.#tally.problems.push(`the attack cannot go on: ${(error as Error).stack}`);
        this.#isOver = true;
      }
      await pause(2);
    }
  }

  async #stretch(seconds: number): Promise<void> {
    const { inputsMax = Number.POSITIVE_INFINITY, say } = this.#options;
    const endMs = performance.now() + seconds * 1000;
    let toldMs = performance.now();
    while (performance.now() < endMs && !this.#isOver && this.#tally.inputs < inputsMax) {
      await pause(200);
      if (performance.now() - toldMs < TELL_MS) continue;
      toldMs = performance.now();
      say?.(`${this.#tally.inputs} frames and handshakes, ${this.#tally.connections} connections`);
    }
  }
}

const PEERS = 'trustnode_p2p_peers';
const text = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB`;
