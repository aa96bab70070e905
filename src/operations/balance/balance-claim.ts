import { check, defineErrors } from '../../base/errors.js';
import { sub64 } from '../../base/int.js';
import { addressesOfKey } from '../../crypto/old-addresses.js';
import { NULL_PUBLIC_KEY } from '../../crypto/public-key.js';
import { asset } from '../../protocol/asset.js';
import { keyAuthority } from '../../protocol/authority.js';
import { ORIGINAL_CORE_ASSET } from '../../protocol/ids.js';
import { address, publicKey } from '../../protocol/keys.js';
import { balanceClaimOperation } from '../../protocol/operations/accounts.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { type BalanceObject, balanceObject } from '../../state/objects/balance.js';
import { adjustBalanceBy } from '../../state/rules/balances.js';
import { linearWithdrawable } from '../../state/rules/vesting.js';
import type { ReadState } from '../../state/views.js';
import { defineOperation, SKIP } from '../define.js';

const row = (code: number, name: string, title: string, text: string) => ({ code, name, title, text });

export const BALANCE_CLAIM_ERRORS = defineErrors({
  balance_claim_fee: { text: 'fee == asset(): ', hint: 'the fee must be nothing of 1.3.0' },
  balance_claim_null_key: {
    text: 'balance_owner_key != public_key_type(): ',
    hint: 'the key of the owner must be given',
  },
  balance_claim_too_often: row(
    3053701,
    'balance_claim_claimed_too_often',
    'balance claimed too often',
    'Genesis vesting balances may not be claimed more than once per day.',
  ),
  balance_claim_amount: row(
    3053702,
    'balance_claim_invalid_claim_amount',
    'invalid claim amount',
    'Attempted to claim ${c} from a vesting balance with ${a} available',
  ),
  balance_claim_owner: row(
    3053703,
    'balance_claim_owner_mismatch',
    'owner mismatch',
    "Balance owner key was specified as '${op}' but balance's actual owner is '${bal}'",
  ),
  balance_claim_asset: {
    text: 'op.total_claimed.asset_id == balance->asset_type(): ',
    hint: 'the balance is in another asset',
  },
  balance_claim_part: {
    text: 'op.total_claimed == balance->balance: ',
    hint: 'a balance that does not vest is claimed as a whole: ${balance}',
  },
});

const DAY_SEC = 86_400;

const { schema } = balanceClaimOperation;
type BalanceClaim = ReturnType<typeof schema.default>;

function checkAmount(s: ReadState, op: BalanceClaim, balance: Readonly<BalanceObject>): void {
  const { vesting_policy, last_claim_date } = balance;
  const { amount: claimed, asset_id } = op.total_claimed;
  const { amount: total, asset_id: held } = balance.balance;
  if (vesting_policy === undefined) {
    const isWhole = claimed === total && asset_id === held;
    check(isWhole, BALANCE_CLAIM_ERRORS.balance_claim_part, () => ({ balance: asset.toJson(balance.balance) }));
    return;
  }
  const available = linearWithdrawable(vesting_policy, total, s.headTime);
  check(claimed <= available && asset_id === held, BALANCE_CLAIM_ERRORS.balance_claim_amount, () => ({
    c: asset.toJson(op.total_claimed),
    a: asset.toJson({ amount: available, asset_id: held }),
  }));
  check(s.headTime - last_claim_date >= DAY_SEC, BALANCE_CLAIM_ERRORS.balance_claim_too_often);
}

/** The holder of a key of old moves a balance of the genesis file to an account. */
export const balanceClaim = defineOperation({
  ...balanceClaimOperation,
  payer: (op) => op.deposit_to_account,
  authorities(op, required) {
    required.other.push(keyAuthority(op.balance_owner_key));
  },
  validate(op) {
    const isFree = op.fee.amount === 0n && op.fee.asset_id === ORIGINAL_CORE_ASSET;
    check(isFree, BALANCE_CLAIM_ERRORS.balance_claim_fee);
    check(op.balance_owner_key !== NULL_PUBLIC_KEY, BALANCE_CLAIM_ERRORS.balance_claim_null_key);
  },
  evaluate(s, op, context) {
    const balance = s.get(balanceObject, op.balance_to_claim);
    const isOwner = addressesOfKey(op.balance_owner_key).includes(balance.owner);
    check(isOwner, BALANCE_CLAIM_ERRORS.balance_claim_owner, () => ({
      op: publicKey.toJson(op.balance_owner_key, s.network),
      bal: address.toJson(balance.owner, s.network),
    }));
    if ((context.skip & (SKIP.transactionSignatures | SKIP.authorityCheck)) === 0) {
      const isSameAsset = op.total_claimed.asset_id === balance.balance.asset_id;
      check(isSameAsset, BALANCE_CLAIM_ERRORS.balance_claim_asset);
    }
    checkAmount(s, op, balance);
    return balance;
  },
  apply(s, op, balance) {
    const claimed = op.total_claimed.amount;
    if (balance.vesting_policy !== undefined && claimed < balance.balance.amount) {
      const now = s.headTime;
      s.modify(balanceObject, balance, (o) => {
        o.balance = { ...o.balance, amount: sub64(o.balance.amount, claimed) };
        o.last_claim_date = now;
      });
    } else s.remove(balanceObject, balance);
    adjustBalanceBy(s, op.deposit_to_account, op.total_claimed);
    return VOID_RESULT;
  },
});
