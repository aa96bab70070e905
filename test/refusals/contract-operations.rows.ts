import { readFileSync } from 'node:fs';
import { toHex } from '../../src/base/bytes.js';
import { BLOCK_ERRORS } from '../../src/chain/apply-block.js';
import { PENDING_ERRORS } from '../../src/chain/pending.js';
import { parseJson } from '../../src/codec/json.js';
import { OPERATION_ERRORS as CHECKS } from '../../src/operations/checks.js';
import { CALL_FEE_ERRORS as FEE, ramPrice } from '../../src/operations/contract/call-fee.js';
import { CONTRACT_CALL_ERRORS as CALL } from '../../src/operations/contract/contract-call.js';
import { CONTRACT_ERRORS as BOTH } from '../../src/operations/contract/contract-checks.js';
import { CONTRACT_DEPLOY_ERRORS as DEPLOY } from '../../src/operations/contract/contract-deploy.js';
import { CONTRACT_UPDATE_ERRORS as UPDATE } from '../../src/operations/contract/contract-update.js';
import { CONTRACT_HOST_ERRORS as HOST } from '../../src/operations/contract/host.js';
import { INTER_CONTRACT_CALL_ERRORS as INTER } from '../../src/operations/contract/inter-contract-call.js';
import { TRANSFER_ERRORS as TRANSFER } from '../../src/operations/transfer/transfer-checks.js';
import { MAINNET_FORKS } from '../../src/protocol/forks.js';
import { billedCpuTimeUs } from '../../src/protocol/results.js';
import type { ProcessedTransaction } from '../../src/protocol/transaction.js';
import { TABLE_ERRORS as STATE } from '../../src/state/table.js';
import { RUN_ERRORS } from '../../src/vm/errors.js';
import type { BareWorld } from '../support/bare-world.js';
import { CONTRACT_WORLD, callGiven } from '../support/example-contracts.js';
import { accountText, amountJson, createdInstance, FreeWorld } from '../support/free-world.js';
import { nextBlock } from '../support/next-block.js';
import { projectPath } from '../support/paths.js';
import { deployVector } from '../support/vector-contracts.js';
import { buildModule } from '../support/wasm-builder.js';
import { TestWorld } from '../support/world.js';
import { assertion, type Refusal } from './define.js';

/** Operations 74, 75, 76, 78 and 79. What code does while it runs stands in `contract-host.rows.ts`. */

const code = (name: string) => toHex(readFileSync(projectPath(`test/vectors/contracts/${name}.wasm`)));
const abi = (name: string) => parseJson(readFileSync(projectPath(`test/vectors/contracts/${name}.abi`), 'utf8'));

const FUNDS = 1_000_000n;

function contractWorld(headTime?: number, hasRamAccount = true) {
  const world = new FreeWorld(headTime);
  if (hasRamAccount) world.account('ram-account');
  const alice = world.account('alice', {}, FUNDS);
  const deploy = (name: string) =>
    createdInstance(
      world.run(74, { name: `${name}-one`, account: accountText(alice), code: code(name), abi: abi(name) }),
    );
  return { world, alice, deploy };
}

const { world: w, alice, deploy } = contractWorld();
const bob = w.account('bob');
const hello = deploy('hello');
const bank = deploy('bank');
const lab = deploy('lab');
/** Withdraws of an asset that is not there, whatever it is called for. */
const withdrawing = createdInstance(
  w.run(74, {
    name: 'withdrawing',
    account: accountText(alice),
    code: toHex(
      buildModule({
        imports: ['withdraw_asset'],
        apply: (a) => a.localGet(0).i64(8n).i64(99n).i64(1n).call(0),
      }),
    ),
    abi: abi('lab'),
  }),
);

/** Pays with a memo of five bytes. */
const paying = createdInstance(
  w.run(74, {
    name: 'paying',
    account: accountText(alice),
    code: toHex(
      buildModule({
        imports: ['inline_transfer'],
        apply: (a) => a.localGet(0).i64(8n).i64(1n).i64(1n).i32(16).i32(5).call(0),
      }),
    ),
    abi: abi('lab'),
  }),
);

/** Calls itself with five bytes of arguments. */
const talking = createdInstance(
  w.run(74, {
    name: 'talking',
    account: accountText(alice),
    code: toHex(
      buildModule({
        imports: ['send_inline'],
        apply: (a) => {
          for (const at of [8, 16]) a.i32(at).localGet(0).op(0x37).u8(3).u8(0);
          a.i32(40).localGet(2).op(0x37).u8(3).u8(0);
          a.i32(48).i32(5).op(0x36).u8(2).u8(0);
          a.i32(8).i32(46).call(0);
        },
      }),
    ),
    abi: abi('lab'),
  }),
);

const run = (tag: number, json: Parameters<BareWorld['run']>[1]) => () => w.run(tag, json);
const given = { name: 'other', account: accountText(alice), code: code('hello'), abi: abi('hello') };
const update = (more: Parameters<BareWorld['run']>[1]) =>
  run(76, {
    owner: accountText(alice),
    contract: accountText(hello),
    code: code('hello'),
    abi: abi('hello'),
    fee: amountJson(200_000, 1),
    ...more,
  });
const call = (contract: number, method_name: string, more: Parameters<BareWorld['run']>[1] = {}) =>
  run(75, { account: accountText(alice), contract_id: accountText(contract), method_name, ...more });
const deposit = (amount: number, asset: number) => call(bank, 'deposit', { amount: amountJson(amount, asset) });
const transfer = (to: number, amount: number) =>
  run(78, { from: accountText(alice), to: accountText(to), amount: amountJson(amount, 1) });

/** What a call of the contract `hello` is billed. */
const HELLO_US = (() => {
  const chain = new TestWorld(CONTRACT_WORLD);
  deployVector(chain, 'hello');
  return billedCpuTimeUs(chain.push('contract_call', callGiven(chain, 'alice', 'hello-one', 'hi', { user: 'x' })));
})();

export const refusals: readonly Refusal[] = [
  assertion(
    BOTH.contract_fee_negative,
    'fee.amount >= 0: fee.amount < 0',
    run(74, { ...given, fee: amountJson(-1, 1) }),
  ),
  assertion(BOTH.contract_fee_negative, 'fee.amount >= 0: fee.amount < 0', update({ fee: amountJson(-1, 1) })),
  assertion(
    DEPLOY.contract_name_invalid,
    'is_valid_name(name): contract name is invalid',
    run(74, { ...given, name: 'No' }),
  ),
  assertion(
    DEPLOY.contract_name_taken,
    'current_account_itr == account_idx.indices().get<by_name>().end(): contract name existed, contract name bob',
    run(74, { ...given, name: 'bob' }),
  ),
  assertion(
    BOTH.contract_code_empty,
    'code.size() > 0: contract code cannot be empty',
    run(74, { ...given, code: '' }),
  ),
  assertion(
    BOTH.contract_without_actions,
    'op.abi.actions.size() > 0: contract has no actions',
    run(74, { ...given, abi: {} }),
  ),

  assertion(
    UPDATE.update_contract_missing,
    'itor != acc_idx.end(): contract account is not exist',
    update({ contract: '1.2.9999' }),
  ),
  assertion(
    UPDATE.update_not_owner,
    `op.owner == contract_obj.registrar: only owner can update contract, current owner: 1.2.7`,
    update({ owner: accountText(bob) }),
  ),
  assertion(
    UPDATE.update_no_contract,
    'contract_obj.code.size() > 0: can not update a normal account: 1.2.8',
    update({ owner: '1.2.0', contract: accountText(bob), fee: amountJson(900_000, 1) }),
  ),
  assertion(UPDATE.update_same_code, 'code_hash != contract_obj.code_version: code not updated', () => {
    const old = contractWorld(MAINNET_FORKS.HF_1024_SAME_CODE - 1);
    const contract = old.deploy('hello');
    return old.world.run(76, {
      owner: accountText(old.alice),
      contract: accountText(contract),
      code: code('hello'),
      abi: abi('hello'),
    });
  }),
  assertion(
    UPDATE.update_new_owner,
    'd.find_object(*op.new_owner): new owner not exist',
    update({ new_owner: '1.2.9999' }),
  ),

  assertion(STATE.object_missing, 'maybe_found != nullptr: Unable to find Object 1.2.9999', call(9999, 'hi')),
  assertion(
    CALL.call_no_code,
    'contract_obj.code.size() > 0: contract has no code, contract_id 1.2.8',
    call(bob, 'hi'),
  ),
  assertion(CALL.call_method_unknown, 'iter != actions.end(): method_name nope not found in abi', call(hello, 'nope')),
  assertion(
    CALL.call_method_not_payable,
    'iter->payable: method_name hi not payable',
    call(hello, 'hi', { amount: amountJson(1, 1) }),
  ),
  assertion(CALL.call_amount, 'op.amount->amount > 0: amount must > 0', deposit(0, 1)),
  assertion(
    CALL.call_balance,
    "sufficient_balance: insufficient balance: 10 GXS, unable to deposit '10.00001 GXS' from account '1.2.7' to '1.2.10'",
    deposit(1_000_001, 1),
  ),
  assertion(STATE.object_missing, 'maybe_found != nullptr: Unable to find Object 1.3.99', deposit(1, 99)),
  assertion(FEE.ram_account_missing, 'account_itr != account_idx.end(): ram-account not exist', () => {
    const poor = contractWorld(undefined, false);
    const contract = poor.deploy('hello');
    return poor.world.run(75, {
      account: accountText(poor.alice),
      contract_id: accountText(contract),
      method_name: 'hi',
    });
  }),
  {
    row: FEE.ram_fee_overflow,
    code: 19,
    name: 'overflow_exception',
    message: 'Integer Overflow: fee of 1024 bytes of RAM is out of range',
    raise: () => ramPrice(1024, 2n ** 63n),
  },
  // Code of a contract may ask for what the chain does not have.
  assertion(
    STATE.object_missing,
    'maybe_found != nullptr: Unable to find Object 1.3.99',
    call(lab, 'pay', { data: `0800000000000000630000000000000001${'00'.repeat(7)}` }),
  ),
  assertion(STATE.object_missing, 'maybe_found != nullptr: Unable to find Object 1.3.99', call(withdrawing, 'pay')),

  assertion(CHECKS.from_equals_to, 'from != to: ', transfer(alice, 1)),
  assertion(CHECKS.amount_not_positive, 'amount.amount > 0: ', transfer(bob, 0)),
  assertion(
    TRANSFER.transfer_balance,
    "insufficient_balance: Insufficient Balance: 10 GXS, unable to transfer '20 GXS' from account 'alice' to 'bob' Unable to transfer 20 GXS from alice to bob",
    transfer(bob, 2_000_000),
  ),
  assertion(STATE.object_missing, 'maybe_found != nullptr: Unable to find Object 1.2.9999', transfer(9999, 1)),

  {
    row: INTER.call_outside_contract,
    code: 10,
    name: 'assert_exception',
    message: 'Assert Exception: d.get_contract_transaction_ctx() != nullptr: contract_transaction_ctx invalid',
    raise: run(79, { sender_contract: accountText(hello), contract_id: accountText(bank), method_name: 'deposit' }),
  },

  assertion(
    BLOCK_ERRORS.block_cpu_limit,
    'block_cpu_time_us <= get_cpu_limit().block_cpu_limit: block cpu time exceed global block limit',
    () => {
      const chain = new TestWorld(CONTRACT_WORLD);
      deployVector(chain, 'hello');
      const called = chain.operation('contract_call', callGiven(chain, 'alice', 'hello-one', 'hi', { user: 'x' }));
      const receipt = { billed_cpu_time_us: 800_001, fee: { amount: 100n, asset_id: 1 }, ram_receipts: [] };
      const claiming: ProcessedTransaction = { ...chain.sign([called]), operation_results: [[4, receipt]] };
      return chain.chain.blocks.push({ block: nextBlock(chain, { transactions: [claiming] }) });
    },
  ),
  assertion(
    PENDING_ERRORS.pending_cpu,
    `contract calls of the transaction take ${HELLO_US} µs of CPU time, which no block has room for: its limit is 1`,
    () => {
      const extensions = [[7, { trx_cpu_limit: 20_000, block_cpu_limit: 1 }]];
      const chain = new TestWorld({ ...CONTRACT_WORLD, parameters: { ...CONTRACT_WORLD.parameters, extensions } });
      deployVector(chain, 'hello');
      chain.push('contract_call', callGiven(chain, 'alice', 'hello-one', 'hi', { user: 'x' }));
    },
  ),
  {
    row: RUN_ERRORS.contract_own_time_exceeded,
    code: 3080004,
    name: 'tx_cpu_usage_exceeded',
    message:
      'transaction exceeded the current CPU usage limit imposed on the transaction: transaction was executing for too long',
    raise: () => {
      const spin = { account: accountText(alice), contract_id: accountText(lab), method_name: 'spin' };
      return w.run(75, spin, { contractTimeUsMax: 100 });
    },
  },
  assertion(
    HOST.contract_memos_large,
    'this node takes in at most 4 bytes of memos that the contracts of one transaction write',
    () => {
      const pay = { account: accountText(alice), contract_id: accountText(paying), method_name: 'put' };
      return w.run(75, pay, { contractMemos: { bytes: 0, bytesMax: 4 } });
    },
  ),
  assertion(
    HOST.contract_arguments_large,
    'this node takes in at most 4 bytes of arguments that the contracts of one transaction send to others',
    () => {
      const say = { account: accountText(alice), contract_id: accountText(talking), method_name: 'put' };
      return w.run(75, say, { contractArguments: { bytes: 0, bytesMax: 4 } });
    },
  ),
];
