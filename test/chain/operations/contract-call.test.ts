import { toHex } from '../../../src/base/bytes.js';
import type { ErrorRow } from '../../../src/base/errors.js';
import { PENDING_ERRORS } from '../../../src/chain/pending.js';
import { encode } from '../../../src/codec/binary.js';
import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { CALL_FEE_ERRORS } from '../../../src/operations/contract/call-fee.js';
import { CONTRACT_CALL_ERRORS } from '../../../src/operations/contract/contract-call.js';
import { abiDef } from '../../../src/protocol/abi.js';
import { ASSET_FLAG, makeAsset } from '../../../src/protocol/asset.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { nameFromText } from '../../../src/protocol/name.js';
import type { Operation } from '../../../src/protocol/operation-slot.js';
import type { OperationResult } from '../../../src/protocol/results.js';
import { transaction } from '../../../src/protocol/transaction.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../../src/state/objects/asset-dynamic-data.js';
import { keyValueObject, tableIdObject } from '../../../src/state/objects/contract-table.js';
import { proposalObject } from '../../../src/state/objects/proposal.js';
import { vestingBalanceObject } from '../../../src/state/objects/vesting-balance.js';
import { BALANCE_ERRORS } from '../../../src/state/rules/balances.js';
import { FEE_ERRORS } from '../../../src/state/rules/fee-checks.js';
import { stateHash } from '../../../src/state/state-hash.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { SYSTEM_ERRORS } from '../../../src/vm/host/system.js';
import { I32 } from '../../../src/vm/wasm/module.js';
import { OP } from '../../../src/vm/wasm/opcodes.js';
import { assetOptions } from '../../support/asset-options.js';
import { type Contract, callGiven, deployContract } from '../../support/example-contracts.js';
import { holds } from '../../support/holds.js';
import { nextBlock } from '../../support/next-block.js';
import { refused } from '../../support/refused.js';
import { deployVector, vectorContract } from '../../support/vector-contracts.js';
import { buildModule } from '../../support/wasm-builder.js';
import { core, TestWorld, worldTest } from '../../support/world.js';

const I64_SUB = 0x7d;
const I32_WRAP = 0xa7;
const FUNDS = 10n ** 9n;
const CALL = 'contract_call';
const CPU_PRICE = 2n;
const VESTING_SEC = 7200;
/** Calls are priced by entry 75 of the schedule; its scale, which is 0 here, does not count. */
const WORLD = {
  accounts: { alice: FUNDS, bob: FUNDS, 'ram-account': 0n },
  parameters: {
    current_fees: {
      parameters: [
        [5, {}],
        [75, { fee: 100, price_per_kbyte_ram: 50_000, price_per_ms_cpu: Number(CPU_PRICE) }],
      ],
      scale: 0,
    },
    extensions: [[10, { contract_basic_fee_vesting_period_seconds: VESTING_SEC }]],
  },
};

const receiptOf = (result: OperationResult) => {
  if (result[0] !== 4) throw new Error('not the receipt of a call');
  return result[1];
};
const baseOf = (result: OperationResult): bigint => 100n + BigInt(receiptOf(result).billed_cpu_time_us) * CPU_PRICE;
const dataOf = (w: TestWorld, asset: number) =>
  w.state.get(assetDynamicDataObject, w.state.get(assetObject, asset).dynamic_asset_data_id);
const deposit = (w: TestWorld, account: string, amount: number, more: object = {}) => ({
  ...callGiven(w, account, 'bank-one', 'deposit', {}, amount),
  ...more,
});
const withdraw = (w: TestWorld, account: string, amount: number, more: object = {}) => ({
  ...callGiven(w, account, 'bank-one', 'withdraw', { to_account: account, amount: { amount, asset_id: 1 } }),
  ...more,
});
const keep = (w: TestWorld, below: number) => ({
  account: 'alice',
  contract_id: w.id(`keeper-${below}`),
  method_name: nameFromText('keep'),
  data: new Uint8Array(0),
});
/** So that it can pay for the RAM of later deposits. */
const feed = (w: TestWorld) => w.push('transfer', { from: 'alice', to: 'bank-one', amount: core(1_000_000) });

/** Keeps in a row the id of the block so many numbers below the head. */
const blockIdKeeper = (below: number): Contract => ({
  code: buildModule({
    imports: ['get_block_id_for_num', 'get_head_block_num', 'db_store_i64'],
    apply: (a) => {
      a.i32(16).call(1).i64(BigInt(below)).op(I64_SUB).op(I32_WRAP).call(0);
      a.i64(0n).i64(nameFromText('ids')).i64(0n).i64(BigInt(below)).i32(16).i32(20).call(2).op(OP.drop);
    },
  }),
  abi: { ...abiDef.default(), actions: [{ name: nameFromText('keep'), type: 'keep', payable: false }] },
});

worldTest('a proposal that runs when it expires finds the block before its own, and not its own', WORLD, (t, w) => {
  for (const below of [0, 1]) {
    deployContract(w, `keeper-${below}`, blockIdKeeper(below));
    // It pays for the row.
    w.push('transfer', { from: 'alice', to: `keeper-${below}`, amount: core(1_000_000) });
    const proposal = w.create('proposal_create', {
      fee_paying_account: 'alice',
      expiration_time: w.now + 60,
      review_period_seconds: 1,
      proposed_ops: [{ op: w.operation(CALL, keep(w, below)) }],
    });
    w.push('proposal_update', { fee_paying_account: 'alice', proposal, active_approvals_to_add: ['alice'] });
  }
  w.block();
  const rows = () => [...w.state.all(keyValueObject)].map(({ primary_key, value }) => [primary_key, toHex(value)]);
  w.advance(60);
  const { number } = w.chain.blocks.head;
  t.same(rows(), [[1n, w.chain.queries.blockIdOf(number - 1)]]);
  t.equal(w.state.count(proposalObject), 0);
  w.push(CALL, keep(w, 0));
  t.same(rows()[1], [0n, w.chain.blocks.head.id], 'in a transaction the head is the block before');
});

/** Keeps the bytes of the current transaction in a row. */
const transactionKeeper: Contract = {
  code: buildModule({
    imports: ['read_transaction', 'db_store_i64'],
    applyLocals: [I32],
    apply: (a) => {
      a.i32(16).i32(4096).call(0).localSet(3);
      a.i64(0n).i64(nameFromText('trx')).i64(0n).i64(1n).i32(16).localGet(3).call(1).op(OP.drop);
    },
  }),
  abi: { ...abiDef.default(), actions: [{ name: nameFromText('keep'), type: 'keep', payable: false }] },
};

worldTest('a proposal sees the transaction that approves it, and none when it expires', WORLD, (t, w) => {
  const propose = (contract: string, more: object) => {
    deployContract(w, contract, transactionKeeper);
    w.push('transfer', { from: 'alice', to: contract, amount: core(1_000_000) });
    const call = {
      account: 'alice',
      contract_id: contract,
      method_name: nameFromText('keep'),
      data: new Uint8Array(0),
    };
    return w.create('proposal_create', {
      fee_paying_account: 'alice',
      expiration_time: w.now + 60,
      proposed_ops: [{ op: w.operation(CALL, call) }],
      ...more,
    });
  };
  const approval = (proposal: number) =>
    w.operation('proposal_update', { fee_paying_account: 'alice', proposal, active_approvals_to_add: ['alice'] });
  const rows = () => [...w.state.all(keyValueObject)].map(({ value }) => toHex(value));
  const signed = w.sign([approval(propose('at-once', {}))]);
  w.chain.pending.push({ transaction: signed });
  const packed = toHex(encode(transaction, signed));
  t.same(rows(), [packed]);

  const waiting = propose('later', { review_period_seconds: 30 });
  w.pushAll([approval(waiting)]);
  w.advance(57);
  t.equal(w.state.count(proposalObject), 1);
  w.push('transfer', { from: 'alice', to: 'bob', amount: core(1) });
  w.block();
  t.same(rows(), [packed], 'not that of a transaction in the same block either');
  t.equal(w.state.count(proposalObject), 0, 'it has failed');
});

worldTest('contract_call (75) is refused', WORLD, (t, w) => {
  deployVector(w, 'hello');
  deployVector(w, 'bank');
  const hi = callGiven(w, 'alice', 'hello-one', 'hi', { user: 'lzy' });
  const cases: readonly (readonly [ErrorRow, object])[] = [
    [TABLE_ERRORS.object_missing, { ...hi, contract_id: 9_999 }],
    [CONTRACT_CALL_ERRORS.call_no_code, { ...hi, contract_id: w.id('bob') }],
    [CONTRACT_CALL_ERRORS.call_method_unknown, { ...hi, method_name: 5n }],
    [CONTRACT_CALL_ERRORS.call_method_not_payable, { ...hi, amount: core(1) }],
    [CONTRACT_CALL_ERRORS.call_amount, { ...deposit(w, 'alice', 1), amount: core(0) }],
    [CONTRACT_CALL_ERRORS.call_amount, { ...deposit(w, 'alice', 1), amount: core(-1) }],
    [CONTRACT_CALL_ERRORS.call_balance, deposit(w, 'alice', Number(FUNDS) + 1)],
    [TABLE_ERRORS.object_missing, { ...deposit(w, 'alice', 1), amount: makeAsset(1n, 99) }],
    [BALANCE_ERRORS.balance_insufficient, deposit(w, 'alice', Number(FUNDS))],
    [OPERATION_ERRORS.operation_fee_negative, { ...hi, fee: core(-1) }],
    [TABLE_ERRORS.object_missing, { ...hi, fee: makeAsset(0n, 99) }],
    // Nothing is paid from an empty pool, neither what is stated nor what is due.
    [FEE_ERRORS.fee_pool_empty, { ...hi, fee: makeAsset(1n, 0) }],
    [FEE_ERRORS.fee_pool_empty, { ...hi, fee: makeAsset(0n, 0) }],
    [SYSTEM_ERRORS.contract_assert_message, withdraw(w, 'alice', 5)],
    // Of several faults the first in this order is told.
    [CONTRACT_CALL_ERRORS.call_no_code, { ...hi, contract_id: w.id('bob'), method_name: 5n, amount: core(0) }],
    [CONTRACT_CALL_ERRORS.call_method_unknown, { ...hi, method_name: 5n, amount: core(0) }],
    [CONTRACT_CALL_ERRORS.call_method_not_payable, { ...hi, amount: core(0) }],
    [CONTRACT_CALL_ERRORS.call_amount, { ...deposit(w, 'alice', 1), amount: makeAsset(0n, 99) }],
  ];
  for (const [row, given] of cases) w.refuse(t, row, CALL, { ...given });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push(CALL, hi, ['bob']));
  t.equal(w.state.count(tableIdObject), 0);
});

worldTest('contract_call (75) needs an account that sells RAM', { accounts: { alice: FUNDS } }, (t, w) => {
  deployVector(w, 'hello');
  const hi = callGiven(w, 'alice', 'hello-one', 'hi', { user: 'lzy' });
  w.refuse(t, CALL_FEE_ERRORS.ram_account_missing, CALL, hi);
  w.refuse(t, CONTRACT_CALL_ERRORS.call_method_not_payable, CALL, { ...hi, amount: core(0) }, 'it is asked for last');
});

worldTest('contract_call (75): the base fee comes back over time', WORLD, (t, w) => {
  deployVector(w, 'hello');
  const hi = callGiven(w, 'alice', 'hello-one', 'hi', { user: 'lzy' });
  // What is stated is not what is paid.
  const result = w.push(CALL, { ...hi, fee: core(777) });
  const called = w.now;
  const fee = baseOf(result);
  t.same(receiptOf(result).ram_receipts, []);
  t.same(receiptOf(result).fee, core(fee));
  t.ok(receiptOf(result).billed_cpu_time_us > 0);
  w.block();
  t.equal(w.balance('alice'), FUNDS - fee);
  const { contract_call_cashback_vb, cashback_vb, statistics } = w.account('alice');
  t.same(w.state.get(vestingBalanceObject, contract_call_cashback_vb as number), {
    id: contract_call_cashback_vb,
    owner: w.id('alice'),
    balance: core(fee),
    policy: [
      1,
      {
        vesting_seconds: VESTING_SEC,
        start_claim: 0,
        coin_seconds_earned: 0n,
        coin_seconds_earned_last_update: called,
      },
    ],
  });
  t.equal(cashback_vb, undefined);
  holds(t, w.state.get(accountStatisticsObject, statistics), { pending_fees: 0n, pending_vested_fees: 0n });
  const second = baseOf(w.push(CALL, callGiven(w, 'alice', 'hello-one', 'hi', { user: 'again' })));
  w.block();
  t.equal(w.account('alice').contract_call_cashback_vb, contract_call_cashback_vb, 'the same one takes all');
  t.same(w.state.get(vestingBalanceObject, contract_call_cashback_vb as number).balance, core(fee + second));
});

worldTest('each call of a transaction is billed what the block says at its place', WORLD, (t, w) => {
  deployVector(w, 'hello');
  const hi = (caller: string) => w.operation(CALL, callGiven(w, caller, 'hello-one', 'hi', { user: caller }));
  const transfer = w.operation('transfer', { from: 'alice', to: 'bob', amount: core(1) });
  const signed = w.sign([transfer, hi('alice'), hi('bob')]);
  const fee = core(0);
  // Nothing but the time is looked at: neither whose result it is nor of which kind, nor what it says of fees.
  const operation_results: OperationResult[] = [
    [4, { billed_cpu_time_us: 5000, fee, ram_receipts: [] }],
    [4, { billed_cpu_time_us: 1000, fee, ram_receipts: [] }],
    [3, { billed_cpu_time_us: 300, fee, ram_usage_bs: 7 }],
  ];
  const block = nextBlock(w, { transactions: [{ ...signed, operation_results }] });
  w.chain.blocks.push({ block });
  w.adopt([block]);
  t.same([w.balance('alice'), w.balance('bob')], [FUNDS - 1n - 2100n, FUNDS + 1n - 700n]);
});

worldTest('contract_call (75) with an amount, rows, and RAM that is bought and given back', WORLD, (t, w) => {
  const bank = deployVector(w, 'bank');
  const alice = w.id('alice');
  const first = w.push(CALL, deposit(w, 'alice', 500));
  t.equal(w.state.count(keyValueObject), 1, 'pending calls show');
  w.block();
  t.match([...w.state.all(tableIdObject)], [{ code: BigInt(bank), count: 1 }]);
  t.same(receiptOf(first).ram_receipts, [{ account: alice, ram_bytes: 249n, ram_fee: core(12_159) }]);
  t.equal(w.balance('alice'), FUNDS - 500n - 12_159n - baseOf(first));
  t.same([w.balance('bank-one'), w.balance('ram-account')], [500n, 12_159n]);

  const again = deposit(w, 'alice', 100);
  w.refuse(
    t,
    BALANCE_ERRORS.balance_insufficient,
    CALL,
    again,
    'the contract cannot pay for the row that it takes over',
  );
  feed(w);
  const before = w.balance('alice');
  const second = w.push(CALL, again);
  t.same(receiptOf(second).ram_receipts, [
    { account: alice, ram_bytes: -137n, ram_fee: core(-6689) },
    { account: bank, ram_bytes: 137n, ram_fee: core(6690) },
  ]);
  w.block();
  t.equal(w.balance('alice'), before - 100n + 6689n - baseOf(second));
  t.equal(w.balance('bank-one'), 1_000_600n - 6690n);
  t.equal(w.balance('ram-account'), 12_159n - 6689n + 6690n);

  // No more comes back than the seller still has.
  w.push('transfer', { from: 'ram-account', to: 'bob', amount: core(w.balance('ram-account') - 10n) });
  const [mine, its] = [w.balance('alice'), w.balance('bank-one')];
  const third = w.push(CALL, withdraw(w, 'alice', 600));
  t.same(receiptOf(third).ram_receipts, [{ account: bank, ram_bytes: -137n, ram_fee: core(-10) }]);
  w.block();
  t.same([w.balance('alice'), w.balance('bank-one')], [mine + 600n - baseOf(third), its - 600n + 10n]);
  t.equal(w.balance('ram-account'), 0n);
  t.equal(w.state.count(keyValueObject), 0);
  t.match([...w.state.all(tableIdObject)], [{ count: 0 }], 'the empty table stays');
});

/** An asset of alice with this rate and a pool of a million; she has a million of it. */
function payableAsset(w: TestWorld, core_exchange_rate: object, given: object = {}): number {
  const common_options = assetOptions({ core_exchange_rate, ...given } as Parameters<typeof assetOptions>[0]);
  const asset = w.create('asset_create', { issuer: 'alice', symbol: 'THING', common_options });
  w.push('asset_issue', { issuer: 'alice', asset_to_issue: makeAsset(10n ** 6n, asset), issue_to_account: 'alice' });
  w.push('asset_fund_fee_pool', { from_account: 'alice', asset_id: asset, amount: 10n ** 6n });
  w.block();
  return asset;
}

worldTest('contract_call (75) paid in another asset', WORLD, (t, w) => {
  deployVector(w, 'bank');
  const asset = payableAsset(w, { base: core(1), quote: makeAsset(2n, 2) });
  feed(w);
  w.block();
  const before = w.balance('alice');
  // The fee that stands in the operation names the asset; its amount is neither taken nor converted.
  const first = w.push(CALL, deposit(w, 'alice', 500, { fee: makeAsset(10n, asset) }));
  const base = baseOf(first);
  t.same(receiptOf(first).fee, makeAsset(2n * base, asset));
  t.same(receiptOf(first).ram_receipts, [
    { account: w.id('alice'), ram_bytes: 249n, ram_fee: makeAsset(2n * 12_159n, asset) },
  ]);
  w.block();
  const paid = 2n * (base + 12_159n);
  t.same([w.balance('alice', asset), w.balance('alice')], [10n ** 6n - paid, before - 500n]);
  holds(t, dataOf(w, asset), { accumulated_fees: paid, fee_pool: 10n ** 6n - paid / 2n });
  t.equal(w.balance('ram-account'), 12_159n, 'RAM is sold for core units');
  const { contract_call_cashback_vb } = w.account('alice');
  t.same(w.state.get(vestingBalanceObject, contract_call_cashback_vb as number).balance, core(base));

  const second = w.push(CALL, deposit(w, 'alice', 100, { fee: makeAsset(0n, asset) }));
  t.same(receiptOf(second).ram_receipts[0]?.ram_fee, makeAsset(-2n * 6689n, asset), 'said in the asset');
  t.same(receiptOf(second).ram_receipts[1]?.ram_fee, core(6690), 'what others pay is core units, and said so');
  w.block();
  t.equal(w.balance('alice'), before - 600n + 6689n, 'and given back in core units');
  t.equal(w.balance('alice', asset), 10n ** 6n - paid - 2n * baseOf(second));

  for (const given of [withdraw(w, 'alice', 600), deposit(w, 'alice', 100)]) w.push(CALL, given);
  const last = w.push(CALL, withdraw(w, 'alice', 100, { fee: makeAsset(0n, asset) }));
  t.same(
    receiptOf(last).ram_receipts[1],
    { account: w.id('bank-one'), ram_bytes: 0n, ram_fee: makeAsset(0n, asset) },
    'nothing is said in the asset of the fee too: the contract has taken the row over and removed it',
  );
  w.block();
});

/** The cashback is the base fee, for which the pool may have paid something else. */
const SUPPLY_CHANGES = { ...WORLD, keepsSupply: false };

worldTest('contract_call (75) at a rate that leaves remainders', SUPPLY_CHANGES, (t, w) => {
  deployVector(w, 'bank');
  const asset = payableAsset(w, { base: core(5), quote: makeAsset(2n, 2) });
  feed(w);
  w.block();
  const fee = makeAsset(0n, asset);
  const first = w.push(CALL, deposit(w, 'alice', 500, { fee }));
  // 12,159 core units are 4863.6 of it, and those without the fraction 12,157.5.
  t.same(receiptOf(first).ram_receipts, [
    { account: w.id('alice'), ram_bytes: 249n, ram_fee: makeAsset(4863n, asset) },
  ]);
  w.block();
  t.equal(w.balance('ram-account'), 12_157n, 'what the pool has paid');
  const base = (baseOf(first) * 2n) / 5n;
  holds(t, dataOf(w, asset), {
    accumulated_fees: base + 4863n,
    fee_pool: 10n ** 6n - (base * 5n) / 2n - 12_157n,
  });
  const before = w.balance('alice');
  const second = w.push(CALL, deposit(w, 'alice', 100, { fee }));
  // Toward zero, too.
  t.same(receiptOf(second).ram_receipts[0]?.ram_fee, makeAsset(-2675n, asset));
  w.block();
  t.equal(w.balance('alice'), before - 100n + 6689n, 'and all that the bytes were worth comes back');
});

worldTest('contract_call (75): RAM comes back in core units, be it nothing in the asset', SUPPLY_CHANGES, (t, w) => {
  deployVector(w, 'bank');
  const asset = payableAsset(w, { base: core(100_000), quote: makeAsset(1n, 2) });
  for (const to of ['bank-one', 'ram-account']) w.push('transfer', { from: 'alice', to, amount: core(1_000_000) });
  w.push(CALL, deposit(w, 'alice', 500));
  const before = w.balance('alice');
  const result = w.push(CALL, deposit(w, 'alice', 100, { fee: makeAsset(0n, asset) }));
  t.same(receiptOf(result).ram_receipts[0], {
    account: w.id('alice'),
    ram_bytes: -137n,
    ram_fee: makeAsset(0n, asset),
  });
  t.equal(w.balance('alice'), before - 100n + 6689n);
  w.block();
});

worldTest('contract_call (75) and a rate whose base is the asset', SUPPLY_CHANGES, (t, w) => {
  deployVector(w, 'hello');
  const asset = payableAsset(w, { base: makeAsset(2n, 2), quote: core(1) });
  const hi = callGiven(w, 'alice', 'hello-one', 'hi', { user: 'lzy' });
  const result = w.push(CALL, { ...hi, fee: makeAsset(0n, asset) });
  w.block();
  // Quirk: multiplied by the quote and divided by the base, whichever of them is the core asset.
  const fee = baseOf(result) / 2n;
  t.same(receiptOf(result).fee, makeAsset(fee, asset));
  holds(t, dataOf(w, asset), { accumulated_fees: fee, fee_pool: 10n ** 6n - fee / 2n });
  const { contract_call_cashback_vb } = w.account('alice');
  t.same(w.state.get(vestingBalanceObject, contract_call_cashback_vb as number).balance, core(baseOf(result)));
});

worldTest('contract_call (75) may bring what the caller could not transfer', WORLD, (t, w) => {
  deployVector(w, 'bank');
  const flags = ASSET_FLAG.white_list | ASSET_FLAG.transfer_restricted;
  const asset = payableAsset(w, { base: core(1), quote: makeAsset(1n, 2) });
  const whitelist_authorities = [w.id('bob')];
  const core_exchange_rate = { base: core(1), quote: makeAsset(1n, asset) };
  const new_options = assetOptions({ flags, whitelist_authorities, core_exchange_rate });
  w.push('transfer', { from: 'alice', to: 'bob', amount: makeAsset(7n, asset) });
  w.push('asset_update', { issuer: 'alice', asset_to_update: asset, new_options });
  w.push(CALL, deposit(w, 'bob', 1, { amount: makeAsset(7n, asset) }));
  w.block();
  t.same([w.balance('bob', asset), w.balance('bank-one', asset)], [0n, 7n]);
});

const withTime = (block_cpu_limit: number) => ({
  ...WORLD,
  parameters: { ...WORLD.parameters, extensions: [[7, { trx_cpu_limit: 20_000, block_cpu_limit }]] },
});
worldTest('calls that no block has room for end at once', withTime(200), (t, w) => {
  deployVector(w, 'hello');
  const hello = callGiven(w, 'alice', 'hello-one', 'hi', { user: 'x' });
  const us = receiptOf(w.push(CALL, hello)).billed_cpu_time_us;
  const used = us * Math.ceil(200 / us);
  t.ok(used < 300, 'a few of them');
  const fifty = new Array(50).fill(w.operation(CALL, hello));
  refused(t, PENDING_ERRORS.pending_cpu, () => w.pushAll(fifty), { data: { used } });
  // All of the limit is too much, for the calls of one transaction and for those of several.
  const two = new TestWorld(withTime(2 * us));
  deployVector(two, 'hello');
  refused(t, PENDING_ERRORS.pending_cpu, () => two.pushAll(fifty.slice(0, 2)), { data: { used: 2 * us } });
  for (let i = 0; i < 2; i++) two.push(CALL, hello);
  t.equal(two.blockOfWhatFits().transactions.length, 1, 'the second one has to wait');
  t.equal(two.blockOfWhatFits().transactions.length, 1);
  two.close(t);
});

worldTest('each transaction is what its calls read, whichever was read before', WORLD, (t, w) => {
  const names = ['keeper-a', 'keeper-b'];
  for (const name of names) {
    deployContract(w, name, transactionKeeper);
    w.push('transfer', { from: 'alice', to: name, amount: core(1_000_000) });
  }
  const packed = names.map((name) => {
    const call = { account: 'alice', contract_id: name, method_name: nameFromText('keep'), data: new Uint8Array(0) };
    const signed = w.sign([w.operation(CALL, call)]);
    w.chain.pending.push({ transaction: signed });
    return toHex(encode(transaction, signed));
  });
  t.not(packed[0], packed[1]);
  w.block();
  t.same(
    [...w.state.all(keyValueObject)].map(({ value }) => toHex(value)),
    packed,
  );
});

worldTest('calls of one transaction do not each pack all of it', WORLD, (t, w) => {
  const abi = { ...abiDef.default(), actions: [{ name: nameFromText('go'), type: 'go', payable: false }] };
  const code = buildModule({ imports: ['transaction_size'], apply: (a) => a.call(0).op(OP.drop) });
  deployContract(w, 'counter', { code, abi });
  const call = { account: 'alice', contract_id: 'counter', method_name: nameFromText('go'), data: new Uint8Array(0) };
  const amount = core(1);
  const [tag, body] = w.operation('transfer', { from: 'alice', to: 'bob', amount });
  /** How often an operation beside so many calls is looked at. */
  const looks = (calls: number): number => {
    let count = 0;
    const watched = Object.defineProperty({ ...body }, 'amount', {
      enumerable: true,
      get: () => {
        count++;
        return amount;
      },
    });
    w.pushAll([[tag, watched], ...new Array<Operation>(calls).fill(w.operation(CALL, call))]);
    return count;
  };
  t.ok(looks(1) > 0);
  t.equal(looks(20), looks(2));
});

worldTest('a transaction that fails after a call leaves nothing of the call', WORLD, (t, w) => {
  deployContract(w, 'bank-one', vectorContract('bank'));
  feed(w);
  w.block();
  const hash = w.chain.snapshots.withHeadState(stateHash);
  const call = w.operation(CALL, deposit(w, 'alice', 10));
  const tooMuch = w.operation('transfer', { from: 'alice', to: 'bob', amount: core(10n ** 10n) });
  t.throws(() => w.pushAll([call, tooMuch]));
  t.equal(w.state.count(keyValueObject), 0);
  t.equal(w.chain.snapshots.withHeadState(stateHash), hash);
  w.pushAll([call]);
  w.block();
  t.equal(w.state.count(keyValueObject), 1);
});
