import { ChainError } from '../../base/errors.js';
import { type Denomination, prettyAmount } from '../../client/amounts.js';
import type { Json } from '../../codec/json.js';
import type { AnyType } from '../../codec/type.js';
import { abiDef } from '../../protocol/abi.js';
import type { Asset, AssetOptions } from '../../protocol/asset.js';
import type { Authority } from '../../protocol/authority.js';
import { CORE_ASSET, type Instance } from '../../protocol/ids.js';
import { publicKey } from '../../protocol/keys.js';
import type { MemoData } from '../../protocol/memo.js';
import { nameToText } from '../../protocol/name.js';
import type { Operation } from '../../protocol/operation-slot.js';
import { OPERATION_DECLARATIONS } from '../../protocol/operations/index.js';
import { VOTE_TYPE, voteId, voteType } from '../../protocol/vote.js';
import { AbiCodec } from '../../vm/abi/abi-codec.js';
import { accountIdText, type ChainView } from '../chain-view.js';
import type { OperationRules } from '../rules.js';
import { Describer, type ReadMemo } from './operations.js';

/**
 * Operations member by member in plain words, for somebody who has to say yes to them: names for accounts, amounts with
 * symbols, memos and arguments of contracts readable, authorities as what they ask for. It goes by the declarations, so
 * no operation is left out; what says nothing is.
 */

const INDENT = '    ';
const TEXT_MAX = 400;
const indented = (lines: readonly string[]): string[] => lines.map((line) => `${INDENT}${line}`);
const words = (name: string): string => name.replaceAll('_', ' ');

/** A value is one line behind its label, or lines of its own below it; nothing at all where there is nothing to say. */
type Shown = string | readonly string[] | undefined;

type Members = Readonly<Record<string, unknown>>;

function labelled(label: string, shown: Shown): string[] {
  if (shown === undefined) return [];
  if (typeof shown === 'string') return [`${label}: ${shown}`];
  return shown.length === 0 ? [] : [`${label}:`, ...indented(shown)];
}

const quoted = (text: string): string => JSON.stringify(text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text);

export class Explainer {
  readonly #chain: ChainView;
  readonly #readMemo: ReadMemo;
  readonly #describer: Describer;

  constructor(chain: ChainView, rules: Pick<OperationRules, 'payer'>, readMemo: ReadMemo) {
    this.#chain = chain;
    this.#readMemo = readMemo;
    this.#describer = new Describer(chain, rules, readMemo);
  }

  /** The first line names the operation; the fee stands last. */
  async explain([tag, body]: Operation): Promise<string[]> {
    const declaration = OPERATION_DECLARATIONS[tag];
    if (declaration === undefined) return [`operation ${tag}`];
    const lines: string[] = [];
    const values = body as unknown as Readonly<Record<string, unknown>>;
    for (const [name, type] of Object.entries(declaration.schema.fields as Readonly<Record<string, AnyType>>)) {
      if (name === 'fee') continue;
      const special = await this.#special(declaration.name, name, values, type);
      lines.push(...labelled(words(name), special ?? (await this.#value(type, values[name]))));
    }
    lines.push(`fee: ${await this.#describer.amount(body.fee)}`);
    return [words(declaration.name), ...indented(lines)];
  }

  async #special(operation: string, name: string, values: Members, type: AnyType): Promise<Shown> {
    if (operation === 'asset_create' && name === 'common_options') {
      return this.#assetOptions(type, values[name] as AssetOptions, values as unknown as Denomination, true);
    }
    if (operation === 'asset_update' && name === 'new_options') {
      const asset = await this.#chain.assetById(values.asset_to_update as Instance);
      return this.#assetOptions(type, values[name] as AssetOptions, asset, false);
    }
    return this.#callArguments(operation, name, values);
  }

  /** Units of the asset that they are of. A new one has no id yet: another stands for it in its rate. */
  async #assetOptions(type: AnyType, options: AssetOptions, asset: Denomination, isNew: boolean): Promise<Shown> {
    if (type.shape.kind !== 'struct') return undefined;
    const { base, quote } = options.core_exchange_rate;
    const ids = [base.asset_id, quote.asset_id];
    const standsForIt = ids.includes(CORE_ASSET + 1) ? CORE_ASSET + 1 : CORE_ASSET;
    const units = (amount: bigint): string => prettyAmount(amount, asset);
    const side = (of: Asset): Promise<string> | string =>
      isNew && of.asset_id === standsForIt ? units(of.amount) : this.#describer.amount(of);
    const lines: string[] = [];
    for (const [name, of] of type.shape.fields) {
      const shown: Shown =
        name === 'max_supply' || name === 'max_market_fee'
          ? units(options[name])
          : name === 'core_exchange_rate'
            ? [`base: ${await side(base)}`, `quote: ${await side(quote)}`]
            : await this.#value(of, (options as unknown as Members)[name]);
      lines.push(...labelled(words(name), shown));
    }
    return lines;
  }

  /** What a contract is called with is bytes to everybody but its ABI. */
  async #callArguments(operation: string, name: string, values: Members): Promise<Shown> {
    if (operation !== 'contract_call' || name !== 'data') return undefined;
    const { contract_id, method_name, data } = values as {
      contract_id: Instance;
      method_name: bigint;
      data: Uint8Array;
    };
    const account = await this.#chain.account(accountIdText(contract_id));
    try {
      const codec = new AbiCodec(
        this.#chain.read(abiDef, 'get_accounts', account.json.abi ?? null),
        this.#chain.network,
      );
      return JSON.stringify(codec.unpackAction(nameToText(method_name), data));
    } catch (error) {
      // Not by its ABI: then only the bytes can be shown.
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  }

  async #value(type: AnyType, value: unknown): Promise<Shown> {
    switch (type.name) {
      case 'asset':
        return this.#describer.amount(value as Asset);
      case 'account_id':
        return this.#describer.name(value as Instance);
      case 'asset_id':
        return (await this.#chain.assetById(value as Instance)).symbol;
      case 'memo_data':
        return memoText(this.#readMemo(value as MemoData));
      case 'authority':
        return this.#authority(value as Authority);
      case 'set<vote_id>':
        return this.#votes(value as number[]);
      case 'operation':
        return this.explain(value as Operation);
      case 'string':
        return value === '' ? undefined : quoted(value as string);
      case 'bytes':
        return bytesText(value as Uint8Array);
    }
    return this.#byShape(type, value);
  }

  async #byShape(type: AnyType, value: unknown): Promise<Shown> {
    const { shape } = type;
    switch (shape.kind) {
      case 'optional':
        return value === undefined || value === null ? undefined : this.#value(shape.of, value);
      case 'struct':
      case 'extension':
        return this.#members(shape.fields, value as Readonly<Record<string, unknown>>);
      case 'array':
      case 'set':
        return this.#list(shape.of, value as readonly unknown[]);
      default: {
        const json: Json = type.toJson(value, this.#chain.network);
        return typeof json === 'string' ? json : JSON.stringify(json);
      }
    }
  }

  async #members(
    fields: readonly (readonly [string, AnyType])[],
    value: Readonly<Record<string, unknown>>,
  ): Promise<string[]> {
    const lines: string[] = [];
    for (const [name, type] of fields) {
      if (value[name] !== undefined) lines.push(...labelled(words(name), await this.#value(type, value[name])));
    }
    return lines;
  }

  async #list(of: AnyType, values: readonly unknown[]): Promise<Shown> {
    const shown: Shown[] = [];
    for (const value of values) shown.push(await this.#value(of, value));
    if (shown.every((one) => typeof one === 'string')) return shown.length === 0 ? undefined : shown.join(', ');
    return shown.flatMap((one) => (typeof one === 'string' ? [one] : (one ?? [])));
  }

  async #authority(auth: Authority): Promise<string> {
    const members: string[] = [];
    for (const [account, weight] of auth.account_auths) {
      members.push(`${await this.#describer.name(account)} (${weight})`);
    }
    for (const [key, weight] of auth.key_auths) {
      members.push(`${publicKey.toJson(key, this.#chain.network)} (${weight})`);
    }
    for (const [address, weight] of auth.address_auths) members.push(`${address} (${weight})`);
    return `${auth.weight_threshold} of ${members.join(', ') || 'nobody'}`;
  }

  async #votes(votes: readonly number[]): Promise<string | undefined> {
    if (votes.length === 0) return undefined;
    const shown: string[] = [];
    for (const vote of votes) {
      const kind = Object.entries(VOTE_TYPE).find(([, type]) => type === voteType(vote))?.[0] ?? 'vote';
      const [found = null] = (await this.#chain.ask('lookup_vote_ids', [voteId.toJson(vote)])) as Json[];
      const object = (found ?? {}) as { witness_account?: string; committee_member_account?: string };
      const account = object.witness_account ?? object.committee_member_account;
      const name = account === undefined ? voteId.toJson(vote) : (await this.#chain.account(account)).name;
      shown.push(`${String(name)} (${kind})`);
    }
    return shown.join(', ');
  }
}

function memoText(reading: ReturnType<ReadMemo>): string {
  if (reading === undefined) return '(encrypted; unlock the wallet to read it)';
  if (reading.kind === 'text') return JSON.stringify(reading.text);
  return reading.kind === 'damaged' ? '(damaged)' : '(encrypted for others)';
}

const BYTES_SHOWN = 32;

function bytesText(value: Uint8Array): string | undefined {
  if (value.length === 0) return undefined;
  const hex = Buffer.from(value.subarray(0, BYTES_SHOWN)).toString('hex');
  return value.length > BYTES_SHOWN ? `${hex}… (${value.length} bytes)` : hex;
}
