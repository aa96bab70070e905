import { toHex } from '../../../src/base/bytes.js';
import { addressOfKey } from '../../../src/crypto/address.js';
import { blind, blindSum } from '../../../src/crypto/blind.js';
import { RANGE_HEADER_ERRORS } from '../../../src/crypto/range-header.js';
import { BLIND_TRANSFER_ERRORS } from '../../../src/operations/confidential/blind-transfer.js';
import { CONFIDENTIAL_ERRORS } from '../../../src/operations/confidential/blinded.js';
import { TRANSFER_FROM_BLIND_ERRORS } from '../../../src/operations/confidential/transfer-from-blind.js';
import { TRANSFER_TO_BLIND_ERRORS } from '../../../src/operations/confidential/transfer-to-blind.js';
import { ASSET_FLAG, makeAsset } from '../../../src/protocol/asset.js';
import { type Authority, keyAuthority } from '../../../src/protocol/authority.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { TEMP_ACCOUNT } from '../../../src/protocol/ids.js';
import { accountBalanceObject } from '../../../src/state/objects/account-balance.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../../src/state/objects/asset-dynamic-data.js';
import { blindedBalanceObject } from '../../../src/state/objects/blinded-balance.js';
import { balanceOf } from '../../../src/state/rules/balances.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { assetOptions } from '../../support/asset-options.js';
import { holds } from '../../support/holds.js';
import { refused } from '../../support/refused.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';
import { accountKey } from '../../support/world-genesis.js';

const WORLD = { accounts: { alice: 1000n, bob: 0n, rich: 1000n } };
const FACTOR = new Uint8Array(32).fill(9);
const OWNER = keyAuthority(accountKey('hidden owner').publicKey);
const C = CONFIDENTIAL_ERRORS;

const hidden = (amount: bigint, owner: Authority = OWNER) => ({
  commitment: blind(FACTOR, amount),
  owner,
  range_proof: new Uint8Array(),
});
const spent = (amount: bigint, owner: Authority = OWNER) => ({ commitment: blind(FACTOR, amount), owner });

const hide = (amount: bigint, more: object = {}) => ({
  fee: core(10),
  amount: core(amount),
  from: 'alice',
  blinding_factor: toHex(FACTOR),
  outputs: [hidden(amount)],
  ...more,
});
const move = (from: bigint, to: bigint, more: object = {}) => ({
  fee: core(from - to),
  inputs: [spent(from)],
  outputs: [hidden(to)],
  ...more,
});
const show = (from: bigint, amount: bigint, more: object = {}) => ({
  fee: core(from - amount),
  amount: core(amount),
  to: 'bob',
  blinding_factor: toHex(FACTOR),
  inputs: [spent(from)],
  ...more,
});
const coreData = (w: TestWorld) =>
  w.state.get(assetDynamicDataObject, w.state.get(assetObject, 1).dynamic_asset_data_id);
const hiddenSupply = (w: TestWorld): bigint => coreData(w).confidential_supply;
function pendingFees(w: TestWorld, name: string): bigint {
  const { pending_fees, pending_vested_fees } = w.state.get(accountStatisticsObject, w.account(name).statistics);
  return pending_fees + pending_vested_fees;
}

worldTest('transfer_to_blind (39), blind_transfer (40), transfer_from_blind (41)', WORLD, (t, w) => {
  w.addKey(accountKey('hidden owner'));
  const byAccount = (id: number): Authority => ({ ...OWNER, key_auths: [], account_auths: [[id, 1]] });
  w.push('asset_fund_fee_pool', { from_account: 'rich', asset_id: 0, amount: 100n });
  const toHide = [
    [C.blind_amount_not_positive, hide(0n)],
    [TRANSFER_TO_BLIND_ERRORS.blind_outputs_missing, hide(500n, { outputs: [] })],
    [TRANSFER_TO_BLIND_ERRORS.blind_into_sum, hide(500n, { outputs: [hidden(499n)] })],
    [TABLE_ERRORS.object_missing, hide(500n, { outputs: [hidden(500n, byAccount(9_999))] })],
    [TABLE_ERRORS.object_missing, hide(500n, { amount: makeAsset(500n, 99) })],
  ] as const;
  for (const [row, given] of toHide) w.refuse(t, row, 'transfer_to_blind', given);
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('transfer_to_blind', hide(500n), ['bob']));
  const { current_supply } = coreData(w);
  t.same(w.push('transfer_to_blind', hide(500n)), [0, {}]);
  w.block();
  t.same([w.balance('alice'), hiddenSupply(w)], [490n, 500n]);
  t.equal(coreData(w).current_supply, current_supply);
  t.equal(pendingFees(w, 'alice'), 10n, 'without an accumulator the fee is one as any other');
  holds(t, w.state.findBy(blindedBalanceObject.by.commitment, blind(FACTOR, 500n)), { asset_id: 1, owner: OWNER });

  const other = keyAuthority(accountKey('bob').publicKey);
  w.refuse(t, BLIND_TRANSFER_ERRORS.blind_unknown_commitment, 'blind_transfer', move(400n, 390n));
  w.refuse(t, C.blind_other_owner, 'blind_transfer', move(500n, 490n, { inputs: [spent(500n, other)] }));
  w.refuse(t, BLIND_TRANSFER_ERRORS.blind_both_sum, 'blind_transfer', move(500n, 490n, { fee: core(11) }));
  refused(t, AUTHORITY_ERRORS.other_auth_missing, () => w.push('blind_transfer', move(500n, 470n), ['alice']));
  const toNobody = move(500n, 490n, { outputs: [hidden(490n, byAccount(9_999))] });
  w.refuse(t, TABLE_ERRORS.object_missing, 'blind_transfer', toNobody);
  w.refuse(t, C.blind_other_asset, 'blind_transfer', move(500n, 490n, { fee: makeAsset(10n, 0) }));
  t.same(w.push('blind_transfer', move(500n, 470n)), [0, {}]);
  w.block();
  t.equal(hiddenSupply(w), 470n);
  t.equal(w.state.findBy(blindedBalanceObject.by.commitment, blind(FACTOR, 500n)), undefined);
  t.equal(w.state.count(blindedBalanceObject), 1);
  t.match([...w.state.all(blindedBalanceObject)], [{ commitment: blind(FACTOR, 470n), asset_id: 1, owner: OWNER }]);
  t.equal(w.balance('temp-account'), 0n);

  w.refuse(t, TRANSFER_FROM_BLIND_ERRORS.blind_commitment_missing, 'transfer_from_blind', show(500n, 480n));
  w.refuse(t, TRANSFER_FROM_BLIND_ERRORS.blind_out_of_sum, 'transfer_from_blind', show(470n, 450n, { fee: core(21) }));
  w.refuse(t, C.blind_other_owner, 'transfer_from_blind', show(470n, 450n, { inputs: [spent(470n, other)] }));
  const foreignFee = show(470n, 450n, { fee: makeAsset(20n, 0) });
  w.refuse(t, TRANSFER_FROM_BLIND_ERRORS.blind_fee_in_other_asset, 'transfer_from_blind', foreignFee);
  refused(t, AUTHORITY_ERRORS.other_auth_missing, () => w.push('transfer_from_blind', show(470n, 450n), ['alice']));
  t.same(w.push('transfer_from_blind', show(470n, 450n)), [0, {}]);
  w.block();
  t.equal(w.balance('temp-account'), 0n);
  t.same([w.balance('bob'), hiddenSupply(w)], [450n, 0n]);
  t.equal(w.state.count(blindedBalanceObject), 0);
});

worldTest('what comes out of hiding passes the temp account first, whose balance is the older one', WORLD, (t, w) => {
  w.addKey(accountKey('hidden owner'));
  w.push('transfer_to_blind', hide(500n));
  w.block();
  const last = w.state.nextInstance(accountBalanceObject);
  w.push('transfer_from_blind', show(500n, 480n));
  w.block();
  const made = [...w.state.all(accountBalanceObject)].filter(({ id }) => id >= last);
  t.same(
    made.map(({ owner, balance }) => [owner, balance]),
    [
      [TEMP_ACCOUNT, 0n],
      [w.id('bob'), 480n],
    ],
  );
});

worldTest('assets that must not be hidden', WORLD, (t, w) => {
  const cases = [
    [TRANSFER_TO_BLIND_ERRORS.blind_disabled, ASSET_FLAG.disable_confidential],
    [TRANSFER_TO_BLIND_ERRORS.blind_restricted, ASSET_FLAG.transfer_restricted],
    [TRANSFER_TO_BLIND_ERRORS.blind_white_listed, ASSET_FLAG.white_list],
  ] as const;
  for (const [i, [row, flags]] of cases.entries()) {
    const common_options = assetOptions({ flags });
    const asset = w.create('asset_create', { issuer: 'alice', symbol: `HIDE${'ABC'[i]}`, common_options });
    w.push('asset_issue', { issuer: 'alice', asset_to_issue: makeAsset(500n, asset), issue_to_account: 'alice' });
    w.refuse(t, row, 'transfer_to_blind', hide(500n, { amount: makeAsset(500n, asset) }));
  }
  w.block();
});

worldTest('who is to spend hidden amounts by an address has to sign with its key', WORLD, (t, w) => {
  const key = w.addKey(accountKey('by address'));
  const owner: Authority = { ...OWNER, key_auths: [], address_auths: [[addressOfKey(key.publicKey), 1]] };
  w.push('transfer_to_blind', hide(500n, { outputs: [hidden(500n, owner)] }));
  w.block();
  const spend = move(500n, 470n, { inputs: [spent(500n, owner)] });
  for (const signers of [[], ['alice']]) {
    refused(t, AUTHORITY_ERRORS.other_auth_missing, () => w.push('blind_transfer', spend, signers));
  }
  w.push('blind_transfer', spend, [key]);
  w.block();
  t.equal(hiddenSupply(w), 470n);
});

worldTest('hidden amounts go to whoever is named, and may keep their commitments', WORLD, (t, w) => {
  w.addKey(accountKey('hidden owner'));
  const key = w.addKey(accountKey('next owner'));
  const next = keyAuthority(key.publicKey);
  w.push('transfer_to_blind', hide(500n));
  w.block();
  const [before] = [...w.state.all(blindedBalanceObject)].map(({ id }) => id) as [number];
  // What is spent is gone before anything is hidden: the same commitment may come back, under another owner.
  w.push('blind_transfer', move(500n, 500n, { outputs: [hidden(500n, next)] }));
  w.block();
  t.same(
    [...w.state.all(blindedBalanceObject)],
    [{ id: before + 1, commitment: blind(FACTOR, 500n), asset_id: 1, owner: next }],
  );
  w.push('transfer_to_blind', hide(400n));
  w.refuse(
    t,
    TABLE_ERRORS.object_not_unique,
    'transfer_to_blind',
    hide(400n, { from: 'rich' }),
    'what is there already may not',
  );
  // Quirk: the receiver need not exist. Whoever gets this number one day has it.
  const nobody = 9_999;
  w.push('transfer_from_blind', show(500n, 480n, { to: nobody, inputs: [spent(500n, next)] }), [key]);
  w.block();
  t.equal(balanceOf(w.state, nobody, 1), 480n);
  t.equal(hiddenSupply(w), 400n);
});

worldTest('several hidden amounts at once', WORLD, (t, w) => {
  w.addKey(accountKey('hidden owner'));
  const factors = [1, 2, 3].map((fill) => new Uint8Array(32).fill(fill)) as [Uint8Array, Uint8Array, Uint8Array];
  // A proof of which the chain reads the header alone: at most 2^32 - 1.
  const range_proof = Uint8Array.of(0x40, 31, ...new Uint8Array(63));
  const part = (i: number, amount: bigint) => ({
    commitment: blind(factors[i] as Uint8Array, amount),
    owner: OWNER,
    range_proof,
  });
  const ordered = <T extends { commitment: string }>(...list: T[]): T[] =>
    list.sort((a, b) => (a.commitment < b.commitment ? -1 : 1));
  const inputs = (...list: ReturnType<typeof part>[]) =>
    ordered(...list).map(({ commitment, owner }) => ({ commitment, owner }));
  const three = [part(0, 100n), part(1, 150n), part(2, 250n)] as const;
  const factorOf = (...list: Uint8Array[]) => toHex(blindSum(list, list.length));
  const outputs = ordered(...three);
  const given = hide(500n, { outputs, blinding_factor: factorOf(...factors) });
  w.refuse(t, TRANSFER_TO_BLIND_ERRORS.blind_into_sum, 'transfer_to_blind', { ...given, amount: core(501) });
  const unsorted = { ...given, outputs: [...outputs].reverse() };
  w.refuse(t, TRANSFER_TO_BLIND_ERRORS.blind_outputs_unsorted, 'transfer_to_blind', unsorted);
  const unproven = { ...given, outputs: outputs.map((one, i) => (i === 1 ? { ...one, range_proof: FACTOR } : one)) };
  w.refuse(t, RANGE_HEADER_ERRORS.range_proof_invalid, 'transfer_to_blind', unproven);
  w.push('transfer_to_blind', given);
  w.block();
  const all = () => [...w.state.all(blindedBalanceObject)];
  t.same(
    all().map(({ commitment }) => commitment),
    outputs.map(({ commitment }) => commitment),
    'one object for each, in their order',
  );
  // Two of them become two others and a fee; each has to be there, and only those that are named go.
  const change = [part(0, 90n), part(1, 140n)] as const;
  const moved = { fee: core(20), inputs: inputs(three[0], three[1]), outputs: ordered(...change) };
  const missing = { ...moved, inputs: inputs(three[0], part(1, 149n)), fee: core(19) };
  w.refuse(t, BLIND_TRANSFER_ERRORS.blind_unknown_commitment, 'blind_transfer', missing);
  w.refuse(t, BLIND_TRANSFER_ERRORS.blind_both_sum, 'blind_transfer', { ...moved, fee: core(19) });
  w.push('blind_transfer', moved);
  w.block();
  const left = [three[2], ...ordered(...change)].map(({ commitment }) => commitment);
  t.same(
    all().map(({ commitment }) => commitment),
    left,
  );
  t.equal(hiddenSupply(w), 480n);
  const out = show(0n, 0n, {
    fee: core(30),
    amount: core(450),
    inputs: inputs(three[2], ...change),
    blinding_factor: factorOf(...factors),
  });
  w.refuse(t, TRANSFER_FROM_BLIND_ERRORS.blind_out_of_sum, 'transfer_from_blind', { ...out, amount: core(449) });
  w.push('transfer_from_blind', out);
  w.block();
  t.same([w.balance('bob'), hiddenSupply(w), all().length], [450n, 0n, 0]);
});
