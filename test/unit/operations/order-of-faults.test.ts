import t from 'tap';
import type { Json } from '../../../src/codec/json.js';
import { ACCOUNT_UPDATE_ERRORS } from '../../../src/operations/account/account-update.js';
import { ACCOUNT_RULE_ERRORS } from '../../../src/operations/account/authority-rules.js';
import { ASSET_CLAIM_FEES_ERRORS } from '../../../src/operations/asset/asset-claim-fees.js';
import { ASSET_CREATE_ERRORS } from '../../../src/operations/asset/asset-create.js';
import { ASSET_FUND_FEE_POOL_ERRORS } from '../../../src/operations/asset/asset-fund-fee-pool.js';
import { ASSET_ISSUE_ERRORS } from '../../../src/operations/asset/asset-issue.js';
import { ASSET_RESERVE_ERRORS } from '../../../src/operations/asset/asset-reserve.js';
import { ASSET_UPDATE_ERRORS } from '../../../src/operations/asset/asset-update.js';
import { ASSET_OPTION_ERRORS } from '../../../src/operations/asset/options.js';
import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { ASSET_GLOBAL_SETTLE_ERRORS } from '../../../src/operations/retired/asset-global-settle.js';
import { ASSET_SETTLE_ERRORS } from '../../../src/operations/retired/asset-settle.js';
import { PROXY_TRANSFER_ERRORS } from '../../../src/operations/transfer/proxy-transfer.js';
import { validateOperation } from '../../../src/operations/validation.js';
import { type Changes, changed } from '../../support/changed-operation.js';
import { type Faults, refusedInOrder } from '../../support/refused-in-order.js';

/** An operation that is valid with `given`, and what may be wrong with it, in the order in which the reference looks. */
interface Chain {
  readonly tag: number;
  readonly given?: Changes;
  readonly faults: Faults;
}

const O = ASSET_OPTION_ERRORS;
const C = ASSET_CREATE_ERRORS;
const A = ACCOUNT_RULE_ERRORS;
const U = ACCOUNT_UPDATE_ERRORS;
const P = PROXY_TRANSFER_ERRORS;
const ABOVE_SUPPLY = '100000000000000001';
const ADDRESSES: Json = [['GXCFAbAx7yuxt725qSZvfwWqkdCwp9ZnUama', 1]];
const FEE: Faults[number] = [{ 'fee.amount': -1 }, OPERATION_ERRORS.operation_fee_negative];

const authority = (weight_threshold: number, account_auths: Json[], address_auths: Json = []) => ({
  weight_threshold,
  account_auths,
  key_auths: [],
  address_auths,
});
const NOBODY = authority(0, []);
const IMPOSSIBLE = authority(9, [['1.2.6', 1]]);
const BY_ADDRESS = authority(9, [['1.2.6', 1]], ADDRESSES);
const NO_HOLDERS: Json = [1, { asset: '1.3.5', num_top_holders: 0 }];

/** Of an asset's options, `at` being where they are. */
const optionFaults = (at: string): Faults => [
  [{ [`${at}.max_supply`]: 0 }, O.asset_max_supply_not_positive],
  [{ [`${at}.max_supply`]: ABOVE_SUPPLY }, O.asset_max_supply_too_large],
  [{ [`${at}.market_fee_percent`]: 10_001 }, O.asset_market_fee_percent],
  [{ [`${at}.max_market_fee`]: -1 }, O.asset_max_market_fee],
  [{ [`${at}.issuer_permissions`]: 0x200 }, O.asset_permissions],
  [{ [`${at}.flags`]: 0x1a0 }, O.asset_global_settle_flag],
  [{ [`${at}.flags`]: 0x180 }, O.asset_two_feeds],
];
const priceFaults = (at: string): Faults => [
  [{ [`${at}.core_exchange_rate.base.amount`]: 0 }, O.price_base_not_positive],
  [{ [`${at}.core_exchange_rate.quote.amount`]: 0 }, O.price_quote_not_positive],
  [
    { [`${at}.core_exchange_rate.base.asset_id`]: '1.3.1', [`${at}.core_exchange_rate.quote.asset_id`]: '1.3.1' },
    O.price_same_asset,
  ],
];
const listFaults = (at: string): Faults => [
  [{ [`${at}.whitelist_authorities`]: ['1.2.6'] }, O.asset_authorities_without_flag],
  [{ [`${at}.whitelist_markets`]: ['1.3.2'], [`${at}.blacklist_markets`]: ['1.3.2'] }, O.asset_market_in_both_lists],
];
const bitassetFaults = (at: string): Faults => [
  [{ [`${at}.minimum_feeds`]: 0 }, O.bitasset_minimum_feeds],
  [{ [`${at}.force_settlement_offset_percent`]: 10_001 }, O.bitasset_offset_percent],
  [{ [`${at}.maximum_force_settlement_volume`]: 10_001 }, O.bitasset_volume],
];

const CHAINS: readonly Chain[] = [
  {
    tag: 6,
    faults: [[{ account: '1.2.4' }, U.account_update_temp], FEE, [{ new_options: null }, U.account_update_nothing]],
  },
  {
    tag: 6,
    faults: [
      FEE,
      [{ account: '1.2.0' }, U.account_update_committee],
      [{ owner: NOBODY }, A.update_owner_empty],
      [{ owner: BY_ADDRESS }, A.update_owner_addresses],
      [{ owner: IMPOSSIBLE }, A.update_owner_impossible],
      [{ active: NOBODY }, A.update_active_empty],
      [{ active: BY_ADDRESS }, A.update_active_addresses],
      [{ active: IMPOSSIBLE }, A.update_active_impossible],
      [{ 'new_options.num_witness': 3 }, A.too_few_witness_votes],
      [{ 'new_options.num_committee': 3 }, A.too_few_committee_votes],
      [{ extensions: { owner_special_authority: NO_HOLDERS } }, A.top_holders_zero],
    ],
  },
  {
    tag: 10,
    faults: [
      FEE,
      [{ symbol: 'AB' }, C.asset_symbol_invalid],
      ...optionFaults('common_options'),
      ...priceFaults('common_options'),
      ...listFaults('common_options'),
      [{ 'common_options.issuer_permissions': 0x10 }, C.asset_needs_bitasset_options],
      [{ is_prediction_market: true }, C.asset_prediction_without_bitasset],
      [{ precision: 13 }, C.asset_precision],
    ],
  },
  {
    tag: 10,
    given: { bitasset_opts: { minimum_feeds: 1 } },
    faults: [
      ...listFaults('common_options'),
      [{ is_prediction_market: true }, C.asset_prediction_without_settlement],
      ...bitassetFaults('bitasset_opts'),
      [{ precision: 13 }, C.asset_precision],
    ],
  },
  {
    tag: 11,
    faults: [
      FEE,
      [{ issuer: '1.2.17', new_issuer: '1.2.17' }, ASSET_UPDATE_ERRORS.asset_update_same_issuer],
      ...optionFaults('new_options'),
      ...priceFaults('new_options'),
      ...listFaults('new_options'),
    ],
  },
  { tag: 12, faults: [FEE, ...bitassetFaults('new_options')] },
  {
    tag: 14,
    faults: [
      FEE,
      [{ 'asset_to_issue.amount': ABOVE_SUPPLY }, ASSET_ISSUE_ERRORS.issue_amount_above_supply],
      [{ 'asset_to_issue.amount': 0 }, ASSET_ISSUE_ERRORS.issue_amount_not_positive],
      [{ 'asset_to_issue.asset_id': '1.3.0' }, ASSET_ISSUE_ERRORS.issue_original_core],
    ],
  },
  { tag: 15, faults: [FEE, [{ 'amount_to_reserve.amount': 0 }, ASSET_RESERVE_ERRORS.reserve_amount_not_positive]] },
  { tag: 16, faults: [FEE, [{ amount: 0 }, ASSET_FUND_FEE_POOL_ERRORS.pool_amount_not_positive]] },
  { tag: 17, faults: [FEE, [{ 'amount.amount': -1 }, ASSET_SETTLE_ERRORS.settle_amount_negative]] },
  { tag: 18, faults: [FEE, [{ asset_to_settle: '1.3.8' }, ASSET_GLOBAL_SETTLE_ERRORS.settle_price_of_other_asset]] },
  { tag: 43, faults: [FEE, [{ 'amount_to_claim.amount': 0 }, ASSET_CLAIM_FEES_ERRORS.claim_amount_not_positive]] },
  {
    tag: 73,
    faults: [
      FEE,
      [{ 'request_params.amount.amount': -1 }, P.proxy_amount_negative],
      [{ proxy_memo: '' }, P.proxy_memo_empty],
      [{ 'request_params.percentage': 10_001 }, P.proxy_percentage],
      [{ 'request_params.from': '1.2.7', 'request_params.to': '1.2.7' }, P.proxy_to_self],
    ],
  },
];

t.test(
  'of any two faults that an operation has by itself the one is named that the reference meets first',
  async (t) => {
    for (const { tag, given = {}, faults } of CHAINS) {
      const validate = (changes: Changes) => validateOperation(changed(tag, { ...given, ...changes }));
      t.doesNotThrow(() => validate({}), `${tag} without a fault`);
      refusedInOrder(t, `${tag}`, validate, faults);
    }
  },
);
