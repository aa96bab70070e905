// Helper for a data market: a buyer asks for data by its hash and leaves the price with the contract. The seller answers
// with the key to the data, encrypted for the buyer, and the place where it is stored. The buyer accepts, or complains
// before the deadline and gets the money back when an arbiter agrees. Whoever does nothing in time loses.
import { Asset, Table, accountId, check, now, pay, received, sender, Checksum256, TimePointSec } from "../kit";

const ASKED: u8 = 0;
const DELIVERED: u8 = 1;
const DISPUTED: u8 = 2;

const BY_DEADLINE = 0;
const ANSWER_SECONDS: u32 = 3600;

@table("request")
class Request {
  id: u64 = 0;
  buyer: u64 = 0;
  seller: u64 = 0;
  arbiter: u64 = 0;
  price: Asset = new Asset();
  datahash: Checksum256 = new Uint8Array(32);
  state: u8 = ASKED;
  deadline: TimePointSec = 0;
  location: string = "";
  sealedkey: Uint8Array = new Uint8Array(0);

  primaryKey(): u64 {
    return this.id;
  }

  @index
  byDeadline(): u64 {
    return this.deadline;
  }
}

@payable
function ask(seller: string, arbiter: string, datahash: Checksum256, seconds: u32): void {
  const price = received();
  check(price.amount > 0, "attach the price");
  check(seconds >= 60 && seconds <= 30 * 86400, "between a minute and 30 days");
  const requests = new Table<Request>();
  const request = new Request();
  request.id = requests.nextId();
  request.buyer = sender();
  request.seller = accountId(seller);
  request.arbiter = accountId(arbiter);
  check(request.arbiter != request.buyer && request.arbiter != request.seller, "the arbiter must be a third party");
  request.price = price;
  request.datahash = datahash;
  request.deadline = now() + seconds;
  requests.insert(request, sender());
}

@action
function deliver(id: u64, location: string, sealedkey: Uint8Array): void {
  const requests = new Table<Request>();
  const request = requests.require(id, "no such request");
  check(request.seller == sender(), "you were not asked");
  check(request.state == ASKED && now() <= request.deadline, "it is too late");
  request.state = DELIVERED;
  request.location = location;
  request.sealedkey = sealedkey;
  // From here on the buyer's time runs.
  request.deadline = now() + ANSWER_SECONDS;
  requests.update(request, sender());
}

@action
function accept(id: u64): void {
  const requests = new Table<Request>();
  const request = requests.require(id, "no such request");
  check(request.buyer == sender(), "this is not your request");
  check(request.state == DELIVERED, "nothing has been delivered");
  requests.remove(id);
  pay(request.seller, request.price);
}

@action
function complain(id: u64): void {
  const requests = new Table<Request>();
  const request = requests.require(id, "no such request");
  check(request.buyer == sender(), "this is not your request");
  check(request.state == DELIVERED && now() <= request.deadline, "it is too late");
  request.state = DISPUTED;
  request.deadline = u32.MAX_VALUE;
  requests.update(request, sender());
}

@action
function decide(id: u64, buyeriswrong: bool): void {
  const requests = new Table<Request>();
  const request = requests.require(id, "no such request");
  check(request.arbiter == sender(), "you are not the arbiter");
  check(request.state == DISPUTED, "nobody has complained");
  requests.remove(id);
  pay(buyeriswrong ? request.seller : request.buyer, request.price);
}

/** Closes what is overdue, oldest first; anybody may call it. */
@action
function sweep(limit: u32): void {
  const requests = new Table<Request>();
  let left = limit;
  for (let c = requests.index(BY_DEADLINE).first(); c.valid && left > 0 && c.row.deadline < now(); left--) {
    const request = c.row;
    c.remove();
    pay(request.state == DELIVERED ? request.seller : request.buyer, request.price);
  }
}
