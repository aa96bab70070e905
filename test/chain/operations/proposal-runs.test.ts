import type { Test } from 'tap';
import type { ChainEvent } from '../../../src/chain/events.js';
import { PROPOSAL_UPDATE_ERRORS } from '../../../src/operations/proposal/proposal-update.js';
import type { Operation } from '../../../src/protocol/operation-slot.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import {
  dataMarketCategoryObject,
  freeDataProductObject,
  leagueDataProductObject,
  leagueObject,
} from '../../../src/state/objects/data-market.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { proposalObject } from '../../../src/state/objects/proposal.js';
import { FOREVER } from '../../../src/state/rules/accounts.js';
import { MARKET_WORLD, openMarket } from '../../support/data-market.js';
import { holds } from '../../support/holds.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';
import { accountKey, witnessNames } from '../../support/world-genesis.js';

/** Proposals of the committee, whole, from the proposal to its run; also such that fail when half of it is done. */

const REVIEW_SEC = 99;
const LIFETIME_SEC = 600;
const FUNDS = 10n ** 9n;
/** Of the proposals and of their approvals. */
const PAYER = 'exchange';
const PARAMETERS = { committee_proposal_review_period: REVIEW_SEC };
const WORLD = {
  accounts: { alice: FUNDS, bob: FUNDS, init0: FUNDS, [PAYER]: FUNDS },
  parameters: PARAMETERS,
  fees: true,
};
const COMMITTEE = witnessNames({});

const transfer = (w: TestWorld, from: string | number, amount: bigint): Operation =>
  w.operation('transfer', { from, to: PAYER, amount: core(amount) });

const newLifetime = (w: TestWorld, maximum_proposal_lifetime: number): Operation => {
  const { parameters } = w.state.single(globalPropertyObject);
  return w.operation('committee_member_update_global_parameters', {
    new_parameters: { ...parameters, maximum_proposal_lifetime },
  });
};

function propose(w: TestWorld, operations: readonly Operation[], review?: number): number {
  return w.create('proposal_create', {
    fee_paying_account: PAYER,
    expiration_time: w.now + LIFETIME_SEC,
    proposed_ops: operations.map((op) => ({ op })),
    ...(review === undefined ? {} : { review_period_seconds: review }),
  });
}

const approve = (w: TestWorld, proposal: number, names: readonly string[], how = 'add') =>
  w.push('proposal_update', { fee_paying_account: PAYER, proposal, [`active_approvals_to_${how}`]: names });

/** What somebody has, and what is booked as paid. */
function money(w: TestWorld, ...names: string[]): [balance: bigint, fees: bigint][] {
  return names.map((name) => {
    const { pending_fees, pending_vested_fees } = w.state.get(accountStatisticsObject, w.account(name).statistics);
    return [w.balance(name), pending_fees + pending_vested_fees];
  });
}

/** Tags of operations that histories are told of, by block. */
function told(w: TestWorld): number[][] {
  const blocks: number[][] = [];
  w.chain.blocks.subscribe((event: ChainEvent) => {
    if (event.kind === 'applied') blocks.push(event.operations.map(({ operation: [tag] }) => tag));
  });
  return blocks;
}

/** A committee with votes, and something for it to pay fees with. */
function seat(w: TestWorld): void {
  w.changeParameters({ maximum_proposal_lifetime: 2_000_000 });
}

const feeOf = ([, body]: Operation): bigint => body.fee.amount;
const INVOLVED = ['alice', 'bob', 'committee-account'];
const pendingLifetime = (w: TestWorld) =>
  w.state.single(globalPropertyObject).pending_parameters?.maximum_proposal_lifetime;

worldTest('a run that fails in the middle leaves nothing, and costs who approved the approval alone', WORLD, (t, w) => {
  w.push('transfer', { from: 'alice', to: 'committee-account', amount: core(10_000_000) });
  w.block();
  seat(w);
  const tooMuch = transfer(w, 'bob', w.balance('bob') - 50_000n);
  // Bob has the amount, and not the fee behind it: the last step of the last operation fails.
  const operations = [transfer(w, 'alice', 10n), newLifetime(w, 1_500_000), tooMuch];
  const id = propose(w, operations);
  w.block();
  const before = money(w, ...INVOLVED);
  const [[payer]] = money(w, PAYER) as [[bigint, bigint]];
  const blocks = told(w);
  const update = w.operation('proposal_update', {
    fee_paying_account: PAYER,
    proposal: id,
    active_approvals_to_add: ['alice', 'bob', ...COMMITTEE],
  });
  t.same(w.pushAll([update]), [[0, {}]]);
  w.block();
  t.same(money(w, ...INVOLVED), before, 'neither amounts nor fees of what it held');
  t.equal(w.balance(PAYER), payer - feeOf(update), 'the fee of the approval is kept');
  t.equal(pendingLifetime(w), undefined);
  t.same(blocks, [[23]], 'histories have the approval alone');
  const approvals = ['alice', 'bob', ...COMMITTEE].map((name) => w.id(name)).sort((a, b) => a - b);
  t.same(w.state.get(proposalObject, id).available_active_approvals, approvals, 'it stays, with what it was given');

  // Nobody tries again by himself, whatever becomes possible.
  w.push('transfer', { from: PAYER, to: 'bob', amount: core(1_000_000) });
  w.block();
  t.ok(w.state.find(proposalObject, id));
  const ready = money(w, ...INVOLVED);
  approve(w, id, ['alice'], 'remove');
  approve(w, id, ['alice']);
  w.block();
  t.equal(w.state.find(proposalObject, id), undefined);
  const paid = operations.map(feeOf) as [bigint, bigint, bigint];
  const after = money(w, ...INVOLVED);
  const spent = after.map(([balance, fees], i) => [(ready[i]?.[0] ?? 0n) - balance, fees - (ready[i]?.[1] ?? 0n)]);
  const asked = (tooMuch[1] as unknown as { amount: { amount: bigint } }).amount.amount;
  t.same(spent, [
    [10n + paid[0], paid[0]],
    [asked + paid[2], paid[2]],
    [paid[1], paid[1]],
  ]);
  t.equal(pendingLifetime(w), 1_500_000);
});

worldTest(
  'with a review period a run that fails takes the proposal with it and costs nobody anything',
  WORLD,
  (t, w) => {
    w.push('transfer', { from: 'alice', to: 'committee-account', amount: core(10_000_000) });
    w.block();
    seat(w);
    const tooMuch = transfer(w, 'bob', w.balance('bob') - 50_000n);
    const bad = propose(w, [transfer(w, 'alice', 10n), newLifetime(w, 1_500_000), tooMuch], REVIEW_SEC);
    const good = propose(w, [transfer(w, 'alice', 7n), newLifetime(w, 1_600_000)], REVIEW_SEC);
    approve(w, bad, ['alice', 'bob', ...COMMITTEE]);
    approve(w, good, ['alice', ...COMMITTEE]);
    w.block();
    t.equal(w.state.count(proposalObject), 2, 'both wait for their time');
    t.equal(pendingLifetime(w), undefined);
    // Past the next maintenance, so that only the run itself is between the two looks.
    const { expiration_time } = w.state.get(proposalObject, bad);
    w.advance(expiration_time - w.now - 3);
    const before = money(w, ...INVOLVED, PAYER);
    const blocks = told(w);
    t.equal(w.state.count(proposalObject), 2);
    w.block();
    t.equal(w.state.count(proposalObject), 0);
    const [alice, bob, committee, payer] = money(w, ...INVOLVED, PAYER) as [bigint, bigint][];
    t.same(bob, before[1]);
    const fee = feeOf(transfer(w, 'alice', 7n));
    t.equal((before[0]?.[0] ?? 0n) - (alice?.[0] ?? 0n), 7n + fee, 'alice pays for the one that ran');
    t.equal((before[2]?.[0] ?? 0n) - (committee?.[0] ?? 0n), feeOf(newLifetime(w, 1)));
    t.equal((payer?.[0] ?? 0n) - (before[3]?.[0] ?? 0n), 7n);
    t.equal(pendingLifetime(w), 1_600_000);
    t.same(blocks, [[0, 31]]);
  },
);

const FREE = { accounts: { alice: 1000n, bob: 0n, init0: 1000n, [PAYER]: 0n }, parameters: PARAMETERS };

worldTest('what failed when it was approved is tried once more at the very second of its end', FREE, (t, w) => {
  // From the second block on slots are multiples of the interval, and so is what is due a while later.
  w.block();
  const [first, second] = [transfer(w, 'alice', 1n), transfer(w, 'bob', 5n)];
  const [helped, lost] = [propose(w, [first, second]), propose(w, [first, second])];
  for (const id of [helped, lost]) approve(w, id, ['alice', 'bob']);
  w.push('transfer', { from: 'alice', to: 'bob', amount: core(5) });
  w.block();
  t.equal(w.state.count(proposalObject), 2);
  const { expiration_time } = w.state.get(proposalObject, helped);
  w.advance(expiration_time - w.now - 3);
  t.same([w.balance(PAYER), w.state.count(proposalObject)], [0n, 2], 'not before');
  w.block();
  t.equal(w.now, expiration_time);
  // Both expire in the same second: the older one takes all that there is, and the other one is gone without a trace.
  t.same([w.balance(PAYER), w.balance('bob'), w.state.count(proposalObject)], [6n, 0n, 0]);
});

worldTest('a review period of no seconds is one', FREE, (t, w) => {
  // From the second block on slots are multiples of the interval, and so is what is due a while later.
  w.block();
  const id = propose(w, [transfer(w, 'alice', 1n)], 0);
  approve(w, id, ['alice']);
  w.block();
  t.equal(w.balance(PAYER), 0n, 'it waits for its end');
  const { expiration_time, review_period_time } = w.state.get(proposalObject, id);
  t.equal(review_period_time, expiration_time);
  w.advance(expiration_time - w.now - 3);
  approve(w, id, ['bob']);
  w.block();
  t.same([w.balance(PAYER), w.state.count(proposalObject)], [1n, 0], 'until then approvals may come');
});

worldTest('in its review a proposal takes keys, and gives approvals back', FREE, (t, w) => {
  // From the second block on slots are multiples of the interval, and so is what is due a while later.
  w.block();
  const both = [transfer(w, 'alice', 1n), transfer(w, 'init0', 2n)];
  const [signed, vetoed, spoiled] = [0, 1, 2].map(() => propose(w, both, REVIEW_SEC)) as [number, number, number];
  for (const id of [signed, spoiled]) approve(w, id, ['alice']);
  approve(w, vetoed, ['alice', 'init0']);
  w.block();
  const { review_period_time } = w.state.get(proposalObject, signed);
  w.advance((review_period_time ?? 0) - w.now - 3);
  approve(w, spoiled, ['init0']);
  w.block();
  t.equal(w.now, review_period_time, 'the first second of the review');
  const update = (proposal: number, more: object) => ({ fee_paying_account: PAYER, proposal, ...more });
  for (const kind of ['active', 'owner']) {
    const more = update(signed, { [`${kind}_approvals_to_add`]: ['init0'] });
    w.refuse(t, PROPOSAL_UPDATE_ERRORS.proposal_in_review, 'proposal_update', more);
  }
  w.push('proposal_update', update(signed, { key_approvals_to_add: [accountKey('init0').publicKey] }));
  approve(w, vetoed, ['init0'], 'remove');
  // A key that nobody needs makes what suffices insufficient.
  w.push('proposal_update', update(spoiled, { key_approvals_to_add: [accountKey('bob').publicKey] }));
  w.block();
  t.equal(w.balance(PAYER), 0n);
  w.advance(REVIEW_SEC);
  t.same([w.balance(PAYER), w.state.count(proposalObject)], [3n, 0], 'one of the three has run');
});

/** All that the committee alone may do, to what `openMarket` has made. */
function committeeWork(w: TestWorld): Operation[] {
  const version = { extensions: [[1, { version: 1 }]] };
  const upgraded = { account_to_upgrade: 'basic', auth_referrer: 'alice', ...version };
  return [
    w.operation('account_upgrade_merchant', { ...upgraded, upgrade_to_merchant_member: true }),
    w.operation('account_upgrade_datasource', { ...upgraded, upgrade_to_datasource_member: true }),
    w.operation('account_upgrade_data_transaction_member', {
      account_to_upgrade: 'basic',
      upgrade_to_data_transaction_member: true,
    }),
    w.operation('data_market_category_update', { data_market_category: 0, new_category_name: 'new' }),
    w.operation('free_data_product_update', { free_data_product: 0, new_product_name: 'new' }),
    w.operation('league_data_product_update', { league_data_product: 0, new_product_name: 'new' }),
    w.operation('league_update', {
      league: 0,
      new_league_name: 'new',
      new_members: ['source-one'],
      new_data_products: [0],
    }),
    w.operation('datasource_copyright_clear', { datasource_account: 'source-one', product_id: 0n }),
    newLifetime(w, 1_700_000),
  ];
}

function isDone(t: Test, w: TestWorld, isDone: boolean, what: string): void {
  const basic = w.account('basic');
  const upgraded = isDone ? FOREVER : 0;
  holds(t, basic, {
    merchant_expiration_date: upgraded,
    datasource_expiration_date: upgraded,
    data_transaction_member_expiration_date: upgraded,
  });
  const names = [
    w.state.get(dataMarketCategoryObject, 0).category_name,
    w.state.get(freeDataProductObject, 0).product_name,
    w.state.get(leagueDataProductObject, 0).product_name,
    w.state.get(leagueObject, 0).league_name,
  ];
  t.same(names, isDone ? ['new', 'new', 'new', 'new'] : ['c', 'p', 'p', 'l'], what);
  t.equal(pendingLifetime(w), isDone ? 1_700_000 : undefined, what);
}

const MARKET = { ...MARKET_WORLD, parameters: PARAMETERS };

for (const review of [undefined, REVIEW_SEC]) {
  const when = review === undefined ? 'at once' : 'at the end of a review';
  worldTest(`all that only proposals may hold, ${when}, or nothing of it`, MARKET, (t, w) => {
    openMarket(w);
    const failing = transfer(w, 'committee-account', 1n);
    for (const tail of [[failing], []]) {
      const id = propose(w, [...committeeWork(w), ...tail], review);
      approve(w, id, COMMITTEE);
      w.block();
      const runsNow = review === undefined;
      const fails = tail.length > 0;
      t.equal(w.state.find(proposalObject, id) !== undefined, !runsNow || fails, 'it is there');
      isDone(t, w, runsNow && !fails, `${when}, ${fails ? 'failing' : 'good'}`);
      if (runsNow) continue;
      w.advance(w.state.get(proposalObject, id).expiration_time - w.now);
      t.equal(w.state.find(proposalObject, id), undefined, 'its time is over');
      // Parameters wait for the next maintenance, which is not this block's.
      isDone(t, w, !fails, `${when}, ${fails ? 'failing' : 'good'}`);
    }
  });
}
