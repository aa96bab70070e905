import t from 'tap';
import type { SignedTransaction } from '../../../src/protocol/transaction.js';
import {
  asRemembered,
  RememberedTransaction,
  type TransactionBodies,
  transactionObject,
} from '../../../src/state/objects/transaction.js';
import { BareWorld } from '../../support/bare-world.js';

const NOW = 1_700_000_000;
const idOf = (i: number): string => i.toString(16).padStart(40, '0');

function body(i: number, signatures = 1): SignedTransaction {
  return {
    ref_block_num: i % 65_536,
    ref_block_prefix: i,
    expiration: NOW + i,
    operations: [],
    extensions: [],
    signatures: Array.from({ length: signatures }, () => new Uint8Array(65).fill(i)),
  };
}

t.test('those that come with their bodies, as out of a store, keep them packed', async (t) => {
  const { state } = new BareWorld(NOW);
  // More than one piece of memory holds, and one that is larger than that.
  const bodies = Array.from({ length: 1500 }, (_, i) => body(i, i === 700 ? 2000 : 1));
  for (const [i, trx] of bodies.entries()) state.load(transactionObject, i, { trx, trx_id: idOf(i) });
  state.adopt(transactionObject, { id: bodies.length, trx: body(7), trx_id: idOf(bodies.length) });
  state.finishLoading();
  for (const [i, trx] of bodies.entries()) t.same(state.get(transactionObject, i).trx, trx);
  const adopted = state.get(transactionObject, bodies.length);
  t.ok(adopted instanceof RememberedTransaction);
  t.same(adopted.trx, body(7));
  t.equal(asRemembered(adopted).storedBlock, undefined);
  t.equal(state.lowerBound(transactionObject.by.expiration, [NOW + 9])?.id, 9);
});

t.test('a removal is taken back with all that the object knows of its body', async (t) => {
  const { state } = new BareWorld(NOW);
  const elsewhere: TransactionBodies = { storedBlock: 5, bodyOf: ({ position }) => body(position) };
  state.create(transactionObject, new RememberedTransaction(idOf(1), NOW + 3, elsewhere, 3));
  const object = state.get(transactionObject, 0);
  state.openFrame();
  state.remove(transactionObject, object);
  t.equal(state.findBy(transactionObject.by.trxId, idOf(1)), undefined);
  state.undoFrame();
  t.equal(state.findBy(transactionObject.by.trxId, idOf(1)), object);
  t.same(object.trx, body(3));
  t.equal(asRemembered(object).storedBlock, 5);
});
