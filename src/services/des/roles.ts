import { check } from '../../base/errors.js';
import type { KnownAccount } from '../chain/accounts.js';
import type { ChainNode } from '../chain/node.js';
import { DES_ERRORS } from './errors.js';

/** Roles that the chain keeps and that no payment asks for: they count where the operator wants it. */

type ChainRole = 'merchant' | 'data source';

/** Undefined: nobody needs a role. */
export type RoleCheck = ((account: KnownAccount, role: ChainRole) => Promise<void>) | undefined;

export function roleCheck(isWanted: boolean, node: ChainNode): RoleCheck {
  if (!isWanted) return undefined;
  return async (account, role) => {
    const { time } = await node.head();
    const until = role === 'merchant' ? account.merchantUntil : account.sourceUntil;
    check(until > time, DES_ERRORS.des_role, { account: `1.2.${account.id}`, role });
  };
}
