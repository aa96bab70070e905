import t from 'tap';
import {
  closeExpiredProposals,
  removeExpiredPermissions,
  removeExpiredSignatures,
  removeExpiredTransactions,
  removeOldDataTransactions,
} from '../../../src/chain/expirations.js';
import { dataTransactionObject } from '../../../src/state/objects/data-market.js';
import { proposalObject } from '../../../src/state/objects/proposal.js';
import { signatureObject } from '../../../src/state/objects/signature.js';
import { transactionObject } from '../../../src/state/objects/transaction.js';
import { withdrawPermissionObject } from '../../../src/state/objects/withdraw-permission.js';
import { BareWorld } from '../../support/bare-world.js';
import { VisitedRows } from '../../support/visited-rows.js';
import { core, worldTest } from '../../support/world.js';

const NOW = 1_700_000_000;

t.test('what expires strictly before now, and what expires now', async (t) => {
  const w = new BareWorld(NOW);
  for (const [i, expiration] of [NOW - 1, NOW, NOW + 1].entries()) {
    const trx = { ...transactionObject.schema.default().trx, expiration };
    w.create(transactionObject, { trx_id: `0${i}`.repeat(20), trx } as never);
    w.create(signatureObject, { signature: new Uint8Array(65).fill(i), expiration });
    w.create(withdrawPermissionObject, { expiration });
    w.create(proposalObject, { expiration_time: expiration });
  }
  removeExpiredTransactions(w.state);
  removeExpiredSignatures(w.state);
  removeExpiredPermissions(w.state);
  closeExpiredProposals(w.state, w.context);
  t.same(
    [...w.state.all(proposalObject)].map(({ expiration_time }) => expiration_time),
    [NOW + 1],
  );
  t.same(
    [...w.state.all(transactionObject)].map(({ trx }) => trx.expiration),
    [NOW, NOW + 1],
  );
  t.same(
    [...w.state.all(signatureObject)].map(({ expiration }) => expiration),
    [NOW, NOW + 1],
  );
  t.same(
    [...w.state.all(withdrawPermissionObject)].map(({ expiration }) => expiration),
    [NOW + 1],
  );
});

t.test('data transactions live as long as the network says', async (t) => {
  const w = new BareWorld(NOW);
  for (const create_date_time of [NOW - 3601, NOW - 3600, NOW]) {
    w.create(dataTransactionObject, { request_id: `r${create_date_time}`, create_date_time });
  }
  removeOldDataTransactions(w.state, 0);
  t.equal(w.state.count(dataTransactionObject), 3, '0 keeps them for ever');
  removeOldDataTransactions(w.state, 1);
  t.same(
    [...w.state.all(dataTransactionObject)].map(({ create_date_time }) => create_date_time),
    [NOW - 3600, NOW],
  );
});

t.test('a data transaction that lives beyond the 32 bits of times stays', async (t) => {
  const w = new BareWorld(NOW);
  for (const create_date_time of [2 ** 32 - 3600, 2 ** 32 - 1]) {
    w.create(dataTransactionObject, { request_id: `r${create_date_time}`, create_date_time });
  }
  removeOldDataTransactions(w.state, 1);
  t.equal(w.state.count(dataTransactionObject), 2);
});

t.test('a block looks at no data transaction but the old ones and the oldest that stays', async (t) => {
  const w = new BareWorld(NOW);
  // Their dates are their senders' word, and in no order.
  const ages = [10, 5000, 0, 9000, 20, ...Array.from({ length: 1000 }, (_, i) => (i * 7) % 3600)];
  for (const [i, age] of ages.entries()) {
    w.create(dataTransactionObject, { request_id: `r${i}`, create_date_time: NOW - age });
  }
  const removed: number[] = [];
  const visited = new VisitedRows();
  const state = visited.over(w.state);
  const watched = new Proxy(state, {
    get: (target, name) =>
      name === 'remove'
        ? (definition: typeof dataTransactionObject, row: { readonly id: number }) => {
            removed.push(row.id);
            target.remove(definition, row as never);
          }
        : Reflect.get(target, name, target),
  });
  removeOldDataTransactions(watched, 1);
  t.same(removed, [1, 3], 'in the order of their ids, whatever their dates');
  t.ok(visited.count <= 4, `${visited.count} rows`);
  visited.count = 0;
  removeOldDataTransactions(watched, 1);
  t.ok(visited.count <= 2, `${visited.count} rows when nothing is old`);
});

const people = { accounts: { alice: 1_000n, bob: 500n, carol: 0n } };
const fromBob = (amount: number) => ({ from: 'bob', to: 'carol', amount: core(amount) });

worldTest('proposals under review are executed when they expire', people, (t, w) => {
  const propose = (amount: number): number =>
    w.create('proposal_create', {
      fee_paying_account: 'alice',
      expiration_time: w.now + 100,
      review_period_seconds: 50,
      proposed_ops: [{ op: w.operation('transfer', fromBob(amount)) }],
    });
  const [approved, ignored, tooMuch] = [propose(7), propose(11), propose(10_000)];
  for (const proposal of [approved, tooMuch]) {
    w.push('proposal_update', { fee_paying_account: 'bob', proposal, active_approvals_to_add: ['bob'] });
  }
  w.block();
  t.equal(w.balance('carol'), 0n, 'nothing happens before the review is over');
  t.ok(w.state.find(proposalObject, ignored));
  const block = w.advance(100);
  t.equal(w.balance('carol'), 7n, 'only what was approved and possible has happened');
  t.equal(w.state.count(proposalObject), 0, 'all of them are gone');
  t.equal(block.transactions.length, 0);
});

worldTest('without a review period the last approval executes; a failure leaves the proposal', people, (t, w) => {
  const propose = (amount: number): number =>
    w.create('proposal_create', {
      fee_paying_account: 'alice',
      expiration_time: w.now + 100,
      proposed_ops: [{ op: w.operation('transfer', fromBob(amount)) }],
    });
  const approve = (proposal: number) =>
    w.push('proposal_update', { fee_paying_account: 'bob', proposal, active_approvals_to_add: ['bob'] });
  approve(propose(7));
  t.equal(w.balance('carol'), 7n);
  const waiting = propose(600);
  approve(waiting);
  t.equal(w.balance('carol'), 7n, 'it failed and left no trace');
  w.block();
  t.ok(w.state.find(proposalObject, waiting), 'but it stays');
  w.push('transfer', { from: 'alice', to: 'bob', amount: core(500) });
  w.advance(100);
  t.equal(w.balance('carol'), 607n, 'the last try is at its expiration');
});
