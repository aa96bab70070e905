import { operationOf } from '../../client/transactions.js';
import { makeAsset } from '../../protocol/asset.js';
import type { Instance } from '../../protocol/ids.js';
import type { Operation } from '../../protocol/operation-slot.js';
import { proxyTransferOperation } from '../../protocol/operations/transfers.js';

/** As long as a content id. */
const MEMO = 'Qm'.padEnd(46, '1');

/** A payment as large as any, to ask for its fee. */
export function samplePayment(account: Instance, asset: Instance): Operation {
  const request_params = {
    from: 0,
    to: account,
    proxy_account: account,
    amount: makeAsset(0n, asset),
    percentage: 0,
    memo: '0'.repeat(32),
    expiration: 0,
    signatures: [new Uint8Array(65)],
  };
  return operationOf(proxyTransferOperation, { proxy_memo: MEMO, request_params, extensions: [] });
}
