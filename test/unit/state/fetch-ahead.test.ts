import t from 'tap';
import { definitionOf } from '../../../src/operations/registered.js';
import { keyAuthority } from '../../../src/protocol/authority.js';
import type { Instance } from '../../../src/protocol/ids.js';
import { operation } from '../../../src/protocol/operation-slot.js';
import { FetchAhead } from '../../../src/state/fetch-ahead.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { stateHash } from '../../../src/state/state-hash.js';
import { accountText, amountJson, FreeWorld } from '../../support/free-world.js';
import { NETWORK } from '../../support/network.js';

function setup() {
  const world = new FreeWorld();
  const [alice, bob] = ['alice', 'bob'].map((name) => world.account(name, {}, 10n)) as [number, number];
  for (const id of [alice, bob]) world.changeAccount(id, { active: keyAuthority('02'.repeat(33)) });
  return { world, alice, bob, ahead: new FetchAhead(world.state) };
}

t.test('what is named is looked at, once, and nothing is changed', async (t) => {
  const { world, alice, bob, ahead } = setup();
  const before = stateHash(world.state);
  ahead.payer(alice);
  t.equal(ahead.fetch(true), 2, 'the key, and the fees of the account');
  ahead.account(bob);
  ahead.balance(alice, 1);
  ahead.balance(bob, 1);
  t.equal(ahead.fetch(true), 3);
  t.equal(ahead.fetch(true), 0, 'nothing new was named');
  ahead.payer(alice);
  t.equal(ahead.fetch(false), 2, 'and without keys');
  t.equal(stateHash(world.state), before);
});

t.test('what undo has of balances and fees is looked at too, for who changes them reads it', async (t) => {
  const { world, alice, bob, ahead } = setup();
  const { state } = world;
  state.openFrame();
  world.give(alice, 1, 5n);
  ahead.balance(alice, 1);
  ahead.balance(bob, 1);
  t.equal(ahead.fetch(true), 3, 'two balances, one of which has changed');
  state.edit(accountStatisticsObject, state.get(accountStatisticsObject, alice)).pending_fees = 1n;
  ahead.payer(alice);
  t.equal(ahead.fetch(true), 3, 'the key, the fees and that they have changed');
});

t.test('what is not there is left out', async (t) => {
  const { world, alice, ahead } = setup();
  const keyless = world.account('keyless');
  world.changeAccount(keyless, {
    active: { weight_threshold: 1, account_auths: [], key_auths: [], address_auths: [] },
  });
  for (const id of [9_999, 2 ** 40, 2 ** 53 - 1]) {
    ahead.payer(id);
    ahead.account(id);
    ahead.balance(id, 1);
    ahead.balance(alice, id);
  }
  // Hostile operations hold such ones.
  const huge = (2n ** 60n) as unknown as Instance;
  ahead.payer(huge);
  ahead.account(huge);
  ahead.balance(huge, 1);
  t.equal(ahead.fetch(true), 0);
  ahead.payer(keyless);
  t.equal(ahead.fetch(true), 1, 'the fees alone');
});

t.test('however much is named, no more than there is room for is looked at', async (t) => {
  const { alice, bob, ahead } = setup();
  for (let i = 0; i < 1000; i++) {
    ahead.payer(alice);
    ahead.account(bob);
    ahead.balance(bob, 1);
  }
  t.equal(ahead.fetch(true), 4 * 512);
});

t.test('a transfer names its receiver, and balances that are not those of its fee', async (t) => {
  const { world, alice, bob, ahead } = setup();
  world.give(alice, 2, 5n);
  const named = (fee: number, asset: number): number => {
    const body = {
      from: accountText(alice),
      to: accountText(bob),
      amount: amountJson(1, asset),
      fee: amountJson(0, fee),
    };
    const [tag, read] = operation.fromJson([0, { ...body, extensions: [] }], NETWORK);
    definitionOf(tag).touches?.(read, ahead);
    return ahead.fetch(true);
  };
  t.equal(named(1, 1), 2, 'an account and its balance');
  t.equal(named(1, 2), 2, 'an account, and what is sent of its sender, for the receiver has none yet');
});
