import { readPrivateKey } from './keys/derived.js';
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
  if (isChanged) wallet.save();
}
