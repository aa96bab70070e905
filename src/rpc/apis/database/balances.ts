import * as declared from '../../../api/accounts.js';
import { check, defineErrors } from '../../../base/errors.js';
import type { Asset } from '../../../protocol/asset.js';
import type { Instance } from '../../../protocol/ids.js';
import { accountBalanceObject } from '../../../state/objects/account-balance.js';
import { balanceObject } from '../../../state/objects/balance.js';
import { lockBalanceObject } from '../../../state/objects/lock-balance.js';
import { stakingObject } from '../../../state/objects/staking.js';
import { vestingBalanceObject } from '../../../state/objects/vesting-balance.js';
import { balanceOf } from '../../../state/rules/balances.js';
import { linearWithdrawable } from '../../../state/rules/vesting.js';
import { implement } from '../../define.js';
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

export const balanceMethods = implement(declared.balanceMethods, {
  get_account_balances: ({ node }, { id, assets }) => balances(node.chain, id, assets),
  get_account_lock_balances: ({ node }, { id, assets }) => locked(node.chain, id, assets),
  get_named_account_balances: ({ node }, { name, assets }) => {
    const found = findByName(node.chain.state, name);
    check(found !== undefined, BALANCE_API_ERRORS.account_name_unknown, { name });
    return balances(node.chain, found.id, assets);
  },
  *get_balance_objects({ node }, { addresses }) {
    const found = yield* eachInPieces(addresses, function* (owner) {
      const rows = yield* groupInPieces(node.chain, balanceObject.by.owner, owner);
      return yield* sortInPieces(rows, (a, b) => a.balance.asset_id - b.balance.asset_id || a.id - b.id);
    });
    return found.flat();
  },
  get_vested_balances: ({ node }, { objs }) => {
    const s = node.chain.state;
    return eachInPieces(objs, (id): Asset => {
      const { balance, vesting_policy } = s.get(balanceObject, id);
      if (vesting_policy === undefined) return balance;
      return { ...balance, amount: linearWithdrawable(vesting_policy, balance.amount, s.headTime) };
    });
  },
  get_vesting_balances: ({ node }, { account_id }) =>
    groupInPieces(node.chain, vestingBalanceObject.by.owner, account_id),
  get_staking_objects: ({ node }, { account_id }) => groupInPieces(node.chain, stakingObject.by.owner, account_id),
});
