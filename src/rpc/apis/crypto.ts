import * as declared from '../../api/readers.js';
import { rewound } from '../../api/readers.js';
import { fromHex, toHex } from '../../base/bytes.js';
import { check } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { blind, blindSum, verifySum } from '../../crypto/blind.js';
import { rangeInfo } from '../../crypto/range-header.js';
import { rewindRange, verifyRange } from '../../crypto/range-proof.js';
import { signRange } from '../../crypto/range-sign.js';
import { signatureBackend } from '../../crypto/signature.js';
import { implementApi } from '../define.js';
import { LIST_ERRORS } from '../limits.js';

export const cryptoApi = implementApi(declared.cryptoApi, {
  blind: (_, args) => blind(fromHex(args.blind), args.value),
  blind_sum: (_, { blinds_in, non_neg }) =>
    toHex(
      blindSum(
        blinds_in.map((one) => fromHex(one)),
        non_neg,
      ),
    ),
  verify_sum: (_, { commits_in, neg_commits_in, excess }) => {
    const count = commits_in.length + neg_commits_in.length;
    const limit = LIMITS.pending_commitments_max;
    check(count <= limit, LIST_ERRORS.list_too_long, { count, limit });
    return verifySum(commits_in, neg_commits_in, excess);
  },
  verify_range: (_, { commit, proof }) => {
    const range = verifyRange(signatureBackend().curve, commit, proof);
    return { success: range !== undefined, min_val: range?.minValue ?? 0n, max_val: range?.maxValue ?? 0n };
  },
  range_proof_sign: (_, args) =>
    signRange(signatureBackend().curve, {
      nonce: fromHex(args.nonce),
      commitment: args.commit,
      factor: fromHex(args.commit_blind),
      value: args.actual_value,
      minValue: args.min_value,
      exponent: args.base10_exp,
      minBits: args.min_bits,
    }),
  verify_range_proof_rewind: (_, { nonce, commit, proof }) => {
    const found = rewindRange(signatureBackend().curve, fromHex(nonce), commit, proof);
    if (found === undefined) return rewound.default();
    const { info, value, factor, message } = found;
    return {
      success: true,
      min_val: info.minValue,
      max_val: info.maxValue,
      value_out: value,
      blind_out: toHex(factor),
      message_out: message,
    };
  },
  range_get_info: (_, { proof }) => {
    const { exponent, mantissa, minValue, maxValue } = rangeInfo(proof);
    return { exp: exponent, mantissa, min_value: minValue, max_value: maxValue };
  },
});
