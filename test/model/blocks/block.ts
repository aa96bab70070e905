import { maintain } from './maintenance.js';
import { found, head, least, parameters, payWitness, properties } from './money.js';
import type { Rows } from './rows.js';
import { voteParameters } from './stakings.js';

/** Slots, and what a block does once its transactions are done, by the reference's description of today's rules. */

const PER_MILLE = 1000n;
const FINAL_FROM = 0.3;
const U64 = (1n << 64n) - 1n;
const U128 = (1n << 128n) - 1n;

export function slotTime(rows: Rows, slot: number): number {
  const { block_interval, maintenance_skip_slots } = parameters(rows);
  const { time, dynamic_flags } = head(rows);
  const skipped = (dynamic_flags & 1) === 1 ? maintenance_skip_slots : 0;
  return (Math.floor(time / block_interval) + slot + skipped) * block_interval;
}

export function slotAt(rows: Rows, time: number): number {
  const first = slotTime(rows, 1);
  return time < first ? 0 : Math.floor((time - first) / parameters(rows).block_interval) + 1;
}

export function scheduled(rows: Rows, slot: number): number {
  const { current_shuffled_witnesses } = found(rows.schedule.get(0));
  const place = (Number(head(rows).current_aslot) + slot) % current_shuffled_witnesses.length;
  return found(current_shuffled_witnesses[place]);
}

const FACTOR = 2685821657736338717n;

export function shuffled(active: readonly number[], time: number): number[] {
  const out = [...active];
  for (let i = 0; i < out.length; i++) {
    let k = ((BigInt(time) << 32n) + BigInt(i) * FACTOR) & U64;
    k ^= k >> 12n;
    k ^= (k << 25n) & U64;
    k ^= k >> 27n;
    k = (k * FACTOR) & U64;
    const j = i + Number(k % BigInt(out.length - i));
    [out[i], out[j]] = [found(out[j]), found(out[i])];
  }
  return out;
}

function countMissed(rows: Rows, missed: number, witness: number): void {
  const dynamic = head(rows);
  for (let slot = 1; slot <= missed; slot++) {
    const absent = scheduled(rows, slot);
    if (absent !== witness) found(rows.witnesses.get(absent)).total_missed += 1n;
  }
  const recent = dynamic.recently_missed_count;
  if (missed > 0) dynamic.recently_missed_count = recent + 4 * missed;
  else dynamic.recently_missed_count = recent > 4 ? recent - 3 : Math.max(recent - 1, 0);
  dynamic.recent_slots_filled = (((dynamic.recent_slots_filled << 1n) + 1n) << BigInt(missed)) & U128;
  dynamic.current_aslot += BigInt(missed + 1);
}

function pay(rows: Rows, id: number): void {
  const dynamic = head(rows);
  const due = least(parameters(rows).witness_pay_per_block, dynamic.witness_budget);
  const { staking_mode_on, witness_reward_proportion } = voteParameters(rows);
  const own = staking_mode_on ? least((due * BigInt(witness_reward_proportion)) / PER_MILLE, due) : due;
  dynamic.witness_budget -= due;
  dynamic.current_staking_reward_pool += due - own;
  payWitness(rows, id, own);
  const witness = found(rows.witnesses.get(id));
  witness.last_aslot = dynamic.current_aslot;
  witness.last_confirmed_block_num = dynamic.head_block_number;
}

function makeIrreversible(rows: Rows): void {
  const dynamic = head(rows);
  const seen = properties(rows).active_witnesses.map((id) => found(rows.witnesses.get(id)).last_confirmed_block_num);
  const candidate = found(seen.sort((a, b) => a - b)[Math.floor(FINAL_FROM * seen.length)]);
  dynamic.last_irreversible_block_num = Math.max(dynamic.last_irreversible_block_num, candidate);
}

interface ModelBlock {
  readonly id: string;
  readonly time: number;
  readonly witness: number;
}

export function applyBlock(rows: Rows, { id, time, witness }: ModelBlock): void {
  const dynamic = head(rows);
  const isMaintenance = dynamic.next_maintenance_time <= time;
  countMissed(rows, slotAt(rows, time) - 1, witness);
  dynamic.head_block_number++;
  dynamic.head_block_id = id;
  dynamic.time = time;
  dynamic.current_witness = witness;
  pay(rows, witness);
  makeIrreversible(rows);
  if (isMaintenance) maintain(rows);
  for (const [number, { expiration }] of rows.signatures) if (expiration < time) rows.signatures.delete(number);
  dynamic.dynamic_flags = isMaintenance ? 1 : 0;
  const { active_witnesses } = properties(rows);
  if (dynamic.head_block_number % active_witnesses.length !== 0) return;
  found(rows.schedule.get(0)).current_shuffled_witnesses = shuffled(active_witnesses, time);
}
