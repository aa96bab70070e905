import * as declared from '../../api/network.js';
import { implementApi } from '../define.js';

export const loginApi = implementApi(declared.loginApi, {
  login: ({ session }, { user, password }) => session.login(user, password),
  block: ({ session }) => session.apiId('block'),
  network_broadcast: ({ session }) => session.apiId('network_broadcast'),
  database: ({ session }) => session.apiId('database'),
  history: ({ session }) => session.apiId('history'),
  network_node: ({ session }) => session.apiId('network_node'),
  crypto: ({ session }) => session.apiId('crypto'),
  asset: ({ session }) => session.apiId('asset'),
  debug: ({ session }) => session.apiId('debug'),
  dev: ({ session }) => session.apiId('dev'),
});
