import { check, defineErrors } from '../../base/errors.js';
import { add64, sub64 } from '../../base/int.js';
import { CORE_ASSET, type Instance } from '../../protocol/ids.js';
import { trustNodePledgeObject } from '../objects/trust-node-pledge.js';
import type { ReadState, WriteState } from '../views.js';
import { adjustBalance, balanceOf } from './balances.js';
import { pledgeAmount } from './parameters.js';

export const PLEDGE_ERRORS = defineErrors({
  pledge_parameter: { text: 'pledge_needed >= 0: trust node pledge must >= 0' },
  pledge_balance: {
    text: 'pledge_to_charge.amount <= 0 || db.get_balance(account_id, asset_id_type(1)) >= pledge_to_charge: account balance not enough',
  },
});

/** What the account has to add to its pledge; negative when it gets something back. */
export function evaluatePledge(s: ReadState, account: Instance): bigint {
  const required = pledgeAmount(s);
  check(required >= 0n, PLEDGE_ERRORS.pledge_parameter);
  const current = s.findBy(trustNodePledgeObject.by.owner, account)?.amount.amount ?? 0n;
  const charge = sub64(required, current);
  const enough = charge <= 0n || balanceOf(s, account, CORE_ASSET) >= charge;
  check(enough, PLEDGE_ERRORS.pledge_balance, () => ({ account: `1.2.${account}`, charge }));
  return charge;
}

export function applyPledge(s: WriteState, account: Instance, charge: bigint): void {
  if (charge === 0n) return;
  const pledge = s.findBy(trustNodePledgeObject.by.owner, account);
  if (pledge === undefined) {
    s.create(trustNodePledgeObject, { owner_account: account, amount: { amount: charge, asset_id: CORE_ASSET } });
  } else {
    s.modify(trustNodePledgeObject, pledge, (o) => {
      o.amount = { ...o.amount, amount: add64(o.amount.amount, charge) };
    });
  }
  adjustBalance(s, account, CORE_ASSET, -charge);
}
