import fc from 'fast-check';
import t from 'tap';
import type { Opinions } from '../../../src/chain/maintenance/opinions.js';
import { recount, Stakes } from '../../../src/chain/maintenance/stakes.js';
import { VoteSums } from '../../../src/chain/maintenance/vote-sums.js';
import { activeFrom, MAINNET_FORKS } from '../../../src/protocol/forks.js';
import { CORE_ASSET, PROXY_TO_SELF_ACCOUNT } from '../../../src/protocol/ids.js';
import { makeVoteId } from '../../../src/protocol/vote.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { accountBalanceObject, balanceKey } from '../../../src/state/objects/account-balance.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { lockBalanceObject } from '../../../src/state/objects/lock-balance.js';
import { trustNodePledgeObject } from '../../../src/state/objects/trust-node-pledge.js';
import { vestingBalanceObject } from '../../../src/state/objects/vesting-balance.js';
import { adjustBalance, balanceOf } from '../../../src/state/rules/balances.js';
import { BareWorld } from '../../support/bare-world.js';

/** What is carried on from count to count, over changes of every kind and their undoing, is what a recount finds. */

const core = (amount: bigint) => ({ amount, asset_id: CORE_ASSET });
const who = fc.nat(30);
const step = fc.oneof(
  fc.record({ kind: fc.constant('pay' as const), who, amount: fc.bigInt({ min: -500n, max: 500n }) }),
  fc.record({ kind: fc.constant('lock' as const), who }),
  fc.record({ kind: fc.constant('unlock' as const) }),
  fc.record({ kind: fc.constant('pledge' as const), who }),
  fc.record({
    kind: fc.constant('give' as const),
    what: fc.constantFrom('lock' as const, 'pledge' as const),
    to: who,
  }),
  fc.record({ kind: fc.constant('cashback' as const), who }),
  fc.record({ kind: fc.constant('earn' as const), who }),
  fc.record({
    kind: fc.constant('vote' as const),
    who,
    votes: fc.array(fc.nat(6), { maxLength: 3 }),
    wanted: fc.nat(9),
  }),
  fc.record({ kind: fc.constant('proxy' as const), who, to: who }),
  fc.record({ kind: fc.constant('itself' as const), who }),
  fc.record({ kind: fc.constant('join' as const) }),
  fc.record({ kind: fc.constant('stranger' as const), amount: fc.bigInt({ min: 1n, max: 9n }) }),
  fc.constant({ kind: 'open' as const }),
  fc.constant({ kind: 'undo' as const }),
  fc.constant({ kind: 'merge' as const }),
  fc.constant({ kind: 'count' as const }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** An owner that no account has yet. */
const STRANGER = 2 ** 47;

const firstOf = <T>(all: Iterable<T>): T[] => [...all].slice(0, 1);

function take(w: BareWorld, one: Step): void {
  const s = w.state;
  const at = (n: number): number => n % s.nextInstance(accountObject);
  switch (one.kind) {
    case 'pay':
      if (balanceOf(s, at(one.who), CORE_ASSET) + one.amount >= 0n)
        adjustBalance(s, at(one.who), CORE_ASSET, one.amount);
      return;
    case 'lock':
      w.create(lockBalanceObject, {
        owner: at(one.who),
        create_date_time: s.nextInstance(lockBalanceObject),
        amount: core(11n),
      });
      return;
    case 'unlock':
      for (const lock of firstOf(s.all(lockBalanceObject))) s.remove(lockBalanceObject, lock);
      return;
    case 'pledge': {
      const pledge = s.findBy(trustNodePledgeObject.by.owner, at(one.who));
      if (pledge !== undefined) s.remove(trustNodePledgeObject, pledge);
      else w.create(trustNodePledgeObject, { owner_account: at(one.who), amount: core(77n) });
      return;
    }
    // No operation does it, but the debug API may.
    case 'give': {
      const to = at(one.to);
      if (one.what === 'lock') {
        for (const lock of firstOf(s.all(lockBalanceObject))) {
          s.modify(lockBalanceObject, lock, (o) => {
            o.owner = to;
          });
        }
      } else if (s.findBy(trustNodePledgeObject.by.owner, to) === undefined) {
        for (const pledge of firstOf(s.all(trustNodePledgeObject))) {
          s.modify(trustNodePledgeObject, pledge, (o) => {
            o.owner_account = to;
          });
        }
      }
      return;
    }
    case 'cashback': {
      const { id } = w.create(vestingBalanceObject, { owner: at(one.who), balance: core(500n) });
      s.modify(accountObject, s.get(accountObject, at(one.who)), (o) => {
        o.cashback_vb = id;
      });
      return;
    }
    case 'earn': {
      const { cashback_vb } = s.get(accountObject, at(one.who));
      if (cashback_vb === undefined) return;
      s.modify(vestingBalanceObject, s.get(vestingBalanceObject, cashback_vb), (o) => {
        o.balance = core(o.balance.amount + 3n);
      });
      return;
    }
    case 'vote':
      s.modify(accountObject, s.get(accountObject, at(one.who)), (o) => {
        const votes = [...new Set(one.votes)].map((vote) => makeVoteId(1, vote));
        o.options = { ...o.options, votes, num_witness: one.wanted, num_committee: one.wanted };
      });
      return;
    case 'proxy':
    case 'itself':
      s.modify(accountObject, s.get(accountObject, at(one.who)), (o) => {
        o.options = { ...o.options, voting_account: one.kind === 'proxy' ? at(one.to) : PROXY_TO_SELF_ACCOUNT };
      });
      return;
    case 'join':
      w.account(`joined-${s.nextInstance(accountObject)}-${one.kind}`, {});
      return;
    case 'stranger':
      adjustBalance(s, STRANGER, CORE_ASSET, one.amount);
      return;
    case 'open':
      s.openFrame();
      return;
    case 'undo':
      if (s.openFrames > 0) s.undoFrame();
      return;
    case 'merge':
      if (s.openFrames > 0) s.mergeFrame();
      return;
    case 'count':
      return;
  }
}

const plain = (opinions: Opinions | undefined) =>
  opinions && {
    votes: new Map([...opinions.votes].sort(([a], [b]) => a - b)),
    witnesses: new Map([...opinions.witnesses].sort(([a], [b]) => a - b)),
    committee: new Map([...opinions.committee].sort(([a], [b]) => a - b)),
    total: opinions.total,
  };

function world(accounts: number, time?: number): { w: BareWorld; votes: VoteSums } {
  const w = new BareWorld(time);
  w.setParameters({ count_non_member_votes: true });
  for (let i = 0; i < accounts; i++) w.account(`holder-${i}`, {});
  return { w, votes: w.votes };
}

t.test('what is carried on is what a recount finds, through frames and back', async (t) => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
      const { w, votes } = world(6);
      const compare = () => t.match(plain(votes.opinions()), plain(recount(w.state, new Stakes(w.state))));
      for (const one of steps) {
        take(w, one);
        if (one.kind === 'count' || one.kind === 'undo') compare();
      }
      compare();
      while (w.state.openFrames > 0) w.state.undoFrame();
      compare();
    }),
    { numRuns: 300 },
  );
});

t.test('it counts anew where the rules change', async (t) => {
  const { w, votes } = world(1, activeFrom(MAINNET_FORKS, 'HF_1129') - 10);
  const id = w.account('node', {});
  adjustBalance(w.state, id, CORE_ASSET, 5n);
  w.create(trustNodePledgeObject, { owner_account: id, amount: core(70n) });
  t.equal(votes.opinions()?.total, 5n, 'a pledge does not vote yet');
  w.pass(20);
  t.equal(votes.opinions()?.total, 75n);
  w.setParameters({ count_non_member_votes: false });
  t.equal(votes.opinions(), undefined, 'where only members count, time alone changes who does');
});

t.test('fees to pay out are found by what was booked', async (t) => {
  const { w, votes } = world(3);
  const s = w.state;
  const charge = (id: number, fee: bigint, of: 'pending_fees' | 'pending_vested_fees' = 'pending_fees') => {
    const { statistics } = s.get(accountObject, id);
    s.edit(accountStatisticsObject, s.get(accountStatisticsObject, statistics))[of] = fee;
  };
  const found = () => votes.accountsWithFees().map(({ id }) => id);
  charge(7, 10n);
  t.same(found(), [7]);
  t.same(found(), [7], 'as long as they are not paid');
  s.openFrame();
  charge(7, 0n);
  charge(8, 1n);
  t.same(found(), [8]);
  s.undoFrame();
  t.same(found(), [7], 'what was undone is as it was');
  charge(7, 0n);
  charge(8, 1n, 'pending_vested_fees');
  t.same(found(), [8], 'the smallest fee of the other kind');
});

t.test('all accounts are looked through when it is prepared, not in the first maintenance after a start', async (t) => {
  const { w, votes } = world(3);
  const s = w.state;
  const { statistics } = s.get(accountObject, 7);
  // As a loaded state has them: nobody was told.
  Object.assign(s.get(accountStatisticsObject, statistics), { pending_fees: 5n });
  votes.prepare();
  s.forEach = () => t.fail('a maintenance looks through all of a type');
  t.same(
    votes.accountsWithFees().map(({ id }) => id),
    [7],
  );
});

t.test('where it must recount, a sum that differs is a bug', async (t) => {
  const w = new BareWorld();
  w.setParameters({ count_non_member_votes: true });
  const votes = new VoteSums(w.state, { mustRecount: true });
  const id = w.account('holder', {}, 5n);
  t.equal(votes.opinions()?.total, 5n);
  const row = w.state.findBy(accountBalanceObject.by.ownerAsset, balanceKey(id, CORE_ASSET));
  // Behind the back of the state, as only a fault of ours could.
  Object.assign(row as object, { balance: 6n });
  t.throws(() => votes.opinions(), { message: /those of a recount/ });
});
