import t from 'tap';
import { I64_MAX, INT_ERRORS } from '../../../src/base/int.js';
import { accountBalanceObject } from '../../../src/state/objects/account-balance.js';
import { adjustBalance, BALANCE_ERRORS, balanceOf } from '../../../src/state/rules/balances.js';
import { FreeWorld } from '../../support/free-world.js';
import { refused } from '../../support/refused.js';

t.test('a balance has 63 bits', async (t) => {
  // Payments for data pay out coins that nobody has issued, so that no supply keeps a balance below that.
  const w = new FreeWorld();
  const owner = w.account('alice');
  adjustBalance(w.state, owner, 2, I64_MAX - 1n);
  adjustBalance(w.state, owner, 2, 1n);
  t.equal(balanceOf(w.state, owner, 2), I64_MAX);
  refused(t, INT_ERRORS.integer_overflow, () => adjustBalance(w.state, owner, 2, 1n));
});

t.test('a row comes with the first coins and stays when they have gone', async (t) => {
  const w = new FreeWorld();
  const owner = w.account('alice');
  const rows = (): number => w.state.groupSize(accountBalanceObject.by.owner, owner);
  t.equal(balanceOf(w.state, owner, 2), 0n);
  adjustBalance(w.state, owner, 2, 0n);
  refused(t, BALANCE_ERRORS.balance_missing, () => adjustBalance(w.state, owner, 2, -1n));
  t.equal(rows(), 0);
  adjustBalance(w.state, owner, 2, 1n);
  refused(t, BALANCE_ERRORS.balance_insufficient, () => adjustBalance(w.state, owner, 2, -2n));
  adjustBalance(w.state, owner, 2, -1n);
  t.equal(rows(), 1);
  refused(t, BALANCE_ERRORS.balance_insufficient, () => adjustBalance(w.state, owner, 2, -1n));
});
