import { makeAsset } from '../../protocol/asset.js';
import { CORE_ASSET } from '../../protocol/ids.js';
import type { SignedTransaction } from '../../protocol/transaction.js';
import type { ReadState } from '../../state/views.js';
import { DEV_FAUCET } from './dev-network.js';
import { OP, priced } from './dev-setup.js';
import { signedForHead } from './genesis-claims.js';
import { accountNamed } from './named.js';

const LIFETIME_SEC = 600;
/** Two payments that are alike would be one transaction: each of so many lives a second longer. */
const ALIKE_MAX = 3600;

/** A payment of the faucet in the smallest unit of the core asset; `count` says how many there were before it. */
export function faucetPayment(s: ReadState, name: string, amount: bigint, count: number): SignedTransaction {
  const transfer = priced(s, OP.transfer, CORE_ASSET, {
    from: accountNamed(s, DEV_FAUCET.name),
    to: accountNamed(s, name),
    amount: makeAsset(amount, CORE_ASSET),
    memo: undefined,
    extensions: [],
  });
  return signedForHead(s, [transfer], [DEV_FAUCET.key], LIFETIME_SEC + (count % ALIKE_MAX));
}
