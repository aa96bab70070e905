import t from 'tap';
import { toHex } from '../../src/base/bytes.js';
import { nameFromText } from '../../src/protocol/name.js';
import { ContractWorld, contractFile, methods } from '../support/contract-world.js';

const HELLO = 2070;
const BANK = 2072;

function world(): ContractWorld {
  const w = new ContractWorld();
  w.accounts.set(17, 'alice');
  w.setBalance(17n, 1n, 1000n);
  w.deploy(HELLO, contractFile('hello.wasm'), methods('hi'));
  w.deploy(BANK, contractFile('bank.wasm'), methods('deposit', 'withdraw'));
  return w;
}

t.test('hello prints its greeting five times', async (t) => {
  const { console, ram } = world().call(HELLO, 'hi', { data: '036c7a79' });
  t.equal(console, 'hi, lzy\n'.repeat(5));
  t.same(ram, {});
});

t.test('hello accepts an unknown action', async (t) => {
  t.equal(world().call(HELLO, 'nothing').console, '');
});

t.test('hello refuses data that ends too early', async (t) => {
  t.throws(() => world().call(HELLO, 'hi', { data: '7f6c7a79' }), {
    key: 'contract_assert_message',
    code: 3070008,
    message: 'assertion failure with message: read',
  });
});

t.test('bank: the life of a deposit', async (t) => {
  const w = world();
  const withdraw = (amount: string) =>
    w.call(BANK, 'withdraw', { data: `05616c696365${amount}0000000000000100000000000000` });
  t.same(w.call(BANK, 'deposit', { amount: { amount: 500n, asset: 1 } }).ram, { 17: 249 });
  t.equal(w.store.rows.length, 1);
  const row = () => ({ ...w.store.rows[0], value: toHex(w.store.rows[0]?.value ?? new Uint8Array()) });
  t.match(row(), { primaryKey: 17n, payer: 17n, value: '110000000000000001f4010000000000000100000000000000' });
  t.match(w.store.tables[0], { code: 2072n, table: nameFromText('account'), payer: 17n, count: 1 });

  t.same(w.call(BANK, 'deposit', { amount: { amount: 100n, asset: 1 } }).ram, { 17: -137, 2072: 137 });
  t.match(row(), { payer: 2072n, value: '11000000000000000158020000000000000100000000000000' });
  t.equal(w.chain.balance(17n, 1n), 400n);

  t.same(withdraw('c800').ram, {});
  t.match(w.transfers, [{ from: 2072n, to: 17n, asset: 1n, amount: 200n }]);
  t.equal(w.chain.balance(17n, 1n), 600n);

  t.same(withdraw('9001').ram, { 2072: -137 });
  t.equal(w.chain.balance(17n, 1n), 1000n);
  t.equal(w.store.rows.length, 0);
  t.match(w.store.tables, [{ payer: 17n, count: 0 }], 'the table object stays, and so do its bytes');

  t.throws(() => withdraw('9001'), { message: 'assertion failure with message: owner has no asset' });
});

t.test('the same call takes the same number of instructions', async (t) => {
  const used = () => world().call(HELLO, 'hi', { data: '036c7a79' }).session.instructionsUsed;
  const first = used();
  t.ok(first > 100n);
  t.equal(used(), first);
});
