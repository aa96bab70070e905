import { prettyAmount } from '../../client/amounts.js';
import type { MemoReading } from '../../client/memos.js';
import type { Asset } from '../../protocol/asset.js';
import type { Instance } from '../../protocol/ids.js';
import { objectIdText } from '../../protocol/ids.js';
import type { MemoData } from '../../protocol/memo.js';
import type { Operation } from '../../protocol/operation-slot.js';
import { OPERATION_DECLARATIONS } from '../../protocol/operations/index.js';
import type { OperationResult } from '../../protocol/results.js';
import { accountIdText, assetIdText, type ChainView } from '../chain-view.js';
import type { OperationRules } from '../rules.js';

/** Operations in words, as the family's wallet lists them: names for accounts, symbols for assets. */

export interface Described {
  /** The text of a transfer's memo; "" where there is none or it cannot be read. */
  readonly memo: string;
  readonly description: string;
}

/** How the describing wallet reads memos; undefined while it is locked. */
export type ReadMemo = (memo: MemoData) => MemoReading | undefined;

export class Describer {
  readonly #chain: ChainView;
  readonly #rules: Pick<OperationRules, 'payer'>;
  readonly #readMemo: ReadMemo;
  readonly #names = new Map<Instance, Promise<string>>();
  readonly #assets = new Map<Instance, Promise<{ symbol: string; precision: number }>>();

  constructor(chain: ChainView, rules: Pick<OperationRules, 'payer'>, readMemo: ReadMemo) {
    this.#rules = rules;
    this.#chain = chain;
    this.#readMemo = readMemo;
  }

  name(id: Instance): Promise<string> {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const asked = this.#chain.account(accountIdText(id)).then(({ name }) => name);
    this.#names.set(id, asked);
    return asked;
  }

  async amount({ amount, asset_id }: Asset): Promise<string> {
    let asked = this.#assets.get(asset_id);
    if (asked === undefined) {
      asked = this.#chain.asset(assetIdText(asset_id));
      this.#assets.set(asset_id, asked);
    }
    return prettyAmount(amount, await asked);
  }

  async describe([tag, body]: Operation, result?: OperationResult): Promise<Described> {
    const { name } = OPERATION_DECLARATIONS[tag] as (typeof OPERATION_DECLARATIONS)[number];
    const fee = await this.amount(body.fee);
    const of = body as unknown as Readonly<Record<string, never>>;
    switch (name) {
      case 'transfer':
        return this.#transfer(of, fee);
      case 'account_create':
        return plain(`Create Account '${of.name}'   (Fee: ${fee})`);
      case 'account_update':
        return plain(`Update Account '${await this.name(of.account as unknown as Instance)}'   (Fee: ${fee})`);
      case 'asset_create': {
        const kind = of.bitasset_opts === undefined ? 'User-Issue Asset' : 'BitAsset';
        const issuer = await this.name(of.issuer as unknown as Instance);
        return plain(`Create ${kind} '${of.symbol}' with issuer ${issuer}   (Fee: ${fee})`);
      }
      case 'transfer_to_blind': {
        const count = (of.outputs as unknown as unknown[]).length;
        const from = await this.name(of.from as unknown as Instance);
        const balances = `${count} blinded balance${count > 1 ? 's' : ''}`;
        return plain(`${from} sent ${await this.amount(of.amount as unknown as Asset)} to ${balances} fee: ${fee}`);
      }
      case 'transfer_from_blind': {
        const to = await this.name(of.to as unknown as Instance);
        return plain(`${to} received ${await this.amount(of.amount as unknown as Asset)} from blinded balance`);
      }
    }
    const payer = await this.name(this.#rules.payer([tag, body]));
    return plain(`${name}_operation ${payer} fee: ${fee}${await this.#result(result)}`);
  }

  async #transfer(of: Readonly<Record<string, never>>, fee: string): Promise<Described> {
    const { from, to, amount, memo } = of as unknown as {
      from: Instance;
      to: Instance;
      amount: Asset;
      memo: MemoData | undefined;
    };
    const what = `Transfer ${await this.amount(amount)} from ${await this.name(from)} to ${await this.name(to)}`;
    const read = memo === undefined ? undefined : (this.#readMemo(memo) ?? 'locked');
    return {
      memo: typeof read === 'object' && read.kind === 'text' ? read.text : '',
      description: `${what}${memoNote(read)}   (Fee: ${fee})`,
    };
  }

  async #result(result: OperationResult | undefined): Promise<string> {
    switch (result?.[0]) {
      case 1:
        return `   result: ${objectIdText(result[1])}`;
      case 2:
        return `   result: ${await this.amount(result[1])}`;
      case 3:
      case 4:
        return `   result: ${receiptText(result)}`;
      default:
        return '';
    }
  }
}

const plain = (description: string): Described => ({ memo: '', description });

function memoNote(read: MemoReading | 'locked' | undefined): string {
  if (read === undefined) return '';
  if (read === 'locked') return ' -- Unlock wallet to see memo.';
  return read.kind === 'text' ? ` -- Memo: ${read.text}` : ' -- could not decrypt memo';
}

const feeText = ({ amount, asset_id }: Asset, gap: string): string =>
  `{"asset_id":${assetIdText(asset_id)},${gap}"amount":${amount}}`;

/** What a contract call was billed. Quirk: nearly JSON, with ids as they are and a comma behind every receipt. */
function receiptText(result: Extract<OperationResult, [3, unknown] | [4, unknown]>): string {
  if (result[0] === 3) {
    const { billed_cpu_time_us, ram_usage_bs, fee } = result[1];
    return `{"billed_cpu_time_us":${billed_cpu_time_us},"ram_usage_bs":${ram_usage_bs},"fee":${feeText(fee, '')}}`;
  }
  const { billed_cpu_time_us, fee, ram_receipts } = result[1];
  const receipts = ram_receipts.map(
    ({ account, ram_bytes, ram_fee }) =>
      `{"account":${account}, "ram_bytes":${ram_bytes}, "ram_fee":${feeText(ram_fee, ' ')}},`,
  );
  return `{"billed_cpu_time_us":${billed_cpu_time_us},"fee":${feeText(fee, '')},"ram_receipts":[${receipts.join('')}]}`;
}
