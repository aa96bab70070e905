import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChainError } from '../base/errors.js';
import { Client, type PlainSignedTransaction, type Transaction } from '../client/open-client.js';
import { fromPlain, toPlain } from '../client/plain.js';
import { idOfTransaction } from '../client/transactions.js';
import { DEV_FAUCET, devAccountEntries, FORK_FAUCET } from '../node/dev/dev-network.js';
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
  /** A fork of a real chain instead of a chain of its own: see docs/dev-chain.md. */
  readonly fork?: TestFork;
  /** Options of the node, as in config.ini. */
  readonly options?: Readonly<Record<string, string>>;
  /** Told each line of the node's log. */
  readonly log?: (line: string) => void;
}

export interface TestFork {
  /** A packed snapshot, as `trustnode snapshot pack` makes it. */
  readonly snapshot: string;
  /** The chain's genesis file, or one of the networks that have a name. */
  readonly genesis?: string;
  readonly network?: 'mainnet' | 'testnet' | 'dev';
}

const MEMORY = '/dev/shm';
/** Who acts where nobody is named; the first one that there is. */
const ACTORS = ['alice', 'dev-1'];
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
    const node = await openNode(folder, { ...forkLine(options.fork), ...options.options }, log);
    try {
      const { state } = node.chain.queries;
      const accounts = devAccountEntries(state);
      const connection = new LocalConnection(`http://${node.endpoints.plain}`);
      const client = new Client(connection, node.chainId, state.network, [DEV_FAUCET.key]);
      for (const { wif } of accounts) client.keys.add(wif);
      const named = new Set(accounts.map(({ name }) => name));
      const account = ACTORS.find((name) => named.has(name)) ?? FORK_FAUCET.name;
      return new TestChain(node, client, { log, folder, removeFolder, account });
    } catch (error) {
      await node.stop();
      throw error;
    }
  } catch (error) {
    removeFolder();
    throw error;
  }
}

function forkLine(fork: TestFork | undefined): Readonly<Record<string, string>> {
  if (fork === undefined) return {};
  const { snapshot, genesis, network } = fork;
  return {
    'fork-snapshot': snapshot,
    ...(genesis === undefined ? {} : { 'genesis-json': genesis }),
    ...(network === undefined ? {} : { network }),
  };
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
    // A fork stands as its snapshot does.
    const blocks = 'fork-snapshot' in more ? 0 : SETUP_BLOCKS_MAX;
    for (let i = 0; i < blocks && !isDevSetupDone(node.chain.queries.state); i++) {
      await node.dev.mine(1, 0);
      await nextTurn();
    }
    return node;
  } catch (error) {
    await node.stop();
    throw error;
  }
}

interface TestChainParts {
  readonly log: TestLog;
  readonly folder: string;
  readonly account: string;
  removeFolder(): void;
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
  /** Name of who deploys and calls where nobody is named: `alice`, on a fork `dev-1`. */
  readonly account: string;
  readonly #node: RunningNode;
  readonly #log: TestLog;
  readonly #removeFolder: () => void;
  #stopped: Promise<void> | undefined;

  constructor(node: RunningNode, client: Client, { log, folder, removeFolder, account }: TestChainParts) {
    this.#node = node;
    this.client = client;
    this.folder = folder;
    this.account = account;
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
    { name, by = this.account }: { readonly name: string; readonly by?: string },
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
      const signed = fromPlain(signedTransaction, await this.#signed(transaction), this.#network) as SignedTransaction;
      return await this.#take(idOfTransaction(signed), signed);
    } catch (error) {
      throw Refusal.of(error) ?? error;
    }
  }

  /** Where somebody is impersonated, without any signature if there is no key for one. */
  async #signed(transaction: Transaction): Promise<PlainSignedTransaction> {
    try {
      return (await transaction.sign()).transaction;
    } catch (error) {
      const isUnsigned = error instanceof ChainError && error.key === 'client_unsigned';
      if (!isUnsigned || this.#node.chain.impersonated.size === 0) throw error;
      return transaction.build();
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
