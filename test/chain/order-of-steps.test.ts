import t from 'tap';
import { TRANSACTION_ERRORS } from '../../src/chain/apply-transaction.js';
import { readObjectUpdate } from '../../src/chain/debug-updates.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { OPERATION_ERRORS } from '../../src/operations/checks.js';
import { DATA_TRANSACTION_CREATE_ERRORS } from '../../src/operations/data-market/data-transaction-create.js';
import { TRANSFER_ERRORS } from '../../src/operations/transfer/transfer-checks.js';
import { AUTHORITY_ERRORS } from '../../src/protocol/authority-check.js';
import { packObjectId } from '../../src/protocol/ids.js';
import type { Operation } from '../../src/protocol/operation-slot.js';
import { type ProxyTransferParams, proxyRequestDigests } from '../../src/protocol/proxy-transfer.js';
import { dataTransactionObject } from '../../src/state/objects/data-market.js';
import { dynamicGlobalPropertyObject } from '../../src/state/objects/dynamic-global-property.js';
import { proposalObject } from '../../src/state/objects/proposal.js';
import { signatureObject } from '../../src/state/objects/signature.js';
import { transactionObject } from '../../src/state/objects/transaction.js';
import { withdrawPermissionObject } from '../../src/state/objects/withdraw-permission.js';
import {
  FREE_PRICE,
  leagueRequest,
  MARKET_WORLD,
  openMarket,
  payment,
  request as requestData,
  upload,
} from '../support/data-market.js';
import { nextBlock } from '../support/next-block.js';
import { refused } from '../support/refused.js';
import { core, TestWorld, worldTest } from '../support/world.js';
import { accountKey } from '../support/world-genesis.js';

/** What a block does beside its transactions comes in an order, and here one step meets what the one before it has left. */

const FUNDS = 10n ** 10n;
const WORLD = { accounts: { alice: FUNDS, bob: FUNDS } };

const irreversible = (w: TestWorld): number => w.state.single(dynamicGlobalPropertyObject).last_irreversible_block_num;

worldTest(
  'what is irreversible follows from the witnesses that were active before the maintenance of the block',
  { ...WORLD, witnesses: 1 },
  (t, w) => {
    for (const name of ['alice', 'bob']) {
      w.push('witness_create', { witness_account: name, block_signing_key: w.account(name).options.memo_key });
    }
    w.block();
    const { number } = w.maintenance();
    t.equal(irreversible(w), number, 'its own witness alone decides');
    w.block();
    t.equal(irreversible(w), number, 'two more have confirmed nothing yet');
  },
);

worldTest('a proposal that ends with a permission finds it once more, and can prolong it', WORLD, (t, w) => {
  const end = w.now + 60;
  const grant = {
    withdraw_from_account: 'alice',
    authorized_account: 'bob',
    withdrawal_limit: core(100),
    withdrawal_period_sec: 30,
    periods_until_expiration: 1,
  };
  const permission = w.create('withdraw_permission_create', { ...grant, period_start_time: end - 30 });
  const later = { ...grant, permission_to_update: permission, period_start_time: end + 100 };
  const proposal = w.create('proposal_create', {
    fee_paying_account: 'bob',
    expiration_time: end,
    proposed_ops: [{ op: w.operation('withdraw_permission_update', later) }],
    review_period_seconds: 10,
  });
  w.push('proposal_update', { fee_paying_account: 'bob', proposal, active_approvals_to_add: ['alice'] });
  w.block();
  t.equal(w.state.get(withdrawPermissionObject, permission).expiration, end);
  w.advance(end - w.now);
  t.equal(w.state.find(proposalObject, proposal), undefined);
  t.equal(w.state.find(withdrawPermissionObject, permission)?.expiration, end + 130);
});

/** A transfer from alice to init0 that bob may bring; a signature that is given stands before hers. */
function request(w: TestWorld, amount: number, expiration: number, ...before: Uint8Array[]): ProxyTransferParams {
  const [from, to, proxy_account] = ['alice', 'init0', 'bob'].map((name) => w.id(name)) as [number, number, number];
  const more = { amount: core(amount), percentage: 0, memo: '', expiration, signatures: [] };
  const params: ProxyTransferParams = { from, to, proxy_account, ...more };
  const digests = proxyRequestDigests(params);
  for (const _ of before) digests.next();
  return { ...params, signatures: [...before, signatureBackend().sign(digests.next().value, accountKey('alice'))] };
}

worldTest('a proposal that ends when a used signature is forgotten finds it used once more', WORLD, (t, w) => {
  const forgotten = w.chain.queries.slotTime(10);
  const used = request(w, 1, forgotten);
  w.push('proxy_transfer', { proxy_memo: 'p', request_params: used });
  w.block();
  // What is remembered is the first signature, whichever was the one that counted.
  const again = (amount: number) => request(w, amount, forgotten + 1000, used.signatures[0] as Uint8Array);
  for (const [amount, expiration_time] of [
    [10, forgotten + 1],
    [100, forgotten + 4],
  ] as const) {
    const op = w.operation('proxy_transfer', { proxy_memo: 'p', request_params: again(amount) });
    const times = { expiration_time, review_period_seconds: 1 };
    const proposal = w.create('proposal_create', { fee_paying_account: 'bob', proposed_ops: [{ op }], ...times });
    w.push('proposal_update', { fee_paying_account: 'bob', proposal, active_approvals_to_add: ['bob'] });
  }
  w.block();
  w.advance(forgotten - w.now);
  t.same([w.now, w.state.count(signatureObject), w.balance('init0')], [forgotten, 1, 1n]);
  w.block();
  t.same([w.state.count(signatureObject), w.balance('init0')], [0, 1n], 'forgotten, but after the proposal');
  w.block();
  t.equal(w.balance('init0'), 101n, 'the next one may use it');
  t.equal(w.state.count(proposalObject), 0);
});

/** Approved by alice and executed when it expires. */
function aliceProposes(w: TestWorld, expiration_time: number, ...operations: Operation[]): void {
  const proposal = w.create('proposal_create', {
    fee_paying_account: 'alice',
    expiration_time,
    proposed_ops: operations.map((op) => ({ op })),
    review_period_seconds: 1,
  });
  w.push('proposal_update', { fee_paying_account: 'alice', proposal, active_approvals_to_add: ['alice'] });
}

worldTest(
  'proposals that end with one block are executed by their times, those of one time by their ids',
  WORLD,
  (t, w) => {
    const end = w.chain.queries.slotTime(5);
    // Each takes all that is left: the first one alone can be executed.
    const all = (to: string) => w.operation('transfer', { from: 'alice', to, amount: core(FUNDS) });
    aliceProposes(w, end, all('init0'));
    aliceProposes(w, end - 1, all('init1'));
    aliceProposes(w, end - 1, all('init2'));
    w.block();
    w.advance(end - w.now);
    t.same([w.now, w.state.count(proposalObject)], [end, 0]);
    t.same(
      ['init0', 'init1', 'init2'].map((name) => w.balance(name)),
      [0n, FUNDS, 0n],
    );
  },
);

t.test(
  'a block has taken its place among the summaries when the proposals that end with it are executed',
  async (t) => {
    const w = new TestWorld({ ...WORLD, parameters: { max_predicate_opcode: 3 } });
    const [number, time] = [w.chain.blocks.head.number + 2, w.chain.queries.slotTime(2)];
    // As if it were the number of the block after 65536 others: that of the first of them stands there still.
    const id = `${number.toString(16).padStart(8, '0')}${'5a'.repeat(16)}`;
    const claim = w.operation('assert', { fee_paying_account: 'alice', predicates: [[2, { id }]], required_auths: [] });
    aliceProposes(w, time, claim, w.operation('transfer', { from: 'alice', to: 'init0', amount: core(1) }));
    w.block();
    w.chain.debug.amendHead(readObjectUpdate({ id: `2.8.${number}`, _action: 'update', block_id: id }));
    const block = nextBlock(w, { transactions: [{ ...w.sign([claim]), operation_results: [] }] });
    t.ok(w.chain.blocks.push({ block }).isApplied, 'its transactions come before');
    t.same([w.chain.blocks.head.number, w.now], [number, time]);
    t.equal(w.state.count(proposalObject), 0);
    t.equal(w.balance('init0'), 0n, 'it was executed, and has failed');
  },
);

worldTest('of several faults of a transaction the first is told', WORLD, (t, w) => {
  const transfer = (amount: bigint) => [w.operation('transfer', { from: 'alice', to: 'bob', amount: core(amount) })];
  const late = { expiration: w.now - 1 };
  const cases = [
    [OPERATION_ERRORS.amount_not_positive, w.signChanged(transfer(0n), late, ['bob'])],
    [AUTHORITY_ERRORS.active_auth_missing, w.signChanged(transfer(1n), late, ['bob'])],
    [TRANSACTION_ERRORS.transaction_expired, w.signChanged(transfer(FUNDS + 1n), late)],
    [TRANSFER_ERRORS.transfer_balance, w.sign(transfer(FUNDS + 1n))],
  ] as const;
  for (const [row, transaction] of cases) refused(t, row, () => w.chain.pending.push({ transaction }), row.key);
  const once = w.sign(transfer(1n));
  w.chain.pending.push({ transaction: once });
  w.block();
  const again = () => w.chain.pending.push({ transaction: { ...once, signatures: [] } });
  refused(t, TRANSACTION_ERRORS.transaction_duplicate, again, 'whoever has signed it');
});

const MARKET = { ...MARKET_WORLD, keepsSupply: false, dataTransactionLifetimeHours: 1 };

worldTest('a transaction is among those that are remembered when its operations are executed', MARKET, (t, w) => {
  openMarket(w);
  const next = ([...w.state.all(transactionObject)].at(-1)?.id ?? 0) + 1;
  // A product may be an object of any type, so this tells who is there.
  const ask = (product: bigint) => leagueRequest(w, 'r', { product_id: product });
  const missing = DATA_TRANSACTION_CREATE_ERRORS.product_missing;
  w.refuse(t, missing, 'data_transaction_create', ask(packObjectId(2, 7, next + 1)));
  t.equal(w.push('data_transaction_create', ask(packObjectId(2, 7, next)))[0], 1);
  w.block();
});

worldTest(
  'a request for data that is too old at a block can still be paid by a proposal that ends there',
  MARKET,
  (t, w) => {
    openMarket(w);
    const end = w.chain.queries.slotTime(3);
    w.push('data_transaction_create', requestData(w, 'r', { create_date_time: end - 3601 }));
    w.push('data_transaction_datasource_upload', upload('r', 'source-one'));
    const op = w.operation('pay_data_transaction', payment('r', 'merchant', 'source-one', FREE_PRICE));
    const proposal = w.create('proposal_create', {
      fee_paying_account: 'alice',
      expiration_time: end,
      proposed_ops: [{ op }],
      review_period_seconds: 1,
    });
    w.push('proposal_update', { fee_paying_account: 'alice', proposal, active_approvals_to_add: ['merchant'] });
    w.block();
    w.block();
    t.equal(w.state.count(dataTransactionObject), 1);
    const before = w.balance('source-one', 0);
    w.block();
    t.same([w.now, w.state.count(dataTransactionObject)], [end, 0]);
    t.equal(w.balance('source-one', 0) - before, (BigInt(FREE_PRICE) * 9n) / 10n);
  },
);
