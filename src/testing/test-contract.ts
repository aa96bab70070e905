import type { Client, PlainAmount, Transaction } from '../client/open-client.js';
import type { PlainBody } from '../client/plain.js';
import type { Json } from '../codec/json.js';
import { contractCallOperation, contractUpdateOperation } from '../protocol/operations/contracts.js';

/** A contract as a build leaves it. */
export interface ContractFiles {
  readonly code: Uint8Array;
  /** The object, or its JSON text. */
  readonly abi: object | string;
}

export interface CallOptions {
  /** Name of the account that calls; `alice` if it says nothing, on a fork `dev-1`. */
  readonly by?: string;
  /** Money that comes along: `2.5 GXC`. */
  readonly pay?: string;
}

/** What contracts did because of a call: payments, calls of other contracts. */
export interface InlineOperation {
  /** As in `inter_contract_call`. */
  readonly name: string;
  readonly body: PlainBody;
}

/** What has become of a transaction. */
export interface Made {
  readonly id: string;
  readonly block: number;
  /** One for each operation. */
  readonly results: readonly (readonly [tag: number, result: unknown])[];
  readonly prints: string;
  readonly inline: readonly InlineOperation[];
}

/** The chain that a contract is on. */
interface Sender {
  /** Acts where nobody is named. */
  readonly account: string;
  readonly client: Client;
  send(transaction: Transaction): Promise<Made>;
}

export interface CallResult {
  /** Of the transaction. */
  readonly id: string;
  readonly block: number;
  readonly fee: PlainAmount;
  /** Microseconds that it was billed; they are measured, and differ from run to run. */
  readonly cpuUs: number;
  /** Bytes of RAM by the account that paid for them. */
  readonly ram: Readonly<Record<string, bigint>>;
  readonly prints: string;
  readonly inline: readonly InlineOperation[];
}

export interface RowsOptions {
  /** First key, included. */
  readonly from?: bigint | number;
  /** Last key, not included. */
  readonly to?: bigint | number;
  /** 1 is the primary key, 2 the first method with `@index`. */
  readonly index?: number;
  readonly reverse?: boolean;
  /** 1000 if it says nothing. More rows than that are an error, so that no test overlooks them. */
  readonly limit?: number;
}

const ROWS_MAX = 1000;
const ROWS_TRIES = 20;
/** Tags of the receipts of contract calls: before and since RAM is counted by its payer. */
const OLD_RECEIPT = 3;
const RECEIPT = 4;

interface Receipt {
  readonly billed_cpu_time_us: number;
  readonly fee: PlainAmount;
  readonly ram_receipts?: readonly { readonly account: string; readonly ram_bytes: bigint }[];
}

const abiText = ({ abi }: ContractFiles): object => (typeof abi === 'string' ? (JSON.parse(abi) as object) : abi);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** A contract on a chain under test. */
export class TestContract {
  readonly name: string;
  readonly id: string;
  readonly #chain: Sender;
  readonly #owner: string;

  private constructor(chain: Sender, name: string, id: string, owner: string) {
    this.#chain = chain;
    this.name = name;
    this.id = id;
    this.#owner = owner;
  }

  static async deploy(chain: Sender, name: string, files: ContractFiles, owner: string): Promise<TestContract> {
    const account = await chain.client.accountId(owner);
    const vm = { vm_type: '0', vm_version: '0' };
    const transaction = chain.client
      .transaction()
      .add('contract_deploy', { name, account, ...vm, code: hex(files.code), abi: abiText(files) });
    await chain.send(transaction);
    return new TestContract(chain, name, await chain.client.accountId(name), owner);
  }

  /** Puts other code in its place. Rows stay as they are. */
  async update(files: ContractFiles): Promise<void> {
    const { client } = this.#chain;
    const owner = await client.accountId(this.#owner);
    const given = { owner, contract: this.id, code: hex(files.code), abi: abiText(files) as never };
    await this.#chain.send(client.transaction().add(contractUpdateOperation, given));
  }

  /** Calls an action and makes the block that it is in. Rejects with a `Refusal` where the chain does not take it. */
  async call(
    action: string,
    args: object = {},
    { by = this.#chain.account, pay }: CallOptions = {},
  ): Promise<CallResult> {
    const made = await this.#chain.send(await this.#calling(action, args, by, pay));
    const [tag, receipt] = made.results[0] as [number, Receipt];
    if (tag !== OLD_RECEIPT && tag !== RECEIPT) throw new Error(`a call gives a receipt, not result ${tag}`);
    const { id, block, prints, inline } = made;
    const ram = Object.fromEntries((receipt.ram_receipts ?? []).map((one) => [one.account, one.ram_bytes]));
    return { id, block, fee: receipt.fee, cpuUs: receipt.billed_cpu_time_us, ram, prints, inline };
  }

  async #calling(action: string, args: object, by: string, pay: string | undefined): Promise<Transaction> {
    const { client } = this.#chain;
    const data = await client.database.serialize_contract_call_args({
      contract: this.name,
      method: action,
      json: JSON.stringify(args, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    });
    return client.transaction().add(contractCallOperation, {
      account: await client.accountId(by),
      contract_id: this.id,
      ...(pay === undefined ? {} : { amount: await client.amount(pay) }),
      method_name: action,
      data,
    });
  }

  /** Rows of a table, decoded by the ABI. */
  async rows<T = Record<string, Json>>(table: string, options: RowsOptions = {}): Promise<T[]> {
    const { from = 0, to, index = 1, reverse = false, limit = ROWS_MAX } = options;
    const { database } = this.#chain.client;
    const tables = await database.get_contract_tables({ contract: this.name });
    // The node's answer for a table that is not there is the one for an empty table.
    if (!tables.includes(table))
      throw new Error(`${this.name} has no table ${table}: it has ${tables.join(', ') || 'none'}`);
    const params = {
      lower_bound: BigInt(from),
      ...(to === undefined ? {} : { upper_bound: BigInt(to) }),
      limit: BigInt(limit),
      index_position: String(index),
      reverse,
    } as never;
    for (let tries = 1; ; tries++) {
      const { rows, more } = await database.get_table_rows_ex({ contract: this.name, table, params });
      // A node gives a page only so much time, and on a busy machine that may be over after any row.
      const isCut = more && rows.length < limit;
      if (isCut && tries < ROWS_TRIES) continue;
      if (isCut || (more && options.limit === undefined))
        throw new Error(`${table} has more than ${rows.length} rows: ask for a part`);
      return rows as T[];
    }
  }
}
