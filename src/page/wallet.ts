import { type Json, type JsonObject, parseJson } from '../codec/json.js';
import { isJsonObject } from '../codec/struct.js';
import { type PublicKey, publicKeyToText } from '../crypto/public-key.js';
import { proxyTransferParams } from '../protocol/proxy-transfer.js';
import { writeJson } from '../trade/json.js';
import type { Signer } from '../trade/signer.js';

/** The wallet of whoever uses the page: it has the key, and signs what it is asked to as long as it is unlocked. */

export const WALLET_COMMANDS = ['sign_market_text', 'sign_data_payment', 'seal_data', 'open_data'] as const;

export interface WalletAccess {
  readonly url: string;
  /** Empty where the wallet asks for none. */
  readonly user: string;
  readonly password: string;
  readonly keyPrefix: string;
}

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

const credentials = ({ user, password }: WalletAccess): Record<string, string> => {
  if (user === '') return {};
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return { Authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
};

async function ask(access: WalletAccess, method: (typeof WALLET_COMMANDS)[number], params: Json[]): Promise<Json> {
  const headers = { 'Content-Type': 'application/json', ...credentials(access) };
  let text: string;
  try {
    const body = writeJson({ id: 1, method, params });
    text = await (await fetch(access.url, { method: 'POST', headers, body })).text();
  } catch {
    throw new Error(`No wallet answers at ${access.url}, or it does not know this page (option origin)`);
  }
  const answer = objectOf(parseJson(text));
  if (answer.error === undefined) return answer.result ?? null;
  const { message } = objectOf(answer.error);
  throw new Error(`The wallet says: ${typeof message === 'string' ? message : 'no'}`);
}

/** Of an account, by its active key. */
export function walletSigner(access: WalletAccess, account: string, key: PublicKey): Signer {
  const other = (one: PublicKey): string => publicKeyToText(one, access.keyPrefix);
  return {
    publicKey: key,
    signText: async (text) => String(await ask(access, 'sign_market_text', [account, text])),
    authorize: async (request) => {
      const unsigned = proxyTransferParams.toJson({ ...request, signatures: [] });
      const { signatures } = proxyTransferParams.fromJson(await ask(access, 'sign_data_payment', [unsigned]));
      return { ...request, signatures };
    },
    seal: async (to, nonce, text) => String(await ask(access, 'seal_data', [account, other(to), nonce, text])),
    open: async (from, nonce, sealed) => String(await ask(access, 'open_data', [account, other(from), nonce, sealed])),
  };
}
