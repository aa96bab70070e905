import { check, defineErrors } from '../../../base/errors.js';
import { array, set } from '../../../codec/containers.js';
import { text } from '../../../codec/scalars.js';
import { type Asset, asset } from '../../../protocol/asset.js';
import { accountId, assetId, balanceId, type Instance } from '../../../protocol/ids.js';
import { address } from '../../../protocol/keys.js';
import { accountBalanceObject } from '../../../state/objects/account-balance.js';
import { balanceObject } from '../../../state/objects/balance.js';
import { lockBalanceObject } from '../../../state/objects/lock-balance.js';
import { stakingObject } from '../../../state/objects/staking.js';
import { vestingBalanceObject } from '../../../state/objects/vesting-balance.js';
import { balanceOf } from '../../../state/rules/balances.js';
import { linearWithdrawable } from '../../../state/rules/vesting.js';
import type { ReadState } from '../../../state/views.js';
import { method } from '../../define.js';
import { eachInPieces } from '../../pieces/pieces.js';
import { objectOf } from '../../types.js';
import { byAsset, findByName } from './lookup.js';

export const BALANCE_API_ERRORS = defineErrors({
  account_name_unknown: { text: 'itr != accounts_by_name.end(): ', hint: 'there is no account ${name}' },
});

function balances(s: ReadState, owner: Instance, assets: readonly Instance[]): Asset[] {
  if (assets.length === 0) {
    return byAsset(s.group(accountBalanceObject.by.owner, owner)).map(({ asset_type, balance }) => ({
      amount: balance,
      asset_id: asset_type,
    }));
  }
  return assets.map((asset_id) => ({ amount: balanceOf(s, owner, asset_id), asset_id }));
}

function locked(s: ReadState, owner: Instance, assets: readonly Instance[]): Asset[] {
  const sums = new Map<Instance, bigint>();
  for (const { amount } of s.group(lockBalanceObject.by.owner, owner)) {
    sums.set(amount.asset_id, (sums.get(amount.asset_id) ?? 0n) + amount.amount);
  }
  const wanted = assets.length > 0 ? assets : balances(s, owner, []).map(({ asset_id }) => asset_id);
  return wanted.map((asset_id) => ({ amount: sums.get(asset_id) ?? 0n, asset_id }));
}

export const balanceMethods = {
  get_account_balances: method({
    about: 'Balances of an account: of the assets asked for, or of all that it ever held when the list is empty.',
    params: { id: accountId, assets: set(assetId) },
    result: array(asset),
    run: ({ node }, { id, assets }) => balances(node.chain.state, id, assets),
  }),
  get_account_lock_balances: method({
    about: 'Locked amounts of an account per asset.',
    params: { id: accountId, assets: set(assetId) },
    result: array(asset),
    run: ({ node }, { id, assets }) => locked(node.chain.state, id, assets),
  }),
  get_named_account_balances: method({
    about: 'As get_account_balances, by account name.',
    params: { name: text, assets: set(assetId) },
    result: array(asset),
    run: ({ node }, { name, assets }) => {
      const found = findByName(node.chain.state, name);
      check(found !== undefined, BALANCE_API_ERRORS.account_name_unknown, { name });
      return balances(node.chain.state, found.id, assets);
    },
  }),
  get_balance_objects: method({
    about: 'Balances of the genesis file that these addresses own and have not claimed.',
    params: { addresses: array(address) },
    result: array(objectOf(balanceObject)),
    run: ({ node }, { addresses }) => {
      return addresses.flatMap((owner) =>
        [...node.chain.state.group(balanceObject.by.owner, owner)].sort(
          (a, b) => a.balance.asset_id - b.balance.asset_id || a.id - b.id,
        ),
      );
    },
  }),
  get_vested_balances: method({
    about: 'How much of balances of the genesis file can be claimed now.',
    params: { objs: array(balanceId) },
    result: array(asset),
    run: ({ node }, { objs }) => {
      const s = node.chain.state;
      return eachInPieces(objs, (id): Asset => {
        const { balance, vesting_policy } = s.get(balanceObject, id);
        if (vesting_policy === undefined) return balance;
        return { ...balance, amount: linearWithdrawable(vesting_policy, balance.amount, s.headTime) };
      });
    },
  }),
  get_vesting_balances: method({
    about: 'Vesting balances of an account.',
    params: { account_id: accountId },
    result: array(objectOf(vestingBalanceObject)),
    run: ({ node }, { account_id }) => [...node.chain.state.group(vestingBalanceObject.by.owner, account_id)],
  }),
  get_staking_objects: method({
    about: 'Stakings of an account.',
    params: { account_id: accountId },
    result: array(objectOf(stakingObject)),
    run: ({ node }, { account_id }) => [...node.chain.state.group(stakingObject.by.owner, account_id)],
  }),
};
