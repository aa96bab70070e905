import { connect, type NodeClient } from '../../../src/client/client.js';
import { accountId } from '../../../src/protocol/ids.js';
import { type DevProcess, startDevProcess } from '../../clients/support/dev-process.js';
import { type StoreForm, signForm, unsignedForm } from './payer.js';

/** What a file of up to a kilobyte costs. */
export const FEE = 20n;
const KILOBYTE = 1024;

export interface Request {
  readonly form: StoreForm;
  readonly data: Uint8Array;
}

/** A live chain on which alice pays bob for storage. */
export class PaidStorage {
  readonly node: DevProcess;
  readonly #client: NodeClient;
  #turn = 0;

  private constructor(node: DevProcess, client: NodeClient) {
    this.node = node;
    this.#client = client;
  }

  static async start(folder: string): Promise<PaidStorage> {
    const node = await startDevProcess(folder);
    return new PaidStorage(node, await connect(`http://${node.endpoint}`));
  }

  get service(): { readonly node: string; readonly account: string; readonly wif: string } {
    const { endpoint, bob } = this.node;
    return { node: `http://${endpoint}`, account: bob.name, wif: bob.wif };
  }

  async balance(): Promise<bigint> {
    const id = accountId.fromJson(this.node.alice.id);
    const [found] = await this.#client.database.get_account_balances({ id, assets: [1] });
    return found?.amount ?? 0n;
  }

  /** The first operation of a transaction; undefined while no block of the last ones has it. */
  async operationOf(txid: string): Promise<unknown> {
    const { head_block_number: head } = await this.#client.database.get_dynamic_global_properties();
    for (let number = head; number > 0 && number > head - 20; number--) {
      const block = await this.#client.database.get_block({ block_num: number });
      const at = block?.transaction_ids.indexOf(txid) ?? -1;
      if (at >= 0) return block?.transactions[at]?.operations[0];
    }
    return undefined;
  }

  async headTime(): Promise<number> {
    return (await this.#client.database.get_dynamic_global_properties()).time;
  }

  request(words: string, lifetimeSec?: number): Promise<Request> {
    return this.requestFor(Buffer.from(words), lifetimeSec);
  }

  /** Each authorization is another one. */
  async requestFor(data: Uint8Array, lifetimeSec = 1800): Promise<Request> {
    const { alice, bob } = this.node;
    const amount = FEE * BigInt(Math.max(1, Math.ceil(data.length / KILOBYTE)));
    const expiration = (await this.headTime()) + lifetimeSec + this.#turn++;
    const wanted = { from: alice.id, provider: bob.id, data, amount: String(amount), expiration };
    return { form: signForm(unsignedForm(wanted), alice.wif), data };
  }
}

export async function download(url: string, cid: string): Promise<string | undefined> {
  const response = await fetch(`${url}/data/${cid}`);
  const body = await response.text();
  return response.status === 200 ? body : undefined;
}
