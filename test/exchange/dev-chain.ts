import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type NodeClient } from '../../src/client/client.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { publicKeyToText } from '../../src/crypto/public-key.js';
import { accountId } from '../../src/protocol/ids.js';
import { Signer } from '../clients/support/signer.js';
import { Wire } from '../services/support/cut-off.js';
import { eventually } from '../support/eventually.js';
import { Program } from './program.js';

/** A development chain that stays the same one when its node is killed and started again, under one address. */

export interface Account {
  readonly name: string;
  readonly id: string;
  readonly wif: string;
}

export interface Gift {
  readonly name: string;
  readonly units: number;
}

const FIRST_BLOCKS = 3;
const CORE = '1.3.1';
const LOOK_MS = 100;
/** Accounts in one transaction, and in those that wait for a block together. */
const [EACH, CROWD_AT_ONCE] = [100, 1000];

export class DevChain {
  readonly #dataDir: string;
  readonly #node: Program;
  #wire: Wire | undefined;
  #client: NodeClient | undefined;
  /** Funded, of the chain's beginning. */
  #accounts: readonly Account[] = [];

  constructor(folder: string) {
    this.#dataDir = join(folder, 'node');
    this.#node = new Program({
      words: [
        ...['start', '--dev', '--data-dir', this.#dataDir, '--rpc-endpoint', '127.0.0.1:0', '--verify-threads', '0'],
        ...['--plugins', 'witness account_history_kv'],
      ],
      pidFile: join(folder, 'node.pid'),
      listens: /RPC +http:\/\/(127\.0\.0\.1:\d+)/,
    });
  }

  /** Goes on where it was, if the folder has it already. */
  async start(): Promise<void> {
    await this.#node.start();
    this.#wire = await Wire.to(this.#node.address);
    this.#client = await connect(this.url);
    this.#accounts = JSON.parse(readFileSync(join(this.#dataDir, 'dev-accounts.json'), 'utf8')) as readonly Account[];
    // The first blocks open the chain for transfers.
    const missing = FIRST_BLOCKS - (await this.head()).number;
    if (missing > 0) await this.#dev('dev_mine', missing);
  }

  get client(): NodeClient {
    if (this.#client === undefined) throw new Error('the chain has not begun');
    return this.#client;
  }

  /** The address stays, whichever port the node has. */
  get url(): string {
    return `http://${this.#wire?.endpoint}`;
  }

  /** Of the node itself: what people open in a browser. */
  get nodeUrl(): string {
    return `http://${this.#node.address}`;
  }

  get pid(): number | undefined {
    return this.#node.running?.child.pid;
  }

  /** Of all its lives. */
  get log(): string {
    return this.#node.log;
  }

  named(name: string): Account {
    const found = this.#accounts.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no ${name} among the development accounts`);
    return found;
  }

  async head(): Promise<{ readonly number: number; readonly irreversible: number; readonly time: number }> {
    const found = await this.client.database.get_dynamic_global_properties();
    return {
      number: found.head_block_number,
      irreversible: found.last_irreversible_block_num,
      time: found.time,
    };
  }

  async reach(block: number): Promise<void> {
    await eventually(`block ${block}`, async () => (await this.head()).number >= block, LOOK_MS);
  }

  async kill(): Promise<void> {
    await this.#node.kill();
  }

  async restart(): Promise<void> {
    await this.#node.start();
    if (this.#wire !== undefined) this.#wire.target = this.#node.address;
  }

  /**
   * What came after this moment has not been, and other blocks take the place of the last ones; no client took any of
   * them for irreversible. False where the node was ended meanwhile.
   */
  async changeBranch(): Promise<boolean> {
    try {
      const { number } = await this.head();
      const snapshot = await this.#dev('dev_snapshot');
      await this.reach(number + 1);
      const { irreversible } = await this.head();
      if (irreversible > number) {
        await this.#dev('dev_dropSnapshots');
        return false;
      }
      await this.#dev('dev_revert', snapshot);
      return true;
    } catch {
      return false;
    }
  }

  async #dev(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const body = JSON.stringify({ id: 1, method, params });
    const answer = await fetch(this.url, { method: 'POST', body });
    const { result, error } = (await answer.json()) as { result?: unknown; error?: unknown };
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  /** Keys are made of the names: all of them are known to everybody. */
  async accounts(gifts: readonly Gift[]): Promise<Account[]> {
    return Promise.all(
      gifts.map(async ({ name, units }) => {
        const key = PrivateKey.fromSeed(name);
        const found = await this.client.database.get_account_by_name({ name });
        const id = found === undefined ? await this.#create(name, key) : `1.2.${found.id}`;
        if (found === undefined && units > 0) await this.transfer(this.named('alice'), id, units);
        return { name, id, wif: key.toWif() };
      }),
    );
  }

  async #create(name: string, key: PrivateKey): Promise<string> {
    const [created] = await this.#createAll([[name, key]]);
    return created as string;
  }

  async #createAll(list: readonly (readonly [string, PrivateKey])[]): Promise<string[]> {
    const { id, wif } = this.named('alice');
    const votes = { voting_account: '1.2.5', num_witness: 0, num_committee: 0, votes: [] };
    const all = list.map(([name, key]) => {
      const text = publicKeyToText(key.publicKey, 'GXC');
      const authority = { weight_threshold: 1, account_auths: [], key_auths: [[text, 1]], address_auths: [] };
      const options = { memo_key: text, ...votes, extensions: [] };
      return { registrar: id, referrer: id, name, owner: authority, active: authority, options };
    });
    const { created } = await new Signer(this.client, wif).sendAll('account_create', all);
    return created.map((one) => {
      if (one === undefined) throw new Error('no account was created');
      return one;
    });
  }

  /** Very many new ones without money, a hundred in each transaction. */
  async crowd(prefix: string, count: number): Promise<Account[]> {
    const all: Account[] = [];
    for (let from = 0; from < count; from += CROWD_AT_ONCE) {
      const transactions = Array.from({ length: Math.ceil(Math.min(CROWD_AT_ONCE, count - from) / EACH) }, (_, i) => {
        const first = from + i * EACH;
        return Array.from({ length: Math.min(EACH, count - first) }, (_each, k) => `${prefix}-${first + k}`);
      });
      const made = await Promise.all(
        transactions.map(async (names) => {
          const keys = names.map((name) => PrivateKey.fromSeed(name));
          const ids = await this.#createAll(names.map((name, i) => [name, keys[i] as PrivateKey] as const));
          return names.map((name, i) => ({ name, id: ids[i] as string, wif: keys[i]?.toWif() as string }));
        }),
      );
      all.push(...made.flat());
    }
    return all;
  }

  async transfer(from: Account, to: string, units: number): Promise<void> {
    await new Signer(this.client, from.wif).send('transfer', {
      from: from.id,
      to,
      amount: { amount: units, asset_id: CORE },
    });
  }

  async balance(id: string): Promise<bigint> {
    const found = await this.client.database.get_account_balances({ id: accountId.fromJson(id), assets: [1] });
    return found[0]?.amount ?? 0n;
  }

  /** Exit code of the node. */
  async stop(): Promise<number | null> {
    const code = await this.#node.stop();
    await this.close();
    return code;
  }

  async close(): Promise<void> {
    await this.#node.close();
    this.#wire?.close();
  }
}
