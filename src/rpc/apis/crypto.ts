import { fromHex, toHex } from '../../base/bytes.js';
import { defineErrors, fail } from '../../base/errors.js';
import { array } from '../../codec/containers.js';
import { bool, bytes, i8, i32, i64, u8, u32, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { blind, blindSum, rangeInfo, verifySum } from '../../crypto/blind.js';
import { blindFactor, commitment, sha256Hash } from '../../protocol/keys.js';
import { api, method } from '../define.js';

export const CRYPTO_API_ERRORS = defineErrors({
  range_proofs_unsupported: { text: 'this node does not make or check range proofs: ${method}' },
});

const rangeVerdict = struct('verify_range_result', { success: bool, min_val: u64, max_val: u64 });
const rangeHeader = struct('range_proof_info', { exp: i32, mantissa: i32, min_value: u64, max_value: u64 });

/** The chain itself never checks range proofs; neither do we pretend to. */
const unsupported = (name: string) => (): never => fail(CRYPTO_API_ERRORS.range_proofs_unsupported, { method: name });

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
      about: 'Not supported by this node.',
      params: { commit: commitment, proof: bytes },
      result: rangeVerdict,
      run: unsupported('verify_range'),
    }),
    range_proof_sign: method({
      about: 'Not supported by this node.',
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
      run: unsupported('range_proof_sign'),
    }),
    verify_range_proof_rewind: method({
      about: 'Not supported by this node.',
      params: { nonce: sha256Hash, commit: commitment, proof: bytes },
      result: rangeVerdict,
      run: unsupported('verify_range_proof_rewind'),
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
