import { LIMITS } from '../base/limits.js';
import { array, set } from '../codec/containers.js';
import { bool, text, u16, u32 } from '../codec/scalars.js';
import { extend, struct } from '../codec/struct.js';
import type { PlainType } from '../codec/type.js';
import { blockHeader, signedBlock } from '../protocol/block.js';
import { accountId, assetId } from '../protocol/ids.js';
import { address, blockId, commitment, publicKey, sha256Hash, transactionId } from '../protocol/keys.js';
import { blindedBalanceRecord } from '../protocol/objects/accounts-and-assets.js';
import { chainPropertyRecord, dynamicGlobalPropertyRecord, globalPropertyRecord } from '../protocol/objects/chain.js';
import { objectOf } from '../protocol/objects/declare.js';
import { operation } from '../protocol/operation-slot.js';
import { processedTransaction, signedTransaction, transaction } from '../protocol/transaction.js';
import { declareMethod } from './define.js';
import { json, nullable, requiredFee } from './types.js';

/** A block with what clients would otherwise have to compute. */
export const fullBlock = extend('block_with_info', signedBlock, {
  block_id: blockId,
  signing_key: publicKey,
  transaction_ids: array(transactionId),
  ref_block_prefix: u32,
});

/** What `get_block` answers. */
export const foundBlock = nullable(fullBlock);

export const transactionByTxid = struct('transaction_by_txid', {
  transaction: processedTransaction,
  block_number: u32,
});

/** `op_index`: the account's id and the position in its history. */
const relativeOperation = struct('account_relative_op', { op_index: text, op: operation, is_virtual: bool });

const relativeOperations = struct('account_relative_ops', {
  total_relative_ops_number: u32,
  ops: array(relativeOperation),
});

/** In the order of `get_account_relative_ops`. */
const relativeBlocks = struct('account_relative_blocks', {
  total_relative_ops_number: u32,
  blocks: array(u32),
});

/** Quirk: whatever can be read as a text is; a number or null is an id that nothing has. */
const givenTransactionId: PlainType<string> = {
  ...transactionId,
  fromJson: (json) => transactionId.fromJson(text.fromJson(json)),
};

export const blockMethods = {
  get_block_header: declareMethod({
    about: 'Header of a block; null when the node does not have it.',
    params: { block_num: u32 },
    result: nullable(blockHeader),
  }),
  get_block: declareMethod({
    about: 'A block with its id, the key that signed it and the ids of its transactions; null when unknown.',
    params: { block_num: u32 },
    result: foundBlock,
  }),
  get_block_by_id: declareMethod({
    about: 'As get_block, by block id.',
    params: { block_id: blockId },
    result: foundBlock,
  }),
  get_transaction: declareMethod({
    about: 'A transaction by block number and position.',
    params: { block_num: u32, trx_in_block: u32 },
    result: processedTransaction,
  }),
  get_transaction_rows: declareMethod({
    about: 'A transaction by id once its block is irreversible; null before that and when unknown.',
    params: { txid: givenTransactionId },
    result: nullable(processedTransaction),
  }),
  get_transaction_by_txid: declareMethod({
    about:
      'A transaction by id with the number of its block once that is irreversible; an empty transaction and 0 before that and when unknown.',
    params: { txid: givenTransactionId },
    result: transactionByTxid,
  }),
  get_recent_transaction_by_id: declareMethod({
    about: 'A transaction that has not expired yet, pending or in a block; null when unknown.',
    params: { txid: transactionId },
    result: nullable(signedTransaction),
  }),
  get_account_relative_ops: declareMethod({
    about: 'Operations of an account from the history on disk; null without the account_history_kv plugin.',
    params: { account: accountId, start: u32, limit: u32 },
    result: nullable(relativeOperations),
  }),
  get_account_relative_blocks: declareMethod({
    about:
      'The blocks in which these operations of get_account_relative_ops were applied; null without the account_history_kv plugin.',
    params: { account: accountId, start: u32, limit: u32 },
    result: nullable(relativeBlocks),
  }),
};

const transactionConfirmation = struct('transaction_confirmation', {
  id: transactionId,
  block_num: u32,
  trx_in_block: u32,
  /** True when no fork switch can take the block back. */
  irreversible: bool,
  transaction: processedTransaction,
});

export const confirmationMethods = {
  get_transaction_confirmation: declareMethod({
    about:
      'Where a transaction stands: its block, its position and whether the block is irreversible; null when unknown.',
    params: { txid: transactionId },
    result: nullable(transactionConfirmation),
  }),
};

const commission = struct('commission_percent', {
  league_data_market_commission_percent: u16,
  free_data_market_commission_percent: u16,
  commission_account: text,
  reserve_percent: u16,
});

export const globalMethods = {
  get_chain_properties: declareMethod({
    about: 'What is fixed for ever: chain id and immutable parameters.',
    params: {},
    result: objectOf(chainPropertyRecord),
  }),
  get_global_properties: declareMethod({
    about: 'Chain parameters, fees, active witnesses and committee members.',
    params: {},
    result: objectOf(globalPropertyRecord),
  }),
  get_commission_percent: declareMethod({
    about: 'Shares of the data market that go to the platform.',
    params: {},
    result: commission,
  }),
  get_config: declareMethod({
    about: 'Constants of the chain family.',
    params: {},
    result: json,
  }),
  get_chain_id: declareMethod({
    about: 'Id of the chain: sha256 of its genesis file.',
    params: {},
    result: sha256Hash,
  }),
  get_dynamic_global_properties: declareMethod({
    about: 'What changes with every block: head, time, irreversible block.',
    params: {},
    result: objectOf(dynamicGlobalPropertyRecord),
  }),
};

export const countMethods = {
  get_transaction_count: declareMethod({
    about: 'Transactions that were ever accepted.',
    params: {},
    result: u32,
  }),
  get_account_count: declareMethod({
    about: 'Number of accounts.',
    params: {},
    result: u32,
  }),
  get_asset_count: declareMethod({
    about: 'Number of assets.',
    params: {},
    result: u32,
  }),
};

const snapshot = struct('snapshot', { head_block_num: u32, head_block_id: blockId, snapshot_dir: text });

export const snapshotMethods = {
  create_snapshot: declareMethod({
    about:
      'Writes the state at the last irreversible block into the snapshot directory while the node runs on; a node without state-snapshots-dir writes nothing and answers zeros. For the operator: over the socket in the data directory, from the node’s own machine, or as a user whose allowed_apis name create_snapshot.',
    forOperator: true,
    params: {},
    result: snapshot,
    waits: true,
    answersLate: true,
  }),
  copy_state: declareMethod({
    about:
      'Writes the state at the last irreversible block into a folder below the data directory, for a program that reads it once and removes it, as trustnode state-hash and export-state do beside a running node. Of copies that stay there the oldest go. For the operator, as create_snapshot.',
    forOperator: true,
    params: {},
    result: snapshot,
    waits: true,
    answersLate: true,
  }),
};

export const testMethods = {
  get_test: declareMethod({
    about: 'Always 100; to see whether the node answers.',
    params: {},
    result: u32,
  }),
};

export const participationMethods = {
  get_witness_participation_rate: declareMethod({
    about: 'Share of the last 128 slots that have a block, of 10,000.',
    params: {},
    result: u32,
  }),
};

export const transactionMethods = {
  get_transaction_hex: declareMethod({
    about: 'Packed bytes of a transaction with its signatures.',
    params: { trx: signedTransaction },
    result: text,
  }),
  get_unsigned_transaction_hex: declareMethod({
    about: 'Packed bytes of a transaction without its signatures: what is hashed for its id.',
    params: { trx: transaction },
    result: text,
  }),
  get_required_signatures: declareMethod({
    about: 'Which of the available keys still have to sign.',
    params: { trx: signedTransaction, available_keys: set(publicKey) },
    listMax: LIMITS.rpc_keys_max,
    result: array(publicKey),
  }),
  get_potential_signatures: declareMethod({
    about: 'Every key that could sign for the accounts that a transaction needs.',
    params: { trx: signedTransaction },
    result: array(publicKey),
  }),
  get_potential_address_signatures: declareMethod({
    about: 'Every address that could sign for the accounts that a transaction needs.',
    params: { trx: signedTransaction },
    result: array(address),
  }),
  verify_authority: declareMethod({
    about: 'True when a transaction carries the signatures it needs; refused with the reason when not.',
    params: { trx: signedTransaction },
    result: bool,
  }),
  verify_account_authority: declareMethod({
    about: 'True when these keys together may act for the account; refused with the reason when not.',
    params: { name_or_id: text, signers: set(publicKey) },
    listMax: LIMITS.rpc_keys_max,
    result: bool,
  }),
  validate_transaction: declareMethod({
    about: 'Runs a transaction against the pending state without keeping or sending it, and answers with its results.',
    params: { trx: signedTransaction },
    result: processedTransaction,
    waits: true,
  }),
  get_required_fees: declareMethod({
    about: 'Fee of every operation in an asset. For a proposal the fee and the list of fees of what it proposes.',
    params: { ops: array(operation), id: assetId },
    result: array(requiredFee),
  }),
};

export const blindedBalanceMethods = {
  get_blinded_balances: declareMethod({
    about: 'Confidential balances by commitment; unknown ones are left out.',
    params: { commitments: set(commitment) },
    result: array(objectOf(blindedBalanceRecord)),
  }),
};
