import t from 'tap';
import { chooseActiveSets } from '../../../src/chain/maintenance/active-sets.js';
import { emptyAuthority } from '../../../src/protocol/authority.js';
import { COMMITTEE_ACCOUNT, RELAXED_COMMITTEE_ACCOUNT } from '../../../src/protocol/ids.js';
import { makeVoteId } from '../../../src/protocol/vote.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { committeeMemberObject } from '../../../src/state/objects/committee-member.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { witnessObject } from '../../../src/state/objects/witness.js';
import { BareWorld } from '../../support/bare-world.js';
import { FreeWorld } from '../../support/free-world.js';

const CANDIDATES = 40;
/** The committee is chosen by its own votes, and 21 witnesses are not yet the least. */
const BEFORE_FORK_1010 = 1_530_000_000;

/** A histogram of that many entries, with these ones not 0. */
function histogram(size: number, given: Record<number, bigint>): bigint[] {
  return Array.from({ length: size }, (_, i) => given[i] ?? 0n);
}

function choose({ state, context, votes }: BareWorld, wanted: bigint[], total: bigint): void {
  const [witnessHistogram, committeeHistogram] = [wanted, wanted];
  chooseActiveSets.run({ state, context, votes, tally: [], witnessHistogram, committeeHistogram, total });
}

interface Seats {
  readonly witness: number;
  readonly member: number;
}

function seats(time: number | undefined, votes: bigint[], total: bigint): [number, number] {
  const w = new BareWorld(time);
  for (let i = 0; i < CANDIDATES; i++) {
    const account = w.account(`candidate-${i}`);
    w.create(witnessObject, { witness_account: account, vote_id: makeVoteId(1, 2 * i) });
    w.create(committeeMemberObject, { committee_member_account: account, vote_id: makeVoteId(0, 2 * i + 1) });
  }
  w.setParameters({ maximum_committee_count: 4 });
  choose(w, votes, total);
  const { state } = w;
  const { active_witnesses, active_committee_members } = state.single(globalPropertyObject);
  return [active_witnesses.length, active_committee_members.length];
}

t.test('as many seats as more than half of the stake finds enough', async (t) => {
  const time = BEFORE_FORK_1010;
  t.same(seats(time, histogram(20, { 7: 50n, 9: 50n }), 100n), [19, 19], 'half of it is not enough');
  t.same(seats(time, histogram(20, { 7: 51n, 9: 49n }), 100n), [15, 15]);
  t.same(seats(time, histogram(20, { 7: 51n, 9: 50n }), 101n), [15, 15], 'half of it is rounded down');
  t.same(seats(time, histogram(20, { 0: 40n, 7: 30n, 9: 30n }), 100n), [19, 19], 'who names no number does not count');
  t.same(seats(time, histogram(20, { 0: 40n, 7: 31n, 9: 29n }), 100n), [15, 15]);
  t.same(seats(time, histogram(16, { 7: 10n }), 100n), [31, 31], 'the histogram ends');
  t.same(seats(time, histogram(20, { 7: 1n }), 1n), seats(time, histogram(20, {}), 0n), 'half of 1 is 0');
  t.same(seats(time, histogram(20, {}), 0n), [11, 11], 'the least that the genesis file asks for');
});

t.test(
  'since fork 1010 there are 21 witnesses at least; since fork 1012 the committee follows from them',
  async (t) => {
    t.same(seats(undefined, histogram(20, { 7: 50n, 9: 50n }), 100n), [21, 5]);
    t.same(seats(undefined, histogram(20, { 7: 50n, 12: 50n }), 100n), [25, 5]);
    t.same(seats(undefined, histogram(40, { 30: 100n }), 100n), [CANDIDATES, 5], 'no more than there are');
  },
);

t.test('the relaxed committee follows the committee only if there is one', async (t) => {
  for (const hasMember of [false, true]) {
    const w = new FreeWorld();
    const account = w.account('candidate');
    w.create(witnessObject, { witness_account: account, vote_id: makeVoteId(1, 0) });
    if (hasMember) w.create(committeeMemberObject, { committee_member_account: account, vote_id: makeVoteId(0, 1) });
    const own = emptyAuthority(7);
    w.changeAccount(RELAXED_COMMITTEE_ACCOUNT, { active: own });
    choose(w, histogram(2, {}), 0n);
    const { active } = w.state.get(accountObject, RELAXED_COMMITTEE_ACCOUNT);
    t.same(active, hasMember ? w.state.get(accountObject, COMMITTEE_ACCOUNT).active : own);
  }
});

t.test('quirk: who has withdrawn its pledge or is banned has seats like anybody else', async (t) => {
  const w = new FreeWorld();
  const states = [{ is_valid: false }, { is_banned: true }, {}];
  const [withdrawn, banned, sound] = states.map((more, i) => {
    const account = w.account(`candidate-${i}`);
    const { id } = w.create(witnessObject, { witness_account: account, vote_id: makeVoteId(1, 2 * i), ...more });
    const member = { committee_member_account: account, vote_id: makeVoteId(0, 2 * i + 1), is_valid: i === 2 };
    return { witness: id, member: w.create(committeeMemberObject, member).id };
  }) as [Seats, Seats, Seats];
  choose(w, histogram(2, {}), 0n);
  const { active_witnesses, active_committee_members } = w.state.single(globalPropertyObject);
  t.same(active_witnesses, [withdrawn.witness, banned.witness, sound.witness]);
  t.same(active_committee_members, [withdrawn.member, banned.member, sound.member]);
});
