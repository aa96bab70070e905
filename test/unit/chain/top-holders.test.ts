import t from 'tap';
import type { MaintenanceRun } from '../../../src/chain/maintenance/run.js';
import { refreshTopHolderAuthorities } from '../../../src/chain/maintenance/top-holders.js';
import type { SpecialAuthority } from '../../../src/protocol/authority.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { accountBalanceObject } from '../../../src/state/objects/account-balance.js';
import { specialAuthorityObject } from '../../../src/state/objects/special-authority.js';
import { BareWorld } from '../../support/bare-world.js';

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
