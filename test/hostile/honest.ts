import { once } from 'node:events';
import { WebSocket } from 'ws';
import { TRANSACTION_ERRORS } from '../../src/chain/apply-transaction.js';
import { BlockFacts } from '../../src/chain/facts.js';
import { makeAsset } from '../../src/protocol/asset.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { signedTransaction } from '../../src/protocol/transaction.js';
import { operationOf, signedTransactionOf } from '../sim/transactions.js';
import { NETWORK } from '../support/network.js';
import { rpcCall } from '../support/rpc-call.js';
import { accountKey } from '../support/world-genesis.js';
import type { Mirror } from './mirror.js';
import { HONEST } from './target.js';

/** A machine with other work gets more than anybody would like to wait. */
const ANSWER_MS_MAX = 60_000;
const LIFETIME_SEC = 600;
/**
 * A proposal of the attackers may leave something on the temp account, and then the chain takes no transaction of
 * anybody until one of them takes it away: its own rule, see test/chain/temp-account.test.ts.
 */
const TEMP_ACCOUNT_REFUSAL = TRANSACTION_ERRORS.temp_account_not_empty.text;

interface Properties {
  readonly head_block_number: number;
}

/** Somebody who means well, over HTTP and over one WebSocket that stays open, with a transfer now and then. */
export class HonestClient {
  readonly problems: string[] = [];
  answers = 0;
  slowestMs = 0;
  /** Transfers that a rule of the chain refused to everybody at that time. */
  keptOut = 0;
  readonly #endpoint: string;
  readonly #mirror: Mirror;
  readonly #sent = new Set<string>();
  #socket: WebSocket | undefined;
  #lastSentAt = 0;

  constructor(endpoint: string, mirror: Mirror) {
    this.#endpoint = endpoint;
    this.#mirror = mirror;
  }

  async open(): Promise<void> {
    this.#socket = new WebSocket(`ws://${this.#endpoint}/`);
    await once(this.#socket, 'open');
    this.#socket.on('close', () => {
      if (this.#socket !== undefined) this.problems.push('the connection of the honest client was closed');
    });
  }

  get transfers(): number {
    return this.#sent.size;
  }

  async #timed<T>(what: string, ask: () => Promise<T>): Promise<T | undefined> {
    const startMs = performance.now();
    try {
      const late = new Promise<never>((_, reject) => {
        setTimeout(() => reject(new Error(`no answer in ${ANSWER_MS_MAX / 1000} s`)), ANSWER_MS_MAX).unref();
      });
      const result = await Promise.race([ask(), late]);
      this.answers++;
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startMs);
      return result;
    } catch (error) {
      if ((error as Error).message.includes(TEMP_ACCOUNT_REFUSAL)) {
        this.keptOut++;
        return undefined;
      }
      this.problems.push(`${what}: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** One turn: a question each way, and a transfer in every block. */
  async turn(): Promise<void> {
    await this.#timed('a question over HTTP', () =>
      rpcCall<Properties>(this.#endpoint, 'get_dynamic_global_properties', []),
    );
    await this.#timed('a question over WebSocket', () => this.#overSocket());
    const { head, state } = this.#mirror.chain.queries;
    if (head.number === this.#lastSentAt) return;
    this.#lastSentAt = head.number;
    const amount = makeAsset(BigInt(head.number), state.coreAsset);
    const trx = signedTransactionOf(this.#mirror.chain.queries, {
      operations: [operationOf(state, 'transfer', { from: HONEST, to: 'committee-account', amount })],
      keys: [accountKey(HONEST)],
      expiration: head.time + LIFETIME_SEC,
      reference: head.id,
    });
    const id = await this.#timed('a transfer', () =>
      rpcCall<string>(this.#endpoint, 'call', [
        'network_broadcast',
        'broadcast_transaction',
        [signedTransaction.toJson(trx, NETWORK)],
      ]),
    );
    if (id !== undefined) this.#sent.add(id);
  }

  async #overSocket(): Promise<void> {
    const socket = this.#socket as WebSocket;
    const answer = once(socket, 'message');
    socket.send(JSON.stringify({ id: 1, method: 'get_chain_id', params: [] }));
    const [data] = (await answer) as [Buffer];
    const { result } = JSON.parse(data.toString('utf8')) as { result?: unknown };
    if (result !== this.#mirror.chain.queries.chainId) throw new Error(`another answer: ${data.toString('utf8')}`);
  }

  /** What was accepted has to be in a block. */
  missing(blocks: readonly SignedBlock[]): string[] {
    const found = new Set(blocks.flatMap((block) => new BlockFacts(block).transactions.map(({ id }) => id)));
    return [...this.#sent].filter((id) => !found.has(id));
  }

  close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.terminate();
  }
}
