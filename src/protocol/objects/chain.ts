import { array, optional, set } from '../../codec/containers.js';
import { bytes, share, time, u16, u32, u64, u128 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { chainParameters, immutableParameters } from '../chain-parameters.js';
import {
  accountId,
  accountTransactionHistoryId,
  committeeMemberId,
  operationHistoryId,
  tableId,
  witnessId,
} from '../ids.js';
import { blockId, sha256Hash, transactionId } from '../keys.js';
import { contractName } from '../name.js';
import { operation } from '../operation-slot.js';
import { operationResult } from '../results.js';
import { signedTransaction } from '../transaction.js';
import { declareObject } from './declare.js';

export const blockSummaryRecord = declareObject({
  name: 'block_summary',
  space: 2,
  type: 8,
  schema: struct('block_summary_object', { block_id: blockId }),
});

export const chainPropertyRecord = declareObject({
  name: 'chain_property',
  space: 2,
  type: 11,
  schema: struct('chain_property_object', { chain_id: sha256Hash, immutable_parameters: immutableParameters }),
});

export const tableIdRecord = declareObject({
  name: 'table_id',
  space: 2,
  type: 23,
  schema: struct('table_id_object', {
    /** Instance of the contract's account. */
    code: u64,
    scope: contractName,
    table: contractName,
    payer: u64,
    /** Rows of the table and of its secondary indexes. */
    count: u32,
  }),
});

export const keyValueRecord = declareObject({
  name: 'key_value',
  space: 2,
  type: 24,
  schema: struct('key_value_object', { t_id: tableId, primary_key: u64, payer: u64, value: bytes }),
});

export const index64Record = declareObject({
  name: 'index64',
  space: 2,
  type: 25,
  schema: struct('index64_object', { t_id: tableId, primary_key: u64, payer: u64, secondary_key: u64 }),
});

export const dynamicGlobalPropertyRecord = declareObject({
  name: 'dynamic_global_property',
  space: 2,
  type: 1,
  schema: struct('dynamic_global_property_object', {
    head_block_number: u32,
    head_block_id: blockId,
    /** Head time. */
    time,
    current_witness: witnessId,
    /** 0 at genesis, so that block 1 is a maintenance block. */
    next_maintenance_time: time,
    last_budget_time: time,
    /** Pay that is left until the next maintenance. */
    witness_budget: share,
    accounts_registered_this_interval: u32,
    /** A statistic; differs between nodes that have seen other checkpoints. */
    recently_missed_count: u32,
    current_aslot: u64,
    /** One bit per slot, the newest lowest. */
    recent_slots_filled: u128,
    dynamic_flags: u32,
    last_irreversible_block_num: u32,
    current_staking_reward_pool: share,
  }),
});

export const globalPropertyRecord = declareObject({
  name: 'global_property',
  space: 2,
  type: 0,
  schema: struct('global_property_object', {
    parameters: chainParameters,
    pending_parameters: optional(chainParameters),
    next_available_vote_id: u32,
    /** By votes, most first. */
    active_committee_members: array(committeeMemberId),
    active_witnesses: set(witnessId),
  }),
});

export const transactionRecord = declareObject({
  name: 'transaction',
  space: 2,
  type: 7,
  schema: struct('transaction_object', { trx: signedTransaction, trx_id: transactionId }),
});

/** No part of the state: what plugins that record history find their operations by. */
export const operationHistoryRecord = declareObject({
  name: 'operation_history',
  space: 1,
  type: 11,
  schema: struct('operation_history_object', {
    op: operation,
    result: operationResult,
    block_num: u32,
    trx_in_block: u16,
    op_in_trx: u16,
    /** Of 16 bits in the reference; ours counts all that one block does beside its transactions. */
    virtual_op: u32,
  }),
});

/** No part of the state either: one operation in the history of one account. */
export const accountHistoryRecord = declareObject({
  name: 'account_transaction_history',
  space: 2,
  type: 9,
  schema: struct('account_transaction_history_object', {
    account: accountId,
    operation_id: operationHistoryId,
    /** Position in the account's history, from 1. */
    sequence: u32,
    /** The entry before; 2.9.0 when there is none. */
    next: accountTransactionHistoryId,
  }),
});
