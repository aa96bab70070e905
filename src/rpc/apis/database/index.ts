import { databaseApi as declared } from '../../../api/database.js';
import { apiOf } from '../../define.js';
import { networkStatusMethods } from '../network-node.js';
import { accountMethods, registrationMethods } from './accounts.js';
import { assetMethods } from './assets.js';
import { blindedBalanceMethods, transactionMethods } from './authority.js';
import { balanceMethods } from './balances.js';
import { blockMethods, confirmationMethods } from './blocks.js';
import { contractMethods, contractTableMethods } from './contract-tables.js';
import { dataMarketMethods, statisticsMethods } from './data-market.js';
import { countMethods, globalMethods, participationMethods, snapshotMethods, testMethods } from './globals.js';
import { objectMethods } from './objects.js';
import { proposalMethods } from './proposals.js';
import { subscriptionMethods } from './subscriptions.js';
import { witnessMethods } from './witnesses.js';

export const databaseApi = apiOf(declared, {
  ...objectMethods,
  ...contractTableMethods,
  ...subscriptionMethods,
  ...blockMethods,
  ...globalMethods,
  ...accountMethods,
  ...countMethods,
  ...registrationMethods,
  ...snapshotMethods,
  ...statisticsMethods,
  ...balanceMethods,
  ...assetMethods,
  ...witnessMethods,
  ...transactionMethods,
  ...proposalMethods,
  ...blindedBalanceMethods,
  ...testMethods,
  ...dataMarketMethods,
  ...participationMethods,
  ...confirmationMethods,
  ...contractMethods,
  ...networkStatusMethods,
});
