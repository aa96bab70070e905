import type { Authority, SpecialAuthority } from '../../protocol/authority.js';
import { compareInstances, type Instance } from '../../protocol/ids.js';
import { type AccountObject, accountObject } from '../../state/objects/account.js';
import { accountBalanceObject } from '../../state/objects/account-balance.js';
import { specialAuthorityObject } from '../../state/objects/special-authority.js';
import type { ReadState } from '../../state/views.js';
import type { MaintenanceStep } from './run.js';
import { authorityFromVotes } from './vote-weights.js';

/** Bits of `top_n_control_flags`. */
const TOP_N_OWNER = 1;
const TOP_N_ACTIVE = 2;

type Holders = ReadonlyMap<Instance, readonly (readonly [owner: Instance, balance: bigint])[]>;

/** Balance rows of the wanted assets, largest first, equal ones by owner. One walk over the balances for all assets. */
function holdersOf(s: ReadState, assets: ReadonlySet<Instance>): Holders {
  const rows = new Map<Instance, [Instance, bigint][]>([...assets].map((asset) => [asset, []]));
  for (const row of s.all(accountBalanceObject)) rows.get(row.asset_type)?.push([row.owner, row.balance]);
  for (const list of rows.values()) {
    list.sort((a, b) => (a[1] === b[1] ? compareInstances(a[0], b[0]) : a[1] > b[1] ? -1 : 1));
  }
  return rows;
}

/** The account itself takes no place; holders with nothing take one. */
function topHolders(special: SpecialAuthority, account: Instance, holders: Holders): Authority | undefined {
  if (special[0] !== 1) return undefined;
  const { asset, num_top_holders } = special[1];
  const rows = (holders.get(asset) ?? []).filter(([owner]) => owner !== account);
  return authorityFromVotes(rows.slice(0, num_top_holders));
}

export const refreshTopHolderAuthorities: MaintenanceStep = {
  name: 'refresh_top_holder_authorities',
  run: ({ state: s }) => {
    const accounts = [...s.all(specialAuthorityObject)].map((mark) => s.get(accountObject, mark.account));
    const assets = new Set<Instance>();
    for (const account of accounts) {
      for (const special of [account.owner_special_authority, account.active_special_authority]) {
        if (special[0] === 1) assets.add(special[1].asset);
      }
    }
    if (assets.size === 0) return;
    const holders = holdersOf(s, assets);
    for (const account of accounts) {
      const owner = topHolders(account.owner_special_authority, account.id, holders);
      const active = topHolders(account.active_special_authority, account.id, holders);
      if (owner === undefined && active === undefined) continue;
      s.modify(accountObject, account, (o: AccountObject) => {
        if (owner !== undefined) {
          o.owner = owner;
          o.top_n_control_flags |= TOP_N_OWNER;
        }
        if (active !== undefined) {
          o.active = active;
          o.top_n_control_flags |= TOP_N_ACTIVE;
        }
      });
    }
  },
};
