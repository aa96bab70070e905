import { toHex } from '../../src/base/bytes.js';
import type { JsonObject } from '../../src/codec/json.js';
import { blind, blindSum } from '../../src/crypto/blind.js';
import { OPERATION_ERRORS } from '../../src/operations/checks.js';
import { BLIND_TRANSFER_ERRORS as BOTH } from '../../src/operations/confidential/blind-transfer.js';
import { CONFIDENTIAL_ERRORS as ANY } from '../../src/operations/confidential/blinded.js';
import { TRANSFER_FROM_BLIND_ERRORS as OUT_OF } from '../../src/operations/confidential/transfer-from-blind.js';
import { TRANSFER_TO_BLIND_ERRORS as INTO } from '../../src/operations/confidential/transfer-to-blind.js';
import { ASSET_FLAG, makeAsset } from '../../src/protocol/asset.js';
import { assetDynamicDataObject } from '../../src/state/objects/asset-dynamic-data.js';
import { fbaAccumulatorObject } from '../../src/state/objects/fba-accumulator.js';
import { accountText, amountJson, FreeWorld } from '../support/free-world.js';
import { assertion, type Refusal } from './define.js';

const KEY = 'GXC6MRyAjQq8ud7hVNYcfnVPJqcVpscN5So8BhtHuGYqET5GDW5CV';
const OWNER = { weight_threshold: 1, account_auths: [], key_auths: [[KEY, 1]], address_auths: [] };
const IMPOSSIBLE = { ...OWNER, weight_threshold: 2 };
const NOBODY = { ...OWNER, key_auths: [], account_auths: [['1.2.99', 1]] };
const OTHER = { ...OWNER, weight_threshold: 0 };
const factor = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
const coins = (amount: number | bigint): JsonObject => amountJson(amount, 1);
/** The header of a range proof: as many hidden bits, and one more. */
const rangeProof = (bits: number): string => toHex(Uint8Array.of(0x40, bits, ...new Uint8Array(70)));

const hidden = (amount: bigint, more: JsonObject = {}, fill = 7): JsonObject => ({
  commitment: blind(factor(fill), amount),
  owner: OWNER,
  range_proof: '',
  ...more,
});
/** Of 500, in the order of commitments. */
const split = (more: JsonObject = {}) =>
  [hidden(200n, more, 2), hidden(300n, more, 3)].sort((a, b) => (`${a.commitment}` < `${b.commitment}` ? -1 : 1));
const reversed = (more: JsonObject = {}) => split(more).reverse();

const w = new FreeWorld();
const alice = w.account('alice', {}, 1000n);
for (let i = 0; i < 3; i++) w.create(fbaAccumulatorObject, {});
const issuer = w.lifetimeMember('issuer');
const closed = w.asset('CLOSED', issuer, { flags: ASSET_FLAG.disable_confidential | ASSET_FLAG.transfer_restricted });
const bound = w.asset('BOUND', issuer, { flags: ASSET_FLAG.transfer_restricted | ASSET_FLAG.white_list });
const listed = w.asset('LISTED', issuer, { flags: ASSET_FLAG.white_list });
// Fees in 1.3.0 can be converted.
w.changeAsset(0, { core_exchange_rate: { base: makeAsset(1n, 1), quote: makeAsset(1n, 0) } });
w.state.modify(assetDynamicDataObject, w.state.get(assetDynamicDataObject, 0), (o) => {
  o.fee_pool = 100n;
});

const hide = (more: JsonObject = {}) =>
  w.run(39, {
    fee: coins(0),
    amount: coins(500),
    from: accountText(alice),
    blinding_factor: toHex(factor(7)),
    outputs: [hidden(500n)],
    ...more,
  });
const move = (more: JsonObject = {}) =>
  w.run(40, { fee: coins(10), inputs: [hidden(500n)], outputs: [hidden(490n)], ...more });
const show = (more: JsonObject = {}) =>
  w.run(41, {
    fee: coins(10),
    amount: coins(490),
    to: accountText(alice),
    blinding_factor: toHex(factor(7)),
    inputs: [hidden(500n)],
    ...more,
  });
hide();
hide({ amount: coins(1), outputs: [hidden(1n)] });
w.state.modify(assetDynamicDataObject, w.state.get(assetDynamicDataObject, 1), (o) => {
  o.confidential_supply = 499n;
});

const bothFactors = toHex(blindSum([factor(2), factor(3)], 2));
const WIDE = { range_proof: rangeProof(57) };
const tooWide = { outputs: split(WIDE), blinding_factor: bothFactors };
const unknown = { fee: coins(10), inputs: [hidden(400n)] };
const otherOwner = { inputs: [hidden(500n, { owner: OTHER })] };
const I64_MAX = 9_223_372_036_854_775_807n;

export const refusals: readonly Refusal[] = [
  assertion(OPERATION_ERRORS.operation_fee_negative, 'fee.amount >= 0: ', () =>
    hide({ fee: coins(-1), amount: coins(0) }),
  ),
  assertion(ANY.blind_amount_not_positive, 'amount.amount > 0: ', () =>
    hide({ amount: coins(0), outputs: reversed() }),
  ),
  assertion(INTO.blind_outputs_missing, 'out.size(): there must be at least one output', () => hide({ outputs: [] })),
  assertion(INTO.blind_outputs_unsorted, 'out[i-1] < out[i]: all outputs must be sorted by commitment id', () =>
    hide({ outputs: reversed().map((output, i) => (i === 1 ? { ...output, owner: IMPOSSIBLE } : output)) }),
  ),
  assertion(ANY.blind_owner_impossible, '!outputs[i].owner.is_impossible(): ', () =>
    hide({ outputs: reversed({ owner: IMPOSSIBLE }) }),
  ),
  assertion(INTO.blind_into_sum, 'fc::ecc::verify_sum( {public_c}, out, 0 ): ', () =>
    hide({ amount: coins(501), ...tooWide }),
  ),
  assertion(ANY.blind_range, 'info.max_value <= GRAPHENE_MAX_SHARE_SUPPLY: ', () => hide(tooWide)),
  assertion(INTO.blind_disabled, 'atype.allow_confidential(): ', () => hide({ amount: amountJson(500, closed) })),
  assertion(INTO.blind_restricted, '!atype.is_transfer_restricted(): ', () => hide({ amount: amountJson(500, bound) })),
  assertion(INTO.blind_white_listed, '!(atype.options.flags & white_list): ', () =>
    hide({ amount: amountJson(500, listed), outputs: [hidden(500n, { owner: NOBODY })] }),
  ),

  assertion(BOTH.blind_both_inputs_unsorted, 'in[i-1] < in[i]: ', () =>
    move({ inputs: reversed(), outputs: reversed() }),
  ),
  assertion(BOTH.blind_both_outputs_unsorted, 'out[i-1] < out[i]: ', () => move({ inputs: [], outputs: reversed() })),
  assertion(ANY.blind_owner_impossible, '!outputs[i].owner.is_impossible(): ', () =>
    move({ inputs: [], outputs: [hidden(490n, { owner: IMPOSSIBLE })] }),
  ),
  assertion(BOTH.blind_both_inputs_missing, 'in.size(): there must be at least one input', () => move({ inputs: [] })),
  assertion(BOTH.blind_both_sum, 'fc::ecc::verify_sum( in, out, net_public ): ', () => move({ outputs: split(WIDE) })),
  {
    row: BOTH.blind_unknown_commitment,
    code: 3054001,
    name: 'blind_transfer_unknown_commitment',
    message: 'Attempting to claim an unknown prior commitment:',
    raise: () => move({ ...unknown, outputs: [hidden(390n)] }),
  },
  assertion(ANY.blind_other_asset, 'itr->asset_id == o.fee.asset_id: ', () =>
    move({ ...otherOwner, fee: amountJson(10, 0) }),
  ),
  assertion(ANY.blind_other_owner, 'itr->owner == in.owner: ', () => move(otherOwner)),

  assertion(ANY.blind_amount_not_positive, 'amount.amount > 0: ', () => show({ amount: coins(0), fee: coins(-1) })),
  assertion(OPERATION_ERRORS.operation_fee_negative, 'fee.amount >= 0: ', () => show({ fee: coins(-1), inputs: [] })),
  assertion(OUT_OF.blind_inputs_missing, 'inputs.size() > 0: ', () => show({ inputs: [], fee: amountJson(10, 0) })),
  assertion(OUT_OF.blind_fee_in_other_asset, 'amount.asset_id == fee.asset_id: ', () =>
    show({ fee: amountJson(10, 0), inputs: reversed() }),
  ),
  assertion(OUT_OF.blind_inputs_unsorted, 'in[i-1] < in[i]: all inputs must be sorted by commitment id', () =>
    show({ inputs: reversed() }),
  ),
  assertion(OUT_OF.blind_out_of_sum, 'fc::ecc::verify_sum( in, out, 0 ): ', () => show({ amount: coins(491) })),
  assertion(OUT_OF.blind_out_of_sum, 'fc::ecc::verify_sum( in, out, 0 ): ', () => show({ amount: coins(I64_MAX) })),
  assertion(OUT_OF.blind_commitment_missing, 'itr != cidx.end(): ', () => show({ ...unknown, amount: coins(390) })),
  assertion(ANY.blind_other_owner, 'itr->owner == in.owner: ', () => show(otherOwner)),
  // More than was ever hidden: the supply was set lower here.
  assertion(ANY.blind_supply, 'obj.confidential_supply >= 0: ', () => show()),
];
