import { check, defineErrors } from '../../base/errors.js';
import { wrapI64 } from '../../base/int.js';
import { CORE_ASSET } from '../../protocol/ids.js';
import { stakingCreateOperation } from '../../protocol/operations/governance.js';
import { stakingObject } from '../../state/objects/staking.js';
import { adjustBalance, balanceOf } from '../../state/rules/balances.js';
import { stakingPrograms, voteParameters } from '../../state/rules/parameters.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import { addWeight, stakeWeight, validTrustNode } from './weights.js';

export const STAKING_CREATE_ERRORS = defineErrors({
  staking_asset: { text: 'op.amount.asset_id == GRAPHENE_GXS_ASSET: staking asset must be GXC' },
  staking_balance: { text: 'op.amount <= _db.get_balance(op.owner, GRAPHENE_GXS_ASSET): account balance not enough' },
  staking_amount: {
    text: 'op.amount.amount >= _db.get_vote_params().min_staking_amount: staking amount must > ${amount}',
  },
  staking_programs_missing: { text: '!params.empty(): no staking weight params' },
  staking_program_unknown: { text: 'iter_param != params.end(): program_id invalid' },
  staking_program_offline: { text: 'iter_param->second.is_valid: program_id offline' },
  staking_weight: { text: 'iter_param->second.weight == op.weight: input weight invalid' },
  staking_days: { text: 'staking_days == op.staking_days: input staking days invalid' },
  staking_count: {
    text: 'std::distance(staking_ranges.first, staking_ranges.second) < _db.get_vote_params().max_staking_count: mortgages have reached their maximum number',
  },
});

/** Stakes coins on a trust node for the days of one of the programs that the chain parameters list. */
export const stakingCreate = defineOperation({
  ...stakingCreateOperation,
  payer: (op) => op.owner,
  validate() {},
  evaluate(s, op) {
    const { amount, asset_id } = op.amount;
    check(asset_id === CORE_ASSET, STAKING_CREATE_ERRORS.staking_asset);
    check(amount <= balanceOf(s, op.owner, CORE_ASSET), STAKING_CREATE_ERRORS.staking_balance);
    const { min_staking_amount, max_staking_count } = voteParameters(s);
    check(amount >= wrapI64(min_staking_amount), STAKING_CREATE_ERRORS.staking_amount, () => ({
      amount: min_staking_amount,
    }));
    const programs = stakingPrograms(s);
    check(programs !== undefined && programs.length > 0, STAKING_CREATE_ERRORS.staking_programs_missing);
    const program = programs.find(([id]) => id === op.program_id)?.[1];
    check(program !== undefined, STAKING_CREATE_ERRORS.staking_program_unknown);
    check(program.is_valid, STAKING_CREATE_ERRORS.staking_program_offline);
    check(program.weight === op.weight, STAKING_CREATE_ERRORS.staking_weight);
    check(program.staking_days === op.staking_days, STAKING_CREATE_ERRORS.staking_days);
    const count = s.groupSize(stakingObject.by.owner, op.owner);
    check(count < max_staking_count, STAKING_CREATE_ERRORS.staking_count);
    return validTrustNode(s, op.trust_node);
  },
  apply(s, op, witness) {
    const { owner, staking_days, weight, program_id, amount, trust_node } = op;
    const created = s.create(stakingObject, {
      owner,
      create_date_time: s.headTime,
      staking_days,
      weight,
      program_id,
      amount,
      trust_node,
      is_valid: true,
    });
    adjustBalance(s, owner, amount.asset_id, -amount.amount);
    addWeight(s, witness, stakeWeight(created));
    return createdResult(stakingObject, created.id);
  },
});
