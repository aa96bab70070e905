import { setTimeout as pause } from 'node:timers/promises';
import { readGenesis } from '../../src/chain/genesis-source.js';
import { idOfTransaction } from '../../src/client/transactions.js';
import { stateAt } from '../../src/commands/chain/at-block.js';
import type { BlockId, ChainId } from '../../src/crypto/digests.js';
import { openStoredChain } from '../../src/node/chain/stored-chain.js';
import { stateHash } from '../../src/state/state-hash.js';
import { SeededRandom } from '../sim/random.js';
import { silentLog } from '../sim/silent-log.js';
import { eventually } from '../support/eventually.js';
import type { Links } from './links.js';
import { LocalNetwork } from './local-network.js';
import type { LocalNode } from './local-node.js';
import { NodeHistory, type SlotReport, slotReport } from './misses.js';
import { type Owner, openForTransfers, transferOf } from './money.js';
import { finalChain } from './slots.js';

/**
 * A network of real processes under load, while its nodes are killed and started again and the network falls apart for
 * a while. At the end all have the same chain, and nothing is missing that anybody was told is irreversible.
 */

export interface TrialOptions {
  readonly folder: string;
  readonly links: Links;
  readonly nodes: number;
  readonly witnesses: number;
  readonly blockIntervalSec: number;
  readonly seed: number;
  /** Of kills and load; coming together and looking takes more. */
  readonly seconds: number;
  /** How long the network is in two parts, in the middle of it. */
  readonly partitionSeconds: number;
  /** Between one kill and the next, on average. */
  readonly killEverySeconds: number;
  readonly transfersPerSecond: number;
  readonly say: (line: string) => void;
}

export interface TrialReport {
  readonly problems: readonly string[];
  readonly blocks: number;
  readonly sent: number;
  readonly toldIrreversible: number;
  readonly kills: number;
  readonly slots: SlotReport;
  readonly stateHash: string;
}

const LOOK_MS = 500;
const AT_ONCE_DOWN_MAX = 2;
const DOWN_SECONDS = [1, 8] as const;
/** After the last fault. */
const ROUNDS_TO_SETTLE = 2;

export class Trial {
  readonly #options: TrialOptions;
  readonly #network: LocalNetwork;
  readonly #random: SeededRandom;
  readonly #problems: string[] = [];
  readonly #owners: Owner[] = [];
  #chainId: ChainId = '';
  #isOver = false;
  #kills = 0;
  /** Accepted by a node, not yet told to be irreversible: id to the node that was asked. */
  readonly #waiting = new Set<string>();
  #sent = 0;
  readonly #refusals = new Map<string, number>();
  readonly #told = new Set<string>();
  /** Blocks that some node has called irreversible. */
  readonly #settled = new Map<number, BlockId>();
  readonly #looked = new Map<number, number>();

  constructor(options: TrialOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    this.#network = new LocalNetwork({
      folder: options.folder,
      nodes: options.nodes,
      witnesses: options.witnesses,
      blockIntervalSec: options.blockIntervalSec,
      links: options.links,
      accounts: Array.from({ length: options.nodes }, (_, i) => `payer${i}`),
      more: ['--verify-threads', '0', '--log-level-module', 'p2p=debug'],
    });
  }

  get network(): LocalNetwork {
    return this.#network;
  }

  async run(): Promise<TrialReport> {
    try {
      return await this.#run();
    } finally {
      this.#isOver = true;
      await this.#network.close();
    }
  }

  async #run(): Promise<TrialReport> {
    const { say, seconds, partitionSeconds, blockIntervalSec } = this.#options;
    const network = this.#network;
    await network.start();
    await network.reach(2);
    await this.#fund();
    const fromSec = Math.floor(Date.now() / 1000);
    say('all nodes are up, the accounts have their money');

    const work = [this.#repeat(LOOK_MS, () => this.#look()), ...this.#load()];
    const half = (seconds - partitionSeconds) / 2;
    await this.#chaos(half);
    await this.#partition();
    await this.#chaos(half);
    const toSec = Math.floor(Date.now() / 1000);
    await this.#bringBack();
    say('no more faults; waiting until all agree');
    const target = await this.#agree();
    this.#isOver = true;
    await Promise.all(work);
    await this.#look();

    const last = Math.max(target, ...this.#settled.keys());
    const chain = await finalChain(network.node(0), network.genesis.bytes, last);
    await this.#compareIds(target, chain.ids[target - 1] as BlockId);
    for (const [number, id] of this.#settled) {
      if (chain.ids[number - 1] !== id) {
        this.#problems.push(`block ${number} was irreversible as ${id} and is ${chain.ids[number - 1]} now`);
      }
    }
    for (const id of this.#told) {
      if (!chain.transactions.has(id)) this.#problems.push(`transaction ${id} was irreversible and is in no block`);
    }
    const codes = await network.stop();
    codes.forEach((code, node) => {
      if (code !== 0) this.#problems.push(`node ${node} ended with ${code}`);
    });
    const stateHash = await this.#compareStates(target);
    const histories = network.nodes.map((node) => new NodeHistory(node));
    this.#lookForBans(histories);
    const slots = slotReport(chain, histories, { fromSec, toSec: toSec - blockIntervalSec });
    for (const { slot, node, because } of slots.misses) {
      const what = `slot ${new Date(1000 * slot.timeSec).toISOString()} of init${slot.witness} at node ${node}`;
      if (because === undefined) this.#problems.push(`${what} stayed empty, and its log does not say why`);
      else say(`${what} stayed empty: ${because}`);
    }
    return {
      problems: this.#problems,
      blocks: target,
      sent: this.#sent,
      toldIrreversible: this.#told.size,
      kills: this.#kills,
      slots,
      stateHash,
    };
  }

  async #fund(): Promise<void> {
    const client = await this.#network.node(0).client();
    this.#chainId = await client.database.get_chain_id();
    this.#owners.push(...(await openForTransfers(this.#network)));
    await this.#network.reach((await this.#highest()) + 1);
  }

  // Load.

  #load(): Promise<void>[] {
    const everyMs = (1000 * this.#owners.length) / this.#options.transfersPerSecond;
    return this.#owners.map((_, payer) => this.#repeat(everyMs, () => this.#transfer(payer)));
  }

  /** At whatever node is up: a refusal says nothing, an acceptance counts from when it is called irreversible. */
  async #transfer(payer: number): Promise<void> {
    const [from, to] = [this.#owners[payer], this.#owners[(payer + 1) % this.#owners.length]];
    const running = this.#network.running;
    if (running.length === 0 || from === undefined || to === undefined) return;
    const node = this.#random.pick(running);
    const amount = BigInt(1 + (this.#sent % 1000));
    try {
      const client = await node.client();
      const trx = await transferOf(client, { chainId: this.#chainId, from, to: to.id, amount });
      await client.network_broadcast.broadcast_transaction({ trx });
      this.#sent++;
      this.#waiting.add(idOfTransaction(trx));
    } catch (error) {
      // The node was just killed, or stands on a branch on which the same transfer is a double.
      if (node.state === 'up') this.#refused(`a transfer was not taken: ${(error as Error).message}`);
    }
  }

  #refused(reason: string): void {
    const count = (this.#refusals.get(reason) ?? 0) + 1;
    this.#refusals.set(reason, count);
    if (count === 1) this.#options.say(reason);
  }

  // What clients are told.

  async #look(): Promise<void> {
    await Promise.all(this.#network.running.map((node) => this.#lookAt(node)));
  }

  async #lookAt(node: LocalNode): Promise<void> {
    const status = await node.status();
    if (status === undefined) return;
    const client = await node.client();
    for (let number = (this.#looked.get(node.index) ?? 0) + 1; number <= status.irreversible; number++) {
      let block: Awaited<ReturnType<typeof client.database.get_block>>;
      try {
        block = await client.database.get_block({ block_num: number });
      } catch {
        // It is gone; it is asked again when it is back.
        return;
      }
      if (block === undefined) {
        this.#problems.push(`node ${node.index} has no block ${number} and calls it irreversible`);
        return;
      }
      this.#looked.set(node.index, number);
      this.#settle(node, number, block.block_id);
      for (const id of block.transaction_ids) if (this.#waiting.delete(id)) this.#told.add(id);
    }
  }

  #settle(node: LocalNode, number: number, id: BlockId): void {
    const known = this.#settled.get(number);
    if (known === undefined) this.#settled.set(number, id);
    else if (known !== id) {
      this.#problems.push(`block ${number} is irreversible as ${known}, and at node ${node.index} as ${id}`);
    }
  }

  // Faults.

  async #chaos(seconds: number): Promise<void> {
    const endMs = performance.now() + 1000 * seconds;
    const comingBack: Promise<void>[] = [];
    while (performance.now() < endMs) {
      const waitMs = 1000 * this.#options.killEverySeconds * (0.5 + this.#random.below(1000) / 1000);
      await pause(Math.max(0, Math.min(waitMs, endMs - performance.now())));
      const { running, nodes } = this.#network;
      if (performance.now() >= endMs || nodes.length - running.length >= AT_ONCE_DOWN_MAX) continue;
      comingBack.push(this.#killOne(this.#random.pick(running)));
    }
    await Promise.all(comingBack);
  }

  async #killOne(node: LocalNode): Promise<void> {
    this.#kills++;
    await node.kill();
    const downMs = 1000 * this.#random.between(...DOWN_SECONDS);
    this.#options.say(`node ${node.index} killed, back in ${downMs / 1000} s`);
    await pause(downMs);
    await this.#network.restart(node.index);
  }

  /** Two parts, neither of which is large enough to make anything irreversible. */
  async #partition(): Promise<void> {
    const { say, partitionSeconds, nodes } = this.#options;
    if (partitionSeconds === 0) return;
    const all = Array.from({ length: nodes }, (_, node) => node);
    const half = Math.ceil(nodes / 2);
    const groups = [all.slice(0, half), all.slice(half)];
    say(`the network falls apart (${this.#network.links.kind}): ${groups.map((group) => group.join(' ')).join(' | ')}`);
    await this.#network.cut(groups);
    await pause(1000 * partitionSeconds);
    const heads = await Promise.all(this.#network.nodes.map((node) => node.status()));
    const ids = groups.map((group) => new Set(group.map((node) => heads[node]?.headId)));
    say(`heads then: ${ids.map((set) => [...set].map((id) => id?.slice(0, 16)).join(' ')).join(' | ')}`);
    if ([...(ids[0] ?? [])].some((id) => id !== undefined && ids[1]?.has(id))) {
      this.#problems.push('nodes that are cut off from each other have the same head');
    }
    await this.#network.heal();
    say('the network is whole again');
  }

  async #bringBack(): Promise<void> {
    for (const { index, state } of this.#network.nodes) if (state === 'down') await this.#network.restart(index);
  }

  // The end.

  async #highest(): Promise<number> {
    const found = await Promise.all(this.#network.running.map((node) => node.status()));
    return Math.max(0, ...found.map((status) => status?.head ?? 0));
  }

  /** A block from after all faults that every node calls irreversible. */
  async #agree(): Promise<number> {
    const target = (await this.#highest()) + ROUNDS_TO_SETTLE;
    await eventually(
      `block ${target} is irreversible everywhere`,
      async () => {
        const found = await Promise.all(this.#network.nodes.map((node) => node.status()));
        return found.every((status) => status !== undefined && status.irreversible >= target);
      },
      LOOK_MS,
    );
    return target;
  }

  async #compareIds(number: number, id: BlockId): Promise<void> {
    for (const node of this.#network.nodes) {
      const client = await node.client();
      const block = await client.database.get_block({ block_num: number });
      if (block?.block_id !== id) this.#problems.push(`node ${node.index} has block ${number} as ${block?.block_id}`);
    }
  }

  /** Of the stopped nodes, each from its own files. */
  async #compareStates(number: number): Promise<string> {
    const genesis = readGenesis(this.#network.genesis.bytes);
    const hashes: string[] = [];
    for (const { dataDir } of this.#network.nodes) {
      const opened = await openStoredChain({ dataDir, genesis, log: silentLog });
      hashes.push(stateHash(stateAt(opened, number).state));
      await opened.close();
    }
    if (new Set(hashes).size !== 1) this.#problems.push(`the states differ: ${hashes.join(' ')}`);
    return hashes[0] ?? '';
  }

  #lookForBans(histories: readonly NodeHistory[]): void {
    for (const { node, lines } of histories) {
      for (const { text } of lines) {
        if (/an address is banned|error of its own|met a bug/.test(text)) {
          this.#problems.push(`node ${node.index} says: ${text}`);
        }
      }
    }
  }

  async #repeat(pauseMs: number, work: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      await work();
      await pause(pauseMs);
    }
  }
}
