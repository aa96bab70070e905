import { signatureBackend } from '../../../src/crypto/signature.js';
import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { PROXY_TRANSFER_ERRORS } from '../../../src/operations/transfer/proxy-transfer.js';
import { TRANSFER_ERRORS } from '../../../src/operations/transfer/transfer-checks.js';
import { ASSET_FLAG, makeAsset } from '../../../src/protocol/asset.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { type ProxyTransferParams, proxyRequestDigest } from '../../../src/protocol/proxy-transfer.js';
import { signatureObject } from '../../../src/state/objects/signature.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { assetOptions } from '../../support/asset-options.js';
import { refused } from '../../support/refused.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';
import { accountKey } from '../../support/world-genesis.js';

const WORLD = { accounts: { alice: 1000n, bob: 0n, proxy: 100n, other: 0n } };

function request(w: TestWorld, more: Partial<ProxyTransferParams> = {}, signer = 'alice'): ProxyTransferParams {
  const params: ProxyTransferParams = {
    from: w.id('alice'),
    to: w.id('bob'),
    proxy_account: w.id('proxy'),
    amount: core(101),
    percentage: 1000,
    memo: 'm',
    expiration: w.now + 60,
    signatures: [],
    ...more,
  };
  if (more.signatures !== undefined) return params;
  return { ...params, signatures: [signatureBackend().sign(proxyRequestDigest(params), accountKey(signer))] };
}

const bring = (request_params: ProxyTransferParams, more: object = {}) => ({
  proxy_memo: 'p',
  request_params,
  ...more,
});

worldTest('proxy_transfer (73)', WORLD, (t, w) => {
  const E = PROXY_TRANSFER_ERRORS;
  const cases = [
    [E.proxy_memo_long, bring(request(w), { proxy_memo: 'x'.repeat(100) })],
    [E.proxy_memo_empty, bring(request(w), { proxy_memo: '' })],
    [E.proxy_request_memo_long, bring(request(w, { memo: 'x'.repeat(100) }))],
    [E.proxy_expiration, bring(request(w, { expiration: w.now }))],
    [E.proxy_expiration, bring(request(w, { expiration: w.now + 86_401 }))],
    [E.proxy_percentage, bring(request(w, { percentage: 10_001 }))],
    [E.proxy_unsigned, bring(request(w, { signatures: [] }))],
    [E.proxy_wrong_signer, bring(request(w, {}, 'bob'))],
    [TABLE_ERRORS.object_missing, bring(request(w, { to: 9_999 }))],
    [TABLE_ERRORS.object_missing, bring(request(w, { from: 9_999 }))],
    [E.proxy_amount_negative, bring(request(w, { amount: core(-1) }))],
    [E.proxy_to_self, bring(request(w, { to: w.id('alice') }))],
    [OPERATION_ERRORS.operation_fee_negative, bring(request(w), { fee: core(-1) })],
    [TABLE_ERRORS.object_missing, bring(request(w, { amount: makeAsset(1n, 99) }))],
    [TRANSFER_ERRORS.transfer_balance, bring(request(w, { amount: core(1001) }))],
  ] as const;
  for (const [row, given] of cases) w.refuse(t, row, 'proxy_transfer', given);
  const good = bring(request(w));
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('proxy_transfer', good, ['alice']));
  t.same(w.push('proxy_transfer', good), [0, {}]);
  w.block();
  // floor(101 * 1000 / 10000)
  t.same([w.balance('alice'), w.balance('bob'), w.balance('proxy')], [899n, 91n, 110n]);
  t.equal(w.state.count(signatureObject), 1);
  t.match(
    [...w.state.all(signatureObject)],
    [{ signature: good.request_params.signatures[0], expiration: good.request_params.expiration }],
  );
  w.refuse(t, E.proxy_signature_used, 'proxy_transfer', good);
  w.push('proxy_transfer', bring(request(w, { percentage: 10_000, amount: core(9) })));
  w.push('proxy_transfer', bring(request(w, { percentage: 0, amount: core(9) })));
  w.block();
  t.same([w.balance('alice'), w.balance('bob'), w.balance('proxy')], [881n, 100n, 119n]);
  t.equal(w.state.count(signatureObject), 3);
  const { expiration } = good.request_params;
  w.advance(expiration - w.now);
  const left = w.now === expiration ? 3 : 2;
  t.equal(w.state.count(signatureObject), left, 'remembered up to and including the second in which they expire');
  w.advance(30);
  t.equal(w.state.count(signatureObject), 0);

  const active = { ...w.account('alice').active, account_auths: [] };
  const two = [accountKey('alice').publicKey, accountKey('bob').publicKey].sort();
  w.push('account_update', { account: 'alice', active: { ...active, key_auths: two.map((key) => [key, 1]) } });
  w.refuse(t, E.proxy_multisig, 'proxy_transfer', bring(request(w)));
  // Accounts in the authority do not count, however it is to be satisfied.
  const shared = { ...active, weight_threshold: 2, account_auths: [[w.id('bob'), 1]] };
  w.push('account_update', {
    account: 'alice',
    active: { ...shared, key_auths: [[accountKey('alice').publicKey, 1]] },
  });
  const before = w.balance('bob');
  w.push('proxy_transfer', bring(request(w, { percentage: 0, amount: core(1) })));
  w.block();
  t.equal(w.balance('bob'), before + 1n);
});

worldTest('proxy_transfer (73) of an asset with lists and restrictions', WORLD, (t, w) => {
  const common_options = assetOptions();
  const asset = w.create('asset_create', { issuer: 'bob', symbol: 'THING', common_options });
  w.push('asset_issue', { issuer: 'bob', asset_to_issue: makeAsset(100n, asset), issue_to_account: 'alice' });
  const change = (flags: number, whitelist_authorities: number[] = []) => {
    const core_exchange_rate = { base: core(1), quote: makeAsset(1n, asset) };
    const new_options = assetOptions({ core_exchange_rate, flags, whitelist_authorities });
    w.push('asset_update', { issuer: 'bob', asset_to_update: asset, new_options });
  };
  const list = (name: string) =>
    w.push('account_whitelist', { authorizing_account: 'bob', account_to_list: name, new_listing: 1 });
  const given = () => bring(request(w, { amount: makeAsset(10n, asset), to: w.id('other') }));
  change(ASSET_FLAG.transfer_restricted);
  w.refuse(t, TRANSFER_ERRORS.transfer_restricted, 'proxy_transfer', given());
  change(ASSET_FLAG.white_list, [w.id('bob')]);
  w.refuse(t, TRANSFER_ERRORS.transfer_from_unauthorized, 'proxy_transfer', given());
  list('alice');
  w.refuse(t, TRANSFER_ERRORS.transfer_to_unauthorized, 'proxy_transfer', given());
  list('other');
  w.push('proxy_transfer', given());
  w.block();
  // Quirk: nobody asks whether the proxy is on the list.
  t.same([w.balance('alice', asset), w.balance('other', asset), w.balance('proxy', asset)], [90n, 9n, 1n]);
});
