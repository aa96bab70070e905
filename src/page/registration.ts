import type { PrivateKey } from '../crypto/private-key.js';
import { publicKeyToText } from '../crypto/public-key.js';
import { isWorkDone, type Work, type WorkSubject } from '../trade/registration.js';
import type { Settings } from './market.js';

/** Registration at a gateway: a name and the public keys go there, and nothing else. */

interface Conditions {
  readonly guard?: string;
  readonly open?: boolean;
  readonly workBits?: number;
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

/** Tries at once; between them the page goes on. */
const TRIES = 2000;

/** What a gateway may ask of computers, so that nobody registers thousands of accounts. */
async function work(subject: WorkSubject, time: number, bits: number): Promise<Work> {
  for (let i = 0; ; i++) {
    const tried = { time, nonce: String(i) };
    if (isWorkDone(subject, tried, bits)) return tried;
    if (i % TRIES === TRIES - 1) await new Promise((resolve) => setTimeout(resolve));
  }
}

export async function register(
  { gateway, keyPrefix, chainId }: Settings,
  { name, key, invite }: Newcomer,
  nowMs: number,
): Promise<void> {
  if (gateway === null) throw new Error('The operator of this market has named no gateway');
  const { guard, open, workBits = 0 } = (await conditionsOf(gateway)) ?? {};
  if (open === false) throw new Error('The gateway has spent its budget of today: come back tomorrow');
  if (guard === 'invite' && invite === '') throw new Error('This gateway registers by invite code alone');
  const text = publicKeyToText(key.publicKey, keyPrefix);
  const account = { name, owner_key: text, active_key: text, memo_key: text, refcode: null, referrer: null };
  const subject = { chainId, name, owner: text, active: text, memo: text };
  const needsWork = invite === '' && workBits > 0;
  const shown = needsWork ? { work: await work(subject, Math.floor(nowMs / 1000), workBits) } : {};
  const response = await fetch(`${gateway}/account/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ account, ...shown, ...(invite === '' ? {} : { invite }) }),
  });
  if (response.ok) return;
  const { msg } = (await response.json().catch(() => ({}))) as { readonly msg?: string };
  throw new Error(msg ?? `The gateway refuses: ${response.status}`);
}
