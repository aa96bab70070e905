import { makeAsset } from '../../protocol/asset.js';
import type { SignedTransaction } from '../../protocol/transaction.js';
import type { ReadState } from '../../state/views.js';
import type { DevAccount } from './dev-network.js';
import { OP, priced } from './dev-setup.js';
import { signedForHead } from './genesis-claims.js';
import { accountNamed } from './named.js';

const LIFETIME_SEC = 600;
/** Two payments that are alike would be one transaction: each of so many lives a second longer. */
const ALIKE_MAX = 3600;

/** A payment of the faucet in the smallest unit of the core asset; `count` says how many there were before it. */
export function faucetPayment(
  s: ReadState,
  faucet: DevAccount,
  name: string,
  amount: bigint,
  count: number,
): SignedTransaction {
  const transfer = priced(s, OP.transfer, s.coreAsset, {
    from: accountNamed(s, faucet.name),
    to: accountNamed(s, name),
    amount: makeAsset(amount, s.coreAsset),
    memo: undefined,
    extensions: [],
  });
  return signedForHead(s, [transfer], [faucet.key], LIFETIME_SEC + (count % ALIKE_MAX));
}
