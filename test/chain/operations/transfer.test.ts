import { TRANSACTION_ERRORS } from '../../../src/chain/apply-transaction.js';
import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { PIPELINE_ERRORS } from '../../../src/operations/pipeline.js';
import { OVERRIDE_TRANSFER_ERRORS } from '../../../src/operations/transfer/override-transfer.js';
import { TRANSFER_ERRORS } from '../../../src/operations/transfer/transfer-checks.js';
import { ASSET_FLAG, makeAsset } from '../../../src/protocol/asset.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../../src/state/objects/asset-dynamic-data.js';
import { BALANCE_ERRORS } from '../../../src/state/rules/balances.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { assetOptions } from '../../support/asset-options.js';
import { refused } from '../../support/refused.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';

const ACCOUNTS = { accounts: { alice: 1_000n, bob: 0n, carol: 0n, issuer: 0n } };

/** An asset of `issuer`, with these flags; alice has ten of it. */
function withAsset(w: TestWorld, given: Parameters<typeof assetOptions>[0] = {}): number {
  const asset = w.create('asset_create', { issuer: 'issuer', symbol: 'THING', common_options: assetOptions() });
  w.push('asset_issue', { issuer: 'issuer', asset_to_issue: makeAsset(10n, asset), issue_to_account: 'alice' });
  const options = assetOptions({ core_exchange_rate: { base: core(1), quote: makeAsset(1n, asset) }, ...given });
  w.push('asset_update', { issuer: 'issuer', asset_to_update: asset, new_options: options });
  w.block();
  return asset;
}

worldTest('transfer (0)', ACCOUNTS, (t, w) => {
  const given = { from: 'alice', to: 'bob', amount: core(400) };
  t.same(w.push('transfer', given), [0, {}]);
  w.block();
  t.same([w.balance('alice'), w.balance('bob')], [600n, 400n]);
  w.refuse(t, TRANSFER_ERRORS.transfer_balance, 'transfer', { ...given, amount: core(601) });
  w.refuse(t, OPERATION_ERRORS.amount_not_positive, 'transfer', { ...given, amount: core(0) });
  w.refuse(t, OPERATION_ERRORS.from_equals_to, 'transfer', { ...given, to: 'alice' });
  w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'transfer', { ...given, fee: core(-1) });
  w.refuse(t, TABLE_ERRORS.object_missing, 'transfer', { ...given, to: 99_999 });
  w.refuse(t, TABLE_ERRORS.object_missing, 'transfer', { ...given, amount: makeAsset(1n, 99) });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('transfer', given, ['bob']));
  // Everybody could take what this account owns at the end of a transaction.
  w.refuse(t, TRANSACTION_ERRORS.temp_account_not_empty, 'transfer', { ...given, to: 4 });
  const through = ['alice', 4, 'bob'].map((from, i, path) => ({ from, to: path[i + 1], amount: core(1) }));
  w.pushAll(through.slice(0, 2).map((hop) => w.operation('transfer', hop)));
  w.push('transfer', { from: 'bob', to: 'alice', amount: core(1) });
  w.push('transfer', { ...given, amount: core(600) });
  w.block();
  t.equal(w.balance('alice'), 0n, 'everything may go');
});

worldTest(
  'transfer (0) takes its fee and books it',
  { ...ACCOUNTS, fees: true, accounts: { alice: 10n ** 9n, bob: 0n } },
  (t, w) => {
    const given = { from: 'alice', to: 'bob', amount: core(1) };
    w.push('transfer', given);
    w.block();
    t.equal(w.balance('alice'), 10n ** 9n - 1n - 100_000n);
    const statistics = w.state.get(accountStatisticsObject, w.account('alice').statistics);
    t.equal(statistics.pending_fees + statistics.pending_vested_fees, 100_000n);
    w.refuse(t, PIPELINE_ERRORS.fee_insufficient, 'transfer', { ...given, fee: core(99_999) });
    w.push('transfer', { ...given, fee: core(100_001) });
    w.block();
    t.equal(w.balance('alice'), 10n ** 9n - 2n - 200_001n, 'more may be paid');
    // The amount is there, the fee on top of it is not.
    const rest = w.balance('alice');
    w.refuse(t, BALANCE_ERRORS.balance_insufficient, 'transfer', { ...given, amount: core(rest) });
    w.maintenance();
    t.equal(w.state.get(accountStatisticsObject, w.account('alice').statistics).pending_fees, 0n, 'and paid out');
  },
);

worldTest('transfer (0) of assets with lists and restrictions', ACCOUNTS, (t, w) => {
  const asset = withAsset(w, { flags: ASSET_FLAG.white_list, whitelist_authorities: [w.id('issuer')] });
  const given = { from: 'alice', to: 'bob', amount: makeAsset(1n, asset) };
  const list = (name: string, new_listing: number) =>
    w.push('account_whitelist', { authorizing_account: 'issuer', account_to_list: name, new_listing });
  w.refuse(t, TRANSFER_ERRORS.transfer_from_unauthorized, 'transfer', given);
  list('alice', 1);
  w.refuse(t, TRANSFER_ERRORS.transfer_to_unauthorized, 'transfer', given);
  list('bob', 1);
  w.push('transfer', given);
  w.block();
  t.equal(w.balance('bob', asset), 1n);
  list('bob', 0);
  w.refuse(t, TRANSFER_ERRORS.transfer_from_unauthorized, 'transfer', { ...given, from: 'bob', to: 'alice' });
  w.block();
});

worldTest('transfer (0) of a restricted asset', ACCOUNTS, (t, w) => {
  const asset = withAsset(w, { flags: ASSET_FLAG.transfer_restricted });
  const given = { from: 'alice', to: 'bob', amount: makeAsset(1n, asset) };
  w.refuse(t, TRANSFER_ERRORS.transfer_restricted, 'transfer', given);
  w.push('transfer', { ...given, to: 'issuer' });
  w.push('transfer', { ...given, from: 'issuer' });
  w.block();
  t.equal(w.balance('bob', asset), 1n, 'from and to its issuer');
});

worldTest('transfer (0) and those who are blacklisted', ACCOUNTS, (t, w) => {
  const asset = withAsset(w, { flags: ASSET_FLAG.white_list, blacklist_authorities: [w.id('carol')] });
  const given = { from: 'alice', to: 'bob', amount: makeAsset(1n, asset) };
  w.push('transfer', given);
  w.push('account_whitelist', { authorizing_account: 'carol', account_to_list: 'bob', new_listing: 2 });
  w.refuse(t, TRANSFER_ERRORS.transfer_to_unauthorized, 'transfer', given);
  w.refuse(t, TRANSFER_ERRORS.transfer_from_unauthorized, 'transfer', { ...given, from: 'bob', to: 'alice' });
  w.push('account_whitelist', { authorizing_account: 'carol', account_to_list: 'bob', new_listing: 0 });
  w.push('transfer', given);
  w.block();
  t.equal(w.balance('bob', asset), 2n);
});

worldTest('override_transfer (38)', ACCOUNTS, (t, w) => {
  const asset = withAsset(w);
  const given = { issuer: 'issuer', from: 'alice', to: 'bob', amount: makeAsset(4n, asset) };
  w.refuse(t, OVERRIDE_TRANSFER_ERRORS.override_not_permitted, 'override_transfer', given);
  const rate = { base: core(1), quote: makeAsset(1n, asset) };
  const options = assetOptions({ flags: ASSET_FLAG.override_authority, core_exchange_rate: rate });
  w.push('asset_update', { issuer: 'issuer', asset_to_update: asset, new_options: options });
  w.refuse(t, OVERRIDE_TRANSFER_ERRORS.override_not_issuer, 'override_transfer', { ...given, issuer: 'carol' });
  w.refuse(t, OVERRIDE_TRANSFER_ERRORS.override_balance, 'override_transfer', {
    ...given,
    amount: makeAsset(11n, asset),
  });
  w.refuse(t, OVERRIDE_TRANSFER_ERRORS.override_issuer_is_from, 'override_transfer', { ...given, from: 'issuer' });
  w.refuse(t, TABLE_ERRORS.object_missing, 'override_transfer', { ...given, to: 99_999 });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('override_transfer', given, ['alice']));
  t.same(w.push('override_transfer', given), [0, {}]);
  w.block();
  t.same([w.balance('alice', asset), w.balance('bob', asset)], [6n, 4n]);
  const supply = w.state.get(
    assetDynamicDataObject,
    w.state.get(assetObject, asset).dynamic_asset_data_id,
  ).current_supply;
  t.equal(supply, 10n);
});

worldTest('override_transfer (38) of a listed asset', ACCOUNTS, (t, w) => {
  const flags = ASSET_FLAG.override_authority | ASSET_FLAG.white_list | ASSET_FLAG.transfer_restricted;
  const asset = withAsset(w, { flags, whitelist_authorities: [w.id('issuer')] });
  const given = { issuer: 'issuer', from: 'alice', to: 'bob', amount: makeAsset(4n, asset) };
  const list = (name: string) =>
    w.push('account_whitelist', { authorizing_account: 'issuer', account_to_list: name, new_listing: 1 });
  w.refuse(t, OVERRIDE_TRANSFER_ERRORS.override_to_unauthorized, 'override_transfer', given);
  list('bob');
  w.refuse(t, OVERRIDE_TRANSFER_ERRORS.override_from_unauthorized, 'override_transfer', given);
  list('alice');
  w.refuse(t, TABLE_ERRORS.object_missing, 'override_transfer', { ...given, from: 99_999 });
  w.push('override_transfer', given);
  w.block();
  t.same([w.balance('alice', asset), w.balance('bob', asset)], [6n, 4n], 'restricted or not');
});

worldTest('inline_transfer (78)', ACCOUNTS, (t, w) => {
  const given = { from: 'alice', to: 'bob', amount: core(5), memo: '' };
  const asset = withAsset(w, { flags: ASSET_FLAG.transfer_restricted });
  t.same(w.push('inline_transfer', given), [0, {}]);
  w.push('inline_transfer', { ...given, amount: makeAsset(1n, asset) });
  w.block();
  t.same([w.balance('bob'), w.balance('bob', asset)], [5n, 1n], 'restrictions do not count');
  w.refuse(t, TABLE_ERRORS.object_missing, 'inline_transfer', { ...given, to: 99_999 });
  t.same([w.balance('alice'), w.balance('alice', asset)], [995n, 9n]);
  w.refuse(t, TABLE_ERRORS.object_missing, 'inline_transfer', { ...given, amount: makeAsset(1n, 77) });
  w.refuse(t, TRANSFER_ERRORS.transfer_balance, 'inline_transfer', { ...given, amount: core(996) });
  w.refuse(t, OPERATION_ERRORS.from_equals_to, 'inline_transfer', { ...given, to: 'alice' });
  w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'inline_transfer', { ...given, fee: core(-1) });
  w.refuse(t, OPERATION_ERRORS.amount_not_positive, 'inline_transfer', { ...given, amount: core(-1) });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('inline_transfer', given, ['bob']));
});
