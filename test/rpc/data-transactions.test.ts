import t from 'tap';
import type { Operation } from '../../src/protocol/operation-slot.js';
import { DataTransactionWatch, touchedDataTransaction } from '../../src/rpc/notices/data-transactions.js';
import { FollowedKeys } from '../../src/rpc/notices/followed.js';
import { dataTransactionObject } from '../../src/state/objects/data-market.js';
import { loadedChain } from './support/golden-node.js';

const state = loadedChain().queries.state;
const [first, second] = [...state.all(dataTransactionObject)];
if (first === undefined || second === undefined) throw new Error('the recorded chain has data transactions');
const touches = (tag: number, request_id: string): Operation => [tag, { request_id } as never];
const idOf = (operations: Operation[]): string | undefined => {
  const touched = touchedDataTransaction(state, operations);
  return touched === undefined ? undefined : JSON.parse(touched.text).request_id;
};

t.test('of the operations that touch data transactions, the last one of a transaction counts', async (t) => {
  for (const tag of [55, 56, 57, 59, 60]) t.equal(idOf([touches(tag, first.request_id)]), first.request_id, `${tag}`);
  t.equal(idOf([touches(70, first.request_id)]), undefined, 'quirk: a complaint is none');
  t.equal(idOf([touches(55, first.request_id), touches(57, second.request_id)]), second.request_id);
  t.equal(idOf([touches(57, second.request_id), touches(70, first.request_id)]), second.request_id);
  t.equal(idOf([touches(55, first.request_id), touches(57, 'unknown')]), undefined, 'whatever became of it');
});

t.test('who has both subscriptions is told through both', async (t) => {
  const watch = new DataTransactionWatch();
  const callbacks = (product: bigint): bigint[] => watch.callbacksFor({ product, text: '' });
  t.same([watch.isIdle, callbacks(1n)], [true, []]);
  watch.all = 4n;
  t.same(callbacks(1n), [4n]);
  const followed = new FollowedKeys(10);
  const ids = followed.open<bigint>(1);
  ids.add(1n);
  watch.watchProducts({ callback: 5n, ids });
  t.same(callbacks(1n), [4n, 5n, 4n, 5n], 'a listed product');
  t.same(callbacks(2n), [4n, 5n], 'another one');
  watch.all = undefined;
  t.same([callbacks(1n), callbacks(2n)], [[5n], []]);
  watch.clear();
  t.equal(watch.isIdle, true);
  t.equal(followed.count, 0);
});
