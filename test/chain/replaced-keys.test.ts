import { keyAuthority } from '../../src/protocol/authority.js';
import { AUTHORITY_ERRORS } from '../../src/protocol/authority-check.js';
import { refused } from '../support/refused.js';
import { core, worldTest } from '../support/world.js';
import { accountKey } from '../support/world-genesis.js';

/** Keys that sign alone are kept beside the accounts, and votes are counted by the same accounts' changes. */

const FUNDED = { accounts: { alice: 1_000_000n, bob: 0n } };
const give = { from: 'alice', to: 'bob', amount: core(1) };

worldTest('a key that was replaced signs no more, until that is undone', FUNDED, (t, w) => {
  const [former, next] = [accountKey('alice'), accountKey('alice, later')];
  const pay = (key: typeof former) => (): unknown => w.push('transfer', give, [key]);
  const isSignedBy = (key: typeof former, other: typeof former, when: string): void => {
    t.doesNotThrow(pay(key), when);
    refused(t, AUTHORITY_ERRORS.active_auth_missing, pay(other), when);
  };
  const replace = (): unknown => {
    const authority = keyAuthority(next.publicKey);
    return w.push('account_update', { account: 'alice', owner: authority, active: authority }, [former]);
  };
  isSignedBy(former, next, 'before');
  w.block();
  replace();
  isSignedBy(next, former, 'while the change waits');
  w.chain.pending.clear();
  isSignedBy(former, next, 'when it waits no more');
  replace();
  w.block();
  isSignedBy(next, former, 'behind its block');
});
