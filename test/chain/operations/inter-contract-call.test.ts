import { toHex } from '../../../src/base/bytes.js';
import type { ErrorRow } from '../../../src/base/errors.js';
import type { ChainEvent } from '../../../src/chain/events.js';
import { Writer } from '../../../src/codec/writer.js';
import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { INTER_CONTRACT_CALL_ERRORS } from '../../../src/operations/contract/inter-contract-call.js';
import { TRANSFER_ERRORS } from '../../../src/operations/transfer/transfer-checks.js';
import { abiDef } from '../../../src/protocol/abi.js';
import { nameFromText } from '../../../src/protocol/name.js';
import type { Operation } from '../../../src/protocol/operation-slot.js';
import { keyValueObject } from '../../../src/state/objects/contract-table.js';
import { BALANCE_ERRORS } from '../../../src/state/rules/balances.js';
import { stateHash } from '../../../src/state/state-hash.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { ASSET_HOST_ERRORS } from '../../../src/vm/host/assets.js';
import { SYSTEM_ERRORS } from '../../../src/vm/host/system.js';
import { INLINE_ERRORS } from '../../../src/vm/inline-call.js';
import { OP } from '../../../src/vm/wasm/opcodes.js';
import { CONTRACT_WORLD, callGiven, deployContract } from '../../support/example-contracts.js';
import { deployVector } from '../../support/vector-contracts.js';
import { buildModule } from '../../support/wasm-builder.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';

const CALL = 'contract_call';

function put(id: bigint): string {
  const data = new Writer();
  for (const value of [id, 6n, 7n]) data.u64(value);
  return toHex(data.finish());
}

interface Relayed {
  readonly n?: number;
  readonly contract?: number;
  readonly amount?: number;
  readonly asset?: number;
  readonly method?: string;
  readonly data?: string;
}

/** lab-one sends calls of lab-two's `put`, or what is said instead. */
const relay = (w: TestWorld, more: Relayed = {}, money = 0) =>
  callGiven(
    w,
    'alice',
    'lab-one',
    'relay',
    {
      n: 1,
      sender: w.id('lab-one'),
      contract: w.id('lab-two'),
      amount: 0,
      asset: 1,
      method: 'put',
      data: put(5n),
      ...more,
    },
    money,
  );

function openLabs(w: TestWorld): void {
  deployVector(w, 'lab', 'lab-one');
  deployVector(w, 'lab', 'lab-two');
  w.push('transfer', { from: 'bob', to: 'lab-one', amount: core(1_000_000) });
  w.push('transfer', { from: 'bob', to: 'lab-two', amount: core(1_000_000) });
  w.block();
}

/** Whatever the work makes the chain apply, besides what stands in transactions. */
function issuedBy(w: TestWorld, work: () => void): [number, unknown][] {
  const seen: [number, unknown][] = [];
  const stop = w.chain.blocks.subscribe((event: ChainEvent) => {
    if (event.kind !== 'pending') return;
    for (const one of event.operations) if (one.isVirtual) seen.push([(one.operation as Operation)[0], one.result]);
  });
  work();
  stop();
  return seen;
}

worldTest('inter_contract_call (79) is for running contracts alone', CONTRACT_WORLD, (t, w) => {
  openLabs(w);
  const given = {
    sender_contract: w.id('lab-one'),
    contract_id: w.id('lab-two'),
    method_name: nameFromText('exitc'),
    data: new Uint8Array(),
  };
  // Anybody may act for a contract, but not in this way.
  const hash = w.chain.snapshots.withHeadState(stateHash);
  const refuse = (row: ErrorRow, more: object = {}) => w.refuse(t, row, 'inter_contract_call', { ...given, ...more });
  refuse(INTER_CONTRACT_CALL_ERRORS.call_outside_contract);
  refuse(INTER_CONTRACT_CALL_ERRORS.call_outside_contract, { amount: core(1) });
  refuse(OPERATION_ERRORS.operation_fee_negative, { fee: core(-1) });
  t.equal(w.chain.snapshots.withHeadState(stateHash), hash);
});

worldTest('inter_contract_call (79) that is queued by a contract', CONTRACT_WORLD, (t, w) => {
  openLabs(w);
  const one = w.id('lab-one');
  const cases: readonly (readonly [ErrorRow, Relayed])[] = [
    [INLINE_ERRORS.contract_inline_amount, { amount: -1 }],
    [INLINE_ERRORS.contract_inline_account, { contract: w.id('bob') }],
    [TABLE_ERRORS.object_missing, { contract: 9_999 }],
    [INLINE_ERRORS.contract_method_unknown, { method: 'nothing' }],
    [INLINE_ERRORS.contract_method_not_payable, { method: 'exitc', data: '', amount: 1 }],
    [INLINE_ERRORS.contract_inline_count, { n: 5, method: 'exitc', data: '' }],
    [BALANCE_ERRORS.balance_insufficient, { amount: 1_000_001 }],
    [BALANCE_ERRORS.balance_missing, { amount: 1, asset: 0 }],
    // What it sends to itself it must have, too.
    [BALANCE_ERRORS.balance_insufficient, { contract: one, amount: 1_000_001 }],
    [BALANCE_ERRORS.balance_missing, { contract: one, amount: 1, asset: 0 }],
    [SYSTEM_ERRORS.contract_assert_message, { method: 'failm', data: '' }],
  ];
  const hash = w.chain.snapshots.withHeadState(stateHash);
  for (const [row, more] of cases) w.refuse(t, row, CALL, relay(w, more));
  t.equal(w.chain.snapshots.withHeadState(stateHash), hash);

  const issued = issuedBy(w, () => {
    const result = w.push(CALL, relay(w, { amount: 30 }, 10));
    t.match(result, [4, { ram_receipts: [{ account: one }] }], 'who has called the callee pays for what it stores');
  });
  t.same(issued, [[79, [0, {}]]]);
  w.block();
  const [row] = [...w.state.all(keyValueObject)];
  t.equal(row?.primary_key, 5n);
  const ram = w.balance('ram-account');
  t.ok(ram > 0n);
  t.equal(w.balance('lab-one'), 1_000_000n + 10n - 30n - ram);
  t.equal(w.balance('lab-two'), 1_000_000n + 30n, 'the amount goes on from the sender');

  // Calls are counted, not levels, and one more than the parameter says may be sent.
  const calls = issuedBy(w, () => w.push(CALL, relay(w, { n: 4, method: 'exitc', data: '' })));
  t.equal(calls.length, 4);
  const four = () => w.operation(CALL, relay(w, { n: 4, method: 'exitc', data: '' }));
  t.equal(
    issuedBy(w, () => w.pushAll([four(), four()])).length,
    8,
    'each call of a transaction has a count of its own',
  );
  w.push(CALL, relay(w, { n: 1, contract: one, method: 'exitc', data: '' }));
  w.block();
});

worldTest(
  'inter_contract_call (79) and its parameters',
  {
    ...CONTRACT_WORLD,
    parameters: { extensions: [[10, { max_inter_contract_depth: 0, max_inline_action_size: 60 }]] },
  },
  (t, w) => {
    openLabs(w);
    w.refuse(t, INLINE_ERRORS.contract_inline_size, CALL, relay(w));
    w.refuse(t, INLINE_ERRORS.contract_inline_count, CALL, relay(w, { n: 2, method: 'exitc', data: '' }));
    w.push(CALL, relay(w, { method: 'exitc', data: '' }));
    w.block();
  },
);

worldTest('inline_transfer (78) that a contract issues', CONTRACT_WORLD, (t, w) => {
  openLabs(w);
  const pay = (amount: number, to = w.id('carol'), asset = 1) =>
    callGiven(w, 'alice', 'lab-one', 'pay', { to, asset, amount });
  const before = w.balance('carol');
  // It pays by both functions that it has for that: all of it, and then half of it.
  t.same(
    issuedBy(w, () => w.push(CALL, pay(400))),
    [
      [78, [0, {}]],
      [78, [0, {}]],
    ],
  );
  w.block();
  t.same([w.balance('carol'), w.balance('lab-one')], [before + 600n, 999_400n], 'no fee is asked of it');
  w.refuse(t, TRANSFER_ERRORS.transfer_balance, CALL, pay(999_401));
  w.refuse(t, ASSET_HOST_ERRORS.contract_withdraw_balance, CALL, pay(999_000), 'the half');
  w.refuse(t, TABLE_ERRORS.object_missing, CALL, pay(2, 9_999));
  w.refuse(t, OPERATION_ERRORS.amount_not_positive, CALL, pay(0), "the operation has its checks as anybody's");
  w.refuse(t, OPERATION_ERRORS.from_equals_to, CALL, pay(2, w.id('lab-one')));
});

const SENDER_ABI = {
  ...abiDef.default(),
  structs: [{ name: 'run', base: '', fields: [] }],
  actions: [{ name: nameFromText('run'), type: 'run', payable: false }],
};

worldTest('a contract that withdraws what does not exist is told so', CONTRACT_WORLD, (t, w) => {
  const code = buildModule({
    imports: ['withdraw_asset', 'current_receiver', 'get_trx_origin'],
    apply: (a) => a.call(1).call(2).i64(9999n).i64(5n).call(0),
  });
  const self = deployContract(w, 'payer', { code, abi: SENDER_ABI });
  const call = { account: 'alice', contract_id: self, method_name: nameFromText('run'), data: new Uint8Array() };
  w.refuse(t, TABLE_ERRORS.object_missing, CALL, call);
});

/** Sends whatever it is called with. */
const sender = buildModule({
  imports: ['action_data_size', 'read_action_data', 'send_inline'],
  apply: (a) => a.i32(0).call(0).call(1).op(OP.drop).i32(0).call(0).call(2),
});

worldTest('inter_contract_call (79) is queued in the name of the contract that runs', CONTRACT_WORLD, (t, w) => {
  openLabs(w);
  const self = deployContract(w, 'sender-one', { code: sender, abi: SENDER_ABI });
  w.block();
  const inline = (from: number): Uint8Array => {
    const data = new Writer();
    for (const value of [BigInt(from), BigInt(w.id('lab-one')), 0n, 1n, nameFromText('exitc')]) data.u64(value);
    data.varint(0n);
    return data.finish();
  };
  const call = (data: Uint8Array) => ({
    account: 'alice',
    contract_id: self,
    method_name: nameFromText('run'),
    data,
  });
  w.refuse(t, INLINE_ERRORS.contract_inline_sender, CALL, call(inline(w.id('lab-one'))));
  w.refuse(t, INLINE_ERRORS.contract_inline_sender, CALL, call(inline(w.id('alice'))));
  w.refuse(t, INLINE_ERRORS.contract_inline_data, CALL, call(inline(self).slice(0, 40)));
  t.same(
    issuedBy(w, () => w.push(CALL, call(inline(self)))),
    [[79, [0, {}]]],
  );
  w.block();
});
