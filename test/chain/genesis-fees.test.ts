import { publicKeyToText } from '../../src/crypto/public-key.js';
import { keyAuthority } from '../../src/protocol/authority.js';
import { globalPropertyObject } from '../../src/state/objects/global-property.js';
import { NETWORK } from '../support/network.js';
import { type TestWorld, worldTest } from '../support/world.js';
import { accountKey } from '../support/world-genesis.js';

/** Of a registration, by the schedule in force. */
function basicFee(w: TestWorld): unknown {
  const entry = w.state.single(globalPropertyObject).parameters.current_fees.parameters.find(([tag]) => tag === 5);
  return (entry?.[1] as { basic_fee: bigint } | undefined)?.basic_fee;
}

const withBasicFee = (basic_fee: number) => ({
  current_fees: { parameters: [[5, { basic_fee, premium_fee: 0, price_per_kbyte: 0 }]], scale: 0 },
});

worldTest(
  'a genesis with more accounts than one step of the fee scale',
  {
    witnesses: 3,
    accounts: { alice: 0n, bob: 0n, carol: 0n },
    parameters: {
      accounts_per_fee_scale: 2,
      account_fee_scale_bitshifts: 2,
      ...withBasicFee(64_000),
    },
  },
  (t, w) => {
    // Quirk: six registrations were counted while nothing cost anything. The first maintenance, in block 1, takes back
    // three steps of two bits that were never added to the real fee.
    t.equal(basicFee(w), 64_000n >> 6n);
    w.maintenance();
    t.equal(basicFee(w), 1000n, 'once');
  },
);

worldTest(
  'quirk: the count of a shift is taken modulo 64, and no registration is refused for it',
  {
    accounts: { alice: 0n },
    parameters: { accounts_per_fee_scale: 1, account_fee_scale_bitshifts: 20, ...withBasicFee(0x30000) },
  },
  (t, w) => {
    t.equal(basicFee(w), 3n, 'four accounts of the genesis file: 80 bits are 16');
    const authority = keyAuthority(accountKey('newcomer').publicKey);
    const { options } = w.account('alice');
    const register = (name: string) =>
      w.push('account_create', {
        registrar: 'alice',
        referrer: 'alice',
        name,
        owner: authority,
        active: authority,
        options,
      });
    for (const name of ['newcomer-1', 'newcomer-2', 'newcomer-3']) register(name);
    t.equal(basicFee(w), 3n << 60n);
    w.block();
    w.maintenance();
    t.equal(basicFee(w), 3n, '60 bits');
    for (const name of ['newcomer-4', 'newcomer-5', 'newcomer-6']) register(name);
    register('newcomer-7');
    w.block();
    t.equal(basicFee(w), 0n, 'what goes beyond 64 bits is lost');
    w.maintenance();
    t.equal(basicFee(w), 0n);
  },
);

const key = publicKeyToText(accountKey('many').publicKey, NETWORK.keyPrefix);
const MANY = Array.from({ length: 10_000 }, (_, i) => ({
  name: `init${i}`,
  owner_key: key,
  active_key: key,
  is_lifetime_member: i < 3,
}));

worldTest(
  'a genesis with so many accounts that the shift has more than 64 bits',
  {
    parameters: { accounts_per_fee_scale: 60, account_fee_scale_bitshifts: 2, ...withBasicFee(0x5000) },
    genesis: { initial_accounts: MANY },
  },
  (t, w) => {
    t.equal(basicFee(w), 5n, '332 bits are 12');
  },
);
