import { TRANSACTION_ERRORS } from '../../src/chain/apply-transaction.js';
import { core, worldTest } from '../support/world.js';

/** Nobody's signature is needed to act for it, so no transaction may leave anything there. */
const TEMP = 'temp-account';

worldTest(
  'what a proposal leaves on the temp account at its expiration keeps transactions out until one takes it',
  { accounts: { alice: 1000n, bob: 1000n } },
  (t, w) => {
    const leave = w.operation('transfer', { from: 'alice', to: TEMP, amount: core(7) });
    w.refuse(t, TRANSACTION_ERRORS.temp_account_not_empty, 'transfer', { from: 'alice', to: TEMP, amount: core(7) });
    const given = { fee_paying_account: 'bob', expiration_time: w.now + 20, review_period_seconds: 10 };
    const proposal = w.create('proposal_create', { ...given, proposed_ops: [{ op: leave }] });
    w.push('proposal_update', { fee_paying_account: 'bob', proposal, active_approvals_to_add: ['alice'] });
    w.block();
    w.advance(30);
    t.equal(w.balance(TEMP), 7n, 'a block is no transaction');
    w.refuse(t, TRANSACTION_ERRORS.temp_account_not_empty, 'transfer', { from: 'bob', to: 'alice', amount: core(1) });
    w.refuse(t, TRANSACTION_ERRORS.temp_account_not_empty, 'transfer', { from: TEMP, to: 'bob', amount: core(6) });
    w.push('transfer', { from: TEMP, to: 'bob', amount: core(7) }, []);
    w.push('transfer', { from: 'bob', to: 'alice', amount: core(1) });
    w.block();
    t.same([w.balance(TEMP), w.balance('bob'), w.balance('alice')], [0n, 1006n, 994n]);
  },
);
