import { accountMethods, balanceMethods, proposalMethods, registrationMethods, witnessMethods } from './accounts.js';
import {
  blindedBalanceMethods,
  blockMethods,
  confirmationMethods,
  countMethods,
  globalMethods,
  participationMethods,
  snapshotMethods,
  testMethods,
  transactionMethods,
} from './chain.js';
import { contractMethods, contractTableMethods, objectMethods, subscriptionMethods } from './contracts.js';
import { declareApi } from './define.js';
import { assetMethods, dataMarketMethods, statisticsMethods } from './market.js';
import { networkStatusMethods } from './network.js';

/** Assembled in the family's order: clients may see a method's position in error data. Our own methods stand last. */
export const databaseApi = declareApi({
  name: 'database',
  about: 'Everything that the chain knows at its head, with pending transactions applied.',
  methods: {
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
  },
});
