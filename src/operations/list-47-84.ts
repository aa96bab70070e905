import { accountUpgradeDataTransactionMember } from './account/account-upgrade-data-transaction-member.js';
import { balanceLock } from './balance/balance-lock.js';
import { balanceUnlock } from './balance/balance-unlock.js';
import { contractCall } from './contract/contract-call.js';
import { contractDeploy } from './contract/contract-deploy.js';
import { contractUpdate } from './contract/contract-update.js';
import { interContractCall } from './contract/inter-contract-call.js';
import { dataMarketCategoryCreate } from './data-market/data-market-category-create.js';
import { dataMarketCategoryUpdate } from './data-market/data-market-category-update.js';
import { dataTransactionComplain } from './data-market/data-transaction-complain.js';
import { dataTransactionCreate } from './data-market/data-transaction-create.js';
import { dataTransactionDatasourceUpload } from './data-market/data-transaction-datasource-upload.js';
import { dataTransactionDatasourceValidateError } from './data-market/data-transaction-datasource-validate-error.js';
import { dataTransactionUpdate } from './data-market/data-transaction-update.js';
import { datasourceCopyrightClear } from './data-market/datasource-copyright-clear.js';
import { freeDataProductCreate } from './data-market/free-data-product-create.js';
import { freeDataProductUpdate } from './data-market/free-data-product-update.js';
import { leagueCreate } from './data-market/league-create.js';
import { leagueDataProductCreate } from './data-market/league-data-product-create.js';
import { leagueDataProductUpdate } from './data-market/league-data-product-update.js';
import { leagueUpdate } from './data-market/league-update.js';
import { payDataTransaction } from './data-market/pay-data-transaction.js';
import type { AnyOperationDef } from './define.js';
import {
  staleDataMarketCategoryCreate,
  staleDataMarketCategoryUpdate,
  staleFreeDataProductCreate,
  staleFreeDataProductUpdate,
  staleLeagueCreate,
  staleLeagueDataProductCreate,
  staleLeagueDataProductUpdate,
  staleLeagueUpdate,
} from './retired/stale-data-market.js';
import { stakingClaim } from './staking/staking-claim.js';
import { stakingCreate } from './staking/staking-create.js';
import { stakingUpdate } from './staking/staking-update.js';
import { inlineTransfer } from './transfer/inline-transfer.js';
import { proxyTransfer } from './transfer/proxy-transfer.js';
import { trustNodePledgeWithdraw } from './witness/trust-node-pledge-withdraw.js';
import { witnessSetCommission } from './witness/witness-set-commission.js';
import { witnessUnbanned } from './witness/witness-unbanned.js';

/** The second half of the registry, in tag order. */
export const OPERATIONS_47_84: readonly AnyOperationDef[] = [
  staleDataMarketCategoryCreate,
  staleDataMarketCategoryUpdate,
  staleFreeDataProductCreate,
  staleFreeDataProductUpdate,
  staleLeagueDataProductCreate,
  staleLeagueDataProductUpdate,
  staleLeagueCreate,
  staleLeagueUpdate,
  dataTransactionCreate,
  dataTransactionUpdate,
  payDataTransaction,
  accountUpgradeDataTransactionMember,
  dataTransactionDatasourceUpload,
  dataTransactionDatasourceValidateError,
  dataMarketCategoryCreate,
  dataMarketCategoryUpdate,
  freeDataProductCreate,
  freeDataProductUpdate,
  leagueDataProductCreate,
  leagueDataProductUpdate,
  leagueCreate,
  leagueUpdate,
  datasourceCopyrightClear,
  dataTransactionComplain,
  balanceLock,
  balanceUnlock,
  proxyTransfer,
  contractDeploy,
  contractCall,
  contractUpdate,
  trustNodePledgeWithdraw,
  inlineTransfer,
  interContractCall,
  stakingCreate,
  stakingUpdate,
  stakingClaim,
  witnessSetCommission,
  witnessUnbanned,
];
