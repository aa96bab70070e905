import { Smallest } from '../../base/smallest.js';
import type { Authority, SpecialAuthority } from '../../protocol/authority.js';
import { compareInstances, type Instance } from '../../protocol/ids.js';
import type { ObjectOf } from '../../state/define.js';
import { type AccountObject, accountObject } from '../../state/objects/account.js';
import { accountBalanceObject } from '../../state/objects/account-balance.js';
import { specialAuthorityObject } from '../../state/objects/special-authority.js';
import type { ReadState } from '../../state/views.js';
import type { MaintenanceStep } from './run.js';
import { authorityFromVotes } from './vote-weights.js';

/** Bits of `top_n_control_flags`. */
const TOP_N_OWNER = 1;
const TOP_N_ACTIVE = 2;

type Row = Readonly<ObjectOf<typeof accountBalanceObject>>;
type Holders = ReadonlyMap<Instance, readonly Row[]>;

/** Largest first, equal ones by owner. */
function compareRows(a: Row, b: Row): number {
  if (a.balance !== b.balance) return a.balance > b.balance ? -1 : 1;
  return compareInstances(a.owner, b.owner);
}

/**
 * The first rows of the wanted assets, of each as many as are asked for. One walk over the balances for all of them, in
 * which nobody but the first has a place: holders are a million, and anybody can make accounts that ask for them.
 */
function holdersOf(s: ReadState, wanted: ReadonlyMap<Instance, number>): Holders {
  const first = new Map([...wanted].map(([asset, count]) => [asset, new Smallest(count, compareRows)]));
  s.forEach(accountBalanceObject, (row) => first.get(row.asset_type)?.put(row));
  return new Map([...first].map(([asset, rows]) => [asset, rows.values()]));
}

/** How many rows of each asset have to be known. The account itself takes no place, so it may stand among them. */
function wantedRows(accounts: readonly Readonly<AccountObject>[]): Map<Instance, number> {
  const wanted = new Map<Instance, number>();
  for (const { owner_special_authority, active_special_authority } of accounts) {
    for (const special of [owner_special_authority, active_special_authority]) {
      if (special[0] !== 1) continue;
      const { asset, num_top_holders } = special[1];
      wanted.set(asset, Math.max(wanted.get(asset) ?? 0, num_top_holders + 1));
    }
  }
  return wanted;
}

/** The account itself takes no place; holders with nothing take one. */
function topHolders(special: SpecialAuthority, account: Instance, holders: Holders): Authority | undefined {
  if (special[0] !== 1) return undefined;
  const { asset, num_top_holders } = special[1];
  const others = (holders.get(asset) ?? []).filter(({ owner }) => owner !== account);
  return authorityFromVotes(others.slice(0, num_top_holders).map(({ owner, balance }) => [owner, balance]));
}

export const refreshTopHolderAuthorities: MaintenanceStep = {
  name: 'refresh_top_holder_authorities',
  run: ({ state: s }) => {
    const accounts = [...s.all(specialAuthorityObject)].map((mark) => s.get(accountObject, mark.account));
    const wanted = wantedRows(accounts);
    if (wanted.size === 0) return;
    const holders = holdersOf(s, wanted);
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
