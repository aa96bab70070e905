import type { fullAccount } from '../../../api/accounts.js';
import * as declared from '../../../api/accounts.js';
import { ChainError, check } from '../../../base/errors.js';
import type { ValueOf } from '../../../codec/type.js';
import { addressOfKey } from '../../../crypto/address.js';
import { addressesOfKey, isOnCurve } from '../../../crypto/old-addresses.js';
import { formatObjectId, type Instance } from '../../../protocol/ids.js';
import { publicKey } from '../../../protocol/keys.js';
import { type AccountObject, accountObject } from '../../../state/objects/account.js';
import { accountBalanceObject } from '../../../state/objects/account-balance.js';
import { accountStatisticsObject } from '../../../state/objects/account-statistics.js';
import { assetObject } from '../../../state/objects/asset.js';
import { lockBalanceObject } from '../../../state/objects/lock-balance.js';
import { trustNodePledgeObject } from '../../../state/objects/trust-node-pledge.js';
import { vestingBalanceObject } from '../../../state/objects/vesting-balance.js';
import { withdrawPermissionObject } from '../../../state/objects/withdraw-permission.js';
import type { ReadState } from '../../../state/views.js';
import { implement, type RpcContext } from '../../define.js';
import { LIST_ERRORS, NAMES_MAX } from '../../limits.js';
import { withCounts } from '../../objects/found-object.js';
import { eachOfGroup, groupInPieces } from '../../objects/walk.js';
import { canonicalInPieces, eachInPieces, type Pieces } from '../../pieces/pieces.js';
import type { RpcPorts } from '../../ports.js';
import { byAsset, findByName, findByNameOrId } from './lookup.js';
import { proposalsRequiring } from './proposals.js';
import { voteObjects } from './votes.js';

type Account = Readonly<AccountObject>;

type FullAccount = ValueOf<typeof fullAccount>;

function nameOf(s: ReadState, id: Instance): string {
  return s.find(accountObject, id)?.name ?? '';
}

function* describe(node: RpcPorts, owner: Account): Pieces<FullAccount> {
  const { id } = owner;
  const { chain } = node;
  const balances = yield* byAsset(yield* groupInPieces(chain, accountBalanceObject.by.owner, id));
  const locked_balances = yield* groupInPieces(chain, lockBalanceObject.by.owner, id);
  const vesting_balances = yield* groupInPieces(chain, vestingBalanceObject.by.owner, id);
  const withdraws = yield* groupInPieces(chain, withdrawPermissionObject.by.from, id);
  const assets: Instance[] = [];
  yield* eachOfGroup(chain, assetObject.by.issuer, id, (asset) => void assets.push(asset.id));
  const proposals = yield* proposalsRequiring(chain, id);
  const s = chain.state;
  const vesting = (one: Instance | undefined) => (one === undefined ? undefined : s.find(vestingBalanceObject, one));
  const pledge = s.findBy(trustNodePledgeObject.by.owner, id);
  return {
    account: owner,
    statistics: withCounts(node, s.get(accountStatisticsObject, owner.statistics)),
    registrar_name: nameOf(s, owner.registrar),
    referrer_name: nameOf(s, owner.referrer),
    lifetime_referrer_name: nameOf(s, owner.lifetime_referrer),
    votes: voteObjects(s, owner.options.votes),
    cashback_balance: vesting(owner.cashback_vb),
    contract_call_cashback_balance: vesting(owner.contract_call_cashback_vb),
    staking_cashback_balance: vesting(owner.staking_cashback_vb),
    balances,
    locked_balances,
    vesting_balances,
    pledge_balances: pledge === undefined ? [] : [pledge],
    limit_orders: [],
    call_orders: [],
    settle_orders: [],
    proposals,
    assets,
    withdraws,
  };
}

/** Accounts per request: each answer carries everything that an account owns. */
const FULL_ACCOUNTS_MAX = 100;

/**
 * By the addresses that a key signs for, then by the key itself. An account appears in both parts: clients remove
 * doubles.
 */
function* keyReferences({ services }: RpcContext, key: string): Pieces<Instance[]> {
  const out: Instance[] = [];
  const own = addressOfKey(key);
  // Addresses of the old networks exist for points of the curve only.
  for (const address of isOnCurve(key) ? addressesOfKey(key) : [own]) {
    const found = yield* services.accounts.ofAddress(address);
    // Quirk: a memo key counts as an address too.
    const memo = address === own ? yield* services.accounts.ofMemoKey(key) : [];
    for (const id of yield* canonicalInPieces([...found, ...memo], (a, b) => a - b)) out.push(id);
  }
  for (const id of yield* services.accounts.ofKey(key)) out.push(id);
  return out;
}

export const accountMethods = implement(declared.accountMethods, {
  get_key_references: (context, { keys }) =>
    eachInPieces(keys, function* (key) {
      yield;
      return yield* keyReferences(context, key);
    }),
  *is_public_key_registered({ node, services }, { public_key }) {
    let key: string;
    try {
      key = publicKey.fromJson(public_key, node.chain.state.network);
    } catch (error) {
      if (error instanceof ChainError) return false;
      throw error;
    }
    return (yield* services.accounts.ofKey(key)).length > 0;
  },
  get_accounts: ({ node }, { ids }) => eachInPieces(ids, (id) => node.chain.state.find(accountObject, id)),
  *get_full_accounts({ node, services, handle }, { names_or_ids, subscribe }) {
    const limit = FULL_ACCOUNTS_MAX;
    check(names_or_ids.length <= limit, LIST_ERRORS.list_too_long, { limit, count: names_or_ids.length });
    const out: [string, FullAccount][] = [];
    for (const given of [...new Set(names_or_ids)].sort((a, b) => (a < b ? -1 : 1))) {
      const s = node.chain.state;
      const found = findByNameOrId(s, given);
      if (found === undefined) continue;
      if (subscribe) {
        services.subscriptions.watchAccount(handle, found.id);
        services.subscriptions.touch(handle, formatObjectId(1, 2, found.id));
      }
      out.push([given, yield* describe(node, found)]);
      yield;
    }
    return out;
  },
  get_account_by_name: ({ node }, { name }) => findByName(node.chain.state, name),
  get_account_references: ({ services }, { account_id }) => services.accounts.ofAccount(account_id),
  lookup_account_names: ({ node }, { names }) => eachInPieces(names, (name) => findByName(node.chain.state, name)),
  lookup_accounts: ({ node }, { lower_bound_name, limit }) => {
    check(limit <= NAMES_MAX, LIST_ERRORS.limit_1000);
    const out: [string, Instance][] = [];
    if (limit === 0) return out;
    for (const found of node.chain.state.walk(accountObject.by.nameOrder, [lower_bound_name])) {
      out.push([found.name, found.id]);
      if (out.length >= limit) break;
    }
    return out;
  },
});

export const registrationMethods = implement(declared.registrationMethods, {
  is_account_registered: ({ node }, { name }) => findByName(node.chain.state, name) !== undefined,
});
