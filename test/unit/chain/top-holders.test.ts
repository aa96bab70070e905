import t from 'tap';
import type { MaintenanceRun } from '../../../src/chain/maintenance/run.js';
import { refreshTopHolderAuthorities } from '../../../src/chain/maintenance/top-holders.js';
import type { SpecialAuthority } from '../../../src/protocol/authority.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { accountBalanceObject } from '../../../src/state/objects/account-balance.js';
import { specialAuthorityObject } from '../../../src/state/objects/special-authority.js';
import { BareWorld } from '../../support/bare-world.js';
import { cpuMs } from '../../support/cpu-time.js';

const ASSET = 2;

function refresh(w: BareWorld): void {
  const { state, context, votes } = w;
  const run: MaintenanceRun = {
    state,
    context,
    votes,
    tally: [],
    witnessHistogram: [],
    committeeHistogram: [],
    total: 0n,
  };
  refreshTopHolderAuthorities.run(run);
}

t.test('the largest holders of an asset, but not the account itself', async (t) => {
  const w = new BareWorld();
  const special: SpecialAuthority = [1, { asset: ASSET, num_top_holders: 3 }];
  const owned = w.account('owned', { active_special_authority: special });
  w.create(specialAuthorityObject, { account: owned });
  const [small, large, equal, nothing] = ['small', 'large', 'equal', 'nothing'].map((name) => w.account(name)) as [
    number,
    number,
    number,
    number,
  ];
  const holds = (owner: number, balance: bigint, asset_type = ASSET) =>
    w.create(accountBalanceObject, { owner, asset_type, balance });
  holds(nothing, 0n);
  holds(owned, 10_000n);
  holds(large, 300n);
  const { owner } = w.state.get(accountObject, owned);
  refresh(w);
  const account = w.state.get(accountObject, owned);
  t.same(account.active.account_auths, [[large, 300]]);
  t.equal(account.active.weight_threshold, 151);
  t.equal(account.top_n_control_flags, 2);
  t.same(account.owner, owner, 'it has no such authority');

  holds(equal, 100n);
  holds(small, 100n);
  holds(w.account('later'), 100n);
  holds(w.account('other-asset'), 1_000_000n, 1);
  refresh(w);
  t.same(
    w.state.get(accountObject, owned).active.account_auths,
    [
      [small, 100],
      [large, 300],
      [equal, 100],
    ],
    'those with the smaller number among equal ones',
  );
  t.equal(w.state.get(accountObject, owned).active.weight_threshold, 251);
});

t.test('both authorities of one account, each by the holders of an asset of its own', async (t) => {
  const w = new BareWorld();
  const holdersOf = (asset: number): SpecialAuthority => [1, { asset, num_top_holders: 1 }];
  const owned = w.account('owned', {
    owner_special_authority: holdersOf(ASSET),
    active_special_authority: holdersOf(1),
  });
  w.create(specialAuthorityObject, { account: owned });
  const [first, second] = [w.account('first'), w.account('second')];
  const rows = [
    w.create(accountBalanceObject, { owner: first, asset_type: ASSET, balance: 7n }),
    w.create(accountBalanceObject, { owner: second, asset_type: 1, balance: 9n }),
  ];
  refresh(w);
  const found = () => {
    const { owner, active, top_n_control_flags } = w.state.get(accountObject, owned);
    return [owner.account_auths, active.account_auths, top_n_control_flags];
  };
  const both = [[[first, 7]], [[second, 9]], 3];
  t.same(found(), both, 'a bit for each');
  for (const row of [...rows].reverse()) {
    w.state.modify(accountBalanceObject, row, (o) => {
      o.balance = 0n;
    });
    refresh(w);
    t.same(found(), both, 'where nobody holds anything the last holders keep it');
  }
});

t.test('the number, whatever the order of rows, the account being among the first or not', async (t) => {
  const w = new BareWorld();
  const wants = [2, 255, 1, 5].map((num_top_holders) => {
    const special: SpecialAuthority = [1, { asset: ASSET, num_top_holders }];
    const id = w.account(`wants-${num_top_holders}`, { owner_special_authority: special });
    w.create(specialAuthorityObject, { account: id });
    return { id, num_top_holders };
  });
  const rows = Array.from({ length: 600 }, (_, i) => ({ owner: 1000 + i, balance: BigInt((i * 389) % 97) }));
  for (const { id } of wants.slice(0, 3)) rows.push({ owner: id, balance: 96n });
  for (const row of rows) w.create(accountBalanceObject, { ...row, asset_type: ASSET });
  refresh(w);
  rows.sort((a, b) => Number(b.balance - a.balance) || a.owner - b.owner);
  for (const { id, num_top_holders } of wants) {
    const first = rows.filter(({ owner }) => owner !== id).slice(0, num_top_holders);
    const members = first.filter(({ balance }) => balance > 0n).map(({ owner, balance }) => [owner, Number(balance)]);
    const { owner } = w.state.get(accountObject, id);
    t.same(
      owner.account_auths,
      members.sort(([a], [b]) => (a as number) - (b as number)),
      `first ${num_top_holders}`,
    );
  }
});

t.test('any number of accounts may ask for the holders of an asset that many hold', async (t) => {
  const w = new BareWorld();
  const special: SpecialAuthority = [1, { asset: ASSET, num_top_holders: 3 }];
  for (let i = 0; i < 1000; i++) {
    const id = w.account(`asks-${i}`, { owner_special_authority: special, active_special_authority: special });
    w.create(specialAuthorityObject, { account: id });
  }
  for (let i = 0; i < 50_000; i++) {
    w.create(accountBalanceObject, { owner: 10_000 + i, asset_type: ASSET, balance: BigInt(i) });
  }
  const started = cpuMs();
  refresh(w);
  t.ok(cpuMs() - started < 2000, 'far from the seconds that one look at all holders for each of them takes');
});
