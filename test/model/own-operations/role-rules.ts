import {
  accountUpgradeDatasourceOperation,
  accountUpgradeDataTransactionMemberOperation,
  accountUpgradeMerchantOperation,
} from '../../../src/protocol/operations/accounts.js';
import type { AccountObject } from '../../../src/state/objects/account.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { flat } from '../fee-rules.js';
import type { How } from '../model.js';
import { must } from '../tables.js';
import { hasFee, isMember } from './checks.js';
import { type AnyOwnRule, FOREVER, type OwnModel, ownRule } from './model.js';

interface Upgrade {
  readonly account_to_upgrade: number;
  readonly auth_referrer: number;
  readonly extensions: unknown;
}

/** In its first version the committee decides, in a proposal. */
const isByCommittee = ({ extensions }: Upgrade): boolean =>
  (extensions as [number, { version?: number }][]).some(([tag, { version }]) => tag === 1 && version === 1);

const payer = (op: Upgrade): number => (isByCommittee(op) ? 0 : op.auth_referrer);

function mayDecide(m: OwnModel, op: Upgrade, { proposed }: How): void {
  const byCommittee = isByCommittee(op);
  if (byCommittee) must(proposed, 'not_inside_proposal');
  m.account(op.account_to_upgrade);
  m.account(op.auth_referrer);
  if (!byCommittee) must(m.isLifetime(op.auth_referrer), 'role_referrer_not_lifetime');
}

function become(m: OwnModel, id: number, changes: Partial<AccountObject>): undefined {
  m.payOutFees(id);
  m.change(accountObject, id, (o) => Object.assign(o, changes));
}

const merchant = ownRule(accountUpgradeMerchantOperation, {
  payer,
  fee: flat(0),
  valid: hasFee,
  check(m, op, how) {
    mayDecide(m, op, how);
    const { account_to_upgrade: id, auth_referrer: merchant_auth_referrer, upgrade_to_merchant_member: isUp } = op;
    must(isMember(m, id, 'merchant') !== isUp, isUp ? 'already_merchant' : 'not_merchant_yet');
    return () => become(m, id, { merchant_auth_referrer, merchant_expiration_date: isUp ? FOREVER : 0 });
  },
});

const datasource = ownRule(accountUpgradeDatasourceOperation, {
  payer,
  fee: flat(0),
  valid: hasFee,
  check(m, op, how) {
    mayDecide(m, op, how);
    const { account_to_upgrade: id, auth_referrer: datasource_auth_referrer, upgrade_to_datasource_member: isUp } = op;
    must(isMember(m, id, 'merchant'), 'datasource_not_merchant');
    must(isMember(m, id, 'datasource') !== isUp, isUp ? 'already_datasource' : 'not_datasource_yet');
    return () => become(m, id, { datasource_auth_referrer, datasource_expiration_date: isUp ? FOREVER : 0 });
  },
});

const dataMember = ownRule(accountUpgradeDataTransactionMemberOperation, {
  payer: () => 0,
  fee: flat(0),
  valid: hasFee,
  check(m, { account_to_upgrade: id, upgrade_to_data_transaction_member: isUp }, { proposed }) {
    must(proposed, 'not_inside_proposal');
    m.account(id);
    if (!isUp) return () => undefined;
    must(!isMember(m, id, 'data_transaction_member'), 'already_data_transaction_member');
    return () => become(m, id, { data_transaction_member_expiration_date: FOREVER });
  },
});

export const ROLE_RULES: readonly AnyOwnRule[] = [merchant, datasource, dataMember];
