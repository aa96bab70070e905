// Money: amounts in the smallest unit of an asset, which is known by its instance number (1.3.1 is 1).
import {
  current_receiver, get_action_asset_amount, get_action_asset_id, get_asset_id, get_asset_precision, get_balance,
  inline_transfer, withdraw_asset,
} from "./host";
import { check } from "./system";

const LARGEST: i64 = (1 << 62) - 1;

function inRange(amount: i64): bool {
  return amount <= LARGEST && amount >= -LARGEST;
}

/** "contract_asset" in the ABI. */
export class Asset {
  constructor(public amount: i64 = 0, public asset: u64 = 0) {}

  plus(other: Asset): Asset {
    check(this.asset == other.asset, "amounts of different assets");
    const sum = this.amount + other.amount;
    // Arguments may be any numbers: two that are too large could add up to a small one.
    check(inRange(this.amount) && inRange(other.amount) && inRange(sum), "amount out of range");
    return new Asset(sum, this.asset);
  }

  minus(other: Asset): Asset {
    return this.plus(new Asset(-other.amount, other.asset));
  }

  atLeast(other: Asset): bool {
    check(this.asset == other.asset, "amounts of different assets");
    return this.amount >= other.amount;
  }
}

/** What the caller attached to a payable action; amount 0 if nothing. */
export function received(): Asset {
  return new Asset(get_action_asset_amount(), get_action_asset_id());
}

/** Pays from the contract's own balance, at once. */
export function pay(to: u64, amount: Asset): void {
  withdraw_asset(current_receiver(), to, amount.asset, amount.amount);
}

export function payWithMemo(to: u64, amount: Asset, memo: string): void {
  const bytes = String.UTF8.encode(memo);
  inline_transfer(
    current_receiver(), to, amount.asset, amount.amount, changetype<usize>(bytes), bytes.byteLength
  );
}

export function balanceOf(account: u64, asset: u64): Asset {
  return new Asset(get_balance(account, asset), asset);
}

/** -1 if there is no such symbol. */
export function findAsset(symbol: string): i64 {
  const bytes = String.UTF8.encode(symbol);
  return get_asset_id(changetype<usize>(bytes), bytes.byteLength);
}

/** Digits behind the point; -1 if there is no such symbol. */
export function assetPrecision(symbol: string): i64 {
  const bytes = String.UTF8.encode(symbol);
  return get_asset_precision(changetype<usize>(bytes), bytes.byteLength);
}
