import { check } from '../../base/errors.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import { type Accounts, type KnownAccount, singleKey } from './accounts.js';
import { CHAIN_ERRORS } from './errors.js';
import type { ChainNode } from './node.js';

/** The account that a service acts as, and that the key is its own: found out before a client loses time. */
export async function ownAccount(
  account: string,
  key: PrivateKey,
  node: ChainNode,
  accounts: Accounts,
): Promise<KnownAccount> {
  const id = account.startsWith('1.2.') ? Number(account.slice(4)) : await node.accountByName(account);
  const found = await accounts.find(id);
  check(found !== undefined, CHAIN_ERRORS.chain_no_account, { account });
  const own = singleKey(found);
  check(own !== undefined, CHAIN_ERRORS.chain_no_single_key, { account });
  check(own === key.publicKey, CHAIN_ERRORS.chain_other_key, { account });
  return found;
}
