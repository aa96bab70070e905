import { Table, check, print, sender, accountName } from './kit';

@table('counter')
class Counter {
  owner: u64 = 0;
  count: u64 = 0;

  primaryKey(): u64 {
    return this.owner;
  }
}

@action
function add(by: u64): void {
  check(by > 0, 'add something');
  const counters = new Table<Counter>();
  const known = counters.get(sender());
  const counter = known !== null ? known : new Counter();
  counter.owner = sender();
  counter.count += by;
  if (known === null) counters.insert(counter, sender());
  else counters.update(counter, sender());
  print(accountName(sender()) + ' has ' + counter.count.toString() + '\n');
}
