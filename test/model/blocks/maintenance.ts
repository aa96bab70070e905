import { voteInstance, voteType } from '../../../src/protocol/vote.js';
import type { WitnessObject } from '../../../src/state/objects/witness.js';
import { CORE, coreData, found, head, least, parameters, payOutFees, properties } from './money.js';
import type { Rows } from './rows.js';
import { rewardStakers, tallyStakings, voteParameters } from './stakings.js';

/** What a block does when it ends a maintenance interval, by the reference's description of today's rules. */

const WITNESSES_MIN = 21;
const PROXY_TO_SELF = 5;

export interface Tally {
  readonly votes: bigint[];
  readonly seats: bigint[];
  total: bigint;
}

interface Candidate {
  readonly witness: WitnessObject;
  readonly votes: bigint;
}

function ranked(rows: Rows, tally: Tally): Candidate[] {
  const place = ({ witness }: Candidate): number => voteInstance(witness.vote_id);
  return [...rows.witnesses.values()]
    .map((witness) => ({ witness, votes: tally.votes[voteInstance(witness.vote_id)] ?? 0n }))
    .sort((a, b) => (a.votes === b.votes ? place(a) - place(b) : a.votes > b.votes ? -1 : 1));
}

function byName(rows: Rows): number[] {
  const accounts = [...rows.accounts.values()];
  return accounts.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ id }) => id);
}

function stakeOf(rows: Rows, id: number): bigint {
  const { cashback_vb } = found(rows.accounts.get(id));
  const vesting = cashback_vb === undefined ? 0n : found(rows.vestings.get(cashback_vb)).balance.amount;
  const balances = [...rows.balances.values()].filter((row) => row.owner === id && row.asset_type === CORE);
  const locks = [...rows.locks.values()].filter((row) => row.owner === id);
  const pledges = [...rows.pledges.values()].filter((row) => row.owner_account === id);
  const parts = [...balances.map((row) => row.balance), ...[...locks, ...pledges].map((row) => row.amount.amount)];
  return parts.reduce((sum, part) => sum + part, vesting);
}

/** Votes of one account, before its own fees are paid out. */
function tallyAccount(rows: Rows, tally: Tally, id: number): void {
  const account = found(rows.accounts.get(id));
  const { count_non_member_votes, maximum_witness_count } = parameters(rows);
  if (!count_non_member_votes && head(rows).time > account.membership_expiration_date) return;
  const proxy = account.options.voting_account;
  const { options } = proxy === PROXY_TO_SELF ? account : found(rows.accounts.get(proxy));
  const stake = stakeOf(rows, id);
  const candidates = [...rows.witnesses.values(), ...rows.committee.values()];
  for (const vote of options.votes) {
    const candidate = candidates.find(({ vote_id }) => voteInstance(vote_id) === voteInstance(vote));
    const counts = voteType(vote) > 1 || candidate?.is_valid === true;
    if (counts) tally.votes[voteInstance(vote)] = (tally.votes[voteInstance(vote)] ?? 0n) + stake;
  }
  if (options.num_witness <= maximum_witness_count) {
    const seat = Math.min(Math.floor(options.num_witness / 2), tally.seats.length - 1);
    tally.seats[seat] = (tally.seats[seat] ?? 0n) + stake;
  }
  tally.total += stake;
}

/** As many pairs of witnesses as half of the stake that has an opinion wants. */
function wantedPairs({ seats, total }: Tally): number {
  const target = (total - (seats[0] ?? 0n)) / 2n;
  let pairs = 0;
  let sum = 0n;
  while (target > 0n && pairs < seats.length - 1 && sum <= target) sum += seats[++pairs] ?? 0n;
  return pairs;
}

function authorityOf(rows: Rows, account: number, votes: readonly (readonly [number, bigint])[]): void {
  const counted = votes.filter(([, amount]) => amount > 0n);
  const first = counted[0];
  if (first === undefined) return;
  const shift = BigInt(Math.max(first[1].toString(2).length - 16, 0));
  const account_auths = counted.map(([id, amount]): [number, number] => [id, Math.max(Number(amount >> shift), 1)]);
  const total = account_auths.reduce((sum, [, weight]) => sum + weight, 0);
  account_auths.sort(([a], [b]) => a - b);
  const weight_threshold = Math.floor(total / 2) + 1;
  found(rows.accounts.get(account)).active = { weight_threshold, account_auths, key_auths: [], address_auths: [] };
}

function chooseActive(rows: Rows, tally: Tally): void {
  const global = properties(rows);
  const all = ranked(rows, tally);
  const chosen = all.slice(0, Math.max(2 * wantedPairs(tally) + 1, WITNESSES_MIN));
  for (const { witness, votes } of all) witness.total_votes = votes;
  authorityOf(
    rows,
    1,
    chosen.map(({ witness, votes }) => [witness.witness_account, votes]),
  );
  global.active_witnesses = chosen.map(({ witness }) => witness.id).sort((a, b) => a - b);
  const seats = 2 * Math.floor(global.parameters.maximum_committee_count / 2) + 1;
  const members = chosen
    .flatMap(({ witness, votes }) => {
      const own = [...rows.committee.values()].filter(
        (row) => row.committee_member_account === witness.witness_account,
      );
      return own.map((member) => ({ member, votes }));
    })
    .slice(0, seats);
  for (const { member, votes } of members) member.total_votes = votes;
  if (members.length > 0) {
    authorityOf(
      rows,
      0,
      members.map(({ member, votes }) => [member.committee_member_account, votes]),
    );
    found(rows.accounts.get(2)).active = structuredClone(found(rows.accounts.get(0)).active);
  }
  global.active_committee_members = members.map(({ member }) => member.id);
}

function budget(rows: Rows): void {
  const dynamic = head(rows);
  const { block_interval, witness_pay_per_block } = parameters(rows);
  const data = coreData(rows);
  const { time, last_budget_time } = dynamic;
  const reserve = found(rows.assets.get(CORE)).options.max_supply - data.current_supply;
  const fees = data.accumulated_fees;
  const unused = dynamic.witness_budget;
  const isFirst = last_budget_time === 0 || time <= last_budget_time;
  const total = isFirst ? 0n : reserve + fees + unused;
  const blocks = Math.ceil((dynamic.next_maintenance_time - time) / block_interval);
  const requested = witness_pay_per_block * BigInt(blocks);
  const granted = least(requested, total);
  const id = rows.budgets.size;
  rows.budgets.set(id, {
    id,
    time,
    record: {
      time_since_last_budget: isFirst ? 0n : BigInt(time - last_budget_time),
      from_initial_reserve: reserve,
      from_accumulated_fees: fees,
      from_unused_witness_budget: unused,
      requested_witness_budget: requested,
      total_budget: total,
      witness_budget: granted,
      supply_delta: granted - fees - unused,
    },
  });
  data.current_supply += granted - fees - unused;
  data.accumulated_fees = 0n;
  dynamic.witness_budget = granted;
  dynamic.last_budget_time = time;
}

export function maintain(rows: Rows): void {
  const global = properties(rows);
  const dynamic = head(rows);
  const seats = Math.floor(global.parameters.maximum_witness_count / 2) + 1;
  const votes = new Array<bigint>(global.next_available_vote_id).fill(0n);
  const tally: Tally = { votes, seats: new Array<bigint>(seats).fill(0n), total: 0n };
  if (voteParameters(rows).staking_mode_on) {
    tallyStakings(rows, tally);
    for (const id of byName(rows)) payOutFees(rows, id);
    rewardStakers(rows, ranked(rows, tally));
  } else {
    for (const id of byName(rows)) {
      tallyAccount(rows, tally, id);
      payOutFees(rows, id);
    }
  }
  chooseActive(rows, tally);
  if (global.pending_parameters !== undefined) global.parameters = global.pending_parameters;
  global.pending_parameters = undefined;
  const { maintenance_interval } = global.parameters;
  const late = Math.floor((dynamic.time - dynamic.next_maintenance_time) / maintenance_interval);
  dynamic.next_maintenance_time += (late + 1) * maintenance_interval;
  dynamic.accounts_registered_this_interval = 0;
  budget(rows);
}
