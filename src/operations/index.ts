import { invariant } from '../base/errors.js';
import { OPERATION_DECLARATIONS } from '../protocol/operations/index.js';
import { accountCreate } from './account/account-create.js';
import { accountUpdate } from './account/account-update.js';
import { accountUpgrade } from './account/account-upgrade.js';
import { accountUpgradeDatasource } from './account/account-upgrade-datasource.js';
import { accountUpgradeMerchant } from './account/account-upgrade-merchant.js';
import { accountWhitelist } from './account/account-whitelist.js';
import { assetClaimFees } from './asset/asset-claim-fees.js';
import { assetCreate } from './asset/asset-create.js';
import { assetFundFeePool } from './asset/asset-fund-fee-pool.js';
import { assetIssue } from './asset/asset-issue.js';
import { assetReserve } from './asset/asset-reserve.js';
import { assetUpdate } from './asset/asset-update.js';
import { balanceClaim } from './balance/balance-claim.js';
import { committeeMemberCreate } from './committee/committee-member-create.js';
import { committeeMemberUpdate } from './committee/committee-member-update.js';
import { committeeMemberUpdateGlobalParameters } from './committee/update-global-parameters.js';
import { blindTransfer } from './confidential/blind-transfer.js';
import { transferFromBlind } from './confidential/transfer-from-blind.js';
import { transferToBlind } from './confidential/transfer-to-blind.js';
import { assertOperation } from './custom/assert.js';
import { custom } from './custom/custom.js';
import type { AnyOperationDef } from './define.js';
import { OPERATIONS_47_84 } from './list-47-84.js';
import { proposalCreate } from './proposal/proposal-create.js';
import { proposalDelete } from './proposal/proposal-delete.js';
import { proposalUpdate } from './proposal/proposal-update.js';
import { registerDefinitions } from './registered.js';
import { accountTransfer } from './retired/account-transfer.js';
import { assetGlobalSettle } from './retired/asset-global-settle.js';
import { assetPublishFeed } from './retired/asset-publish-feed.js';
import { assetSettle } from './retired/asset-settle.js';
import { assetSettleCancel } from './retired/asset-settle-cancel.js';
import { assetUpdateBitasset } from './retired/asset-update-bitasset.js';
import { assetUpdateFeedProducers } from './retired/asset-update-feed-producers.js';
import { callOrderUpdate } from './retired/call-order-update.js';
import { fbaDistribute } from './retired/fba-distribute.js';
import { fillOrder } from './retired/fill-order.js';
import { limitOrderCancel } from './retired/limit-order-cancel.js';
import { limitOrderCreate } from './retired/limit-order-create.js';
import { workerCreate } from './retired/worker-create.js';
import { overrideTransfer } from './transfer/override-transfer.js';
import { transfer } from './transfer/transfer.js';
import { vestingBalanceCreate } from './vesting/vesting-balance-create.js';
import { vestingBalanceWithdraw } from './vesting/vesting-balance-withdraw.js';
import { withdrawPermissionClaim } from './withdraw/withdraw-permission-claim.js';
import { withdrawPermissionCreate } from './withdraw/withdraw-permission-create.js';
import { withdrawPermissionDelete } from './withdraw/withdraw-permission-delete.js';
import { withdrawPermissionUpdate } from './withdraw/withdraw-permission-update.js';
import { witnessCreate } from './witness/witness-create.js';
import { witnessUpdate } from './witness/witness-update.js';

/** All operations in the order of their tags. Loading this module makes operations applicable. */
export const OPERATIONS: readonly AnyOperationDef[] = [
  transfer,
  limitOrderCreate,
  limitOrderCancel,
  callOrderUpdate,
  fillOrder,
  accountCreate,
  accountUpdate,
  accountWhitelist,
  accountUpgrade,
  accountTransfer,
  assetCreate,
  assetUpdate,
  assetUpdateBitasset,
  assetUpdateFeedProducers,
  assetIssue,
  assetReserve,
  assetFundFeePool,
  assetSettle,
  assetGlobalSettle,
  assetPublishFeed,
  witnessCreate,
  witnessUpdate,
  proposalCreate,
  proposalUpdate,
  proposalDelete,
  withdrawPermissionCreate,
  withdrawPermissionUpdate,
  withdrawPermissionClaim,
  withdrawPermissionDelete,
  committeeMemberCreate,
  committeeMemberUpdate,
  committeeMemberUpdateGlobalParameters,
  vestingBalanceCreate,
  vestingBalanceWithdraw,
  workerCreate,
  custom,
  assertOperation,
  balanceClaim,
  overrideTransfer,
  transferToBlind,
  blindTransfer,
  transferFromBlind,
  assetSettleCancel,
  assetClaimFees,
  fbaDistribute,
  accountUpgradeMerchant,
  accountUpgradeDatasource,
  ...OPERATIONS_47_84,
];

invariant(OPERATIONS.length === OPERATION_DECLARATIONS.length, 'all operations that are declared are defined');
OPERATIONS.forEach((definition, position) => {
  const isDeclared = definition.schema === OPERATION_DECLARATIONS[position]?.schema;
  invariant(isDeclared, `${definition.name} stands at its tag`);
});

registerDefinitions(OPERATIONS);
