import type { AnyObjectDef } from '../define.js';
import { accountObject } from './account.js';
import { accountBalanceObject } from './account-balance.js';
import { accountStatisticsObject } from './account-statistics.js';
import { assetObject } from './asset.js';
import { assetBitassetDataObject } from './asset-bitasset-data.js';
import { assetDynamicDataObject } from './asset-dynamic-data.js';
import { balanceObject } from './balance.js';
import { blindedBalanceObject } from './blinded-balance.js';
import { blockSummaryObject } from './block-summary.js';
import { budgetRecordObject } from './budget-record.js';
import { buybackObject } from './buyback.js';
import { callOrderObject } from './call-order.js';
import { chainPropertyObject } from './chain-property.js';
import { committeeMemberObject } from './committee-member.js';
import { index64Object, keyValueObject, tableIdObject } from './contract-table.js';
import {
  dataMarketCategoryObject,
  datasourceCopyrightObject,
  dataTransactionComplainObject,
  dataTransactionObject,
  freeDataProductObject,
  leagueDataProductObject,
  leagueObject,
  pocsObject,
  secondHandDataObject,
} from './data-market.js';
import { dynamicGlobalPropertyObject } from './dynamic-global-property.js';
import { fbaAccumulatorObject } from './fba-accumulator.js';
import { forceSettlementObject } from './force-settlement.js';
import { globalPropertyObject } from './global-property.js';
import { limitOrderObject } from './limit-order.js';
import { lockBalanceObject } from './lock-balance.js';
import { proposalObject } from './proposal.js';
import { signatureObject } from './signature.js';
import { specialAuthorityObject } from './special-authority.js';
import { stakingObject } from './staking.js';
import { transactionObject } from './transaction.js';
import { trustNodePledgeObject } from './trust-node-pledge.js';
import { vestingBalanceObject } from './vesting-balance.js';
import { withdrawPermissionObject } from './withdraw-permission.js';
import { witnessObject } from './witness.js';
import { witnessScheduleObject } from './witness-schedule.js';
import { workerObject } from './worker.js';

/** Every type of object that the chain's state consists of, by space and type. Plugins add their own. */
export const OBJECTS: readonly AnyObjectDef[] = [
  accountObject,
  assetObject,
  forceSettlementObject,
  committeeMemberObject,
  witnessObject,
  limitOrderObject,
  callOrderObject,
  proposalObject,
  withdrawPermissionObject,
  vestingBalanceObject,
  workerObject,
  balanceObject,
  dataMarketCategoryObject,
  freeDataProductObject,
  leagueDataProductObject,
  leagueObject,
  dataTransactionObject,
  pocsObject,
  datasourceCopyrightObject,
  secondHandDataObject,
  dataTransactionComplainObject,
  lockBalanceObject,
  trustNodePledgeObject,
  stakingObject,
  globalPropertyObject,
  dynamicGlobalPropertyObject,
  assetDynamicDataObject,
  assetBitassetDataObject,
  accountBalanceObject,
  accountStatisticsObject,
  transactionObject,
  blockSummaryObject,
  blindedBalanceObject,
  chainPropertyObject,
  witnessScheduleObject,
  budgetRecordObject,
  specialAuthorityObject,
  buybackObject,
  fbaAccumulatorObject,
  signatureObject,
  tableIdObject,
  keyValueObject,
  index64Object,
];
