import { databaseApi } from './database.js';
import type { ApiDeclaration } from './define.js';
import { devApi } from './dev.js';
import { debugApi, loginApi, networkBroadcastApi, networkNodeApi } from './network.js';
import { assetApi, blockApi, cryptoApi, historyApi } from './readers.js';

/** Every API of the node. A plugin may put one of the same name in the place of a stand-in. */
export const API_DECLARATIONS: readonly ApiDeclaration[] = [
  databaseApi,
  loginApi,
  networkBroadcastApi,
  historyApi,
  blockApi,
  assetApi,
  cryptoApi,
  networkNodeApi,
  debugApi,
  devApi,
];
