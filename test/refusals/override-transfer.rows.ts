import { OPERATION_ERRORS } from '../../src/operations/checks.js';
import { OVERRIDE_TRANSFER_ERRORS as ERRORS } from '../../src/operations/transfer/override-transfer.js';
import { ASSET_FLAG } from '../../src/protocol/asset.js';
import { accountText, amountJson, FreeWorld } from '../support/free-world.js';
import { assertion, type Refusal } from './define.js';

const w = new FreeWorld();
const alice = w.lifetimeMember('alice');
const bob = w.lifetimeMember('bob');
const carol = w.lifetimeMember('carol');
const plain = w.asset('PLAIN', alice);
const seizable = w.asset('SEIZABLE', alice, { flags: ASSET_FLAG.override_authority });
const flags = ASSET_FLAG.override_authority | ASSET_FLAG.white_list;
const closed = w.asset('CLOSED', alice, { flags, whitelist_authorities: [alice] });
w.changeAccount(carol, { whitelisting_accounts: [alice] });

const override =
  (issuer: number, from: number, to: number, asset: number, amount = 5, fee = 0) =>
  () =>
    w.run(38, {
      fee: amountJson(fee, 1),
      issuer: accountText(issuer),
      from: accountText(from),
      to: accountText(to),
      amount: amountJson(amount, asset),
    });

export const refusals: readonly Refusal[] = [
  assertion(OPERATION_ERRORS.operation_fee_negative, 'fee.amount >= 0: ', override(alice, bob, carol, seizable, 5, -1)),
  assertion(OPERATION_ERRORS.from_equals_to, 'from != to: ', override(alice, bob, bob, seizable)),
  assertion(OPERATION_ERRORS.amount_not_positive, 'amount.amount > 0: ', override(alice, bob, carol, seizable, 0)),
  assertion(ERRORS.override_issuer_is_from, 'issuer != from: ', override(alice, alice, bob, seizable)),
  {
    row: ERRORS.override_not_permitted,
    code: 3053801,
    name: 'override_transfer_not_permitted',
    message: 'not permitted: override_transfer not permitted for asset 1.3.3',
    raise: override(alice, bob, carol, plain),
  },
  assertion(ERRORS.override_not_issuer, 'asset_type.issuer == op.issuer: ', override(carol, bob, alice, seizable)),
  assertion(
    ERRORS.override_to_unauthorized,
    'is_authorized_asset( d, to_account, asset_type ): ',
    override(alice, carol, bob, closed),
  ),
  assertion(
    ERRORS.override_from_unauthorized,
    'is_authorized_asset( d, from_account, asset_type ): ',
    override(alice, bob, carol, closed),
  ),
  assertion(
    ERRORS.override_balance,
    'd.get_balance( from_account, asset_type ).amount >= op.amount.amount: ',
    override(alice, bob, carol, seizable),
  ),
];
