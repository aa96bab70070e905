import type { Test } from 'tap';
import { ChainError } from '../../src/base/errors.js';
import type { Json } from '../../src/codec/json.js';
import type { OperationResult } from '../../src/protocol/results.js';
import {
  CONTRACT_WORLD,
  callExample,
  callGiven,
  deployExample,
  entriesOf,
  ramFeeOf,
  ramOf,
  rowsOf,
} from '../support/example-contracts.js';
import { type TestWorld, worldTest } from '../support/world.js';

const ROW_BYTES = 112;
const ENTRY_BYTES = 128;
const TABLE_BYTES = 112;

/** The contract itself refuses the call with this text. */
function fails(
  t: Test,
  w: TestWorld,
  text: string,
  who: string,
  contract: string,
  method: string,
  args: Json,
  money = 0,
) {
  const pending = w.chain.pending.transactions.length;
  try {
    callExample(w, who, contract, method, args, money);
    t.fail(`${contract}.${method} is not refused: ${text}`);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    t.match(error.message, text, `${contract}.${method}: ${text}`);
  }
  t.equal(w.chain.pending.transactions.length, pending);
}

/** What somebody gets by a call, without the price of RAM. */
function gain(w: TestWorld, who: string, call: () => OperationResult): bigint {
  const before = w.balance(who);
  const result = call();
  return w.balance(who) - before + ramFeeOf(w, who, result);
}

worldTest('notes: rows with two secondary indexes, changed and removed through them', CONTRACT_WORLD, (t, w) => {
  deployExample(w, 'notes');
  const first = callExample(w, 'alice', 'notes', 'write', { text: 'milk', stars: 3 });
  const rowBytes = 8 + 8 + 1 + 4 + 1 + 4;
  // The first row brings the table and the second index's table; the first index shares the table of the rows.
  t.same(ramOf(w, first), { alice: ROW_BYTES + rowBytes + 2 * ENTRY_BYTES + 2 * TABLE_BYTES });
  callExample(w, 'bob', 'notes', 'write', { text: 'bread', stars: 1 });
  callExample(w, 'alice', 'notes', 'write', { text: 'häuser für 5 €', stars: 5 });
  callExample(w, 'alice', 'notes', 'write', { text: '', stars: 1 });
  w.block();
  const [alice, bob] = [w.id('alice'), w.id('bob')];
  t.match(rowsOf(w, 'notes', 'note'), [
    { id: 0, author: alice, stars: 3, text: 'milk' },
    { id: 1, author: bob, stars: 1, text: 'bread' },
    { id: 2, author: alice, stars: 5, text: 'häuser für 5 €' },
    { id: 3, author: alice, stars: 1, text: '' },
  ]);
  t.same(
    entriesOf(w, 'notes', 'note', 0),
    [
      [1, 1],
      [1, 3],
      [3, 0],
      [5, 2],
    ],
    'by stars',
  );
  t.same(
    entriesOf(w, 'notes', 'note', 1),
    [
      [alice, 0],
      [alice, 2],
      [alice, 3],
      [bob, 1],
    ],
    'by author',
  );

  const rated = callExample(w, 'alice', 'notes', 'rate', { id: 3, stars: 4 });
  t.same(ramOf(w, rated), {}, 'a change of a key costs nothing');
  t.same(entriesOf(w, 'notes', 'note', 0), [
    [1, 1],
    [3, 0],
    [4, 3],
    [5, 2],
  ]);
  fails(t, w, 'at most five stars', 'alice', 'notes', 'rate', { id: 3, stars: 6 });
  fails(t, w, 'no such note', 'alice', 'notes', 'rate', { id: 9, stars: 1 });
  fails(t, w, 'this is not your note', 'bob', 'notes', 'erase', { id: 0 });

  const tidied = callExample(w, 'alice', 'notes', 'tidy', { stars: 5 });
  t.equal(ramOf(w, tidied).alice, -2 * ROW_BYTES - 26 - 22 - 4 * ENTRY_BYTES);
  t.same(
    entriesOf(w, 'notes', 'note', 0),
    [
      [1, 1],
      [5, 2],
    ],
    "only the caller's notes are erased",
  );
  callExample(w, 'bob', 'notes', 'erase', { id: 1 });
  callExample(w, 'alice', 'notes', 'erase', { id: 2 });
  t.same(rowsOf(w, 'notes', 'note'), []);
  w.block();
  callExample(w, 'carol', 'notes', 'write', { text: 'anew', stars: 0 });
  t.match(rowsOf(w, 'notes', 'note'), [{ id: 0, text: 'anew' }], 'an emptied table numbers its rows from 0 again');
  w.block();
});

worldTest('bank: deposits and withdrawals', CONTRACT_WORLD, (t, w) => {
  const bank = deployExample(w, 'bank');
  const first = callExample(w, 'alice', 'bank', 'deposit', {}, 500);
  const rowBytes = 8 + 1 + 16;
  t.same(ramOf(w, first), { alice: TABLE_BYTES + ROW_BYTES + rowBytes });
  const second = callExample(w, 'alice', 'bank', 'deposit', {}, 100);
  t.same(ramOf(w, second), {}, 'the row is as long as before');
  t.same(rowsOf(w, 'bank', 'account'), [{ owner: w.id('alice'), balances: [{ amount: 600, asset_id: 1 }] }]);
  w.block();

  const some = { to: 'bob', amount: { amount: 250, asset_id: 1 } };
  t.equal(
    gain(w, 'bob', () => callExample(w, 'alice', 'bank', 'withdraw', some)),
    250n,
  );
  fails(t, w, 'your balance is too small', 'alice', 'bank', 'withdraw', {
    to: 'bob',
    amount: { amount: 351, asset_id: 1 },
  });
  fails(t, w, 'your balance is too small', 'alice', 'bank', 'withdraw', {
    to: 'bob',
    amount: { amount: 1, asset_id: 2 },
  });
  fails(t, w, 'the amount must be positive', 'alice', 'bank', 'withdraw', {
    to: 'bob',
    amount: { amount: -5, asset_id: 1 },
  });
  fails(t, w, 'account nobody not found', 'alice', 'bank', 'withdraw', {
    to: 'nobody',
    amount: { amount: 1, asset_id: 1 },
  });
  fails(t, w, 'you have no account here', 'bob', 'bank', 'withdraw', { to: 'bob', amount: { amount: 1, asset_id: 1 } });
  fails(t, w, 'attach what you want to deposit', 'bob', 'bank', 'deposit', {});
  let ram = {};
  const all = { to: 'alice', amount: { amount: 350, asset_id: 1 } };
  const own = gain(w, 'alice', () => {
    const result = callExample(w, 'alice', 'bank', 'withdraw', all);
    ram = ramOf(w, result);
    return result;
  });
  t.equal(own, 350n - 100n, 'less the fee of the call');
  t.same(ram, { alice: -ROW_BYTES - rowBytes });
  t.same(rowsOf(w, 'bank', 'account'), []);
  t.equal(w.id('bank'), bank);
  w.block();
});

worldTest('shop, ledger and bank: one call makes two inline calls, all of it or nothing', CONTRACT_WORLD, (t, w) => {
  for (const name of ['shop', 'ledger', 'bank']) deployExample(w, name);
  const items = [
    { name: 'tea', price: { amount: 300, asset_id: 1 } },
    { name: 'cup', price: { amount: 1000, asset_id: 1 } },
  ];
  fails(t, w, 'the shop is closed', 'bob', 'shop', 'buy', { item: 'tea' }, 300);
  callExample(w, 'alice', 'shop', 'open', { ledger: 'ledger', bank: 'bank', items });
  w.block();
  fails(t, w, 'the owner has not been named', 'bob', 'shop', 'buy', { item: 'tea' }, 300);
  t.equal(w.balance('shop'), 0n, 'a failing inline call undoes the payment too');
  callExample(w, 'alice', 'ledger', 'setowner', { contract: 'shop' });
  fails(t, w, 'the owner has been named', 'bob', 'ledger', 'setowner', { contract: 'bob' });
  fails(t, w, 'only my owner writes here', 'bob', 'ledger', 'record', {
    buyer: 1,
    item: 'gold',
    paid: { amount: 1, asset_id: 1 },
  });
  fails(t, w, 'this is not the price', 'bob', 'shop', 'buy', { item: 'tea' }, 299);
  fails(t, w, 'no such item in the shop of account', 'bob', 'shop', 'buy', { item: 'pot' }, 300);

  const sold = callExample(w, 'bob', 'shop', 'buy', { item: 'tea' }, 300);
  w.block();
  t.match(rowsOf(w, 'ledger', 'sale'), [
    { id: 0, buyer: w.id('bob'), item: 'tea', paid: { amount: 300, asset_id: 1 } },
  ]);
  t.match(rowsOf(w, 'bank', 'account'), [{ owner: w.id('shop'), balances: [{ amount: 150, asset_id: 1 }] }]);
  t.equal(w.balance('shop'), 150n);
  t.equal(w.balance('bank'), 150n);
  const saleBytes = 8 + 8 + 4 + 16 + 4;
  const accountBytes = 8 + 1 + 16;
  const rows = 2 * ROW_BYTES + saleBytes + accountBytes + ENTRY_BYTES;
  t.same(ramOf(w, sold), { bob: rows + 2 * TABLE_BYTES }, 'all actions count for the one who signed');
});

const HOUR = 3600;
const HASH = 'ab'.repeat(32);

worldTest('escrow: ask, deliver, accept, complain, decide, sweep', CONTRACT_WORLD, (t, w) => {
  deployExample(w, 'escrow');
  const ask = (seconds: number, money: number): void => {
    callExample(w, 'bob', 'escrow', 'ask', { seller: 'carol', arbiter: 'alice', datahash: HASH, seconds }, money);
  };
  for (const money of [100, 200, 400, 800]) ask(HOUR, money);
  ask(60, 1600);
  w.block();
  t.match(rowsOf(w, 'escrow', 'request')[0], {
    buyer: w.id('bob'),
    seller: w.id('carol'),
    price: { amount: 100, asset_id: 1 },
    datahash: HASH,
    state: 0,
    sealedkey: '',
  });
  t.equal(w.balance('escrow'), 3100n);
  fails(t, w, 'attach the price', 'bob', 'escrow', 'ask', {
    seller: 'carol',
    arbiter: 'alice',
    datahash: HASH,
    seconds: 60,
  });
  fails(t, w, 'you were not asked', 'bob', 'escrow', 'deliver', { id: 0, location: 'x', sealedkey: '' });
  fails(t, w, 'nothing has been delivered', 'bob', 'escrow', 'accept', { id: 0 });

  for (const id of [0, 1, 2]) {
    callExample(w, 'carol', 'escrow', 'deliver', { id, location: 'ipfs://x', sealedkey: 'c0ffee' });
  }
  t.match(rowsOf(w, 'escrow', 'request')[0], { state: 1, location: 'ipfs://x', sealedkey: 'c0ffee' });
  const paid = gain(w, 'carol', () => callExample(w, 'bob', 'escrow', 'accept', { id: 0 }));
  t.equal(paid, 100n, 'paid to the seller');
  callExample(w, 'bob', 'escrow', 'complain', { id: 1 });
  fails(t, w, 'you are not the arbiter', 'bob', 'escrow', 'decide', { id: 1, buyeriswrong: false });
  const decide = () => callExample(w, 'alice', 'escrow', 'decide', { id: 1, buyeriswrong: false });
  t.equal(gain(w, 'bob', decide), 200n, 'given back by the arbiter');
  w.block();

  callExample(w, 'alice', 'escrow', 'sweep', { limit: 10 });
  t.equal(rowsOf(w, 'escrow', 'request').length, 3, 'nothing is overdue');
  w.advance(120);
  fails(t, w, 'it is too late', 'carol', 'escrow', 'deliver', { id: 4, location: 'x', sealedkey: '' });
  const sweep = (limit: number) => () => callExample(w, 'alice', 'escrow', 'sweep', { limit });
  t.equal(gain(w, 'bob', sweep(10)), 1600n, 'not delivered in time');
  w.advance(2 * HOUR);
  sweep(1)();
  t.equal(rowsOf(w, 'escrow', 'request').length, 1, 'no more than the limit');
  t.equal(w.balance('escrow'), 400n, 'the older one was 800');
  t.equal(gain(w, 'carol', sweep(10)), 400n, 'delivered and nobody complained');
  t.equal(w.balance('escrow'), 0n);
  w.block();
});

worldTest('arguments that end too early are refused, what stands behind them is ignored', CONTRACT_WORLD, (t, w) => {
  deployExample(w, 'notes');
  const given = callGiven(w, 'alice', 'notes', 'write', { text: 'milk', stars: 3 });
  for (let length = 0; length < given.data.length; length++) {
    t.throws(() => w.push('contract_call', { ...given, data: given.data.subarray(0, length) }), { message: /read/ });
  }
  const huge = Uint8Array.from([0xff, 0xff, 0xff, 0xff, 0x0f, 1]);
  t.throws(() => w.push('contract_call', { ...given, data: huge }), { message: /read/ }, 'a length of 4 GiB');
  w.push('contract_call', { ...given, data: Uint8Array.from([...given.data, 1, 2, 3]) });
  t.match(rowsOf(w, 'notes', 'note'), [{ text: 'milk', stars: 3 }]);
  w.block();
});
