import { check, defineErrors } from '../../base/errors.js';
import {
  accountBalanceRecord,
  accountRecord,
  accountStatisticsRecord,
  assetBitassetDataRecord,
  assetDynamicDataRecord,
  assetRecord,
  balanceRecord,
  blindedBalanceRecord,
  buybackRecord,
  callOrderRecord,
  fbaAccumulatorRecord,
  forceSettlementRecord,
  limitOrderRecord,
  lockBalanceRecord,
  signatureRecord,
  specialAuthorityRecord,
  vestingBalanceRecord,
  withdrawPermissionRecord,
} from './accounts-and-assets.js';
import {
  accountHistoryRecord,
  blockSummaryRecord,
  chainPropertyRecord,
  dynamicGlobalPropertyRecord,
  globalPropertyRecord,
  index64Record,
  keyValueRecord,
  operationHistoryRecord,
  tableIdRecord,
  transactionRecord,
} from './chain.js';
import {
  dataMarketCategoryRecord,
  datasourceCopyrightRecord,
  dataTransactionComplainRecord,
  dataTransactionRecord,
  freeDataProductRecord,
  leagueDataProductRecord,
  leagueRecord,
  pocsRecord,
  secondHandDataRecord,
} from './data-market.js';
import type { AnyObjectDeclaration } from './declare.js';
import {
  budgetRecordRecord,
  committeeMemberRecord,
  proposalRecord,
  stakingRecord,
  trustNodePledgeRecord,
  witnessRecord,
  witnessScheduleRecord,
  workerRecord,
} from './governance.js';

/** Every type of object that a chain's state consists of, by space and type. */
const OBJECT_DECLARATIONS: readonly AnyObjectDeclaration[] = [
  accountRecord,
  assetRecord,
  forceSettlementRecord,
  committeeMemberRecord,
  witnessRecord,
  limitOrderRecord,
  callOrderRecord,
  proposalRecord,
  withdrawPermissionRecord,
  vestingBalanceRecord,
  workerRecord,
  balanceRecord,
  dataMarketCategoryRecord,
  freeDataProductRecord,
  leagueDataProductRecord,
  leagueRecord,
  dataTransactionRecord,
  pocsRecord,
  datasourceCopyrightRecord,
  secondHandDataRecord,
  dataTransactionComplainRecord,
  lockBalanceRecord,
  trustNodePledgeRecord,
  stakingRecord,
  globalPropertyRecord,
  dynamicGlobalPropertyRecord,
  assetDynamicDataRecord,
  assetBitassetDataRecord,
  accountBalanceRecord,
  accountStatisticsRecord,
  transactionRecord,
  blockSummaryRecord,
  blindedBalanceRecord,
  chainPropertyRecord,
  witnessScheduleRecord,
  budgetRecordRecord,
  specialAuthorityRecord,
  buybackRecord,
  fbaAccumulatorRecord,
  signatureRecord,
  tableIdRecord,
  keyValueRecord,
  index64Record,
];

/** What plugins keep beside the state and clients read like objects of it. */
const HISTORY_DECLARATIONS: readonly AnyObjectDeclaration[] = [operationHistoryRecord, accountHistoryRecord];

const NO_TYPE = 'there are no objects ${space_id}.${type_id}.x';

export const OBJECT_TYPE_ERRORS = defineErrors({
  object_type_unknown: { text: 'tmp: ', hint: NO_TYPE },
  object_space_small: { text: '_index[space_id].size() > type_id: ', hint: NO_TYPE },
  object_space_unknown: { text: '_index.size() > space_id: ', hint: NO_TYPE },
});

const TYPE_MAX = 255;
const SPACE_MAX = 255;
/** Spaces that hold objects. */
const SPACES = [1, 2];

const declarations = new Map<number, AnyObjectDeclaration>(
  [...OBJECT_DECLARATIONS, ...HISTORY_DECLARATIONS].map((definition) => [
    definition.space * (TYPE_MAX + 1) + definition.type,
    definition,
  ]),
);

/** The object type that an id names; the three refusals are told apart as the family does. */
export function declarationOf(space: number, type: number): AnyObjectDeclaration {
  const found = declarations.get(space * (TYPE_MAX + 1) + type);
  if (found !== undefined) return found;
  const named = { space_id: space, type_id: type };
  check(space < SPACE_MAX, OBJECT_TYPE_ERRORS.object_space_unknown, named);
  check(SPACES.includes(space) && type < TYPE_MAX, OBJECT_TYPE_ERRORS.object_space_small, {
    ...named,
    'index[space_id].size': 0,
  });
  check(false, OBJECT_TYPE_ERRORS.object_type_unknown, named);
}
