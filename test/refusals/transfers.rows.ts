import { OPERATION_ERRORS } from '../../src/operations/checks.js';
import { TRANSFER_ERRORS } from '../../src/operations/transfer/transfer-checks.js';
import { ASSET_FLAG } from '../../src/protocol/asset.js';
import { MAINNET_FORKS } from '../../src/protocol/forks.js';
import { TABLE_ERRORS } from '../../src/state/table.js';
import { accountText, amountJson, FreeWorld } from '../support/free-world.js';
import { assertion, type Refusal } from './define.js';

const w = new FreeWorld();
const alice = w.lifetimeMember('alice', 1000n);
const bob = w.lifetimeMember('bob');
const carol = w.lifetimeMember('carol');
w.changeAccount(carol, { whitelisting_accounts: [alice] });
const closed = w.asset('CLOSED', bob, { flags: ASSET_FLAG.white_list, whitelist_authorities: [alice] });
const restricted = w.asset('RESTRICTED', bob, { flags: ASSET_FLAG.transfer_restricted });

const transfer =
  (from: number, to: number, asset = 1, amount = 5, tag = 0, world = w, fee = 0) =>
  () =>
    world.run(tag, {
      fee: amountJson(fee, world.state.coreAsset),
      from: accountText(from),
      to: accountText(to),
      amount: amountJson(amount, asset),
    });

const old = new FreeWorld(MAINNET_FORKS.HF_1019);
old.lifetimeMember('alice', 1000n);
const contract = old.account('contract', { code: new Uint8Array([1]) });

export const refusals: readonly Refusal[] = [
  assertion(OPERATION_ERRORS.operation_fee_negative, 'fee.amount >= 0: ', transfer(alice, bob, 1, 5, 0, w, -1)),
  assertion(OPERATION_ERRORS.from_equals_to, 'from != to: ', transfer(alice, alice)),
  assertion(OPERATION_ERRORS.amount_not_positive, 'amount.amount > 0: ', transfer(alice, bob, 1, 0)),
  assertion(TABLE_ERRORS.object_missing, 'maybe_found != nullptr: Unable to find Object 1.2.99', transfer(alice, 99)),
  assertion(TABLE_ERRORS.object_missing, 'maybe_found != nullptr: Unable to find Object 1.2.98', transfer(98, bob)),
  assertion(
    TABLE_ERRORS.object_missing,
    'maybe_found != nullptr: Unable to find Object 1.3.99',
    transfer(alice, bob, 99),
  ),
  {
    row: TRANSFER_ERRORS.transfer_from_unauthorized,
    code: 3050001,
    name: 'transfer_from_account_not_whitelisted',
    message:
      "owner mismatch: 'from' account 1.2.6 is not whitelisted for asset 1.3.3 Unable to transfer 0.05 CLOSED from alice to carol",
    raise: transfer(alice, carol, closed),
  },
  {
    row: TRANSFER_ERRORS.transfer_to_unauthorized,
    code: 3050002,
    name: 'transfer_to_account_not_whitelisted',
    message:
      "owner mismatch: 'to' account 1.2.6 is not whitelisted for asset 1.3.3 Unable to transfer 0.05 CLOSED from carol to alice",
    raise: transfer(carol, alice, closed),
  },
  {
    row: TRANSFER_ERRORS.transfer_restricted,
    code: 3050003,
    name: 'transfer_restricted_transfer_asset',
    message:
      'restricted transfer asset: Asset 1.3.4 has transfer_restricted flag enabled Unable to transfer 0.05 RESTRICTED from alice to carol',
    raise: transfer(alice, carol, restricted),
  },
  {
    row: TRANSFER_ERRORS.transfer_to_contract,
    code: 3050004,
    name: 'transfer_restricted_transfer_to_contract',
    message:
      "restricted transfer asset to contract account: the account 'contract' is a contract account Unable to transfer 0.00005 GXS from alice to contract",
    raise: transfer(alice, contract, 1, 5, 0, old),
  },
  assertion(
    TRANSFER_ERRORS.transfer_balance,
    "insufficient_balance: Insufficient Balance: 0.01000 GXS, unable to transfer '0.01001 GXS' from account 'alice' to 'bob' Unable to transfer 0.01001 GXS from alice to bob",
    transfer(alice, bob, 1, 1001),
  ),

  // Those of operation 78, that contracts issue.
  assertion(OPERATION_ERRORS.operation_fee_negative, 'fee.amount >= 0: ', transfer(alice, bob, 1, 5, 78, w, -1)),
  assertion(OPERATION_ERRORS.from_equals_to, 'from != to: ', transfer(alice, alice, 1, 5, 78)),
  assertion(OPERATION_ERRORS.amount_not_positive, 'amount.amount > 0: ', transfer(alice, bob, 1, 0, 78)),
  assertion(
    TABLE_ERRORS.object_missing,
    'maybe_found != nullptr: Unable to find Object 1.2.99',
    transfer(alice, 99, 1, 5, 78),
  ),
  assertion(
    TRANSFER_ERRORS.transfer_balance,
    "insufficient_balance: Insufficient Balance: 0 GXS, unable to transfer '0.00005 GXS' from account 'bob' to 'alice' Unable to transfer 0.00005 GXS from bob to alice",
    transfer(bob, alice, 1, 5, 78),
  ),
];
