import { array } from '../codec/containers.js';
import { bool, bytes, i8, i32, i64, share, text, u8, u32, u64 } from '../codec/scalars.js';
import { struct } from '../codec/struct.js';
import { signedBlock } from '../protocol/block.js';
import { accountId, assetId, operationHistoryId } from '../protocol/ids.js';
import { blindFactor, commitment, sha256Hash } from '../protocol/keys.js';
import { operationHistoryRecord } from '../protocol/objects/chain.js';
import { objectOf } from '../protocol/objects/declare.js';
import { declareApi, declareMethod } from './define.js';
import { nullable } from './types.js';

export const holder = struct('account_asset_balance', { name: text, account_id: accountId, amount: share });

export const holdersCount = struct('asset_holders', { asset_id: assetId, count: i64 });

export const assetApi = declareApi({
  name: 'asset',
  about: 'Who holds which asset.',
  methods: {
    get_asset_holders: declareMethod({
      about: 'Accounts with a balance of the asset, the highest first.',
      params: { asset_id: assetId },
      result: array(holder),
      waits: true,
    }),
    get_asset_holders_count: declareMethod({
      about: 'Number of balance records of the asset, less one.',
      params: { asset_id: assetId },
      result: i64,
    }),
    get_all_asset_holders: declareMethod({
      about: 'Number of balance records of every asset, less one each.',
      params: {},
      result: array(holdersCount),
      waits: true,
    }),
  },
});

export const blockApi = declareApi({
  name: 'block',
  about: 'Whole blocks as they went over the network.',
  methods: {
    get_blocks: declareMethod({
      about: 'Blocks of a range, null for those the node does not have; at most 1000.',
      params: { block_num_from: u32, block_num_to: u32 },
      result: array(nullable(signedBlock)),
      waits: true,
    }),
  },
});

const rangeVerdict = struct('verify_range_result', { success: bool, min_val: u64, max_val: u64 });

export const rewound = struct('verify_range_proof_rewind_result', {
  success: bool,
  min_val: u64,
  max_val: u64,
  value_out: u64,
  blind_out: blindFactor,
  message_out: bytes,
});

const rangeHeader = struct('range_proof_info', { exp: i32, mantissa: i32, min_value: u64, max_value: u64 });

export const cryptoApi = declareApi({
  name: 'crypto',
  about: 'Commitments of confidential transfers.',
  methods: {
    blind: declareMethod({
      about: 'Commitment to a value under a blinding factor.',
      params: { blind: blindFactor, value: u64 },
      result: commitment,
    }),
    blind_sum: declareMethod({
      about: 'Sum of the first non_neg blinding factors less all others.',
      params: { blinds_in: array(blindFactor), non_neg: u32 },
      result: blindFactor,
    }),
    verify_sum: declareMethod({
      about: 'Whether positive commitments less negative ones and the excess are nothing.',
      params: { commits_in: array(commitment), neg_commits_in: array(commitment), excess: i64 },
      result: bool,
    }),
    verify_range: declareMethod({
      about:
        'The range that a proof proves for the value under a commitment. All zeros, and no success, where it proves ' +
        'nothing. The chain itself asks this of no proof. The longest one keeps the node busy for some 20 ms, or 0.3 s ' +
        'without the native curve library.',
      params: { commit: commitment, proof: bytes },
      result: rangeVerdict,
    }),
    range_proof_sign: declareMethod({
      about:
        'A proof that the committed value is min_value or more. It hides min_bits bits, or as many as the value takes ' +
        '(which tells its size: better ask for more). base10_exp from 0 to 18 shows that many of its last decimal ' +
        'digits, -1 shows the value. The nonce rewinds the proof: keep it secret, and use it once. Works as long as ' +
        'verify_range.',
      params: {
        min_value: u64,
        commit: commitment,
        commit_blind: blindFactor,
        nonce: sha256Hash,
        base10_exp: i8,
        min_bits: u8,
        actual_value: u64,
      },
      result: bytes,
    }),
    verify_range_proof_rewind: declareMethod({
      about:
        'What the maker of a range proof knew, for the nonce that it was made with: value, blinding factor and a ' +
        'message (zeros where none was left). All zeros, and no success, with another nonce or where verify_range has ' +
        'none.',
      params: { nonce: sha256Hash, commit: commitment, proof: bytes },
      result: rewound,
    }),
    range_get_info: declareMethod({
      about: 'What the header of a range proof says.',
      params: { proof: bytes },
      result: rangeHeader,
    }),
  },
});

const operationsOfTypes = struct('history_operation_detail', {
  /** How many positions were looked at, whatever was found there. */
  total_without_operations: u32,
  operation_history_objs: array(objectOf(operationHistoryRecord)),
});

export const historyApi = declareApi({
  name: 'history',
  about: 'What accounts did. Empty without a plugin that records it.',
  methods: {
    get_account_history: declareMethod({
      about: 'Operations of an account, the newest first.',
      params: { account: accountId, stop: operationHistoryId, limit: u32, start: operationHistoryId },
      result: array(objectOf(operationHistoryRecord)),
    }),
    get_account_history_by_operations: declareMethod({
      about: 'Operations of an account of some types, by position in its history.',
      params: { account: accountId, operation_types: array(u32), start: u32, limit: u32 },
      result: operationsOfTypes,
    }),
    get_account_history_operations: declareMethod({
      about: 'Operations of an account of one type, the newest first.',
      params: {
        account: accountId,
        operation_type: i32,
        start: operationHistoryId,
        stop: operationHistoryId,
        limit: u32,
      },
      result: array(objectOf(operationHistoryRecord)),
    }),
    get_relative_account_history: declareMethod({
      about: 'Operations of an account by position in its history, the newest first.',
      params: { account: accountId, stop: u32, limit: u32, start: u32 },
      result: array(objectOf(operationHistoryRecord)),
    }),
  },
});
