import { TRANSACTION_ERRORS } from '../../../src/chain/apply-transaction.js';
import { TRANSFER_ERRORS } from '../../../src/operations/transfer/transfer-checks.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { refused } from '../../support/refused.js';
import { core, worldTest } from '../../support/world.js';

worldTest('accounts have what they were given', { accounts: { alice: 1000n, bob: 0n } }, (t, w) => {
  t.equal(w.balance('alice'), 1000n);
  t.equal(w.balance('bob'), 0n);
  w.push('transfer', { from: 'alice', to: 'bob', amount: core(400) });
  t.equal(w.balance('bob'), 400n, 'pending transactions show');
  w.block();
  t.equal(w.balance('alice'), 600n);
  w.refuse(t, TRANSFER_ERRORS.transfer_balance, 'transfer', { from: 'alice', to: 'bob', amount: core(601) });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () =>
    w.push('transfer', { from: 'alice', to: 'bob', amount: core(1) }, ['bob']),
  );
  const signed = w.sign([w.operation('transfer', { from: 'alice', to: 'bob', amount: core(1) })]);
  w.chain.pending.push({ transaction: signed });
  refused(t, TRANSACTION_ERRORS.transaction_duplicate, () => w.chain.pending.push({ transaction: signed }));
  w.maintenance();
  t.equal(w.balance('bob'), 401n);
});

worldTest('the committee changes parameters', { accounts: { alice: 1_000_000n } }, (t, w) => {
  w.changeParameters({ maximum_proposal_lifetime: 1_500_000 });
  t.equal(w.state.single(globalPropertyObject).parameters.maximum_proposal_lifetime, 1_500_000);
  w.advance(3600);
});

worldTest(
  'a chain that begins before the core asset changes',
  {
    accounts: { alice: 1_000_000n },
    forks: 'mainnet',
    time: 1_541_433_600,
  },
  (t, w) => {
    t.equal(w.balance('alice'), 1_000_000n);
    t.equal(w.state.coreAsset, 1);
  },
);
