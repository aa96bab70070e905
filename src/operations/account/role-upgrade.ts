import { check, defineErrors, inContext } from '../../base/errors.js';
import { EXTENSION_TAG, type Extensions, findExtension } from '../../protocol/extensions.js';
import { COMMITTEE_ACCOUNT, type Instance } from '../../protocol/ids.js';
import { type AccountObject, accountObject } from '../../state/objects/account.js';
import { isLifetimeMember } from '../../state/rules/accounts.js';
import type { ReadState } from '../../state/views.js';
import type { OperationContext } from '../define.js';
import { checkProposed } from '../proposal-only.js';

/** What becoming a merchant and becoming a data source have in common. */
export const ROLE_UPGRADE_ERRORS = defineErrors({
  role_referrer_not_lifetime: {
    text: 'auth_referrer_account->is_lifetime_member(): ',
    hint: 'only lifetime members may decide about roles',
  },
});

interface RoleUpgrade {
  readonly account_to_upgrade: Instance;
  readonly auth_referrer: Instance;
  readonly extensions: Extensions;
}

/** In this version the committee decides instead of a lifetime member. */
function isByCommittee(op: RoleUpgrade): boolean {
  return findExtension(op.extensions, EXTENSION_TAG.operation_version)?.version === 1;
}

export function rolePayer(op: RoleUpgrade): Instance {
  return isByCommittee(op) ? COMMITTEE_ACCOUNT : op.auth_referrer;
}

/** The account to upgrade, once it is clear that whoever decides may do so; `what` explains a refusal. */
export function evaluateRole(
  s: ReadState,
  op: RoleUpgrade,
  context: OperationContext,
  what: string,
  checkOwn: (account: Readonly<AccountObject>) => void,
): Readonly<AccountObject> {
  // Before it is clear that the accounts exist.
  if (isByCommittee(op)) explain(what, s.find(accountObject, op.account_to_upgrade), () => checkProposed(context));
  const account = s.get(accountObject, op.account_to_upgrade);
  const referrer = s.get(accountObject, op.auth_referrer);
  explain(what, account, () => {
    if (!isByCommittee(op)) check(isLifetimeMember(referrer), ROLE_UPGRADE_ERRORS.role_referrer_not_lifetime);
    checkOwn(account);
  });
  return account;
}

function explain(what: string, account: Readonly<AccountObject> | undefined, work: () => void): void {
  if (account === undefined) work();
  else inContext(what, () => ({ a: account.name }), work);
}
