import type { ApiDef } from '../define.js';
import { assetApi } from './asset.js';
import { blockApi } from './block.js';
import { cryptoApi } from './crypto.js';
import { databaseApi } from './database/index.js';
import { debugApi } from './debug.js';
import { devApi } from './dev.js';
import { historyApi } from './history.js';
import { loginApi } from './login.js';
import { networkBroadcastApi } from './network-broadcast.js';
import { networkNodeApi } from './network-node.js';

/** Every API of the node. A plugin may put one of the same name in the place of a stand-in. */
export const APIS: readonly ApiDef[] = [
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
