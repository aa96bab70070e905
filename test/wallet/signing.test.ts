import t from 'tap';
import { COMBINING_ERRORS } from '../../src/client/signing.js';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { publicKey } from '../../src/protocol/keys.js';
import { runCommand } from '../../src/wallet/commands/index.js';
import { KEYSTORE_ERRORS, NODE_ERRORS, SIGNING_ERRORS } from '../../src/wallet/errors.js';
import { runLine } from '../../src/wallet/prompt-line.js';
import type { Wallet } from '../../src/wallet/wallet.js';
import { NETWORK } from '../support/network.js';
import { refusedLater } from '../support/refused.js';
import { linkTo, openRecorded, recordedChain } from './support/frozen.js';

const link = linkTo(recordedChain());
const call = async <T = JsonObject>(wallet: Wallet, name: string, ...params: Json[]): Promise<T> =>
  (await runCommand(wallet, name, params)).result as T;

/** A wallet that holds only these keys. */
async function holderOf(...wifs: string[]): Promise<Wallet> {
  const opened = await openRecorded('01-password-only.json', link);
  t.teardown(opened.remove);
  opened.wallet.ring.unlock('supersecret');
  if (wifs.length > 0) await call(opened.wallet, 'import_keys', 'multi', wifs);
  return opened.wallet;
}

t.test('two who must both sign do it one after the other, or each a copy', async (t) => {
  const all = await openRecorded('10-frozen-start.json', link);
  t.teardown(all.remove);
  all.wallet.ring.unlock('supersecret');
  // The account needs two others, whose keys the recorded wallet holds.
  const whole = await call<{ signatures: string[] }>(all.wallet, 'transfer', 'multi', 'bob', '2', 'GXS', '', false);
  t.equal(whole.signatures.length, 2);
  const review = await call<{ signed_by: string[] }>(all.wallet, 'review_transaction', whole as unknown as Json);
  const [first = '', second = ''] = review.signed_by.map((key) =>
    all.wallet.ring.get(publicKey.fromJson(key, NETWORK)).toWif(),
  );
  const [nobody, one, two] = [await holderOf(), await holderOf(first), await holderOf(second)];

  const made = await call(nobody, 'transfer', 'multi', 'bob', '2', 'GXS', '', false);
  t.same(made.signatures, [], 'whoever has no key can make it all the same');
  const file = await call(nobody, 'prepare_transaction', made, '2026-11-21T21:44:00');
  const former = { ...made, signatures: ['00'.repeat(65)] };
  t.same(
    await call(nobody, 'prepare_transaction', former, '2026-11-21T21:44:00'),
    file,
    'signatures of what it was before are none of it',
  );
  t.match(await call(nobody, 'review_transaction', file), {
    operations: [/^Transfer 2 GXS from multi to bob {3}\(Fee: 1 GXS\)$/],
    signed_by: [],
    is_complete: false,
    missing: /Missing Active Authority 1\.2\.32/,
  });
  const required = (weight: number) => [
    { required: 'active authority of multi', threshold: 2, weight, is_satisfied: weight === 2, members: { length: 2 } },
  ];
  const given = async (tx: JsonObject): Promise<boolean[]> => {
    const told = await call<{ required: [{ members: { is_given: boolean }[] }] }>(nobody, 'review_transaction', tx);
    t.match(told.required, required(told.required[0].members.filter(({ is_given }) => is_given).length));
    return told.required[0].members.map(({ is_given }) => is_given);
  };
  const shown = async (tx: JsonObject): Promise<string> =>
    (await runLine(nobody, `review_transaction ${JSON.stringify(tx)}`)).output;
  t.same(await given(file), [false, false], 'who must agree, and that nobody has');
  t.match(
    await shown(file),
    /\nactive authority of multi: needs 2, has 0\n {4}missing {2}\w+ \(1\)\n {4}missing {2}\w+ \(1\)\n/,
  );
  const half = await call(one, 'add_signatures', file, false);
  t.same((await given(half)).sort(), [false, true], 'one of two');
  t.match(await shown(half), /\nactive authority of multi: needs 2, has 1\n/);
  t.match(await shown(half), /\n {4}given {4}\w+ \(1\)\n/);
  t.match(await shown(half), /\n {4}missing {2}\w+ \(1\)\n/);
  t.match(await call(one, 'review_transaction', half), { signed_by: [review.signed_by[0]], is_complete: false });
  t.same(await call(one, 'add_signatures', half, false), half, 'nobody signs twice');
  const full = await call(two, 'add_signatures', half, false);
  t.match(await call(nobody, 'review_transaction', full), { is_complete: true, signed_by: { length: 2 } });
  t.same(await given(full), [true, true]);
  t.match(await shown(full), /\nactive authority of multi: has the 2 that it needs\n/);

  const other = await call(two, 'add_signatures', file, false);
  const combined = await call<{ signatures: string[] }>(nobody, 'combine_signatures', [half, other, half]);
  t.same(combined.signatures, full.signatures, 'copies together are the same');
  t.equal(await call<Json>(nobody, 'get_transaction_id', file), await call<Json>(nobody, 'get_transaction_id', full));
  const [id] = await call<[string]>(nobody, 'broadcast_transaction', full);
  t.match(id, /^[0-9a-f]{40}$/, 'the node takes it');

  await refusedLater(t, COMBINING_ERRORS.combine_nothing, call(nobody, 'combine_signatures', []));
  await refusedLater(t, COMBINING_ERRORS.combine_other, call(nobody, 'combine_signatures', [file, made]));
  const late = await call(nobody, 'prepare_transaction', made, '2026-11-21T20:44:00');
  await refusedLater(t, SIGNING_ERRORS.signing_expired, call(one, 'add_signatures', late, false));
  one.ring.lock();
  await refusedLater(t, KEYSTORE_ERRORS.wallet_locked, call(one, 'add_signatures', file, false), 'with its own reason');
});

t.test('a node that prices less than it is asked for is not believed', async (t) => {
  let prices: Json | undefined;
  const opened = await openRecorded('10-frozen-start.json', {
    call: async (api, method, params) =>
      method === 'get_required_fees' && prices !== undefined ? prices : link.call(api, method, params),
  });
  t.teardown(opened.remove);
  opened.wallet.ring.unlock('supersecret');
  const deposit = (): Promise<JsonObject> =>
    call(
      opened.wallet,
      'call_contract',
      'bob',
      'bank-c1',
      { amount: 1, asset_id: '1.3.1' },
      'deposit',
      '{}',
      'GXS',
      false,
    );
  t.match(await deposit(), { operations: [[75, { fee: { asset_id: '1.3.1' } }]] });
  for (const wrong of [[], [{ amount: 'much', asset_id: '1.3.1' }], null]) {
    prices = wrong;
    await refusedLater(t, NODE_ERRORS.node_answer, deposit(), JSON.stringify(wrong));
  }
});

t.test('what makes or changes an asset is told in units of that asset, before it is signed', async (t) => {
  const wallet = await holderOf();
  const rate = (asset_id: string): JsonObject => ({
    base: { amount: 1, asset_id: '1.3.1' },
    quote: { amount: 5, asset_id },
  });
  const common = {
    max_supply: 123_456_789,
    market_fee_percent: 0,
    max_market_fee: 5_500,
    core_exchange_rate: rate('1.3.2'),
  };
  const made = await call(wallet, 'create_asset', 'alice', 'NEWTOK', 3, common, 'GXS', false);
  const { output } = await runLine(wallet, `review_transaction ${JSON.stringify(made)}`);
  t.match(output, /max supply: 123456\.789 NEWTOK\n/);
  t.match(output, /max market fee: 5\.500 NEWTOK\n/);
  t.match(output, /base: 0\.00001 GXS\n *quote: 0\.005 NEWTOK\n/);
});
