import t from 'tap';
import { chooseActiveSets } from '../../../src/chain/maintenance/active-sets.js';
import { emptyAuthority } from '../../../src/protocol/authority.js';
import { MAINNET_FORKS } from '../../../src/protocol/forks.js';
import { COMMITTEE_ACCOUNT, RELAXED_COMMITTEE_ACCOUNT } from '../../../src/protocol/ids.js';
import { makeVoteId } from '../../../src/protocol/vote.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { chainPropertyObject } from '../../../src/state/objects/chain-property.js';
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

function seats(time: number | undefined, votes: bigint[], total: bigint, least = 11): [number, number] {
  const w = new BareWorld(time);
  w.state.modify(chainPropertyObject, w.state.single(chainPropertyObject), (o) => {
    o.immutable_parameters = { ...o.immutable_parameters, min_witness_count: least };
  });
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
  t.same(seats(time, histogram(20, { 1: 40n, 2: 60n }), 100n, 1)[0], 5);
  t.same(seats(time, histogram(20, { 1: 60n, 2: 40n }), 100n, 1)[0], 3);
  t.same(seats(time, histogram(20, { 1: 2n }), 2n, 1)[0], 3, 'half of 2 is enough to ask');
  t.same(seats(time, histogram(20, { 1: 1n }), 1n, 1)[0], 1, 'half of 1 is not');
});

t.test(
  'since fork 1010 there are 21 witnesses at least; since fork 1012 the committee follows from them',
  async (t) => {
    t.same(seats(undefined, histogram(20, { 7: 50n, 9: 50n }), 100n), [21, 5]);
    t.same(seats(undefined, histogram(20, { 7: 50n, 12: 50n }), 100n), [25, 5]);
    t.same(seats(undefined, histogram(40, { 30: 100n }), 100n), [CANDIDATES, 5], 'no more than there are');
    t.same(
      seats(undefined, histogram(20, {}), 0n, 23),
      [23, 5],
      'and as many as the genesis file asks for, if these are more',
    );
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

t.test('whose votes are written down: of all witnesses, and of those members alone that get a seat', async (t) => {
  const OLD = 5n;
  const LEAST = 11;
  const past = MAINNET_FORKS.HF_1012 - 1;
  const after = (time: number) => {
    const w = new BareWorld(time, { ...MAINNET_FORKS, HF_1010: past, HF_1129: past });
    const tally: bigint[] = [];
    for (let i = 0; i < CANDIDATES; i++) {
      const account = w.account(`candidate-${i}`);
      const total_votes = OLD;
      w.create(witnessObject, { witness_account: account, vote_id: makeVoteId(1, 2 * i), total_votes });
      // The last member has no witness.
      const committee_member_account = i === CANDIDATES - 1 ? w.account('member alone') : account;
      w.create(committeeMemberObject, { committee_member_account, vote_id: makeVoteId(0, 2 * i + 1), total_votes });
      // The first witnesses have the most votes, and the last members.
      tally[2 * i] = BigInt(1000 - i);
      tally[2 * i + 1] = BigInt(2000 + i);
    }
    const { state, context, votes } = w;
    const empty = histogram(2, {});
    const run = { state, context, votes, tally, witnessHistogram: empty, committeeHistogram: empty, total: 0n };
    chooseActiveSets.run(run);
    const { active_committee_members } = state.single(globalPropertyObject);
    return {
      witnesses: [...state.all(witnessObject)].map(({ total_votes }) => total_votes),
      members: [...state.all(committeeMemberObject)].map(({ total_votes }) => total_votes),
      seated: active_committee_members,
    };
  };
  const of = (length: number, votes: (i: number) => bigint) => Array.from({ length }, (_, i) => votes(i));
  const witnesses = of(CANDIDATES, (i) => BigInt(1000 - i));
  const bySeats = CANDIDATES - LEAST;
  // Without a seat a member keeps the votes of its last one: so the recorded chain has it, the texts are silent.
  t.same(after(MAINNET_FORKS.HF_1012), {
    witnesses,
    members: of(CANDIDATES, (i) => (i < bySeats ? OLD : BigInt(2000 + i))),
    seated: Array.from({ length: LEAST }, (_, i) => CANDIDATES - 1 - i),
  });
  // From then on the votes of the witness are those of the member.
  t.same(after(MAINNET_FORKS.HF_1012 + 1), {
    witnesses,
    members: of(CANDIDATES, (i) => (i < 21 ? BigInt(1000 - i) : OLD)),
    seated: Array.from({ length: 21 }, (_, i) => i),
  });
});
