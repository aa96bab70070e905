import { check, defineErrors } from '../../base/errors.js';
import { COMMITTEE_ACCOUNT, TEMP_ACCOUNT } from '../../protocol/ids.js';
import { accountUpdateOperation } from '../../protocol/operations/accounts.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { type AccountObject, accountObject } from '../../state/objects/account.js';
import { specialAuthorityObject } from '../../state/objects/special-authority.js';
import { checkAuthorityMembers, checkVotes } from '../../state/rules/account-checks.js';
import type { WriteState } from '../../state/views.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { evaluateSpecialAuthority } from './account-create.js';
import { validateAccountOptions, validateChangedAuthority, validateSpecialAuthority } from './authority-rules.js';

export const ACCOUNT_UPDATE_ERRORS = defineErrors({
  account_update_temp: { text: 'account != GRAPHENE_TEMP_ACCOUNT: ', hint: 'the temp account can not be changed' },
  account_update_committee: {
    text: 'account != account_id_type(): ',
    hint: 'the committee account can not be changed',
  },
  account_update_nothing: { text: 'has_action: ', hint: 'there is nothing to change' },
});

const { schema } = accountUpdateOperation;
type AccountUpdate = ReturnType<typeof schema.default>;

const hasSpecialAuthority = (account: Readonly<AccountObject>): boolean =>
  account.owner_special_authority[0] !== 0 || account.active_special_authority[0] !== 0;

export const accountUpdate = defineOperation({
  ...accountUpdateOperation,
  payer: (op) => op.account,
  authorities(op, required) {
    const asOwner = op.owner !== undefined || op.extensions.owner_special_authority !== undefined;
    if (asOwner) required.owner.add(op.account);
  },
  validate(op) {
    check(op.account !== TEMP_ACCOUNT, ACCOUNT_UPDATE_ERRORS.account_update_temp);
    checkFee(op);
    check(op.account !== COMMITTEE_ACCOUNT, ACCOUNT_UPDATE_ERRORS.account_update_committee);
    const { owner_special_authority, active_special_authority } = op.extensions;
    const changes = [op.owner, op.active, op.new_options, owner_special_authority, active_special_authority];
    const hasAction = changes.some((change) => change !== undefined);
    check(hasAction, ACCOUNT_UPDATE_ERRORS.account_update_nothing);
    validateChangedAuthority('owner', op.owner);
    validateChangedAuthority('active', op.active);
    if (op.new_options !== undefined) validateAccountOptions(op.new_options);
    validateSpecialAuthority(owner_special_authority);
    validateSpecialAuthority(active_special_authority);
  },
  evaluate(s, op) {
    if (op.owner !== undefined) checkAuthorityMembers(s, op.owner, 'account_update');
    if (op.active !== undefined) checkAuthorityMembers(s, op.active, 'account_update');
    evaluateSpecialAuthority(s, op.extensions.owner_special_authority);
    evaluateSpecialAuthority(s, op.extensions.active_special_authority);
    const account = s.get(accountObject, op.account);
    if (op.new_options !== undefined) checkVotes(s, op.new_options);
    return account;
  },
  apply(s, op, account) {
    const hadSpecial = hasSpecialAuthority(account);
    s.modify(accountObject, account, (o) => change(o, op));
    markSpecial(s, account, hadSpecial);
    return VOID_RESULT;
  },
});

/** Whoever sets an authority takes it back from the top holders. */
function change(account: AccountObject, op: AccountUpdate): void {
  const { owner_special_authority, active_special_authority } = op.extensions;
  if (op.owner !== undefined) account.owner = op.owner;
  if (op.active !== undefined) account.active = op.active;
  if (op.new_options !== undefined) account.options = op.new_options;
  if (owner_special_authority !== undefined) account.owner_special_authority = owner_special_authority;
  if (active_special_authority !== undefined) account.active_special_authority = active_special_authority;
  const touched = [op.owner, op.active, owner_special_authority, active_special_authority];
  if (touched.some((given) => given !== undefined)) account.top_n_control_flags = 0;
}

function markSpecial(s: WriteState, account: Readonly<AccountObject>, hadSpecial: boolean): void {
  const hasSpecial = hasSpecialAuthority(account);
  if (hadSpecial === hasSpecial) return;
  // Quirk: fails on uniqueness for an account that was created with an explicit "none".
  if (hasSpecial) s.create(specialAuthorityObject, { account: account.id });
  else {
    const mark = s.findBy(specialAuthorityObject.by.account, account.id);
    if (mark !== undefined) s.remove(specialAuthorityObject, mark);
  }
}
