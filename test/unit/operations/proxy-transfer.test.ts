import t from 'tap';
import { toHex } from '../../../src/base/bytes.js';
import { ChainError, type ErrorRow } from '../../../src/base/errors.js';
import type { JsonObject } from '../../../src/codec/json.js';
import { timeToText } from '../../../src/codec/time.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { SIGNATURE_ERRORS, signatureBackend } from '../../../src/crypto/signature.js';
import { OPERATIONS_47_84 } from '../../../src/operations/list-47-84.js';
import { registerDefinitions } from '../../../src/operations/registered.js';
import { PROXY_TRANSFER_ERRORS } from '../../../src/operations/transfer/proxy-transfer.js';
import { TRANSFER_ERRORS } from '../../../src/operations/transfer/transfer-checks.js';
import { ASSET_FLAG } from '../../../src/protocol/asset.js';
import { keyAuthority } from '../../../src/protocol/authority.js';
import { proxyRequestDigest, proxyRequestDigests, proxyTransferParams } from '../../../src/protocol/proxy-transfer.js';
import { accountBalanceObject } from '../../../src/state/objects/account-balance.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { signatureObject } from '../../../src/state/objects/signature.js';
import { adjustBalance } from '../../../src/state/rules/balances.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { BareWorld } from '../../support/bare-world.js';
import type { Changes } from '../../support/changed-operation.js';
import { refused } from '../../support/refused.js';
import { refusedInOrder } from '../../support/refused-in-order.js';

registerDefinitions(Object.assign([], Object.fromEntries(OPERATIONS_47_84.map((entry) => [entry.tag, entry]))));

const FUNDS = 1_000_000n;

function setup() {
  const world = new BareWorld();
  const key = PrivateKey.fromSeed('user');
  const from = world.account('from', { active: keyAuthority(key.publicKey) }, FUNDS);
  const to = world.account('to');
  const proxy = world.account('proxy', {}, FUNDS);
  const request = (more: JsonObject = {}): JsonObject => ({
    from: `1.2.${from}`,
    to: `1.2.${to}`,
    proxy_account: `1.2.${proxy}`,
    amount: { amount: 100_001, asset_id: '1.3.1' },
    percentage: 1234,
    memo: 'm',
    expiration: timeToText(world.state.headTime + 60),
    ...more,
  });
  const sign = (params: JsonObject, signer = key): JsonObject => {
    const digest = proxyRequestDigest(proxyTransferParams.fromJson(params));
    return { ...params, signatures: [toHex(signatureBackend().sign(digest, signer))] };
  };
  const bring = (params: JsonObject, proxy_memo = 'p') =>
    world.run(73, { proxy_memo, request_params: params, fee: { amount: 100, asset_id: '1.3.1' } });
  return { world, key, from, to, proxy, request, sign, bring };
}

t.test('the proxy pays the fee and gets its share', (t) => {
  const { world, from, to, proxy, request, sign, bring } = setup();
  bring(sign(request()));
  // floor(100001 * 1234 / 10000)
  t.equal(world.balance(from), FUNDS - 100_001n);
  t.equal(world.balance(to), 100_001n - 12_340n);
  t.equal(world.balance(proxy), FUNDS - 100n + 12_340n);
  t.equal(world.state.count(signatureObject), 1);
  bring(sign(request({ percentage: 10_000, amount: { amount: 7, asset_id: '1.3.1' } })));
  t.equal(world.balance(to), 100_001n - 12_340n, 'all of it may be commission');
  const other = 2;
  adjustBalance(world.state, from, other, 10n);
  bring(sign(request({ percentage: 5000, amount: { amount: 10, asset_id: `1.3.${other}` } })));
  const rows = [...world.state.all(accountBalanceObject)].filter(({ asset_type }) => asset_type === other);
  t.same(
    rows.map(({ owner, balance }) => [owner, balance]),
    [
      [from, 0n],
      [to, 5n],
      [proxy, 5n],
    ],
    'new balances in the order in which they are credited',
  );
  t.end();
});

t.test('refusals', (t) => {
  const { world, to, request, sign, bring } = setup();
  const now = world.state.headTime;
  const cases: readonly [JsonObject, ErrorRow][] = [
    [sign(request({ memo: 'x'.repeat(100) })), PROXY_TRANSFER_ERRORS.proxy_request_memo_long],
    [sign(request({ expiration: timeToText(now) })), PROXY_TRANSFER_ERRORS.proxy_expiration],
    [sign(request({ expiration: timeToText(now + 86_401) })), PROXY_TRANSFER_ERRORS.proxy_expiration],
    [request(), PROXY_TRANSFER_ERRORS.proxy_unsigned],
    [sign(request({ from: `1.2.${to}`, to: '1.2.0' })), PROXY_TRANSFER_ERRORS.proxy_multisig],
    [sign(request(), PrivateKey.fromSeed('somebody')), PROXY_TRANSFER_ERRORS.proxy_wrong_signer],
    [{ ...sign(request()), percentage: 1 }, PROXY_TRANSFER_ERRORS.proxy_wrong_signer],
    [sign(request({ amount: { amount: 1_000_001, asset_id: '1.3.1' } })), TRANSFER_ERRORS.transfer_balance],
  ];
  for (const [params, row] of cases) refused(t, row, () => bring(params));
  refused(t, PROXY_TRANSFER_ERRORS.proxy_memo_long, () => bring(sign(request()), 'x'.repeat(100)));
  t.doesNotThrow(() => bring(sign(request({ expiration: timeToText(now + 86_400) })), 'x'.repeat(99)));
  t.doesNotThrow(() => bring(sign(request({ expiration: timeToText(now + 1) }))), 'the first second that is not over');
  // Quirk: the latest second has 32 bits, and may lie before now.
  world.setParameters({ maximum_time_until_expiration: 0xffff_ffff });
  refused(t, PROXY_TRANSFER_ERRORS.proxy_expiration, () => bring(sign(request())));
  t.end();
});

t.test('a signature is good for one transfer', (t) => {
  const { world, from, request, sign, bring } = setup();
  const params = sign(request());
  bring(params);
  refused(t, PROXY_TRANSFER_ERRORS.proxy_signature_used, () => bring(params));
  t.equal(world.balance(from), FUNDS - 100_001n);
  t.end();
});

/** Signatures over the digests of their places. */
function signAll(params: JsonObject, signers: readonly PrivateKey[]): JsonObject {
  const digests = proxyRequestDigests(proxyTransferParams.fromJson(params));
  const signatures = signers.map((signer) => toHex(signatureBackend().sign(digests.next().value, signer)));
  return { ...params, signatures };
}
const strangers = ['x', 'y', 'z'].map((seed) => PrivateKey.fromSeed(seed));

t.test('any of the signatures may be the one, each over the digest of its place', (t) => {
  const { world, key, from, to, request, sign, bring } = setup();
  for (const before of [0, 1, 2, 3]) {
    const signers = [...strangers.slice(0, before), key];
    bring(signAll(request({ memo: `${before}` }), signers));
    t.equal(world.state.count(signatureObject), before + 1, `${before} before it`);
  }
  t.equal(world.balance(from), FUNDS - 4n * 100_001n);
  t.equal(world.balance(to), 4n * (100_001n - 12_340n));
  t.doesNotThrow(() => bring(signAll(request({ memo: 'first' }), [key, ...strangers])), 'what follows does not matter');
  // In the second place the digest is not that of the request.
  const [good] = sign(request({ memo: 'later' })).signatures as string[];
  const [bad] = sign(request({ memo: 'later' }), strangers[0]).signatures as string[];
  const misplaced = { ...request({ memo: 'later' }), signatures: [bad as string, good as string] };
  refused(t, PROXY_TRANSFER_ERRORS.proxy_wrong_signer, () => bring(misplaced));
  t.end();
});

t.test('every signature that is tried must be one', (t) => {
  const { key, request, bring } = setup();
  const params = signAll(request(), [strangers[0] as PrivateKey, key]);
  const [first, second] = params.signatures as [string, string];
  const high = `${first.slice(0, 2)}ff${first.slice(4)}`;
  refused(t, SIGNATURE_ERRORS.signature_not_canonical, () => bring({ ...params, signatures: [high, second] }));
  t.doesNotThrow(() => {
    const right = signAll(request(), [key]);
    bring({ ...right, signatures: [...(right.signatures as string[]), high] });
  }, 'those behind the one that matches are not tried');
  t.end();
});

t.test('the first signature is remembered, whichever matched', (t) => {
  const { world, key, request, bring } = setup();
  const [stranger, other] = strangers as [PrivateKey, PrivateKey];
  const params = signAll(request(), [stranger, key]);
  bring(params);
  const [first] = params.signatures as string[];
  t.equal(toHex([...world.state.all(signatureObject)][0]?.signature as Uint8Array), first);
  refused(t, PROXY_TRANSFER_ERRORS.proxy_signature_used, () => bring(params));
  // Quirk: with another one in front the sender's own signature is good once more.
  t.doesNotThrow(() => bring(signAll(request(), [other, key])));
  const own = signAll(request({ memo: 'own' }), [key]);
  const signatures = [...(own.signatures as string[]), first as string];
  t.doesNotThrow(() => bring({ ...own, signatures }), 'nobody asks whether one behind it was used');
  t.end();
});

t.test('of two faults of a request the first one is named', (t) => {
  const { world, key, request, sign, bring } = setup();
  const stranger = strangers[0] as PrivateKey;
  const members = [key, stranger].map(({ publicKey }): [string, number] => [publicKey, 1]);
  const two = world.account('two', { active: { ...keyAuthority(key.publicKey), key_auths: members } });
  const { state } = world;
  state.modify(assetObject, state.get(assetObject, 2), (o) => {
    o.options = { ...o.options, flags: ASSET_FLAG.white_list, whitelist_authorities: [two] };
  });
  const [used] = sign(request()).signatures as [string];
  bring(sign(request()));
  /** Three changes are none of the request: who signs, that nobody does, and that a signature in front was brought before. */
  const run = ({ proxy_memo = 'p', by = '', unsigned = false, again = false, ...more }: Changes) => {
    const params = request({ memo: 'n', ...more });
    const signer = by === '' ? key : stranger;
    const signed = again === false ? sign(params, signer) : signAll(params, [stranger, signer]);
    const signatures = again === false ? signed.signatures : [used, (signed.signatures as string[])[1] as string];
    bring({ ...params, signatures: unsigned === false ? (signatures as string[]) : [] }, proxy_memo as string);
  };
  const long = 'x'.repeat(100);
  const E = PROXY_TRANSFER_ERRORS;
  refusedInOrder(t, '73', run, [
    [{ proxy_memo: long }, E.proxy_memo_long],
    [{ memo: long }, E.proxy_request_memo_long],
    [{ expiration: timeToText(state.headTime) }, E.proxy_expiration],
    [{ from: '1.2.998' }, TABLE_ERRORS.object_missing],
    [{ unsigned: true }, E.proxy_unsigned],
    [{ from: `1.2.${two}` }, E.proxy_multisig],
    [{ by: 'stranger' }, E.proxy_wrong_signer],
    [{ again: true }, E.proxy_signature_used],
    [{ to: '1.2.999' }, TABLE_ERRORS.object_missing],
    [{ amount: { amount: 1, asset_id: '1.3.99' } }, TABLE_ERRORS.object_missing],
    [{ amount: { amount: 1, asset_id: '1.3.2' } }, TRANSFER_ERRORS.transfer_from_unauthorized],
    [{ amount: { amount: 1_000_001, asset_id: '1.3.1' } }, TRANSFER_ERRORS.transfer_balance],
  ]);
  const missing = { to: '1.2.999', amount: { amount: 1, asset_id: '1.3.99' } };
  t.throws(() => run(missing), { message: /1\.2\.999/ }, 'who gets it is looked up before what');
  t.doesNotThrow(() => run({}));
  t.end();
});

t.test('of all headers two say the same of a signature, and each of them is good once', (t) => {
  const { world, from, to, request, sign, bring } = setup();
  const params = sign(request());
  const [good] = params.signatures as [string];
  const written = Number.parseInt(good.slice(0, 2), 16);
  const taken: number[] = [];
  for (let header = 0; header < 256; header++) {
    const signature = `${header.toString(16).padStart(2, '0')}${good.slice(2)}`;
    const rows =
      header < 27 || header > 34
        ? [SIGNATURE_ERRORS.signature_header_invalid]
        : // The point that another header names belongs to nobody here, or there is none.
          [PROXY_TRANSFER_ERRORS.proxy_wrong_signer, SIGNATURE_ERRORS.signature_unrecoverable];
    try {
      bring({ ...params, signatures: [signature] });
      taken.push(header);
    } catch (error) {
      t.ok(error instanceof ChainError && rows.includes(error.row), `header ${header}`);
    }
  }
  // Quirk: what is remembered are bytes, so a request can be brought once with each of the two headers.
  t.same(taken, [written - 4, written]);
  t.equal(world.state.count(signatureObject), 2);
  t.equal(world.balance(from), FUNDS - 2n * 100_001n);
  t.equal(world.balance(to), 2n * (100_001n - 12_340n));
  for (const header of taken) {
    const signature = `${header.toString(16)}${good.slice(2)}`;
    refused(t, PROXY_TRANSFER_ERRORS.proxy_signature_used, () => bring({ ...params, signatures: [signature] }));
  }
  t.end();
});

t.test('r and s are taken as they are: in their place, in their smallest form, and no mirror image', (t) => {
  const { request, sign, bring } = setup();
  const params = sign(request());
  const [good] = params.signatures as [string];
  const [header, r, s] = [good.slice(0, 2), good.slice(2, 66), good.slice(66)];
  const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const mirrored = (ORDER - BigInt(`0x${s}`)).toString(16).padStart(64, '0');
  const flipped = (((Number.parseInt(header, 16) - 31) ^ 1) + 31).toString(16);
  const zeros = '00'.repeat(32);
  const { signature_not_canonical, signature_unrecoverable } = SIGNATURE_ERRORS;
  const { proxy_wrong_signer } = PROXY_TRANSFER_ERRORS;
  const cases: readonly (readonly [string, ErrorRow])[] = [
    // The same for every library that does not ask for the low half.
    [`${flipped}${r}${mirrored}`, signature_not_canonical],
    [`${header}${zeros}${s}`, signature_not_canonical],
    [`${header}${r}${zeros}`, signature_not_canonical],
    [`${header}${r}${`00${'7f'.repeat(31)}`}`, signature_not_canonical],
    [`${header}${`80${'00'.repeat(31)}`}${s}`, signature_not_canonical],
    [`${flipped}${r}${s}`, proxy_wrong_signer],
    // A second point with this x would lie beyond the field.
    [`${(Number.parseInt(header, 16) + 2).toString(16)}${r}${s}`, signature_unrecoverable],
  ];
  for (const [signature, row] of cases) refused(t, row, () => bring({ ...params, signatures: [signature] }), signature);
  refused(t, proxy_wrong_signer, () => bring({ ...params, signatures: [`${flipped}${r}${s}`, good, good] }));
  t.doesNotThrow(() => bring({ ...params, signatures: [good, good] }), 'the same one twice');
  t.end();
});
