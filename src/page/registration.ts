import type { PrivateKey } from '../crypto/private-key.js';
import { publicKeyToText } from '../crypto/public-key.js';
import type { Settings } from './market.js';

/** Registration at a gateway: a name and the public keys go there, and nothing else. */

interface Conditions {
  readonly guard?: string;
  readonly open?: boolean;
}

export interface Newcomer {
  readonly name: string;
  readonly key: PrivateKey;
  readonly invite: string;
}

/** Undefined where the gateway is one of another make, which asks for nothing. */
async function conditionsOf(gateway: string): Promise<Conditions | undefined> {
  const response = await fetch(`${gateway}/account/conditions`);
  return response.ok ? ((await response.json()) as Conditions) : undefined;
}

export async function register({ gateway, keyPrefix }: Settings, { name, key, invite }: Newcomer): Promise<void> {
  if (gateway === null) throw new Error('The operator of this market has named no gateway');
  const { guard, open } = (await conditionsOf(gateway)) ?? {};
  if (open === false) throw new Error('The gateway has spent its budget of today: come back tomorrow');
  if (guard === 'invite' && invite === '') throw new Error('This gateway registers by invite code alone');
  const text = publicKeyToText(key.publicKey, keyPrefix);
  const account = { name, owner_key: text, active_key: text, memo_key: text, refcode: null, referrer: null };
  const response = await fetch(`${gateway}/account/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ account, ...(invite === '' ? {} : { invite }) }),
  });
  if (response.ok) return;
  const { msg } = (await response.json().catch(() => ({}))) as { readonly msg?: string };
  throw new Error(msg ?? `The gateway refuses: ${response.status}`);
}
