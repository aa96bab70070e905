import fc from 'fast-check';
import t from 'tap';
import type { JsonObject } from '../../../src/codec/json.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { isPlainlySigned, requiredAuthorities, verifyAuthority } from '../../../src/operations/authorities.js';
import { authority, keyAuthority } from '../../../src/protocol/authority.js';
import { TEMP_ACCOUNT } from '../../../src/protocol/ids.js';
import { type Operation, operation } from '../../../src/protocol/operation-slot.js';
import { accountText, amountJson, FreeWorld } from '../../support/free-world.js';
import { NETWORK } from '../../support/network.js';

const [ACTIVE, OWNER, OTHER] = ['active', 'owner', 'other'].map((seed) => PrivateKey.fromSeed(seed).publicKey) as [
  string,
  string,
  string,
];

const world = new FreeWorld();
const [alice, bob] = ['alice', 'bob'].map((name) => {
  const id = world.account(name);
  world.changeAccount(id, { active: keyAuthority(ACTIVE), owner: keyAuthority(OWNER) });
  return id;
}) as [number, number];
world.changeAccount(bob, { active: keyAuthority(OTHER) });

const op = (tag: number, body: JsonObject): Operation =>
  operation.fromJson([tag, { fee: amountJson(0, 1), extensions: [], ...body }], NETWORK);
const transfer = (from: number, to: number): Operation =>
  op(0, { from: accountText(from), to: accountText(to), amount: amountJson(1, 1) });
/** Asks for the account's owner, besides its active authority. */
const updateOwner = (account: number): Operation =>
  op(6, { account: accountText(account), owner: authority.toJson(keyAuthority(OTHER), NETWORK) });

t.test('one account that signs for itself is all that most transactions ask for', async (t) => {
  const plain = (keys: string[], ...operations: Operation[]) => isPlainlySigned(world.state, operations, keys);
  t.ok(plain([ACTIVE], transfer(alice, bob)));
  t.ok(plain([ACTIVE], transfer(alice, bob), transfer(alice, bob)), 'however often');
  t.notOk(plain([OWNER], transfer(alice, bob)));
  t.notOk(plain([ACTIVE, OWNER], transfer(alice, bob)), 'a second key is not needed');
  t.notOk(plain([], transfer(alice, bob)));
  t.notOk(plain([ACTIVE], transfer(alice, bob), transfer(bob, alice)), 'somebody else too');
  t.notOk(plain([ACTIVE], updateOwner(alice)), 'what is asked besides is not looked at');
  t.notOk(plain([ACTIVE], transfer(TEMP_ACCOUNT, bob)), 'anybody may');
  t.notOk(plain([ACTIVE]), 'nobody asks');
});

t.test('what is plainly signed is signed', async (t) => {
  const operations = fc.array(
    fc.constantFrom(transfer(alice, bob), transfer(bob, alice), updateOwner(alice), updateOwner(bob)),
    { maxLength: 3 },
  );
  let plain = 0;
  const given = fc.property(operations, fc.subarray([ACTIVE, OWNER, OTHER]), (list, keys) => {
    if (!isPlainlySigned(world.state, list, keys)) return;
    plain++;
    verifyAuthority(world.state, requiredAuthorities(list), { keys });
  });
  t.doesNotThrow(() => fc.assert(given, { numRuns: 5000 }));
  t.ok(plain > 50, `${plain} of them are`);
});
