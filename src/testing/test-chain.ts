import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type Transaction } from '../client/open-client.js';
import { fromPlain, toPlain } from '../client/plain.js';
import { DEV_ACCOUNTS, DEV_FAUCET } from '../node/dev/dev-network.js';
import { isDevSetupDone } from '../node/dev/dev-setup.js';
import { loadSettings } from '../node/load-settings.js';
import { type RunningNode, startNode } from '../node/node.js';
import { systemClock } from '../node/runtime/clock.js';
import { systemRandom } from '../node/runtime/random.js';
import { type Operation, operation } from '../protocol/operation-slot.js';
import { OPERATION_DECLARATIONS } from '../protocol/operations/index.js';
import { type OperationResult, operationResult } from '../protocol/results.js';
import { type SignedTransaction, signedTransaction } from '../protocol/transaction.js';
import type { DevPort } from '../rpc/ports.js';
import { LocalConnection } from './local-connection.js';
import { TestLog } from './prints.js';
import { Refusal } from './refusal.js';
import { type ContractFiles, type InlineOperation, type Made, TestContract } from './test-contract.js';

export interface TestChainOptions {
  /** Keeps the chain's data there for a later start, instead of in a folder of its own that goes away at the end. */
  readonly folder?: string;
  /** The folder of its own lies in the machine's memory, where the machine has such a place (`/dev/shm`). */
  readonly inMemory?: boolean;
  /** Options of the node, as in config.ini. */
  readonly options?: Readonly<Record<string, string>>;
  /** Told each line of the node's log. */
  readonly log?: (line: string) => void;
}

const MEMORY = '/dev/shm';
/** The chain is set up within its first few blocks. */
const SETUP_BLOCKS_MAX = 20;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * A development chain in this process, with `alice`, `bob` and `carol`, who are rich. Blocks are made when something
 * is sent or `mine` is called, never by themselves. `stop` ends all of it.
 */
export async function startTestChain(options: TestChainOptions = {}): Promise<TestChain> {
  const isKept = options.folder !== undefined;
  const parent = options.inMemory === true && existsSync(MEMORY) ? MEMORY : tmpdir();
  const folder = options.folder ?? mkdtempSync(join(parent, 'trustnode-test-'));
  const removeFolder = (): void => {
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const log = new TestLog(options.log ?? (() => undefined));
    const node = await openNode(folder, options.options ?? {}, log);
    try {
      const { network } = node.chain.queries.state;
      const keys = [...DEV_ACCOUNTS, DEV_FAUCET].map(({ key }) => key);
      const connection = new LocalConnection(`http://${node.endpoints.plain}`);
      const client = new Client(connection, node.chainId, network, keys);
      return new TestChain(node, client, log, folder, removeFolder);
    } catch (error) {
      await node.stop();
      throw error;
    }
  } catch (error) {
    removeFolder();
    throw error;
  }
}

async function openNode(folder: string, more: Readonly<Record<string, string>>, log: TestLog): Promise<RunningNode> {
  const line = {
    dev: 'true',
    'data-dir': folder,
    'rpc-endpoint': '127.0.0.1:0',
    'contracts-console': 'true',
    // One transaction after the other: threads would only take their time to start.
    'verify-threads': '0',
    ...more,
  };
  const settings = loadSettings(new Map(Object.entries(line).map(([name, value]) => [name, [value]])));
  const node = await startNode(settings, { clock: systemClock, random: systemRandom, log });
  if (node?.dev === undefined) throw new Error('nobody stops the start of a development chain');
  node.dev.setProducing(false);
  try {
    for (let i = 0; i < SETUP_BLOCKS_MAX && !isDevSetupDone(node.chain.queries.state); i++) {
      await node.dev.mine(1, 0);
      await nextTurn();
    }
    return node;
  } catch (error) {
    await node.stop();
    throw error;
  }
}

export class TestChain {
  /** Signs with the keys of alice, bob, carol and the faucet; `client.keys.add` takes more. */
  readonly client: Client;
  /** Where the chain keeps its data. */
  readonly folder: string;
  /** For other programs: `http://127.0.0.1:…`. */
  readonly url: string;
  /** Time, blocks, snapshots, balances and acting for others, as `dev_*` methods do it, without waiting. */
  readonly dev: DevPort;
  readonly #node: RunningNode;
  readonly #log: TestLog;
  readonly #removeFolder: () => void;
  #stopped: Promise<void> | undefined;

  constructor(node: RunningNode, client: Client, log: TestLog, folder: string, removeFolder: () => void) {
    this.#node = node;
    this.client = client;
    this.folder = folder;
    this.url = `http://${node.endpoints.plain}`;
    this.dev = node.dev as DevPort;
    this.#log = log;
    this.#removeFolder = removeFolder;
  }

  get headBlock(): number {
    return this.#node.chain.queries.head.number;
  }

  /** Of the head block, which is what contracts saw as the time. */
  get headTime(): Date {
    return new Date(this.#node.chain.queries.head.time * 1000);
  }

  deploy(
    files: ContractFiles,
    { name, by = 'alice' }: { readonly name: string; readonly by?: string },
  ): Promise<TestContract> {
    return TestContract.deploy(this, name, files, by);
  }

  async mine(blocks = 1, secondsBetween = 0): Promise<void> {
    await this.dev.mine(blocks, secondsBetween);
  }

  /** The next block comes at least so many seconds after the last one, and it comes at once. */
  async passTime(seconds: number): Promise<void> {
    await this.dev.mine(1, seconds);
  }

  /** Signs a transaction, has the chain take it, and makes the block that it is in. Rejects with a `Refusal`. */
  async send(transaction: Transaction): Promise<Made> {
    try {
      const { id, transaction: plain } = await transaction.sign();
      return await this.#take(id, fromPlain(signedTransaction, plain, this.#network) as SignedTransaction);
    } catch (error) {
      throw Refusal.of(error) ?? error;
    }
  }

  get #network() {
    return this.#node.chain.queries.state.network;
  }

  async #take(id: string, transaction: SignedTransaction): Promise<Made> {
    const { chain } = this.#node;
    const inline: InlineOperation[] = [];
    let results: readonly OperationResult[] | undefined;
    const stopListening = chain.blocks.subscribe((event) => {
      if (event.kind === 'pending' && event.transaction.id === id) {
        for (const one of event.operations) if (one.isVirtual) inline.push(this.#inline(one.operation));
      }
      if (event.kind === 'applied') {
        const { block, transactionIds } = event.block;
        results = block.transactions[transactionIds.indexOf(id)]?.operation_results ?? results;
      }
    });
    const { done, error, prints } = this.#log.printsOf(() => chain.pending.push({ transaction, id }));
    try {
      if (done === undefined) throw Refusal.of(error, prints) ?? error;
      await this.dev.mine(1, 0);
    } finally {
      stopListening();
    }
    if (results === undefined) throw new Error(`block ${this.headBlock} was made without the transaction`);
    return {
      id,
      block: this.headBlock,
      results: results.map((one) => toPlain(operationResult, one, this.#network) as readonly [number, unknown]),
      prints,
      inline,
    };
  }

  #inline(one: Operation): InlineOperation {
    const [tag, body] = toPlain(operation, one, this.#network);
    return { name: OPERATION_DECLARATIONS.find((declaration) => declaration.tag === tag)?.name ?? String(tag), body };
  }

  /** Nothing is left of it: no timer, no connection, and no folder where it was the chain's own. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.client.close();
    await this.#node.stop();
    this.#removeFolder();
  }
}
