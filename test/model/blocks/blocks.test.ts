import type { Test } from 'tap';
import t from 'tap';
import { ChainError } from '../../../src/base/errors.js';
import type { BlockFacts } from '../../../src/chain/facts.js';
import { SeededRandom } from '../../sim/random.js';
import { core, type TestWorld, type WorldOptions, worldTest } from '../../support/world.js';
import { applyBlock, scheduled, shuffled, slotAt, slotTime } from './block.js';
import { head, NoBlock } from './money.js';
import { differences, readRows } from './rows.js';

/**
 * Everything that a block does after its transactions, beside a model that was written from the reference's description
 * without a look at the chain's own code: random worlds must be the same in all rows after every block.
 */

const FIRST = Number(process.env.TRUSTNODE_MODEL_SEED ?? 1);
/** More of them for longer than a test run has time. */
const WORLDS = Number(process.env.TRUSTNODE_MODEL_WORLDS ?? 5);
const BLOCKS = 60;
const NO_ID = '0'.repeat(40);
const PLEDGE = 1_000_000;
const FUNDS = 10n ** 12n;
const DAY_SEC = 86_400;
const PEOPLE = ['alice', 'bob', 'carol'];
/** Programs that end at once, after a day, and after more days than a run has. */
const PROGRAMS = [
  { program_id: '1', staking_days: 0, weight: 3 },
  { program_id: '2', staking_days: 1, weight: 1 },
  { program_id: '3', staking_days: 9, weight: 1000 },
];

function worldOf(random: SeededRandom, staking_mode_on: boolean): WorldOptions {
  const witnesses = random.pick([1, 3, 5, 23]);
  const nodes = Array.from({ length: witnesses }, (_, i) => `init${i}`);
  const params = PROGRAMS.map(({ program_id, ...program }) => [program_id, { ...program, is_valid: true }]);
  const vote = {
    staking_mode_on,
    set_commission_interval: 0,
    staking_rewards_vesting_seconds: random.pick([0, 1, 3600]),
    missed_block_limit: random.pick([1, 20, 100_000]),
    witness_reward_proportion: random.pick([0, 333, 500, 1000, 1001]),
    valid_nodes_number: random.pick([1, 3, 35]),
    min_staking_amount: 1,
  };
  return {
    accounts: Object.fromEntries([...PEOPLE, ...nodes].map((name) => [name, FUNDS + BigInt(random.below(1_000_000))])),
    basic: ['carol'],
    witnesses,
    activeWitnesses: random.pick([1, witnesses]),
    fees: true,
    parameters: {
      block_interval: random.pick([1, 3, 30]),
      maintenance_interval: 30 * random.pick([1, 2, 7]),
      maintenance_skip_slots: random.pick([0, 1, 3]),
      maximum_witness_count: random.pick([0, 1, 5, 1001]),
      maximum_committee_count: random.pick([0, 1, 4, 1001]),
      count_non_member_votes: random.chance(0.5),
      cashback_vesting_period_seconds: random.pick([0, 60, 31_536_000]),
      cashback_vesting_threshold: random.pick([0, 100_000_000]),
      witness_pay_per_block: random.pick([1, 999_999, 1_000_000_000]),
      extensions: [
        [6, { params: [['1', { lock_days: 0, interest_rate: 0, is_valid: true }]] }],
        [9, { amount: PLEDGE }],
        [11, { params }],
        [12, vote],
      ] as never,
    },
  };
}

/** Whatever moves votes, weights, fees or validity. What the chain refuses is left out of the block. */
function tryOperation(w: TestWorld, random: SeededRandom, nodes: number): void {
  const node = `init${random.below(nodes)}`;
  const owner = random.pick([...PEOPLE, node]);
  const own = { witness: node, witness_account: node };
  const votes = Array.from({ length: 2 * nodes }, (_, i) => i * 256 + (i < nodes ? 1 : 0));
  const chosen = votes.filter(() => random.chance(0.4));
  const witnesses = chosen.filter((vote) => vote % 256 === 1).length;
  const { options } = w.account(owner);
  const cases: readonly (readonly [string, object])[] = [
    [
      'staking_create',
      { owner, trust_node: node, amount: core(random.pick([1, 777, 10 ** 9])), ...random.pick(PROGRAMS) },
    ],
    ['staking_update', { owner, trust_node: node, staking_id: random.below(9) }],
    ['staking_claim', { owner, staking_id: random.below(9) }],
    ['witness_set_commission', { ...own, commission_rate: random.pick([0, 1, 333, 1000]) }],
    ['witness_unbanned', own],
    ['trust_node_pledge_withdraw', { witness_account: node }],
    [
      'account_update',
      { account: owner, new_options: { ...options, votes: chosen, num_witness: random.below(witnesses + 1) } },
    ],
    ['account_update', { account: owner, new_options: { ...options, voting_account: random.pick([5, w.id('bob')]) } }],
    ['transfer', { from: owner, to: owner === 'bob' ? 'alice' : 'bob', amount: core(5) }],
    [
      'balance_lock',
      {
        account: owner,
        create_date_time: w.now,
        program_id: '1',
        amount: core(100_000),
        lock_days: 0,
        interest_rate: 0,
      },
    ],
  ];
  const [name, given] = random.pick(cases);
  try {
    w.push(name, given as never);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
  }
}

/** Mostly the next slot, now and then one after a pause, the first that ends an interval, or a day after. */
function missedSlots(w: TestWorld, random: SeededRandom): number {
  if (random.chance(0.6)) return 0;
  const rows = readRows(w.state);
  const due = slotAt(rows, head(rows).next_maintenance_time);
  const day = [...rows.stakings.values()][0]?.create_date_time ?? w.now;
  return Math.max(random.pick([1, 2, 129, due - 1, due - 2, slotAt(rows, day + DAY_SEC) - random.below(2)]), 0);
}

function blockOf(w: TestWorld, missed: number): BlockFacts | undefined {
  try {
    return w.block(missed);
  } catch (error) {
    if (!(error instanceof ChainError) || error.key !== 'integer_overflow') throw error;
    return undefined;
  }
}

function isBlock(apply: () => void): boolean {
  try {
    apply();
    return true;
  } catch (error) {
    if (!(error instanceof NoBlock)) throw error;
    return false;
  }
}

function play(t: Test, w: TestWorld, random: SeededRandom, nodes: number): void {
  for (let i = 0; i < BLOCKS; i++) {
    const operations = i === 0 ? 12 : random.below(4);
    for (let j = 0; j < operations; j++) tryOperation(w, random, nodes);
    const missed = missedSlots(w, random);
    // What waits has been applied already, as the block applies it.
    const rows = readRows(w.state);
    const time = slotTime(rows, missed + 1);
    const witness = scheduled(rows, missed + 1);
    const made = blockOf(w, missed);
    const isOne = isBlock(() => applyBlock(rows, { id: made?.id ?? NO_ID, time, witness }));
    t.equal(made !== undefined, isOne, 'whether it is one at all');
    // Nothing but other rules help such a chain.
    if (made === undefined || !isOne) return;
    t.same([made.block.timestamp, made.block.witness], [time, witness], 'the slot and whose it is');
    const found = differences(rows, readRows(w.state));
    t.same(found, [], `block ${i} after ${missed} empty slots`);
    if (found.length > 0) return;
  }
}

for (let seed = FIRST; seed < FIRST + WORLDS; seed++) {
  const random = new SeededRandom(seed);
  const isStaking = (seed - 1) % 5 < 3;
  const options = worldOf(random, isStaking);
  worldTest(`random blocks in which ${isStaking ? 'stakings' : 'accounts'} vote, seed ${seed}`, options, (t, w) => {
    play(t, w, random, options.witnesses ?? 0);
  });
}

t.test('the order of witnesses, as the reference has printed it', async (t) => {
  const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
  t.same(shuffled(upTo(5), 1_541_433_605), [2, 4, 1, 5, 3]);
  t.same(shuffled(upTo(11), 1_600_000_000), [8, 1, 9, 7, 6, 11, 10, 5, 3, 4, 2]);
});
