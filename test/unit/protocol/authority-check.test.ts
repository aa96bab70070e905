import fc from 'fast-check';
import t from 'tap';
import { ChainError } from '../../../src/base/errors.js';
import { addressToText, compareKeysByAddress } from '../../../src/crypto/address.js';
import { addressesOfKey } from '../../../src/crypto/old-addresses.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { publicKeyToText } from '../../../src/crypto/public-key.js';
import {
  AccountSet,
  type Authority,
  emptyAuthority,
  keyAuthority,
  type RequiredAuthorities,
} from '../../../src/protocol/authority.js';
import {
  AUTHORITY_ERRORS,
  type AuthoritySource,
  isAuthorized,
  plainKeyOf,
  potentialAddresses,
  potentialKeys,
  requiredSignatures,
  verifyAuthority,
} from '../../../src/protocol/authority-check.js';
import { COMMITTEE_ACCOUNT, compareInstances, TEMP_ACCOUNT } from '../../../src/protocol/ids.js';
import { minimalSignatures } from '../../support/minimal-signatures.js';
import { NETWORK } from '../../support/network.js';
import { refused } from '../../support/refused.js';

const KEYS = [1, 2, 3, 4, 5].map((n) => PrivateKey.fromSeed(`authority ${n}`).publicKey).sort(compareKeysByAddress);
const [K1, K2, K3] = KEYS as [string, string, string];
const FIRST = 100;

interface Auths {
  readonly active: Authority;
  readonly owner: Authority;
}

function sourceOf(accounts: readonly Auths[], depthMax = 2): AuthoritySource {
  const find = (id: number): Auths => {
    const found = accounts[id - FIRST];
    if (found === undefined) throw new Error(`no account ${id}`);
    return found;
  };
  return { network: NETWORK, depthMax, active: (id) => find(id).active, owner: (id) => find(id).owner };
}

const demand = (active: number[], owner: number[] = [], other: Authority[] = []): RequiredAuthorities => ({
  active: AccountSet.of(...active),
  owner: AccountSet.of(...owner),
  other,
});
const onlyKeys = (weight_threshold: number, ...keys: string[]): Authority => ({
  ...emptyAuthority(weight_threshold),
  key_auths: keys.map((key) => [key, 1]),
});
const onlyAccounts = (weight_threshold: number, ...accounts: number[]): Authority => ({
  ...emptyAuthority(weight_threshold),
  account_auths: accounts.map((account) => [account, 1]),
});
const sameKey = (key: string): Auths => ({ active: keyAuthority(key), owner: keyAuthority(key) });

t.test('a set of accounts is one, whether it holds none, one or many', async (t) => {
  for (const given of [[], [0], [0, 0], [5, 3], [5, 3, 5], [9, 2 ** 40, 0, 9]]) {
    const set = AccountSet.of(...given);
    const real = new Set(given);
    t.equal(set.size, real.size, given.join());
    t.same([...set], [...real], 'in the order in which they came');
    t.same(
      set.ascending(),
      [...real].sort((a, b) => a - b),
    );
    for (const one of [0, 3, 5, 7, 2 ** 40]) t.equal(set.has(one), real.has(one));
  }
});

t.test('addresses of old match any form of a key that signed', async (t) => {
  for (const form of addressesOfKey(K1)) {
    const byAddress: Authority = { ...emptyAuthority(1), address_auths: [[form, 1]] };
    const source = sourceOf([{ active: byAddress, owner: keyAuthority(K3) }]);
    t.doesNotThrow(() => verifyAuthority(source, demand([FIRST]), { keys: [K1] }), form);
    refused(t, AUTHORITY_ERRORS.active_auth_missing, () => verifyAuthority(source, demand([FIRST]), { keys: [K2] }));
    t.same(potentialAddresses(source, demand([FIRST]), []), [form]);
    t.same(potentialKeys(source, demand([FIRST]), []), [], 'and owner keys are not looked at');
  }
});

t.test('what is plainly signed is signed', async (t) => {
  const members = fc.uniqueArray(fc.tuple(fc.constantFrom(...KEYS.slice(0, 3)), fc.integer({ min: 0, max: 3 })), {
    selector: ([key]) => key,
    maxLength: 3,
  });
  const given = fc.record({
    key_auths: members,
    weight_threshold: fc.integer({ min: 0, max: 3 }),
    keys: fc.subarray(KEYS.slice(0, 3), { maxLength: 2 }),
    account: fc.constantFrom(COMMITTEE_ACCOUNT, TEMP_ACCOUNT, FIRST),
  });
  let plain = 0;
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(given, ({ key_auths, weight_threshold, keys, account }) => {
        const active = { ...emptyAuthority(weight_threshold), key_auths };
        const source: AuthoritySource = {
          network: NETWORK,
          depthMax: 2,
          active: () => active,
          owner: () => keyAuthority(K3),
        };
        const isOther = account === COMMITTEE_ACCOUNT || account === TEMP_ACCOUNT;
        if (isOther || keys.length !== 1 || plainKeyOf(active) !== keys[0]) return true;
        plain++;
        return isAuthorized(source, demand([account]), { keys });
      }),
      { numRuns: 20_000 },
    ),
  );
  t.ok(plain > 100, `${plain} of them are`);
  const source = sourceOf([sameKey(K1)]);
  t.equal(plainKeyOf(source.active(FIRST)), K1);
});

t.test('approvals stand in for signatures', async (t) => {
  const source = sourceOf([sameKey(K1), { active: onlyAccounts(1, FIRST), owner: keyAuthority(K2) }]);
  const both = demand([FIRST, FIRST + 1]);
  t.ok(isAuthorized(source, both, { keys: [], activeApprovals: [FIRST] }), 'of itself and inside of others');
  t.notOk(isAuthorized(source, demand([], [FIRST]), { keys: [], activeApprovals: [FIRST] }), 'active for owner');
  t.ok(isAuthorized(source, demand([FIRST], [FIRST]), { keys: [], ownerApprovals: [FIRST] }), 'owner for both');
  const superfluous = { keys: [K3], activeApprovals: [FIRST] };
  refused(t, AUTHORITY_ERRORS.signature_irrelevant, () => verifyAuthority(source, both, superfluous));
});

/** As it is written down: every member is asked wherever it stands. */
function plainly(source: AuthoritySource, auth: Authority, keys: readonly string[], approved: Set<number>, depth = 0) {
  let weight = 0;
  for (const [key, share] of auth.key_auths) {
    if (keys.includes(key)) weight += share;
    if (keys.includes(key) && weight >= auth.weight_threshold) return true;
  }
  for (const [account, share] of auth.account_auths) {
    if (!approved.has(account)) {
      if (depth === source.depthMax) continue;
      if (!plainly(source, source.active(account), keys, approved, depth + 1)) continue;
      approved.add(account);
    }
    weight += share;
    if (weight >= auth.weight_threshold) return true;
  }
  return weight >= auth.weight_threshold;
}

t.test('what an account lacks is remembered for as long as nothing changes it', async (t) => {
  const COUNT = 6;
  const auth = fc.record({
    weight_threshold: fc.integer({ min: 1, max: 4 }),
    accounts: fc.subarray(Array.from({ length: COUNT }, (_, i) => FIRST + i)),
    keys: fc.subarray(KEYS, { maxLength: 2 }),
  });
  const given = fc.record({
    auths: fc.array(auth, { minLength: COUNT, maxLength: COUNT }),
    keys: fc.subarray(KEYS),
    depthMax: fc.nat(5),
  });
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(given, ({ auths, keys, depthMax }) => {
        const accounts = auths.map(({ weight_threshold, accounts, keys }) => {
          const active = {
            ...onlyAccounts(weight_threshold, ...accounts),
            ...{ key_auths: onlyKeys(1, ...keys).key_auths },
          };
          return { active, owner: emptyAuthority(1) };
        });
        const source = sourceOf(accounts, depthMax);
        const approved = new Set<number>();
        const expected = accounts.every(({ active }) => plainly(source, active, keys, approved));
        // Keys that nobody needs are another matter.
        const others = accounts.map(({ active }) => active);
        try {
          verifyAuthority(source, demand([], [], others), { keys });
          return expected;
        } catch (error) {
          const isMissing = (error as { row: unknown }).row === AUTHORITY_ERRORS.other_auth_missing;
          return isMissing ? !expected : expected;
        }
      }),
      { numRuns: 3000 },
    ),
  );
});

t.test('what an account lacks may be there when it is asked again', async (t) => {
  const [X, W, Y] = [FIRST + 1, FIRST + 2, FIRST + 3];
  const nobody = keyAuthority(K3);
  // X needs W, who needs Y, who signs: from the first account down to Y it is one level too many.
  const ask = (active: Authority, owner: Authority, x = onlyAccounts(1, W)): boolean => {
    const accounts = [
      { active, owner },
      { active: x, owner: nobody },
      { active: onlyAccounts(1, Y), owner: nobody },
    ];
    return isAuthorized(sourceOf([...accounts, sameKey(K1)]), demand([FIRST]), { keys: [K1] });
  };
  t.notOk(ask(onlyAccounts(1, X), nobody));
  t.ok(ask(onlyAccounts(1, X, W), nobody), 'W itself is asked a level higher');
  t.ok(ask(onlyAccounts(2, X, Y), onlyAccounts(1, X)), 'Y has been approved since');
  t.ok(ask(onlyAccounts(1, X), onlyAccounts(1, X), onlyAccounts(2, W, Y)), 'Y was approved while X was asked');
});

t.test('accounts that are members of each other are not asked along every way', async (t) => {
  // Each pair of accounts needs both and a third of the next pair: there are 2^200 ways down.
  const LEVELS = 200;
  const accounts = Array.from({ length: 2 * LEVELS }, (_, i): Auths => {
    const next = FIRST + 2 * (Math.floor(i / 2) + 1);
    const active = next < FIRST + 2 * LEVELS ? onlyAccounts(3, next, next + 1) : keyAuthority(K2);
    return { active, owner: keyAuthority(K2) };
  });
  const plain = sourceOf(accounts, 255);
  let asked = 0;
  const active = (id: number): Authority => {
    asked++;
    return plain.active(id);
  };
  const source = { ...plain, active };
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => verifyAuthority(source, demand([FIRST]), { keys: [K1] }));
  t.ok(asked <= 3 * LEVELS, `${asked} looks at authorities`);
});

const MANY = Array.from({ length: 70 }, (_, n) => PrivateKey.fromSeed(`one of many ${n}`).publicKey);

t.test('many keys count as few do', async (t) => {
  const [stranger] = MANY.slice(-1) as [string];
  for (const count of [7, 8, 9, 12]) {
    const signers = MANY.slice(0, count).sort(compareKeysByAddress);
    const members = (keys: readonly string[]): [string, number][] =>
      keys.map((key) => [addressesOfKey(key)[0] as string, 1]);
    const byAddress = { ...emptyAuthority(count), address_auths: members(signers) };
    for (const active of [onlyKeys(count, ...signers), byAddress]) {
      const source = sourceOf([{ active, owner: keyAuthority(stranger) }]);
      const ask = (keys: readonly string[]) => () => verifyAuthority(source, demand([FIRST]), { keys });
      t.doesNotThrow(ask([...signers].reverse()), `${count} keys`);
      for (const [i, key] of signers.entries()) {
        const others = signers.filter((one) => one !== key);
        refused(t, AUTHORITY_ERRORS.active_auth_missing, ask(others), `without number ${i} of ${count}`);
        const replaced = [...others, MANY[count] as string];
        refused(t, AUTHORITY_ERRORS.active_auth_missing, ask(replaced), `another one for number ${i} of ${count}`);
      }
      refused(t, AUTHORITY_ERRORS.signature_irrelevant, ask([...signers, MANY[count] as string]), `${count} and one`);
    }
  }
});

t.test('of many keys a refusal shows the first', async (t) => {
  const sorted = [...MANY].sort(compareKeysByAddress);
  const shown = (keys: readonly string[], other: Authority) => {
    try {
      verifyAuthority(sourceOf([]), demand([], [], [other]), { keys });
    } catch (error) {
      if (error instanceof ChainError) return error.data;
      throw error;
    }
    throw new Error('it is refused');
  };
  const text = (key: string) => publicKeyToText(key, NETWORK.keyPrefix);
  const reversed = [...sorted].reverse();
  t.same(shown(reversed.slice(0, 64), onlyKeys(71)).sigs, sorted.slice(6).map(text), 'in the order of their addresses');
  t.same(shown(reversed, onlyKeys(71)).sigs, reversed.slice(0, 64).map(text), 'of more the first, as they came');
  const addresses = Array.from({ length: 70 }, (_, n): [string, number] => [n.toString(16).padStart(40, '0'), 1]);
  const wide = { ...onlyKeys(500, ...sorted), address_auths: addresses };
  const { auth } = shown([], wide) as { auth: { key_auths: unknown[]; address_auths: unknown[] } };
  t.same(
    auth.key_auths,
    sorted.slice(0, 64).map((key) => [text(key), 1]),
  );
  t.equal(auth.address_auths.length, 64);
  t.same(auth.address_auths[0], [addressToText(addresses[0]?.[0] as string, NETWORK.keyPrefix), 1]);
});

t.test('the committee acts by proposals only', async (t) => {
  const source: AuthoritySource = {
    network: NETWORK,
    depthMax: 2,
    active: () => keyAuthority(K1),
    owner: () => keyAuthority(K2),
  };
  refused(t, AUTHORITY_ERRORS.committee_approval_invalid, () => verifyAuthority(source, demand([0]), { keys: [K1] }));
  t.doesNotThrow(() => verifyAuthority(source, demand([0]), { keys: [K1], allowsCommittee: true }));
});

t.test('an unknown account is the source’s refusal, not a missing signature', async (t) => {
  const source = sourceOf([{ active: onlyAccounts(1, 999), owner: keyAuthority(K1) }]);
  t.throws(() => isAuthorized(source, demand([FIRST]), { keys: [K1] }), /no account 999/);
});

t.test('keys that signed already are not asked for again', async (t) => {
  const source = sourceOf([{ active: onlyKeys(2, K1, K2, K3), owner: keyAuthority(K1) }]);
  const atHand = { signed: [K2], available: [K1, K2, K3] };
  t.same(requiredSignatures(source, demand([FIRST]), atHand), [K1]);
  t.same(requiredSignatures(source, demand([FIRST]), { signed: [K1, K2], available: [K3] }), []);
});

t.test('quirk: an owner key is never proposed for an active requirement', async (t) => {
  const source = sourceOf([{ active: keyAuthority(K1), owner: keyAuthority(K2) }]);
  t.same(requiredSignatures(source, demand([FIRST]), { signed: [], available: [K2] }), []);
  t.ok(isAuthorized(source, demand([FIRST]), { keys: [K2] }), 'although it would do');
});

t.test('keys that could play a part', async (t) => {
  const source = sourceOf([
    { active: onlyAccounts(2, FIRST + 1, FIRST + 2), owner: keyAuthority(K1) },
    sameKey(K2),
    { active: onlyAccounts(1, FIRST + 3), owner: keyAuthority(K1) },
    { active: onlyAccounts(1, FIRST + 4), owner: keyAuthority(K1) },
    sameKey(K1),
  ]);
  t.same(potentialKeys(source, demand([FIRST]), []), [K2], 'down to the depth, by active authorities');
  t.same(potentialKeys(source, demand([FIRST], [FIRST]), []), [K1, K2], 'owner keys where the owner is required');
  t.same(potentialKeys(source, demand([], [], [keyAuthority(K3)]), []), [K3], 'keys of the operations themselves');
  const two = sourceOf([
    { active: onlyAccounts(1, FIRST + 1, FIRST + 2), owner: keyAuthority(K1) },
    sameKey(K2),
    sameKey(K3),
  ]);
  t.same(potentialKeys(two, demand([FIRST]), []), [K2, K3].sort(compareKeysByAddress));
  t.same(potentialKeys(two, demand([FIRST]), [K2]), [K2], 'quirk: a signature ends the search and hides the rest');
});

/** Accounts whose authorities name each other's and the common keys. */
const ACCOUNTS = 4;
const members = <T>(values: readonly T[], compare: (a: T, b: T) => number): fc.Arbitrary<[T, number][]> =>
  fc
    .subarray([...values])
    .chain((chosen) =>
      fc.tuple(
        ...chosen
          .sort(compare)
          .map((value) => fc.integer({ min: 1, max: 3 }).map((weight): [T, number] => [value, weight])),
      ),
    );
const someAuthority: fc.Arbitrary<Authority> = fc.record({
  weight_threshold: fc.integer({ min: 1, max: 6 }),
  account_auths: members(
    Array.from({ length: ACCOUNTS }, (_, i) => FIRST + i),
    compareInstances,
  ),
  key_auths: members(KEYS, compareKeysByAddress),
  address_auths: fc.constant([]),
});
const someAccounts = fc.array(fc.record({ active: someAuthority, owner: someAuthority }), {
  minLength: ACCOUNTS,
  maxLength: ACCOUNTS,
});
const someKeys = fc.subarray(KEYS);

/** The rule without early ends and without memory: the sum of the weights of all who could sign. */
function couldSign(
  source: AuthoritySource,
  auth: Authority,
  keys: readonly string[],
  depthMax: number = source.depthMax,
  depth = 0,
): boolean {
  let weight = 0;
  for (const [key, share] of auth.key_auths) if (keys.includes(key)) weight += share;
  for (const [account, share] of auth.account_auths) {
    if (depth < depthMax && couldSign(source, source.active(account), keys, depthMax, depth + 1)) weight += share;
  }
  return weight >= auth.weight_threshold;
}

t.test('quirk: an account that was approved on the way counts wherever it turns up again', async (t) => {
  const source = sourceOf([
    // Satisfies its second member, but not itself.
    { active: onlyAccounts(2, FIRST + 3), owner: onlyAccounts(1, FIRST + 1) },
    { active: onlyAccounts(1, FIRST + 3), owner: keyAuthority(K3) },
    sameKey(K1),
    { active: onlyAccounts(1, FIRST + 2), owner: keyAuthority(K3) },
  ]);
  const tooDeep = sourceOf([{ active: onlyAccounts(1, FIRST + 1), owner: keyAuthority(K3) }], 0);
  t.notOk(couldSign(source, source.owner(FIRST), [K1]), 'three levels down');
  t.ok(isAuthorized(source, demand([FIRST]), { keys: [K1] }), 'but remembered');
  t.notOk(isAuthorized(tooDeep, demand([FIRST]), { keys: [K1] }));
});

t.test('whoever is authorized could sign by the plain rule', async (t) => {
  fc.assert(
    fc.property(someAccounts, someKeys, (accounts, keys) => {
      const source = sourceOf(accounts);
      const { active, owner } = accounts[0] as Auths;
      // A remembered approval reaches further down than the depth, but never further than all accounts in a row.
      const isPlain = (auth: Authority) => couldSign(source, auth, keys, ACCOUNTS);
      return !isAuthorized(source, demand([FIRST]), { keys }) || isPlain(active) || isPlain(owner);
    }),
    { seed: 7, numRuns: 2000 },
  );
  t.pass();
});

t.test('the fewest signatures are enough, and none of them can be left out', async (t) => {
  let satisfied = 0;
  fc.assert(
    fc.property(someAccounts, someKeys, (accounts, available) => {
      const source = sourceOf(accounts);
      const required = demand([FIRST]);
      if (!couldSign(source, (accounts[0] as Auths).active, available)) return true;
      const wanted = requiredSignatures(source, required, { signed: [], available });
      const fewest = minimalSignatures(source, required, { signed: [], available });
      satisfied++;
      const fewer = fewest.map((gone) => fewest.filter((key) => key !== gone));
      return (
        fewest.every((key) => wanted.includes(key)) &&
        wanted.every((key) => available.includes(key)) &&
        isAuthorized(source, required, { keys: wanted }) &&
        isAuthorized(source, required, { keys: fewest }) &&
        fewer.every((keys) => !isAuthorized(source, required, { keys }))
      );
    }),
    { seed: 11, numRuns: 3000 },
  );
  t.ok(satisfied > 200, `${satisfied} of the random cases were satisfiable`);
});
