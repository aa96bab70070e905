import { STAKING_CLAIM_ERRORS } from '../../../src/operations/staking/staking-claim.js';
import { STAKING_CREATE_ERRORS } from '../../../src/operations/staking/staking-create.js';
import { STAKING_UPDATE_ERRORS } from '../../../src/operations/staking/staking-update.js';
import { TRUST_NODE_ERRORS } from '../../../src/operations/staking/weights.js';
import { makeAsset } from '../../../src/protocol/asset.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { packObjectId } from '../../../src/protocol/ids.js';
import { stakingObject } from '../../../src/state/objects/staking.js';
import { vestingBalanceObject } from '../../../src/state/objects/vesting-balance.js';
import { FEE_ERRORS } from '../../../src/state/rules/fee-checks.js';
import { holds } from '../../support/holds.js';
import { refused } from '../../support/refused.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';

const DAY_SEC = 86_400;
const PLEDGE = 1_000_000_000n;
const PROGRAMS = {
  params: [
    ['1', { staking_days: 2, weight: 3, is_valid: true }],
    ['2', { staking_days: 2, weight: 3, is_valid: false }],
  ] as never,
};
const WORLD = {
  accounts: { alice: 1_000_000n, bob: 0n, init0: 2n * PLEDGE, init1: 2n * PLEDGE },
  parameters: { extensions: [[11, PROGRAMS]] as never },
};

const stake = (more: object = {}) => ({
  owner: 'alice',
  trust_node: 'init0',
  amount: core(200_000),
  program_id: '1',
  weight: 3,
  staking_days: 2,
  ...more,
});
const weightOf = (w: TestWorld, name: string): bigint => w.witness(name).total_vote_weights;

worldTest('staking_create (80), staking_update (81), staking_claim (82)', WORLD, (t, w) => {
  // A node is valid from genesis on; taking its pledge back makes it invalid.
  w.push('witness_update', { witness: 'init1', witness_account: 'init1', new_url: '' });
  w.push('trust_node_pledge_withdraw', { witness_account: 'init1' });
  w.block();
  const cases = [
    [STAKING_CREATE_ERRORS.staking_asset, { amount: makeAsset(200_000n, 0) }],
    [STAKING_CREATE_ERRORS.staking_balance, { amount: core(1_000_001) }],
    [STAKING_CREATE_ERRORS.staking_amount, { amount: core(99_999) }],
    [STAKING_CREATE_ERRORS.staking_program_unknown, { program_id: '3' }],
    [STAKING_CREATE_ERRORS.staking_program_offline, { program_id: '2' }],
    [STAKING_CREATE_ERRORS.staking_weight, { weight: 2 }],
    [STAKING_CREATE_ERRORS.staking_days, { staking_days: 3 }],
    [TRUST_NODE_ERRORS.trust_node_unknown, { trust_node: 99 }],
    [TRUST_NODE_ERRORS.trust_node_invalid, { trust_node: 'init1' }],
  ] as const;
  for (const [row, more] of cases) w.refuse(t, row, 'staking_create', stake(more));
  w.refuse(t, FEE_ERRORS.fee_payment_negative, 'staking_create', stake({ fee: core(-1) }));
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('staking_create', stake(), ['bob']));
  const created = w.now;
  const id = w.create('staking_create', stake());
  w.block();
  t.equal(w.balance('alice'), 800_000n);
  t.equal(weightOf(w, 'init0'), 600_000n);
  t.same(w.state.get(stakingObject, id), {
    id,
    owner: w.id('alice'),
    create_date_time: created,
    staking_days: 2,
    weight: 3,
    program_id: '1',
    amount: core(200_000),
    trust_node: w.witness('init0').id,
    is_valid: true,
  });

  const move = (more: object = {}) => ({ owner: 'alice', trust_node: 'init2', staking_id: id, ...more });
  w.refuse(t, STAKING_UPDATE_ERRORS.staking_update_unknown, 'staking_update', move({ staking_id: 99 }));
  w.refuse(t, STAKING_UPDATE_ERRORS.staking_update_not_owner, 'staking_update', move({ owner: 'bob' }));
  w.refuse(t, STAKING_UPDATE_ERRORS.staking_update_same, 'staking_update', move({ trust_node: 'init0' }));
  w.refuse(t, TRUST_NODE_ERRORS.trust_node_invalid, 'staking_update', move({ trust_node: 'init1' }));
  w.refuse(t, TRUST_NODE_ERRORS.trust_node_unknown, 'staking_update', move({ trust_node: 99 }));
  w.refuse(t, FEE_ERRORS.fee_payment_negative, 'staking_update', move({ fee: core(-1) }));
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('staking_update', move(), ['bob']));
  const former = packObjectId(1, 6, w.witness('init0').id);
  t.same(w.push('staking_update', move()), [1, former], 'the former node');
  w.block();
  holds(t, w.state.get(stakingObject, id), { trust_node: w.witness('init2').id, create_date_time: created });
  t.same([weightOf(w, 'init0'), weightOf(w, 'init2')], [0n, 600_000n]);

  const claim = (more: object = {}) => ({ owner: 'alice', staking_id: id, ...more });
  w.refuse(t, STAKING_CLAIM_ERRORS.staking_claim_unknown, 'staking_claim', claim({ staking_id: 99 }));
  w.refuse(t, STAKING_CLAIM_ERRORS.staking_claim_not_owner, 'staking_claim', claim({ owner: 'bob' }));
  w.refuse(t, STAKING_CLAIM_ERRORS.staking_claim_early, 'staking_claim', claim());
  w.refuse(t, FEE_ERRORS.fee_payment_negative, 'staking_claim', claim({ fee: core(-1) }));
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('staking_claim', claim(), ['bob']));
  w.advance(created + 2 * DAY_SEC + 1 - w.now);
  w.refuse(t, STAKING_UPDATE_ERRORS.staking_update_expired, 'staking_update', move({ trust_node: 'init0' }));
  t.same(w.push('staking_claim', claim()), [2, core(200_000)]);
  w.block();
  t.equal(w.balance('alice'), 1_000_000n);
  t.equal(weightOf(w, 'init2'), 0n);
  t.equal(w.state.count(stakingObject), 0);
});

worldTest('staking_create (80) without programs', { accounts: { alice: 1_000_000n } }, (t, w) => {
  w.refuse(t, STAKING_CREATE_ERRORS.staking_programs_missing, 'staking_create', stake());
});

worldTest(
  'stakings in staking mode: counted, paid at maintenance, closed by it',
  {
    ...WORLD,
    parameters: {
      witness_pay_per_block: 100_000,
      extensions: [
        [11, PROGRAMS],
        [12, { staking_mode_on: true, max_staking_count: 2, witness_reward_proportion: 500 }],
      ] as never,
    },
  },
  (t, w) => {
    w.push('witness_set_commission', { witness: 'init0', witness_account: 'init0', commission_rate: 1000 });
    const id = w.create('staking_create', stake());
    w.create('staking_create', stake({ amount: core(100_000) }));
    w.block();
    w.refuse(t, STAKING_CREATE_ERRORS.staking_count, 'staking_create', stake());
    const created = w.state.get(stakingObject, id).create_date_time;
    for (let i = 0; i < 3; i++) {
      w.blocks(5);
      w.maintenance();
    }
    const rewards = w.state.group(vestingBalanceObject.by.owner, w.id('alice'));
    t.ok(rewards.length === 1 && (rewards[0]?.balance.amount ?? 0n) > 0n, 'the owner has a share of the rewards');
    w.advance(created + 2 * DAY_SEC - 30 - w.now);
    w.refuse(t, STAKING_CLAIM_ERRORS.staking_claim_early, 'staking_claim', { owner: 'alice', staking_id: id });
    w.advance(60);
    w.advance(120);
    t.equal(w.state.get(stakingObject, id).is_valid, false);
    t.equal(weightOf(w, 'init0'), 0n);
    // The weight went with the closing, so that nothing is there to be moved.
    const move = { owner: 'alice', trust_node: 'init2', staking_id: id };
    w.refuse(t, STAKING_UPDATE_ERRORS.staking_update_weights, 'staking_update', move);
    w.push('staking_claim', { owner: 'alice', staking_id: id });
    w.block();
    t.equal(w.balance('alice'), 900_000n);
  },
);
