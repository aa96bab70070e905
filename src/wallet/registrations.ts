import type { PrivateKey } from '../crypto/private-key.js';
import { readPrivateKey } from './keys/derived.js';
import { isNodeGone } from './node-link.js';
import { sortedBy } from './sorting.js';
import type { Wallet } from './wallet.js';

/**
 * Keys of accounts and witnesses that this wallet has registered wait in the file until the chain knows them; then they
 * belong to the others. A locked wallet has to wait, since it cannot encrypt.
 */
export async function claimRegistrations(wallet: Wallet): Promise<void> {
  if (wallet.ring.isLocked) return;
  const { pending_account_registrations: accounts, pending_witness_registrations: witnesses } = wallet.data;
  let isChanged = false;
  for (const [name, wifs] of accounts) {
    if ((await wallet.chain.ask('is_account_registered', name)) !== true) continue;
    const account = await wallet.chain.account(name);
    if (wallet.ring.isLocked) return;
    for (const wif of wifs) wallet.addKey(account, readPrivateKey(wif));
    wallet.update({
      pending_account_registrations: wallet.data.pending_account_registrations.filter(([one]) => one !== name),
    });
    isChanged = true;
  }
  for (const [name, wif] of witnesses) {
    const account = await wallet.chain.account(name);
    if ((await wallet.chain.witnessOfAccount(account.id)) === undefined || wallet.ring.isLocked) continue;
    wallet.ring.add(readPrivateKey(wif));
    wallet.update({
      pending_witness_registrations: wallet.data.pending_witness_registrations.filter(([one]) => one !== name),
    });
    isChanged = true;
  }
  if (!isChanged) return;
  wallet.save();
  // Once more: the backup is the file as it was before, and had them in clear.
  wallet.save();
}

/**
 * Keeps the keys of an account before it is sent to be registered: a wallet that ends between the two must still know
 * them. Beside those that wait for the same name already, since nobody knows which of them the chain will have.
 */
export function awaitAccount(wallet: Wallet, name: string, keys: readonly PrivateKey[]): void {
  const pending = wallet.data.pending_account_registrations;
  const waiting = pending.find(([one]) => one === name)?.[1] ?? [];
  const wifs = [...new Set([...waiting, ...keys.map((key) => key.toWif())])];
  const others = pending.filter(([one]) => one !== name);
  wallet.update({ pending_account_registrations: sortedBy([...others, [name, wifs]], ([one]) => one) });
  wallet.save();
}

type WitnessRegistrations = Wallet['data']['pending_witness_registrations'];

/** Keeps the block key of a witness while `register` runs, and until the chain knows it. */
export async function awaitWitness<V>(
  wallet: Wallet,
  name: string,
  key: PrivateKey,
  register: () => Promise<V>,
): Promise<V> {
  const keep = (entries: WitnessRegistrations): void => {
    const others = wallet.data.pending_witness_registrations.filter(([one]) => one !== name);
    wallet.update({ pending_witness_registrations: sortedBy([...others, ...entries], ([one]) => one) });
    wallet.save();
  };
  const before = wallet.data.pending_witness_registrations.filter(([one]) => one === name);
  keep([[name, key.toWif()]]);
  try {
    return await register();
  } catch (error) {
    // Ours: the reference leaves the entry of a failed attempt in the file. Of one that may have arrived it stays.
    if (!isNodeGone(error)) keep(before);
    throw error;
  }
}
