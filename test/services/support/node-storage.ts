import { md5, post, type StoreAnswer, type StoreForm, signFormWithLibrary } from './payer.js';

/**
 * A client of paid storage that behaves as the public JavaScript one, with its defects: parts of kilobytes are paid for
 * without rounding, and only texts have a hash.
 */

interface Provider {
  readonly account_id?: string;
  readonly baas_account_id?: string;
  readonly fees: readonly { readonly fee_per_kbytes: number; readonly asset_id: string }[];
}

const KILOBYTE = 1024;
const LIFETIME_SEC = 1800;

export class NodeStorage {
  readonly #url: string;
  readonly #account: { readonly id: string; readonly wif: string };
  #turn = 0;

  constructor(url: string, account: { readonly id: string; readonly wif: string }) {
    this.#url = url;
    this.#account = account;
  }

  async #provider(): Promise<Provider> {
    const answer = await fetch(`${this.#url}/storage/provider`);
    return ((await answer.json()) as { data: Provider }).data;
  }

  async form(data: string | Buffer, asset = '1.3.1'): Promise<Omit<StoreForm, 'signatures'>> {
    const { account_id, baas_account_id, fees } = await this.#provider();
    const to = account_id ?? baas_account_id ?? '';
    const fee = fees.find(({ asset_id }) => asset_id === asset) ?? fees[0];
    if (fee === undefined) throw new Error('no fee');
    const amount = Math.max(fee.fee_per_kbytes, (data.length / KILOBYTE) * fee.fee_per_kbytes);
    return {
      from: this.#account.id,
      to,
      proxy_account: to,
      percent: '0',
      amount: String(amount),
      asset_id: fee.asset_id,
      expiration: String(Math.floor(Date.now() / 1000) + LIFETIME_SEC + this.#turn++),
      memo: typeof data === 'string' ? md5(Buffer.from(data)) : md5(Buffer.from('[object Object]')),
    };
  }

  async store(data: string | Buffer): Promise<StoreAnswer> {
    const form = await this.form(data);
    // What it signs has no point: 20.01953125 becomes another number than the one that it sends.
    const digits = form.amount.replace(/^(\d+)\.(\d{1,1}).*$/, '$1$2');
    const { signatures } = signFormWithLibrary({ ...form, amount: digits }, this.#account.wif);
    const body = new FormData();
    body.append('data', new Blob([Uint8Array.from(Buffer.from(data))], { type: 'application/octet-stream' }));
    for (const [name, value] of Object.entries({ ...form, signatures })) body.append(name, value);
    return post(`${this.#url}/storage/store`, body);
  }
}
