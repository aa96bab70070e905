// A shop that has every sale recorded by another contract (ledger.ts) and hands its share of the money to a third (a
// bank.ts): inline calls, the second one with money. A sale counts only if both calls succeed.
import { Asset, Call, Table, accountId, check, received, self, sender } from "../kit";

@struct
class Item {
  name: string = "";
  price: Asset = new Asset();
}

@table("setting")
class Setting {
  ledger: u64 = 0;
  bank: u64 = 0;
  items: Item[] = [];

  primaryKey(): u64 {
    return 0;
  }
}

@action
function open(ledger: string, bank: string, items: Item[]): void {
  const settings = new Table<Setting>();
  check(!settings.has(0), "the shop is open");
  const setting = new Setting();
  setting.ledger = accountId(ledger);
  setting.bank = accountId(bank);
  setting.items = items;
  settings.insert(setting, sender());
}

@payable
function buy(item: string): void {
  const setting = new Table<Setting>().require(0, "the shop is closed");
  const paid = received();
  for (let i = 0; i < setting.items.length; i++) {
    const offered = setting.items[i];
    if (offered.name != item) continue;
    check(offered.price.asset == paid.asset && offered.price.amount == paid.amount, "this is not the price");
    const record = new Call(setting.ledger, "record");
    record.args.u64(sender()).string(item).asset(paid);
    record.send();
    // Half of it is saved; the bank knows this contract as the depositor.
    new Call(setting.bank, "deposit").attach(new Asset(paid.amount / 2, paid.asset)).send();
    return;
  }
  check(false, "no such item in the shop of account " + self().toString());
}
