// A bank: whoever attaches money to `deposit` may take it out again with `withdraw`, or send it to somebody else.
import { Asset, Table, accountId, check, origin, pay, received, sender } from "../kit";

@table("account")
class Account {
  owner: u64 = 0;
  balances: Asset[] = [];

  primaryKey(): u64 {
    return this.owner;
  }

  /** Place of an asset in the list, or -1. */
  placeOf(asset: u64): i32 {
    for (let i = 0; i < this.balances.length; i++) if (this.balances[i].asset == asset) return i;
    return -1;
  }
}

@payable
function deposit(): void {
  const money = received();
  check(money.amount > 0, "attach what you want to deposit");
  const accounts = new Table<Account>();
  const known = accounts.get(sender());
  const account = known !== null ? known : new Account();
  account.owner = sender();
  const place = account.placeOf(money.asset);
  if (place < 0) account.balances.push(money);
  else account.balances[place] = account.balances[place].plus(money);
  // Whoever signed pays for the row: the bank's own money is that of its customers.
  if (known === null) accounts.insert(account, origin());
  else accounts.update(account, origin());
}

@action
function withdraw(to: string, amount: Asset): void {
  check(amount.amount > 0, "the amount must be positive");
  const accounts = new Table<Account>();
  const account = accounts.require(sender(), "you have no account here");
  const place = account.placeOf(amount.asset);
  check(place >= 0 && account.balances[place].atLeast(amount), "your balance is too small");
  const rest = account.balances[place].minus(amount);
  if (rest.amount > 0) account.balances[place] = rest;
  else account.balances.splice(place, 1);
  if (account.balances.length > 0) accounts.update(account, origin());
  else accounts.remove(sender());
  pay(accountId(to), amount);
}
