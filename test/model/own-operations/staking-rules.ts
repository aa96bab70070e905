import {
  stakingClaimOperation,
  stakingCreateOperation,
  stakingUpdateOperation,
} from '../../../src/protocol/operations/governance.js';
import { type StakingObject, stakingObject } from '../../../src/state/objects/staking.js';
import { witnessObject } from '../../../src/state/objects/witness.js';
import { share } from '../amounts.js';
import { flat } from '../fee-rules.js';
import { must } from '../tables.js';
import { created, secondsFrom, signed } from './checks.js';
import { type AnyOwnRule, extension, type OwnModel, ownRule } from './model.js';

interface Program {
  readonly staking_days: number;
  readonly weight: number;
  readonly is_valid: boolean;
}

const DAY_SEC = 86_400;

const weightOf = ({ amount, weight }: Pick<StakingObject, 'amount' | 'weight'>): bigint =>
  share(amount.amount * BigInt(weight));

const lasts = ({ staking_days }: StakingObject): number => (staking_days * DAY_SEC) >>> 0;

function addWeight(m: OwnModel, witness: number, more: bigint): void {
  m.change(witnessObject, witness, (o) => {
    o.total_vote_weights = share(o.total_vote_weights + more);
  });
}

/** Never below nothing. */
function removeWeight(m: OwnModel, witness: number, less: bigint): void {
  m.change(witnessObject, witness, (o) => {
    o.total_vote_weights -= less > o.total_vote_weights ? o.total_vote_weights : less;
  });
}

function liveNode(m: OwnModel, id: number): void {
  const node = m.find(witnessObject, id);
  must(node !== undefined, 'trust_node_unknown');
  must(node.is_valid, 'trust_node_invalid');
}

function ownStaking(m: OwnModel, op: { owner: number; staking_id: number }, kind: 'update' | 'claim'): StakingObject {
  const staking = m.find(stakingObject, op.staking_id);
  must(staking !== undefined, `staking_${kind}_unknown`);
  if (m.isAfter('1027')) must(staking.owner === op.owner, `staking_${kind}_not_owner`);
  return staking;
}

const stakingCreate = ownRule(stakingCreateOperation, {
  payer: (op) => op.owner,
  fee: flat(100),
  check(m, { owner, trust_node, amount, program_id, weight, staking_days }) {
    must(amount.asset_id === 1, 'staking_asset');
    must(amount.amount <= m.balance(owner, 1), 'staking_balance');
    must(amount.amount >= signed(m.parameter(12, 'min_staking_amount', 100_000n)), 'staking_amount');
    const programs = extension<{ params: [string, Program][] }>(m.parameters.extensions, 11)?.params ?? [];
    must(programs.length > 0, 'staking_programs_missing');
    const program = programs.find(([id]) => id === program_id)?.[1];
    must(program !== undefined, 'staking_program_unknown');
    must(program.is_valid, 'staking_program_offline');
    must(program.weight === weight, 'staking_weight');
    must(program.staking_days === staking_days, 'staking_days');
    const own = m.all(stakingObject).filter((row) => row.owner === owner).length;
    must(own < m.parameter(12, 'max_staking_count', 10), 'staking_count');
    liveNode(m, trust_node);
    return () => {
      const given = { owner, staking_days, weight, program_id, amount, trust_node, is_valid: true };
      const id = m.create(stakingObject, { ...given, create_date_time: m.time });
      m.take(owner, amount);
      addWeight(m, trust_node, weightOf({ amount, weight }));
      return created(27, id);
    };
  },
});

const stakingUpdate = ownRule(stakingUpdateOperation, {
  payer: (op) => op.owner,
  fee: flat(100),
  check(m, op) {
    liveNode(m, op.trust_node);
    const staking = ownStaking(m, op, 'update');
    const weight = weightOf(staking);
    must(m.get(witnessObject, staking.trust_node).total_vote_weights >= weight, 'staking_update_weights');
    if (m.isAfter('1028')) must(staking.trust_node !== op.trust_node, 'staking_update_same');
    must(lasts(staking) > secondsFrom(staking.create_date_time, m.time), 'staking_update_expired');
    must(staking.is_valid, 'staking_update_closed');
    return () => {
      m.change(stakingObject, staking.id, (o) => {
        o.trust_node = op.trust_node;
      });
      removeWeight(m, staking.trust_node, weight);
      addWeight(m, op.trust_node, weight);
      return created(6, staking.trust_node);
    };
  },
});

const stakingClaim = ownRule(stakingClaimOperation, {
  payer: (op) => op.owner,
  fee: flat(100),
  check(m, op) {
    const staking = ownStaking(m, op, 'claim');
    must(lasts(staking) < secondsFrom(staking.create_date_time, m.time), 'staking_claim_early');
    const isDividend = m.parameter(12, 'staking_mode_on', false);
    if (isDividend) must(!staking.is_valid, 'staking_claim_open');
    return () => {
      if (!isDividend && m.find(witnessObject, staking.trust_node) !== undefined)
        removeWeight(m, staking.trust_node, weightOf(staking));
      m.give(staking.owner, staking.amount);
      m.remove(stakingObject, staking.id);
      return [2, staking.amount];
    };
  },
});

export const STAKING_RULES: readonly AnyOwnRule[] = [stakingCreate, stakingUpdate, stakingClaim];
