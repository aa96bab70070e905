import { check, defineErrors, fail } from '../base/errors.js';
import { nearest } from '../base/nearest.js';
import type { Json, JsonObject } from '../codec/json.js';
import type { Fields, StructType } from '../codec/struct.js';
import type { Network, ValueOf } from '../codec/type.js';
import type { PrivateKey } from '../crypto/private-key.js';
import { assetId, CORE_ASSET, type ObjectIdText } from '../protocol/ids.js';
import { memoData } from '../protocol/memo.js';
import { transferOperation } from '../protocol/operations/transfers.js';
import { type SignedTransaction, signedTransaction } from '../protocol/transaction.js';
import { amountText, parseAmount } from './amounts.js';
import { TransactionBuilder } from './builder.js';
import { apisOver, clientOver, type NodeClient } from './client.js';
import { HttpConnection, type RpcConnection } from './connection.js';
import { isId } from './ids.js';
import { Keys } from './keys.js';
import { LASTING_ERRORS, LastingConnection, type LastingOptions, lastingOf } from './lasting-connection.js';
import { heard } from './listeners.js';
import { memoNonce, readMemo, writeMemo } from './memos.js';
import { declarationByName, OPERATION_NAMES } from './operations.js';
import { fromPlain, type Given, PLAIN, type Plain, type PlainApis, type PlainObject, toPlain } from './plain.js';
import { RecentTransactions } from './recent.js';
import { type Receipt, type SendOptions, sendTransaction } from './sent.js';
import { type KeyHolder, signWithFewest } from './signing.js';
import { type BuildOptions, idOfTransaction } from './transactions.js';
import { ObjectWatch, type SeenBlock, watchBlocks } from './watching.js';

/**
 * The client for programs: it asks, signs, sends, waits and follows, in plain data. It is put together from the parts
 * that the wallet is made of, so there is one way to build, sign and confirm a transaction.
 */

export const CLIENT_ERRORS = defineErrors({
  client_account_unknown: { text: 'there is no account ${account}' },
  client_asset_unknown: { text: 'there is no asset ${asset}' },
  client_operation_unknown: {
    text: 'there is no operation ${name}',
    hint: '${nearest}',
  },
  client_amount: { text: '${amount} is no amount with its asset', hint: 'write it as in 1.5 GXC' },
  client_unsigned: { text: 'none of the keys that this client has may sign this transaction' },
});

function failUnknown(name: string): never {
  const near = nearest(name, OPERATION_NAMES);
  return fail(CLIENT_ERRORS.client_operation_unknown, {
    name,
    nearest: near === undefined ? 'names are as in transfer or account_create' : `did you mean ${near}?`,
  });
}

export interface OpenOptions extends LastingOptions {
  /** In wallet import format; or something that holds keys, such as the wallet's `Keyring`. */
  readonly keys?: readonly (string | PrivateKey)[] | (KeyHolder & { add?: never });
  /** The chain that is meant: a node of another one is refused. Any if it says nothing. */
  readonly chainId?: string;
}

export interface MakeOptions {
  /** Seconds after the head block's time until which a block may take it; 60 if it says nothing. */
  readonly lifetimeSec?: number;
  /** Id or symbol of the asset in which fees are paid; the core asset if it says nothing. */
  readonly feeAsset?: string;
}

export type PlainSignedTransaction = Plain<SignedTransaction>;
export type PlainAccount = NonNullable<Awaited<ReturnType<PlainApis['database']['get_account_by_name']>>>;
export type PlainAsset = NonNullable<Awaited<ReturnType<PlainApis['database']['lookup_asset_symbols']>>[number]>;
export type PlainMemo = Plain<ValueOf<typeof memoData>>;

export interface PlainAmount {
  readonly amount: bigint;
  readonly asset_id: ObjectIdText;
}

export interface Payment extends SendOptions, MakeOptions {
  /** Name or id. */
  readonly from: string;
  readonly to: string;
  /** `1.5 GXC`, or the amount in the smallest unit with the id of its asset. */
  readonly amount: string | PlainAmount;
  /** Encrypted between the memo keys of both; the sender's has to be among the keys of this client. */
  readonly memo?: string;
}

/** The members of a declared operation, as plain data and without its fee. */
export type MembersOf<F extends Fields> = Given<Partial<Omit<ValueOf<StructType<F>>, 'fee'>>>;

interface Declared<F extends Fields> {
  readonly tag: number;
  readonly schema: StructType<F>;
}

// biome-ignore lint/suspicious/noExplicitAny: some operation; its declaration knows which
type AnyDeclared = Declared<any>;

/** `http://…` or `https://…` for calls alone, `ws://…` or `wss://…` also for what the node tells of by itself. */
export async function openClient(url: string, options: OpenOptions = {}): Promise<Client> {
  const connection = url.startsWith('ws')
    ? await LastingConnection.open(url, options)
    : new HttpConnection(url, options);
  try {
    const chainId = String(await connection.request('get_chain_id', []));
    const expected = options.chainId ?? chainId;
    check(chainId === expected, LASTING_ERRORS.client_other_chain, { url, actual: chainId, expected });
    const constants = (await connection.request('get_config', [])) as JsonObject;
    const keyPrefix = options.keyPrefix ?? String(constants.GRAPHENE_ADDRESS_PREFIX);
    return new Client(connection, chainId, { keyPrefix }, options.keys ?? []);
  } catch (error) {
    connection.close();
    throw error;
  }
}

export class Client {
  readonly chainId: string;
  readonly keyPrefix: string;
  /** Keys that it signs with; more can be added. */
  readonly keys: Keys;
  readonly database: PlainApis['database'];
  readonly network_broadcast: PlainApis['network_broadcast'];
  readonly history: PlainApis['history'];
  readonly block: PlainApis['block'];
  readonly asset_api: PlainApis['asset'];
  readonly crypto: PlainApis['crypto'];
  readonly network_node: PlainApis['network_node'];
  readonly debug: PlainApis['debug'];
  /** The same methods with the values of the chain as they are in memory: ids as numbers, keys as hex. */
  readonly exact: NodeClient;
  readonly connection: RpcConnection;
  readonly #network: Network;
  readonly #holder: KeyHolder;
  readonly #accounts = new Map<string, ObjectIdText>();
  readonly #assets = new Map<string, Promise<PlainAsset>>();
  readonly #recent = new RecentTransactions();
  #objects: ObjectWatch | undefined;

  constructor(connection: RpcConnection, chainId: string, network: Network, keys: NonNullable<OpenOptions['keys']>) {
    const isHolder = !Array.isArray(keys);
    this.connection = connection;
    this.chainId = chainId;
    this.keyPrefix = network.keyPrefix;
    this.#network = network;
    this.keys = new Keys(network.keyPrefix, isHolder ? [] : keys);
    this.#holder = isHolder ? (keys as KeyHolder) : this.keys;
    const apis = apisOver(connection, network.keyPrefix, PLAIN) as PlainApis;
    this.database = apis.database;
    this.network_broadcast = apis.network_broadcast;
    this.history = apis.history;
    this.block = apis.block;
    this.asset_api = apis.asset;
    this.crypto = apis.crypto;
    this.network_node = apis.network_node;
    this.debug = apis.debug;
    this.exact = clientOver(connection, network);
  }

  /** A method that this package does not declare, such as one of a plugin; the answer as the node wrote it. */
  call(api: string, method: string, params: readonly Json[] = []): Promise<Json> {
    return this.connection.request('call', [api, method, [...params]]);
  }

  /** By name or id. */
  async account(nameOrId: string): Promise<PlainAccount> {
    const [found] = isId(nameOrId, 'account')
      ? await this.database.get_accounts({ ids: [nameOrId] })
      : await this.database.lookup_account_names({ names: [nameOrId] });
    return found ?? fail(CLIENT_ERRORS.client_account_unknown, { account: nameOrId });
  }

  /** The id of an account by its name; an id is its own. */
  async accountId(nameOrId: string): Promise<ObjectIdText> {
    if (isId(nameOrId, 'account')) return nameOrId;
    const known = this.#accounts.get(nameOrId);
    if (known !== undefined) return known;
    const { id } = await this.account(nameOrId);
    this.#accounts.set(nameOrId, id);
    return id;
  }

  /** By symbol or id. Asked for once: neither its symbol nor its precision ever changes. */
  asset(symbolOrId: string): Promise<PlainAsset> {
    let asked = this.#assets.get(symbolOrId);
    if (asked === undefined) {
      asked = this.#findAsset(symbolOrId);
      this.#assets.set(symbolOrId, asked);
      asked.catch(() => this.#assets.delete(symbolOrId));
    }
    return asked;
  }

  async #findAsset(symbolOrId: string): Promise<PlainAsset> {
    const [found] = isId(symbolOrId, 'asset')
      ? await this.database.get_assets({ ids: [symbolOrId] })
      : await this.database.lookup_asset_symbols({ symbols_or_ids: [symbolOrId] });
    return found ?? fail(CLIENT_ERRORS.client_asset_unknown, { asset: symbolOrId });
  }

  /** `1.5 GXC` is `{ amount: 150000n, asset_id: '1.3.1' }`. */
  async amount(text: string): Promise<PlainAmount> {
    const [, digits = '', symbol = ''] = /^(\S+)\s+(\S+)$/.exec(text.trim()) ?? [];
    if (symbol === '') fail(CLIENT_ERRORS.client_amount, { amount: text });
    const asset = await this.asset(symbol);
    return { amount: parseAmount(digits, asset), asset_id: asset.id };
  }

  /** The way back: `1.5 GXC`. */
  async amountText({ amount, asset_id }: PlainAmount): Promise<string> {
    const { symbol, precision } = await this.asset(asset_id);
    const digits = amountText(amount, precision);
    return `${digits.includes('.') ? digits.replace(/0+$/, '') : digits} ${symbol}`;
  }

  /** What an account has of each asset. */
  async balances(nameOrId: string): Promise<PlainAmount[]> {
    return this.database.get_account_balances({ id: await this.accountId(nameOrId), assets: [] });
  }

  /** A transaction of as many operations as are added to it. */
  transaction(options: MakeOptions = {}): Transaction {
    const send: Send = (trx, more) =>
      sendTransaction({ client: this.exact, connection: this.connection, network: this.#network }, trx, more);
    return new Transaction(this, this.#network, options, send, this.#recent);
  }

  /** With the fewest signatures that satisfy what it needs, for the chain that this client was opened for. */
  async sign(trx: SignedTransaction): Promise<SignedTransaction> {
    const signed = await signWithFewest(this.exact, trx, this.#holder, this.chainId);
    if (signed.signatures.length === 0) fail(CLIENT_ERRORS.client_unsigned);
    return signed;
  }

  async transfer({ from, to, amount, memo, ...options }: Payment): Promise<Receipt> {
    const [sender, receiver] = await Promise.all([this.account(from), this.account(to)]);
    const paid = typeof amount === 'string' ? await this.amount(amount) : amount;
    const sealed = memo === undefined ? {} : { memo: this.seal(memo, sender, receiver) };
    return this.transaction(options)
      .add(transferOperation, { from: sender.id, to: receiver.id, amount: paid, ...sealed })
      .send(options);
  }

  /** A text that only these two accounts can read. */
  seal(text: string, from: PlainAccount, to: PlainAccount): PlainMemo {
    const key = (one: PlainAccount): string =>
      fromPlain(memoData.fields.to, one.options.memo_key, this.#network) as string;
    const nonce = memoNonce(CLOCK, RANDOM);
    return toPlain(memoData, writeMemo(this.#holder.get(key(from)), key(to), nonce, text), this.#network);
  }

  /** The text of a memo; undefined where no key of this client opens it, or it is damaged. */
  open(memo: PlainMemo): string | undefined {
    const sealed = fromPlain(memoData, memo, this.#network) as ValueOf<typeof memoData>;
    const reading = readMemo(sealed, (key) => (this.#holder.has(key) ? this.#holder.get(key) : undefined));
    return reading.kind === 'text' ? reading.text : undefined;
  }

  /** Every block from now on, also those that came while the connection was lost. Call what it returns to end it. */
  onBlock(tell: (block: SeenBlock) => void | Promise<void>): Promise<() => void> {
    const connection = lastingOf(this.connection);
    const listener = heard(tell, () => connection.isClosed);
    return watchBlocks(this.exact, connection, listener);
  }

  /** Objects by their ids: told at once how they are, then of every change. Undefined: there is none, or no more. */
  onChange(
    ids: readonly string[],
    tell: (change: { readonly id: string; readonly object: PlainObject | undefined }) => void | Promise<void>,
  ): Promise<() => void> {
    const connection = lastingOf(this.connection);
    this.#objects ??= new ObjectWatch(this.exact, connection, this.#network);
    const listener = heard(tell, () => connection.isClosed);
    return this.#objects.add(ids, listener);
  }

  close(): void {
    this.connection.close();
  }
}

const CLOCK = { nowMs: () => Date.now() };
const RANDOM = { bytes: (count: number) => globalThis.crypto.getRandomValues(new Uint8Array(count)) };

type Send = (trx: SignedTransaction, options: SendOptions) => Promise<Receipt>;

/** Operations on their way into one transaction: all of them happen, or none. */
export class Transaction {
  readonly #client: Client;
  readonly #network: Network;
  readonly #options: MakeOptions;
  readonly #send: Send;
  readonly #builder: TransactionBuilder;
  readonly #recent: RecentTransactions;

  constructor(client: Client, network: Network, options: MakeOptions, send: Send, recent: RecentTransactions) {
    this.#recent = recent;
    this.#client = client;
    this.#network = network;
    this.#options = options;
    this.#send = send;
    this.#builder = new TransactionBuilder(client.exact);
  }

  /** By its declaration, which says the types of its members, or by its name. */
  add<F extends Fields>(declaration: Declared<F>, members: MembersOf<F>): this;
  add(name: string, members: object): this;
  add(operation: string | AnyDeclared, members: unknown): this {
    const declaration = typeof operation === 'string' ? declarationByName(operation) : operation;
    if (declaration === undefined) return failUnknown(String(operation));
    this.#builder.add(declaration, fromPlain(declaration.schema, members, this.#network) as never);
    return this;
  }

  /** With fees, reference block and expiration, not signed yet. */
  async build(): Promise<PlainSignedTransaction> {
    return toPlain(signedTransaction, await this.#built(), this.#network);
  }

  async #built(): Promise<SignedTransaction> {
    const { lifetimeSec, feeAsset } = this.#options;
    const paidIn = feeAsset === undefined ? CORE_ASSET : assetId.fromJson((await this.#client.asset(feeAsset)).id);
    const options: BuildOptions = { feeAsset: paidIn, ...(lifetimeSec === undefined ? {} : { lifetimeSec }) };
    return this.#builder.build(options, this.#recent);
  }

  /** Builds and signs it; for whoever sends it later, or by other means. */
  async sign(): Promise<{ readonly id: string; readonly transaction: PlainSignedTransaction }> {
    const signed = await this.#client.sign(await this.#built());
    return { id: idOfTransaction(signed), transaction: toPlain(signedTransaction, signed, this.#network) };
  }

  /** Builds, signs and sends it, and waits until a block has taken it, or as long as `until` says. */
  async send(options: SendOptions = {}): Promise<Receipt> {
    return this.#send(await this.#client.sign(await this.#built()), options);
  }
}
