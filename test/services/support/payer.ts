import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { toHex } from '../../../src/base/bytes.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { signatureBackend } from '../../../src/crypto/signature.js';
import { accountId, assetId } from '../../../src/protocol/ids.js';
import { proxyRequestDigest } from '../../../src/protocol/proxy-transfer.js';

/** A client of paid storage as the public ones behave, written from what is known of their wire forms. */

export interface StoreForm {
  readonly from: string;
  readonly to: string;
  readonly proxy_account: string;
  readonly percent: string;
  readonly amount: string;
  readonly asset_id: string;
  readonly expiration: string;
  readonly memo: string;
  readonly signatures: string;
}

export interface Wanted {
  readonly from: string;
  readonly provider: string;
  readonly data: Uint8Array;
  readonly amount: string;
  readonly expiration: number;
}

export const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');

/** The fields that are signed, before anybody has. */
export function unsignedForm({ from, provider, data, amount, expiration }: Wanted): Omit<StoreForm, 'signatures'> {
  return {
    from,
    to: provider,
    proxy_account: provider,
    percent: '0',
    amount,
    asset_id: '1.3.1',
    expiration: String(expiration),
    memo: md5(data),
  };
}

/** Signed with our own code. */
export function signForm(form: Omit<StoreForm, 'signatures'>, wif: string): StoreForm {
  const digest = proxyRequestDigest({
    from: accountId.fromJson(form.from),
    to: accountId.fromJson(form.to),
    proxy_account: accountId.fromJson(form.proxy_account),
    amount: { amount: BigInt(form.amount), asset_id: assetId.fromJson(form.asset_id) },
    percentage: Number(form.percent),
    memo: form.memo,
    expiration: Number(form.expiration),
    signatures: [],
  });
  return { ...form, signatures: toHex(signatureBackend().sign(digest, PrivateKey.fromWif(wif))) };
}

interface Library {
  readonly PrivateKey: { fromWif(wif: string): unknown };
  readonly Signature: { signBuffer(bytes: Buffer, key: unknown): { toHex(): string } };
  readonly ops: {
    readonly signed_proxy_transfer_params: { fromObject(value: object): unknown; toBuffer(value: unknown): Buffer };
  };
}

/** Signed with the public library. */
export function signFormWithLibrary(form: Omit<StoreForm, 'signatures'>, wif: string): StoreForm {
  const library = createRequire(import.meta.url)('gxbjs') as Library;
  const type = library.ops.signed_proxy_transfer_params;
  const { asset_id, amount, percent, expiration, ...rest } = form;
  const given = {
    ...rest,
    percentage: Number(percent),
    amount: { amount: Number(amount), asset_id },
    expiration: Number(expiration),
    signatures: [],
  };
  const bytes = type.toBuffer(type.fromObject(given));
  return { ...form, signatures: library.Signature.signBuffer(bytes, library.PrivateKey.fromWif(wif)).toHex() };
}

export interface StoreAnswer {
  readonly status: number;
  readonly code: number;
  readonly msg: string;
  readonly data?: { readonly txid: string; readonly cid: string } | null;
  readonly hint?: string;
}

/** The form that goes over the wire: the data first, as the public clients write it, or as `order` says. */
export function formOf(
  form: Partial<StoreForm>,
  data: Uint8Array | undefined,
  order: 'first' | 'last' = 'first',
): FormData {
  const body = new FormData();
  // A copy: the types of the platform want memory of their own.
  const addData = (): void => {
    if (data !== undefined)
      body.append('data', new Blob([Uint8Array.from(data)], { type: 'application/octet-stream' }));
  };
  if (order === 'first') addData();
  for (const [name, value] of Object.entries(form)) body.append(name, value);
  if (order === 'last') addData();
  return body;
}

export async function post(
  url: string,
  body: FormData | string,
  headers: Record<string, string> = {},
): Promise<StoreAnswer> {
  const response = await fetch(url, { method: 'POST', body, headers });
  return { status: response.status, ...((await response.json()) as Omit<StoreAnswer, 'status'>) };
}
