import { api } from '../../define.js';
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

/** Assembled in the family's order: clients may see a method's position in error data. Our own methods stand last. */
export const databaseApi = api({
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
  },
});
