import { check, defineErrors } from '../../base/errors.js';
import { makeAsset } from '../../protocol/asset.js';
import { CORE_ASSET } from '../../protocol/ids.js';
import type { SignedTransaction } from '../../protocol/transaction.js';
import { accountObject } from '../../state/objects/account.js';
import type { ReadState } from '../../state/views.js';
import { DEV_FAUCET } from './dev-network.js';
import { OP, priced } from './dev-setup.js';
import { signedForHead } from './genesis-claims.js';

export const FAUCET_ERRORS = defineErrors({
  dev_account_unknown: { text: 'there is no account ${name} on this chain' },
});

const LIFETIME_SEC = 600;
/** Two payments that are alike would be one transaction: each of so many lives a second longer. */
const ALIKE_MAX = 3600;

/** A payment of the faucet in the smallest unit of the core asset; `count` says how many there were before it. */
export function faucetPayment(s: ReadState, name: string, amount: bigint, count: number): SignedTransaction {
  const idOf = (account: string): number => {
    const id = s.findBy(accountObject.by.name, account)?.id;
    check(id !== undefined, FAUCET_ERRORS.dev_account_unknown, { name: account });
    return id;
  };
  const transfer = priced(s, OP.transfer, CORE_ASSET, {
    from: idOf(DEV_FAUCET.name),
    to: idOf(name),
    amount: makeAsset(amount, CORE_ASSET),
    memo: undefined,
    extensions: [],
  });
  return signedForHead(s, [transfer], [DEV_FAUCET.key], LIFETIME_SEC + (count % ALIKE_MAX));
}
