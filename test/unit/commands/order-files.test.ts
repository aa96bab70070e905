import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { OrderFiles } from '../../../src/commands/buy/order-files.js';

/** Requests that are kept until they are answered: whose they are, and for how long. */

const HOUR_SEC = 3600;
const nowSec = (): number => Math.floor(Date.now() / 1000);
const order = (n: number, expiration = nowSec() + HOUR_SEC) => ({
  path: '/request/create/1/1',
  body: [{ nonce: n }],
  expiration,
});

t.test('what was left is taken up once, by whoever wishes the same', async (t) => {
  const folder = join(t.testdir(), 'orders');
  const told: string[] = [];
  const open = (buyer: string): OrderFiles => new OrderFiles(folder, buyer, (text) => void told.push(text));
  const first = open('http://exchange 17');
  t.equal(first.take('Fe'), undefined, 'before there is a folder');
  first.begin('Fe', order(1));
  t.equal(open('http://exchange 17').take('Fe'), undefined, 'what is being sent is whose it is');
  first.leave('Fe', order(1));
  first.begin('Fe', order(2));
  first.leave('Fe', order(2));
  t.equal(open('http://exchange 18').take('Fe'), undefined, 'somebody else has not asked for it');
  t.equal(first.take('Cu'), undefined);
  t.same(told, []);
  const taken = [first.take('Fe'), first.take('Fe')].map((one) => JSON.stringify(one?.body)).sort();
  t.same(taken, ['[{"nonce":1}]', '[{"nonce":2}]'], 'both that were left');
  t.equal(told.length, 2);
  t.equal(first.take('Fe'), undefined);
  first.begin('Cu', order(3));
  first.end('Fe');
  t.equal(readdirSync(folder).length, 1, 'what is kept stays');
  first.end('Cu');
  t.notOk(existsSync(folder), 'nothing is left where the command was typed');
});

t.test('what cannot be paid any more is forgotten, and what cannot be read is not', async (t) => {
  const folder = join(t.testdir(), 'orders');
  const orders = new OrderFiles(folder, 'somebody', () => undefined);
  orders.begin('Fe', order(1, nowSec() - 1));
  orders.leave('Fe', order(1, nowSec() - 1));
  t.equal(orders.take('Fe'), undefined);
  t.notOk(existsSync(folder));
  orders.begin('Fe', order(2));
  orders.leave('Fe', order(2));
  const [file = ''] = readdirSync(folder);
  writeFileSync(join(folder, file), '{}');
  t.throws(() => orders.take('Fe'), { message: /^cannot read \S+, which has a request that may be paid/ });
});

t.test('a program that was killed had the number of this one', async (t) => {
  const folder = t.testdir();
  const orders = new OrderFiles(folder, 'somebody', () => undefined);
  orders.begin('Fe', order(1));
  orders.leave('Fe', order(1));
  const [file = ''] = readdirSync(folder);
  renameSync(join(folder, file), join(folder, file.replace(/\..*/, `.${process.pid}.json`)));
  t.match(orders.take('Fe'), { body: [{ nonce: 1 }] });
});
