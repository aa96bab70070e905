// A book of sales that only its owner writes: the contract which was named first. See shop.ts.
import { Asset, Table, accountId, check, now, origin, sender, TimePointSec } from "../kit";

@table("owner")
class Owner {
  contract: u64 = 0;

  primaryKey(): u64 {
    return 0;
  }
}

@table("sale")
class Sale {
  id: u64 = 0;
  buyer: u64 = 0;
  item: string = "";
  paid: Asset = new Asset();
  at: TimePointSec = 0;

  primaryKey(): u64 {
    return this.id;
  }

  @index
  byBuyer(): u64 {
    return this.buyer;
  }
}

@action
function setowner(contract: string): void {
  const owners = new Table<Owner>();
  check(!owners.has(0), "the owner has been named");
  const owner = new Owner();
  owner.contract = accountId(contract);
  owners.insert(owner, sender());
}

/** The sender of an inline call is the contract that made it, so nobody else can pretend to be the shop. */
@action
function record(buyer: u64, item: string, paid: Asset): void {
  check(new Table<Owner>().require(0, "the owner has not been named").contract == sender(), "only my owner writes here");
  const sales = new Table<Sale>();
  const sale = new Sale();
  sale.id = sales.nextId();
  sale.buyer = buyer;
  sale.item = item;
  sale.paid = paid;
  sale.at = now();
  // The sender is a contract; the buyer, who signed, pays for the bytes.
  sales.insert(sale, origin());
}
