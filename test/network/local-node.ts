import { join } from 'node:path';
import { connect } from '../../src/client/client.js';
import { STACK_SIZE } from '../runner/stack-size.js';
import { NodeProcess } from '../support/node-process.js';
import type { Links } from './links.js';

/** One node of a local network: a process that is started, ended and started again over the same data directory. */

export type NodeState = 'down' | 'starting' | 'up' | 'paused';

export interface NodeStatus {
  readonly head: number;
  readonly headId: string;
  readonly irreversible: number;
  readonly peers: number;
}

export interface LocalNodeOptions {
  readonly index: number;
  readonly folder: string;
  /** Where not below the folder, by its index. */
  readonly dataDir?: string;
  readonly links: Links;
  readonly genesisFile: string;
  /** Numbers of witness accounts, from 0 on: init3 is witness 1.6.4. */
  readonly witnesses: readonly number[];
  readonly signingKeys: readonly string[];
  /** Whether it takes addresses of this machine that others tell it of. */
  readonly canLearn: boolean;
  /** Further words of the command line. */
  readonly more: readonly string[];
  readonly flags: readonly string[];
}

/** Something that was done to a node, for whoever explains later what it did and did not do. */
export interface NodeEvent {
  readonly atMs: number;
  readonly kind: 'started' | 'up' | 'killed' | 'stopped' | 'paused' | 'resumed' | 'ended';
}

const ANSWER_MS = 5000;
const LISTEN_FAILED = /cannot listen (?:for peers )?on/;

export class LocalNode {
  readonly index: number;
  readonly dataDir: string;
  readonly genesisFile: string;
  readonly witnesses: readonly number[];
  readonly events: NodeEvent[] = [];
  /** host:port of RPC, of the monitor and for peers; kept from one life to the next where the port is still free. */
  rpc = '';
  monitor = '';
  peer = '';
  state: NodeState = 'down';
  readonly #options: LocalNodeOptions;
  #process: NodeProcess | undefined;
  /** What earlier lives have said. */
  #earlier = '';

  constructor(options: LocalNodeOptions) {
    this.#options = options;
    this.index = options.index;
    this.witnesses = options.witnesses;
    this.genesisFile = options.genesisFile;
    this.dataDir = options.dataDir ?? join(options.folder, `node-${options.index}`);
  }

  /** All lines of all lives. */
  get log(): string {
    return this.#earlier + (this.#process?.stderr ?? '');
  }

  get process(): NodeProcess {
    if (this.#process === undefined) throw new Error(`node ${this.index} is not running`);
    return this.#process;
  }

  get pid(): number | undefined {
    return this.#process?.child.pid;
  }

  /** Milliseconds for which it has been up without a break, at that moment; undefined where it was not. */
  upSinceMs(atMs: number): number | undefined {
    const last = this.events.findLast((event) => event.atMs <= atMs);
    return last?.kind === 'up' || last?.kind === 'resumed' ? last.atMs : undefined;
  }

  #happened(kind: NodeEvent['kind']): void {
    this.events.push({ atMs: Date.now(), kind });
  }

  /** Settles when the node answers clients and takes peers. `peers`: whom it dials. */
  async start(peers: readonly string[], more: readonly string[] = []): Promise<void> {
    if (this.state !== 'down') throw new Error(`node ${this.index} is ${this.state}`);
    this.state = 'starting';
    this.#happened('started');
    const hasPorts = this.rpc !== '';
    try {
      await this.#start(peers, more, hasPorts).catch((error: Error) => {
        // Whoever has taken a port in between keeps it.
        if (!hasPorts || !LISTEN_FAILED.test(error.message)) throw error;
        return this.#start(peers, more, false);
      });
    } catch (error) {
      this.state = 'down';
      throw error;
    }
    this.state = 'up';
    this.#happened('up');
  }

  async #start(peers: readonly string[], more: readonly string[], hasPorts: boolean): Promise<void> {
    const { links, signingKeys, flags } = this.#options;
    const host = links.hostOf(this.index);
    const listen = hasPorts ? this.peer : links.listen(this.index);
    const [rpc, monitor] = hasPorts ? [this.rpc, this.monitor] : [`${host}:0`, `${host}:0`];
    const process = new NodeProcess(
      [
        ...['start', '--data-dir', this.dataDir, '--genesis-json', this.genesisFile],
        ...['--rpc-endpoint', rpc, '--monitor-endpoint', monitor, '--enable-network-node-api', 'true'],
        ...['--p2p-endpoint', listen, '--p2p-private-addresses', String(this.#options.canLearn), '--seed-nodes', '[]'],
        ...peers.flatMap((peer) => ['--seed-node', peer]),
        ...this.witnesses.flatMap((witness) => ['--witness-id', `1.6.${witness + 1}`]),
        ...signingKeys.flatMap((key) => ['--private-key', key]),
        ...this.#options.more,
        ...more,
      ],
      [STACK_SIZE, ...flags],
      links.through(this.index),
    );
    this.#process = process;
    void process.finished.then(() => this.#ended(process));
    const peer = await process.until(/the network is open +listening=(\S+)/);
    const open = await process.until(/rpc listens +plain=(\S+) monitor=(\S+)/);
    this.peer = peer[1] as string;
    [this.rpc, this.monitor] = [open[1] as string, open[2] as string];
    await links.opened(this.index, this.peer);
  }

  #ended(process: NodeProcess): void {
    if (this.#process !== process) return;
    this.#earlier += process.stderr;
    this.#process = undefined;
    if (this.state === 'up' || this.state === 'paused') this.#happened('ended');
    if (this.state !== 'starting') this.state = 'down';
  }

  /** Only what is running can be ended; anything else is as it should be. */
  async #end(signal: NodeJS.Signals, kind: 'killed' | 'stopped'): Promise<number | null> {
    const process = this.#process;
    if (process === undefined) return null;
    if (this.state === 'paused') process.kill('SIGCONT');
    this.#happened(kind);
    this.state = 'down';
    process.kill(signal);
    const { code } = await process.finished;
    return code;
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL', 'killed');
  }

  /** In order; its exit code, null where it was not running. */
  stop(): Promise<number | null> {
    return this.#end('SIGTERM', 'stopped');
  }

  /** Stops the process where it stands: it hears and says nothing, and its connections stay. */
  pause(): void {
    if (this.state !== 'up') return;
    this.state = 'paused';
    this.#happened('paused');
    this.process.kill('SIGSTOP');
  }

  resume(): void {
    if (this.state !== 'paused') return;
    this.process.kill('SIGCONT');
    this.state = 'up';
    this.#happened('resumed');
  }

  client(): ReturnType<typeof connect> {
    return connect(`http://${this.rpc}/rpc`, { timeoutMs: ANSWER_MS });
  }

  /** Undefined while it does not answer. */
  async status(): Promise<NodeStatus | undefined> {
    if (this.state !== 'up') return undefined;
    try {
      const client = await this.client();
      const [chain, network] = await Promise.all([
        client.database.get_dynamic_global_properties(),
        client.network_node.get_info(),
      ]);
      return {
        head: chain.head_block_number,
        headId: chain.head_block_id,
        irreversible: chain.last_irreversible_block_num,
        peers: network.connection_count,
      };
    } catch {
      // It is being ended, or too busy; the next look says more.
      return undefined;
    }
  }
}
