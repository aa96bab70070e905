import { check, defineErrors } from '../base/errors.js';
import type { Json } from '../codec/json.js';
import { isJsonObject } from '../codec/struct.js';
import { type PublicKey, publicKeyFromText, publicKeyToText } from '../crypto/public-key.js';
import type { Authority } from '../protocol/authority.js';
import { PERCENT_100 } from '../protocol/chain-parameters.js';
import type { Instance } from '../protocol/ids.js';
import type { AnyObjectDef } from '../state/define.js';
import { accountObject } from '../state/objects/account.js';
import { accountBalanceObject, balanceKey } from '../state/objects/account-balance.js';
import { accountStatisticsObject } from '../state/objects/account-statistics.js';
import { assetObject } from '../state/objects/asset.js';
import { assetDynamicDataObject } from '../state/objects/asset-dynamic-data.js';
import { FOREVER } from '../state/rules/accounts.js';
import { adjustBalance, balanceOf } from '../state/rules/balances.js';
import { createAccount } from '../state/rules/new-account.js';
import type { WriteState } from '../state/views.js';
import { applyObjectUpdate, type ObjectUpdate, readObjectUpdate } from './debug-updates.js';

export const STATE_UPDATE_ERRORS = defineErrors({
  dev_balance_supply: { text: 'with that, the supply of ${symbol} would be ${supply}: its maximum is ${maximum}' },
  dev_balance_negative: { text: 'a balance is not negative, as ${amount} is' },
});

/** What an account has of an asset; the supply moves along, so that amounts still add up to it. */
export interface BalanceUpdate {
  readonly action: 'balance';
  readonly account: Instance;
  readonly asset: Instance;
  readonly amount: bigint;
}

/** An account of this name, a lifetime member with one key for everything. One that is there changes hands. */
export interface AccountUpdate {
  readonly action: 'account';
  readonly name: string;
  readonly key: PublicKey;
}

/** Changes that no operation makes. */
export type StateUpdate = ObjectUpdate | BalanceUpdate | AccountUpdate;

export interface Touched {
  readonly definition: AnyObjectDef;
  readonly instance: Instance;
}

/** As a file keeps it. */
export const balanceUpdateJson = ({ account, asset, amount }: BalanceUpdate): Json => ({
  _action: 'balance',
  account,
  asset,
  amount: String(amount),
});

export const accountUpdateJson = ({ name, key }: AccountUpdate): Json => ({
  _action: 'account',
  name,
  key: publicKeyToText(key, ''),
});

/** Of what a file keeps. */
export function readStateUpdate(json: Json): StateUpdate {
  const isObject = isJsonObject(json);
  if (isObject && json._action === 'account') {
    return { action: 'account', name: String(json.name), key: publicKeyFromText(String(json.key), '') };
  }
  if (!isObject || json._action !== 'balance') return readObjectUpdate(json);
  const { account, asset, amount } = json;
  return { action: 'balance', account: Number(account), asset: Number(asset), amount: BigInt(String(amount)) };
}

/** Refuses without a trace, in a frame that the caller has opened. Answers with what it has changed. */
export function applyStateUpdate(state: WriteState, update: StateUpdate): readonly Touched[] {
  if (update.action === 'balance') return applyBalance(state, update);
  if (update.action === 'account') return applyAccount(state, update);
  applyObjectUpdate(state, update);
  return [{ definition: update.definition, instance: update.instance }];
}

/** As `applyStateUpdate`, after a start: it may have been made before. What is gone was deleted by a later one. */
export function applyAgain(state: WriteState, update: StateUpdate): void {
  const isOfObject = update.action !== 'balance' && update.action !== 'account';
  if (isOfObject && state.find(update.definition, update.instance) === undefined) return;
  applyStateUpdate(state, update);
}

function applyBalance(state: WriteState, { account, asset, amount }: BalanceUpdate): readonly Touched[] {
  check(amount >= 0n, STATE_UPDATE_ERRORS.dev_balance_negative, { amount });
  const { symbol, options, dynamic_asset_data_id } = state.get(assetObject, asset);
  const data = state.get(assetDynamicDataObject, dynamic_asset_data_id);
  const delta = amount - balanceOf(state, account, asset);
  const supply = data.current_supply + delta;
  const maximum = options.max_supply;
  check(delta <= 0n || supply <= maximum, STATE_UPDATE_ERRORS.dev_balance_supply, { symbol, supply, maximum });
  if (delta === 0n) return [];
  adjustBalance(state, account, asset, delta);
  state.edit(assetDynamicDataObject, data).current_supply = supply;
  const row = state.findBy(accountBalanceObject.by.ownerAsset, balanceKey(account, asset));
  const ofAsset = { definition: assetDynamicDataObject, instance: data.id };
  return row === undefined ? [ofAsset] : [{ definition: accountBalanceObject, instance: row.id }, ofAsset];
}

/** What network and referrers get of the fees of an account that pays no referrer but itself. */
const NETWORK_PERCENT = 2000;

function applyAccount(state: WriteState, { name, key }: AccountUpdate): readonly Touched[] {
  const found = state.findBy(accountObject.by.name, name);
  const account = found ?? createAccount(state, { name, network_fee_percentage: NETWORK_PERCENT });
  const authority = { weight_threshold: 1, account_auths: [], key_auths: [[key, 1]], address_auths: [] } as Authority;
  state.modify(accountObject, account, (o) => {
    o.owner = authority;
    o.active = authority;
    o.options = { ...o.options, memo_key: key };
    o.membership_expiration_date = FOREVER;
    o.registrar = o.id;
    o.referrer = o.id;
    o.lifetime_referrer = o.id;
    o.lifetime_referrer_fee_percentage = PERCENT_100 - o.network_fee_percentage;
  });
  const statistics = { definition: accountStatisticsObject, instance: account.statistics };
  return [{ definition: accountObject, instance: account.id }, ...(found === undefined ? [statistics] : [])];
}
