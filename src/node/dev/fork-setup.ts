import { accountUpdateJson, balanceUpdateJson } from '../../chain/state-update.js';
import type { Json } from '../../codec/json.js';
import { type PublicKey, publicKeyToText } from '../../crypto/public-key.js';
import { assetOptions, SHARE_SUPPLY_MAX } from '../../protocol/asset.js';
import { idText } from '../../state/define.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { assetDynamicDataObject } from '../../state/objects/asset-dynamic-data.js';
import { witnessObject } from '../../state/objects/witness.js';
import { balanceOf } from '../../state/rules/balances.js';
import type { ReadState } from '../../state/views.js';
import { DEV_SIGNING_KEYS, type DevAccount, FORK_FAUCET, moreDevAccount } from './dev-network.js';
import type { MoreAccounts } from './dev-setup.js';

/**
 * What a fork of another chain is given beside its blocks, before the first one of its own: a local signing key for each
 * of its witnesses, and accounts with money. All of it are changes of the block that the fork begins with, kept as those
 * of the debug API are; whatever a killed start has left out, the next one adds.
 */

/** Whole coins; it also pays for accounts that are registered. */
const FAUCET_COINS = 1_000_000;

/** One for all: who makes a block is a question of the schedule. */
export const FORK_SIGNING_KEY = DEV_SIGNING_KEYS[0] as (typeof DEV_SIGNING_KEYS)[number];

/** `amend` makes a change and keeps it for later starts. */
export function setUpFork(s: ReadState, more: MoreAccounts, amend: (update: Json) => void): void {
  signHere(s, amend);
  const wanted: readonly (readonly [DevAccount, number])[] = [
    [FORK_FAUCET, FAUCET_COINS],
    ...Array.from({ length: more.count }, (_, i) => [moreDevAccount(i + 1), more.coins] as const),
  ];
  for (const [account] of wanted)
    if (!isOurs(s, account)) amend(accountUpdateJson({ action: 'account', ...withKey(account) }));
  pay(s, wanted, amend);
}

const withKey = ({ name, key }: DevAccount): { readonly name: string; readonly key: PublicKey } => ({
  name,
  key: key.publicKey,
});

function isOurs(s: ReadState, { name, key }: DevAccount): boolean {
  const found = s.findBy(accountObject.by.name, name);
  return found?.owner.key_auths.some(([one]) => one === key.publicKey) === true;
}

/** Those that are not active too: the next maintenance may choose others. */
function signHere(s: ReadState, amend: (update: Json) => void): void {
  const { publicKey } = FORK_SIGNING_KEY;
  const key = publicKeyToText(publicKey, s.network.keyPrefix);
  const others = [...s.all(witnessObject)].filter((one) => one.signing_key !== publicKey);
  for (const { id } of others) amend({ id: idText(witnessObject, id), _action: 'update', signing_key: key });
}

function pay(s: ReadState, wanted: readonly (readonly [DevAccount, number])[], amend: (update: Json) => void): void {
  const asset = s.coreAsset;
  const { precision, options, dynamic_asset_data_id } = s.get(assetObject, asset);
  const payments = wanted.flatMap(([{ name }, coins]) => {
    const account = s.findBy(accountObject.by.name, name)?.id ?? -1;
    const amount = BigInt(coins) * 10n ** BigInt(precision);
    const lacks = amount - balanceOf(s, account, asset);
    return lacks > 0n ? [{ account, amount, lacks }] : [];
  });
  const supply = payments.reduce(
    (sum, { lacks }) => sum + lacks,
    s.get(assetDynamicDataObject, dynamic_asset_data_id).current_supply,
  );
  if (supply > options.max_supply) {
    // With room for balances that are set by hand.
    const max_supply = supply * 2n < SHARE_SUPPLY_MAX ? supply * 2n : SHARE_SUPPLY_MAX;
    const raised = assetOptions.toJson({ ...options, max_supply });
    amend({ id: idText(assetObject, asset), _action: 'update', options: raised });
  }
  for (const { account, amount } of payments) amend(balanceUpdateJson({ action: 'balance', account, asset, amount }));
}
