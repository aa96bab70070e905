import { check, defineErrors } from '../../../base/errors.js';
import { array, set } from '../../../codec/containers.js';
import { text } from '../../../codec/scalars.js';
import { type Asset, asset } from '../../../protocol/asset.js';
import { accountId, assetId, balanceId, type Instance } from '../../../protocol/ids.js';
import { address } from '../../../protocol/keys.js';
import { objectOf } from '../../../protocol/objects/declare.js';
import { accountBalanceObject } from '../../../state/objects/account-balance.js';
import { balanceObject } from '../../../state/objects/balance.js';
import { lockBalanceObject } from '../../../state/objects/lock-balance.js';
import { stakingObject } from '../../../state/objects/staking.js';
import { vestingBalanceObject } from '../../../state/objects/vesting-balance.js';
import { balanceOf } from '../../../state/rules/balances.js';
import { linearWithdrawable } from '../../../state/rules/vesting.js';
import { method } from '../../define.js';
import { eachOfGroup, groupInPieces } from '../../objects/walk.js';
import { eachInPieces, type Pieces, sortInPieces } from '../../pieces/pieces.js';
import type { ChainPort } from '../../ports.js';
import { byAsset, findByName } from './lookup.js';

export const BALANCE_API_ERRORS = defineErrors({
  account_name_unknown: { text: 'itr != accounts_by_name.end(): ', hint: 'there is no account ${name}' },
});

function* balances(chain: ChainPort, owner: Instance, assets: readonly Instance[]): Pieces<Asset[]> {
  if (assets.length > 0) {
    return yield* eachInPieces(assets, (asset_id) => ({ amount: balanceOf(chain.state, owner, asset_id), asset_id }));
  }
  const rows = yield* byAsset(yield* groupInPieces(chain, accountBalanceObject.by.owner, owner));
  return rows.map(({ asset_type, balance }) => ({ amount: balance, asset_id: asset_type }));
}

function* locked(chain: ChainPort, owner: Instance, assets: readonly Instance[]): Pieces<Asset[]> {
  const sums = new Map<Instance, bigint>();
  yield* eachOfGroup(chain, lockBalanceObject.by.owner, owner, ({ amount }) => {
    sums.set(amount.asset_id, (sums.get(amount.asset_id) ?? 0n) + amount.amount);
  });
  const wanted = assets.length > 0 ? assets : (yield* balances(chain, owner, [])).map(({ asset_id }) => asset_id);
  return wanted.map((asset_id) => ({ amount: sums.get(asset_id) ?? 0n, asset_id }));
}

export const balanceMethods = {
  get_account_balances: method({
    about: 'Balances of an account: of the assets asked for, or of all that it ever held when the list is empty.',
    params: { id: accountId, assets: set(assetId) },
    result: array(asset),
    run: ({ node }, { id, assets }) => balances(node.chain, id, assets),
  }),
  get_account_lock_balances: method({
    about: 'Locked amounts of an account per asset.',
    params: { id: accountId, assets: set(assetId) },
    result: array(asset),
    run: ({ node }, { id, assets }) => locked(node.chain, id, assets),
  }),
  get_named_account_balances: method({
    about: 'As get_account_balances, by account name.',
    params: { name: text, assets: set(assetId) },
    result: array(asset),
    run: ({ node }, { name, assets }) => {
      const found = findByName(node.chain.state, name);
      check(found !== undefined, BALANCE_API_ERRORS.account_name_unknown, { name });
      return balances(node.chain, found.id, assets);
    },
  }),
  get_balance_objects: method({
    about: 'Balances of the genesis file that these addresses own and have not claimed.',
    params: { addresses: array(address) },
    result: array(objectOf(balanceObject)),
    *run({ node }, { addresses }) {
      const found = yield* eachInPieces(addresses, function* (owner) {
        const rows = yield* groupInPieces(node.chain, balanceObject.by.owner, owner);
        return yield* sortInPieces(rows, (a, b) => a.balance.asset_id - b.balance.asset_id || a.id - b.id);
      });
      return found.flat();
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
    run: ({ node }, { account_id }) => groupInPieces(node.chain, vestingBalanceObject.by.owner, account_id),
  }),
  get_staking_objects: method({
    about: 'Stakings of an account.',
    params: { account_id: accountId },
    result: array(objectOf(stakingObject)),
    run: ({ node }, { account_id }) => groupInPieces(node.chain, stakingObject.by.owner, account_id),
  }),
};
