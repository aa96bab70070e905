import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PrivateKey } from '../../src/crypto/private-key.js';
import { eventually } from '../support/eventually.js';
import { type NetworkGenesis, networkGenesis } from './genesis.js';
import { DirectLinks, type Links } from './links.js';
import { LocalNode } from './local-node.js';

/** A network of real processes on this machine, with one genesis. Witnesses are dealt out to the nodes in turn. */

export interface LocalNetworkOptions {
  readonly folder: string;
  readonly nodes: number;
  readonly witnesses: number;
  readonly blockIntervalSec?: number;
  /** So many nodes, the first ones, have the witnesses; all if it says nothing. */
  readonly producers?: number;
  /** Each node knows the one before it and nobody else, in place of all. */
  readonly isLine?: boolean;
  /** Funded in the genesis; each has to claim what it is given. */
  readonly accounts?: readonly string[];
  readonly links?: Links;
  /** Further words of every command line. */
  readonly more?: readonly string[];
  /** Flags of Node. */
  readonly flags?: readonly string[];
}

const BLOCK_INTERVAL_SEC = 3;
/** The chain's first witness is the only one at the start, and nobody waits for a block before the first. */
const BEGINS = ['--enable-stale-production', 'true'];
const LOOK_MS = 250;

export class LocalNetwork {
  readonly nodes: readonly LocalNode[];
  readonly genesis: NetworkGenesis;
  readonly genesisFile: string;
  readonly blockIntervalSec: number;
  readonly accounts: readonly string[];
  readonly links: Links;
  readonly #isLine: boolean;
  /** The groups of nodes that reach each other; undefined while all do. */
  #groups: readonly (readonly number[])[] | undefined;

  constructor(options: LocalNetworkOptions) {
    const { folder, nodes, witnesses, producers = nodes, more = [], flags = [] } = options;
    this.#isLine = options.isLine === true;
    this.blockIntervalSec = options.blockIntervalSec ?? BLOCK_INTERVAL_SEC;
    this.accounts = options.accounts ?? ['treasury'];
    this.links = options.links ?? new DirectLinks();
    mkdirSync(folder, { recursive: true });
    this.genesis = networkGenesis({
      witnesses,
      accounts: this.accounts,
      blockIntervalSec: this.blockIntervalSec,
      nowMs: Date.now(),
    });
    this.genesisFile = join(folder, 'genesis.json');
    if (existsSync(this.genesisFile)) throw new Error(`${folder} holds a network already`);
    writeFileSync(this.genesisFile, this.genesis.bytes);
    const all = Array.from({ length: witnesses }, (_, witness) => witness);
    this.nodes = Array.from({ length: nodes }, (_, index) => {
      const own = all.filter((witness) => witness % producers === index);
      return new LocalNode({
        index,
        folder,
        links: this.links,
        genesisFile: this.genesisFile,
        witnesses: own,
        signingKeys: own.map((witness) => this.genesis.signingKey(witness).toWif()),
        canLearn: this.links.canLearn && !this.#isLine,
        more,
        flags,
      });
    });
  }

  accountKey(name: string): PrivateKey {
    return this.genesis.accountKey(name);
  }

  node(index: number): LocalNode {
    const found = this.nodes[index];
    if (found === undefined) throw new Error(`there is no node ${index}`);
    return found;
  }

  get running(): LocalNode[] {
    return this.nodes.filter(({ state }) => state === 'up');
  }

  /** The first node begins the chain; the others come at once, each knowing those before it. */
  async start(): Promise<void> {
    const [first, ...others] = this.nodes;
    await first?.start([], BEGINS);
    if (this.#isLine) for (const node of others) await node.start(this.#peersOf(node, node.index));
    else await Promise.all(others.map((node) => node.start(this.#peersOf(node, node.index))));
  }

  /** One that was ended comes back; it knows everybody. */
  async restart(index: number): Promise<void> {
    const node = this.node(index);
    await node.start(this.#peersOf(node, this.nodes.length));
  }

  #peersOf(node: LocalNode, below: number): string[] {
    return this.nodes
      .filter(({ index }) => index !== node.index && index < below && (!this.#isLine || index === node.index - 1))
      .flatMap(({ index }) => this.links.endpoint(node.index, index) ?? []);
  }

  get groups(): readonly (readonly number[])[] | undefined {
    return this.#groups;
  }

  isCut(index: number): boolean {
    const groups = this.#groups;
    return groups !== undefined && !groups[0]?.includes(index);
  }

  async cut(groups: readonly (readonly number[])[]): Promise<void> {
    await this.links.cut(groups);
    this.#groups = groups;
  }

  async heal(): Promise<void> {
    await this.links.heal();
    this.#groups = undefined;
  }

  /** Waits until every node that is up has this block, all of them the same one. */
  async reach(block: number): Promise<void> {
    await eventually(
      `block ${block} at every node`,
      async () => {
        const found = await Promise.all(this.running.map((node) => node.status()));
        return found.every((status) => status !== undefined && status.head >= block);
      },
      LOOK_MS,
    );
  }

  /** Exit codes by node: null for those that were not running. */
  async stop(): Promise<(number | null)[]> {
    const codes = await Promise.all(this.nodes.map((node) => node.stop()));
    await this.close();
    return codes;
  }

  /** Ends what is left, however. */
  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    await this.links.close();
  }
}
