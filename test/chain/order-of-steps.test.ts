import { dynamicGlobalPropertyObject } from '../../src/state/objects/dynamic-global-property.js';
import { proposalObject } from '../../src/state/objects/proposal.js';
import { withdrawPermissionObject } from '../../src/state/objects/withdraw-permission.js';
import { core, type TestWorld, worldTest } from '../support/world.js';

/** What a block does beside its transactions comes in an order, and here one step meets what the one before it has left. */

const FUNDS = 10n ** 10n;
const WORLD = { accounts: { alice: FUNDS, bob: FUNDS } };

const irreversible = (w: TestWorld): number => w.state.single(dynamicGlobalPropertyObject).last_irreversible_block_num;

worldTest(
  'what is irreversible follows from the witnesses that were active before the maintenance of the block',
  { ...WORLD, witnesses: 1 },
  (t, w) => {
    for (const name of ['alice', 'bob']) {
      w.push('witness_create', { witness_account: name, block_signing_key: w.account(name).options.memo_key });
    }
    w.block();
    const { number } = w.maintenance();
    t.equal(irreversible(w), number, 'its own witness alone decides');
    w.block();
    t.equal(irreversible(w), number, 'two more have confirmed nothing yet');
  },
);

worldTest('a proposal that ends with a permission finds it once more, and can prolong it', WORLD, (t, w) => {
  const end = w.now + 60;
  const grant = {
    withdraw_from_account: 'alice',
    authorized_account: 'bob',
    withdrawal_limit: core(100),
    withdrawal_period_sec: 30,
    periods_until_expiration: 1,
  };
  const permission = w.create('withdraw_permission_create', { ...grant, period_start_time: end - 30 });
  const later = { ...grant, permission_to_update: permission, period_start_time: end + 100 };
  const proposal = w.create('proposal_create', {
    fee_paying_account: 'bob',
    expiration_time: end,
    proposed_ops: [{ op: w.operation('withdraw_permission_update', later) }],
    review_period_seconds: 10,
  });
  w.push('proposal_update', { fee_paying_account: 'bob', proposal, active_approvals_to_add: ['alice'] });
  w.block();
  t.equal(w.state.get(withdrawPermissionObject, permission).expiration, end);
  w.advance(end - w.now);
  t.equal(w.state.find(proposalObject, proposal), undefined);
  t.equal(w.state.find(withdrawPermissionObject, permission)?.expiration, end + 130);
});
