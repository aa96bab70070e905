import { fromHex, toHex } from '../../base/bytes.js';
import { array } from '../../codec/containers.js';
import { bool, bytes, i8, i32, i64, u8, u32, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { blind, blindSum, verifySum } from '../../crypto/blind.js';
import { rangeInfo } from '../../crypto/range-header.js';
import { rewindRange, verifyRange } from '../../crypto/range-proof.js';
import { signRange } from '../../crypto/range-sign.js';
import { signatureBackend } from '../../crypto/signature.js';
import { blindFactor, commitment, sha256Hash } from '../../protocol/keys.js';
import { api, method } from '../define.js';

const rangeVerdict = struct('verify_range_result', { success: bool, min_val: u64, max_val: u64 });
const rangeHeader = struct('range_proof_info', { exp: i32, mantissa: i32, min_value: u64, max_value: u64 });

const rewound = struct('verify_range_proof_rewind_result', {
  success: bool,
  min_val: u64,
  max_val: u64,
  value_out: u64,
  blind_out: blindFactor,
  message_out: bytes,
});

export const cryptoApi = api({
  name: 'crypto',
  about: 'Commitments of confidential transfers.',
  methods: {
    blind: method({
      about: 'Commitment to a value under a blinding factor.',
      params: { blind: blindFactor, value: u64 },
      result: commitment,
      run: (_, args) => blind(fromHex(args.blind), args.value),
    }),
    blind_sum: method({
      about: 'Sum of the first non_neg blinding factors less all others.',
      params: { blinds_in: array(blindFactor), non_neg: u32 },
      result: blindFactor,
      run: (_, { blinds_in, non_neg }) =>
        toHex(
          blindSum(
            blinds_in.map((one) => fromHex(one)),
            non_neg,
          ),
        ),
    }),
    verify_sum: method({
      about: 'Whether positive commitments less negative ones and the excess are nothing.',
      params: { commits_in: array(commitment), neg_commits_in: array(commitment), excess: i64 },
      result: bool,
      run: (_, { commits_in, neg_commits_in, excess }) => verifySum(commits_in, neg_commits_in, excess),
    }),
    verify_range: method({
      about:
        'The range that a proof proves for the value under a commitment. All zeros, and no success, where it proves ' +
        'nothing. The chain itself asks this of no proof. The longest one keeps the node busy for some 20 ms, or 0.3 s ' +
        'without the native curve library.',
      params: { commit: commitment, proof: bytes },
      result: rangeVerdict,
      run: (_, { commit, proof }) => {
        const range = verifyRange(signatureBackend().curve, commit, proof);
        return { success: range !== undefined, min_val: range?.minValue ?? 0n, max_val: range?.maxValue ?? 0n };
      },
    }),
    range_proof_sign: method({
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
      run: (_, args) =>
        signRange(signatureBackend().curve, {
          nonce: fromHex(args.nonce),
          commitment: args.commit,
          factor: fromHex(args.commit_blind),
          value: args.actual_value,
          minValue: args.min_value,
          exponent: args.base10_exp,
          minBits: args.min_bits,
        }),
    }),
    verify_range_proof_rewind: method({
      about:
        'What the maker of a range proof knew, for the nonce that it was made with: value, blinding factor and a ' +
        'message (zeros where none was left). All zeros, and no success, with another nonce or where verify_range has ' +
        'none.',
      params: { nonce: sha256Hash, commit: commitment, proof: bytes },
      result: rewound,
      run: (_, { nonce, commit, proof }) => {
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
    }),
    range_get_info: method({
      about: 'What the header of a range proof says.',
      params: { proof: bytes },
      result: rangeHeader,
      run: (_, { proof }) => {
        const { exponent, mantissa, minValue, maxValue } = rangeInfo(proof);
        return { exp: exponent, mantissa, min_value: minValue, max_value: maxValue };
      },
    }),
  },
});
