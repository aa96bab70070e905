import { readFileSync } from 'node:fs';
import t from 'tap';
import { toHex } from '../../../src/base/bytes.js';
import type { ErrorRow } from '../../../src/base/errors.js';
import { INT_ERRORS } from '../../../src/base/int.js';
import { packedSize } from '../../../src/codec/binary.js';
import { parseJson } from '../../../src/codec/json.js';
import { CALL_FEE_ERRORS, ramPrice } from '../../../src/operations/contract/call-fee.js';
import { CONTRACT_CALL_ERRORS } from '../../../src/operations/contract/contract-call.js';
import { CONTRACT_ERRORS } from '../../../src/operations/contract/contract-checks.js';
import { CONTRACT_DEPLOY_ERRORS } from '../../../src/operations/contract/contract-deploy.js';
import { CONTRACT_UPDATE_ERRORS } from '../../../src/operations/contract/contract-update.js';
import { contractHost } from '../../../src/operations/contract/host.js';
import { INTER_CONTRACT_CALL_ERRORS } from '../../../src/operations/contract/inter-contract-call.js';
import { OPERATIONS_47_84 } from '../../../src/operations/list-47-84.js';
import { PIPELINE_ERRORS } from '../../../src/operations/pipeline.js';
import { registerDefinitions } from '../../../src/operations/registered.js';
import { abiDef } from '../../../src/protocol/abi.js';
import { makeAsset } from '../../../src/protocol/asset.js';
import { MAINNET_FORKS } from '../../../src/protocol/forks.js';
import { nameFromText } from '../../../src/protocol/name.js';
import type { OperationResult } from '../../../src/protocol/results.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../../src/state/objects/asset-dynamic-data.js';
import { blockSummaryObject } from '../../../src/state/objects/block-summary.js';
import { keyValueObject, tableIdObject } from '../../../src/state/objects/contract-table.js';
import { dynamicGlobalPropertyObject } from '../../../src/state/objects/dynamic-global-property.js';
import { vestingBalanceObject } from '../../../src/state/objects/vesting-balance.js';
import { adjustBalance, BALANCE_ERRORS } from '../../../src/state/rules/balances.js';
import { RUN_ERRORS, WASM_ERRORS } from '../../../src/vm/errors.js';
import { INLINE_ERRORS } from '../../../src/vm/inline-call.js';
import { INSTANCE_ERRORS } from '../../../src/vm/instance.js';
import { BareWorld } from '../../support/bare-world.js';
import { projectPath } from '../../support/paths.js';
import { refused } from '../../support/refused.js';
import { buildModule } from '../../support/wasm-builder.js';

registerDefinitions(Object.assign([], Object.fromEntries(OPERATIONS_47_84.map((entry) => [entry.tag, entry]))));

const code = (name: string): string => toHex(readFileSync(projectPath(`test/vectors/contracts/${name}.wasm`)));
const abi = (name: string) => parseJson(readFileSync(projectPath(`test/vectors/contracts/${name}.abi`), 'utf8'));

const FUNDS = 10_000_000_000n;

function setup(headTime?: number, ramName = 'ram-account', forks = MAINNET_FORKS) {
  const world = new BareWorld(headTime, forks);
  const ram = world.account(ramName);
  const alice = world.account('alice', {}, FUNDS);
  const bob = world.account('bob', {}, FUNDS);
  const core = `1.3.${world.state.coreAsset}`;
  const deploy = (name: string, account = alice) =>
    world.run(74, {
      fee: { amount: 5_000_000, asset_id: core },
      name: `${name}-contract`,
      account: `1.2.${account}`,
      code: code(name),
      abi: abi(name),
    });
  const call = (account: number, contract: number, method_name: string, data = '', amount?: number) =>
    world.run(
      75,
      {
        account: `1.2.${account}`,
        contract_id: `1.2.${contract}`,
        method_name,
        data,
        ...(amount === undefined ? {} : { amount: { amount, asset_id: core } }),
      },
      { billedCpuUs: 77 },
    );
  return { world, ram, alice, bob, deploy, call, core };
}

const instanceOf = (result: OperationResult): number => Number((result[1] as bigint) & 0xffff_ffff_ffffn);
const receipt = (result: OperationResult) => {
  if (result[0] !== 4) throw new Error(`result has tag ${result[0]}`);
  return result[1];
};

t.test('deploy creates an account that belongs to the payer', (t) => {
  const { world, alice, deploy } = setup();
  const contract = world.state.get(accountObject, instanceOf(deploy('hello')));
  t.equal(contract.name, 'hello-contract');
  t.match(contract, {
    registrar: alice,
    referrer: alice,
    lifetime_referrer: alice,
    lifetime_referrer_fee_percentage: 3000,
  });
  t.equal(contract.code_version.slice(0, 8), '08f0f342', 'the hash covers the length prefix');
  t.equal(contract.active.weight_threshold, 0);
  t.equal(world.balance(alice), FUNDS - 5_000_000n);
  t.end();
});

t.test('deploy refuses', (t) => {
  const { world, alice, deploy, core } = setup();
  deploy('hello');
  const op = {
    account: `1.2.${alice}`,
    code: code('hello'),
    abi: abi('hello'),
    fee: { amount: 5_000_000, asset_id: core },
  };
  const cases: readonly [Parameters<BareWorld['run']>[1], ErrorRow][] = [
    [{ ...op, name: 'hello-contract' }, CONTRACT_DEPLOY_ERRORS.contract_name_taken],
    [{ ...op, name: 'other', abi: {} }, CONTRACT_ERRORS.contract_without_actions],
    [{ ...op, name: 'other', fee: { amount: 100_000, asset_id: core } }, PIPELINE_ERRORS.fee_insufficient],
  ];
  for (const [json, row] of cases) refused(t, row, () => world.run(74, json));
  t.throws(() => world.run(74, { ...op, name: 'other', code: '0061736d' }), 'code that is no module');
  t.equal(world.balance(alice), FUNDS - 5_000_000n, 'nothing was charged');
  t.end();
});

t.test('a call without effects costs the base fee, which vests back', (t) => {
  const { world, alice, deploy, call } = setup();
  const contract = instanceOf(deploy('hello'));
  const before = world.balance(alice);
  t.same(receipt(call(alice, contract, 'hi', '036c7a79')), {
    billed_cpu_time_us: 77,
    fee: { amount: 100n, asset_id: 1 },
    ram_receipts: [],
  });
  t.equal(world.balance(alice), before - 100n);
  const cashback = world.state.get(accountObject, alice).contract_call_cashback_vb;
  const vesting = world.state.get(vestingBalanceObject, cashback ?? -1);
  t.same([vesting.owner, vesting.balance], [alice, { amount: 100n, asset_id: 1 }]);
  t.end();
});

t.test('RAM is paid by account, as in the published trace', (t) => {
  const { world, ram, alice, deploy, call } = setup();
  const contract = instanceOf(deploy('bank'));
  const first = receipt(call(alice, contract, 'deposit', '', 500));
  t.same(first.ram_receipts, [{ account: alice, ram_bytes: 249n, ram_fee: { amount: 12_159n, asset_id: 1 } }]);
  t.equal(world.balance(ram), 12_159n);
  t.equal(world.balance(contract), 500n);

  refused(
    t,
    BALANCE_ERRORS.balance_insufficient,
    () => call(alice, contract, 'deposit', '', 100),
    'the contract cannot pay its RAM',
  );
  world.run(78, {
    fee: { amount: 200_000, asset_id: '1.3.1' },
    from: `1.2.${alice}`,
    to: `1.2.${contract}`,
    amount: { amount: 10_000, asset_id: '1.3.1' },
  });
  const second = receipt(call(alice, contract, 'deposit', '', 100));
  t.same(second.ram_receipts, [
    { account: alice, ram_bytes: -137n, ram_fee: { amount: -6689n, asset_id: 1 } },
    { account: contract, ram_bytes: 137n, ram_fee: { amount: 6690n, asset_id: 1 } },
  ]);
  t.equal(world.balance(ram), 12_159n - 6689n + 6690n);

  const name = '05616c696365';
  call(alice, contract, 'withdraw', `${name}c8000000000000000100000000000000`);
  call(alice, contract, 'withdraw', `${name}90010000000000000100000000000000`);
  t.equal(world.state.count(keyValueObject), 0);
  t.equal([...world.state.all(tableIdObject)][0]?.count, 0, 'the empty table stays');
  t.end();
});

t.test('a call refuses', (t) => {
  const { world, alice, bob, deploy, call } = setup();
  const hello = instanceOf(deploy('hello'));
  const bank = instanceOf(deploy('bank'));
  refused(t, CONTRACT_CALL_ERRORS.call_no_code, () => call(alice, bob, 'hi'));
  refused(t, CONTRACT_CALL_ERRORS.call_method_unknown, () => call(alice, hello, 'nope'));
  refused(t, CONTRACT_CALL_ERRORS.call_method_not_payable, () => call(alice, hello, 'hi', '036c7a79', 1));
  refused(t, CONTRACT_CALL_ERRORS.call_amount, () => call(alice, bank, 'deposit', '', 0));
  refused(t, CONTRACT_CALL_ERRORS.call_balance, () => call(bob, bank, 'deposit', '', Number(FUNDS) + 1));
  const poor = new BareWorld();
  const caller = poor.account('caller', {}, FUNDS);
  const other = instanceOf(
    poor.run(74, {
      fee: { amount: 5_000_000, asset_id: '1.3.1' },
      name: 'hello',
      account: `1.2.${caller}`,
      code: code('hello'),
      abi: abi('hello'),
    }),
  );
  refused(t, CALL_FEE_ERRORS.ram_account_missing, () =>
    poor.run(75, { account: `1.2.${caller}`, contract_id: `1.2.${other}`, method_name: 'hi' }),
  );
  refused(t, INTER_CONTRACT_CALL_ERRORS.call_outside_contract, () =>
    world.run(79, { sender_contract: `1.2.${hello}`, contract_id: `1.2.${bank}`, method_name: 'deposit' }),
  );
  t.end();
});

t.test('contracts call contracts, and everything counts for the outermost call', (t) => {
  const { world, alice, deploy, call } = setup();
  const lab = instanceOf(deploy('lab'));
  const u64 = (value: number | bigint): string => {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, BigInt(value), true);
    return toHex(bytes);
  };
  const name = (text: string): string => u64(nameFromText(text));
  const put = u64(5) + u64(6) + u64(7);
  /** Sends so many calls of a method of its own. */
  const relay = (n: number, method: string, data: string, amount = 0): string =>
    `0${n}${u64(lab)}${u64(lab)}${u64(amount)}${u64(1)}${name(method)}${data}`;

  refused(t, BALANCE_ERRORS.balance_missing, () => call(alice, lab, 'relay', relay(1, 'put', `18${put}`)), 'its RAM');
  t.equal(world.state.count(keyValueObject), 0, 'a refused call leaves nothing');
  world.run(78, {
    fee: { amount: 200_000, asset_id: '1.3.1' },
    from: `1.2.${alice}`,
    to: `1.2.${lab}`,
    amount: { amount: 1_000_000, asset_id: '1.3.1' },
  });
  const result = receipt(call(alice, lab, 'relay', relay(1, 'put', `18${put}`, 10)));
  t.equal(world.state.count(keyValueObject), 1, 'the inline call stored a row');
  const [paid] = result.ram_receipts;
  t.equal(paid?.account, lab, 'the callee pays for its RAM');
  t.equal(world.balance(lab), 1_000_000n - (paid?.ram_fee.amount ?? 0n), 'the amount came back to where it was');

  t.ok(call(alice, lab, 'relay', relay(4, 'exitc', '00')), 'one more than the parameter says');
  refused(t, INLINE_ERRORS.contract_inline_count, () => call(alice, lab, 'relay', relay(5, 'exitc', '00')));
  t.end();
});

t.test('a call is limited in time unless the block says how long it took', (t) => {
  const { world, alice, deploy } = setup();
  const lab = instanceOf(deploy('lab'));
  const spin = { account: `1.2.${alice}`, contract_id: `1.2.${lab}`, method_name: 'spin' };
  refused(t, RUN_ERRORS.contract_own_time_exceeded, () => world.run(75, spin, { contractTimeUsMax: 100 }));
  const hello = instanceOf(deploy('hello'));
  const hi = { account: `1.2.${alice}`, contract_id: `1.2.${hello}`, method_name: 'hi', data: '036c7a79' };
  const measured = receipt(world.run(75, hi)).billed_cpu_time_us;
  t.ok(measured > 0 && measured < 10_000, 'measured by the engine');
  t.equal(receipt(world.run(75, hi, { billedCpuUs: 123 })).billed_cpu_time_us, 123);
  const billed = world.run(75, hi, { billedCpuUs: 1, contractTimeUsMax: 0 });
  t.equal(receipt(billed).billed_cpu_time_us, 1, 'the least that a block can say takes away the limit too');
  // The smaller of both limits, to the microsecond; of equal ones it is the chain's.
  const within = (trx_cpu_limit: number, contractTimeUsMax: number) => () => {
    world.setParameterExtension([7, { trx_cpu_limit, block_cpu_limit: 800_000 }]);
    return receipt(world.run(75, hi, { contractTimeUsMax })).billed_cpu_time_us;
  };
  t.equal(within(measured, measured)(), measured);
  refused(t, RUN_ERRORS.contract_time_exceeded, within(measured - 1, measured));
  refused(t, RUN_ERRORS.contract_time_exceeded, within(measured - 1, measured - 1));
  refused(t, RUN_ERRORS.contract_own_time_exceeded, within(measured, measured - 1));
  t.end();
});

t.test('before fork 1016 a call has one fee, which is booked like others', (t) => {
  const { world, alice, deploy, call } = setup(MAINNET_FORKS.HF_1129);
  const bank = instanceOf(deploy('bank'));
  const before = world.balance(alice);
  const result = call(alice, bank, 'deposit', '', 500);
  // 137 bytes: the row alone.
  const fee = 100n + (137n * 50_000n) / 1024n;
  t.same(result, [3, { billed_cpu_time_us: 77, ram_usage_bs: 137, fee: { amount: fee, asset_id: 1 } }]);
  t.equal(world.balance(alice), before - 500n - fee);
  const statistics = world.state.get(accountStatisticsObject, world.state.get(accountObject, alice).statistics);
  t.equal(statistics.pending_vested_fees, 5_000_000n + fee);
  t.end();
});

t.test('before fork 1016 too the pool of the asset of the fee pays, and what it pays is booked', (t) => {
  const { world, alice, deploy } = setup(MAINNET_FORKS.HF_1129);
  const bank = instanceOf(deploy('bank'));
  const { state } = world;
  const dynamic_asset_data_id = world.create(assetDynamicDataObject, { fee_pool: 100_000n }).id;
  const asset = world.create(assetObject, { symbol: 'THING', dynamic_asset_data_id });
  state.modify(assetObject, asset, (o) => {
    const core_exchange_rate = { base: makeAsset(5n, 1), quote: makeAsset(2n, asset.id) };
    o.options = { ...o.options, core_exchange_rate };
  });
  adjustBalance(state, alice, asset.id, 10_000n);
  const given = { account: `1.2.${alice}`, contract_id: `1.2.${bank}`, method_name: 'deposit' };
  const amount = { amount: 500, asset_id: '1.3.1' };
  const result = world.run(75, { ...given, amount, fee: { amount: 0, asset_id: `1.3.${asset.id}` } });
  // 100 for the call and 6689 for the row, at two for one; the way back is at the rate itself.
  const [fee, paid] = [6789n / 2n, ((6789n / 2n) * 5n) / 2n];
  t.match(result, [3, { fee: makeAsset(fee, asset.id) }]);
  t.equal(world.balance(alice, asset.id), 10_000n - fee);
  t.match(state.get(assetDynamicDataObject, dynamic_asset_data_id), {
    accumulated_fees: fee,
    fee_pool: 100_000n - paid,
  });
  const { statistics } = state.get(accountObject, alice);
  t.equal(state.get(accountStatisticsObject, statistics).pending_vested_fees, 5_000_000n + paid);
  t.end();
});

t.test('until fork 1008 what a contract pays out has a fee of nothing in an asset that must have a rate', (t) => {
  const paidOut = (headTime: number, hasRate: boolean) => {
    const { world, alice, deploy, call } = setup(headTime);
    const bank = instanceOf(deploy('bank'));
    call(alice, bank, 'deposit', '', 500);
    const { coreAsset } = world.state;
    if (hasRate) {
      world.state.modify(assetObject, world.state.get(assetObject, 1), (o) => {
        const core_exchange_rate = { base: { amount: 3n, asset_id: 0 }, quote: { amount: 7n, asset_id: 1 } };
        o.options = { ...o.options, core_exchange_rate };
      });
    }
    // To alice, 200 of the core asset.
    const withdraw = () => call(alice, bank, 'withdraw', `05616c696365c8000000000000000${coreAsset}00000000000000`);
    return { withdraw, balance: () => world.balance(bank) };
  };
  const { HF_1008 } = MAINNET_FORKS;
  const before = paidOut(HF_1008, false);
  // The text of this refusal keeps a placeholder.
  t.throws(before.withdraw, /invalid asset \* price/, 'the fee is of 1.3.1, which is not yet the core asset');
  t.equal(before.balance(), 500n);
  for (const { withdraw, balance } of [paidOut(HF_1008, true), paidOut(HF_1008 + 1, false)]) {
    withdraw();
    t.equal(balance(), 300n);
  }
  t.end();
});

t.test('a row from before payers were looked at gives its bytes back to accounts alone', (t) => {
  const { world, ram, alice, call } = setup();
  const { state } = world;
  adjustBalance(state, ram, state.coreAsset, FUNDS);
  const bytes = buildModule({
    imports: ['db_find_i64', 'db_remove_i64'],
    apply: (a) => a.localGet(0).i64(0n).i64(1n).i64(7n).call(0).call(1),
  });
  const fee = { amount: 5_000_000, asset_id: `1.3.${state.coreAsset}` };
  const abi = { actions: [{ name: 'remove', type: 'remove', payable: false }] };
  const remover = instanceOf(world.run(74, { fee, name: 'remover', account: `1.2.${alice}`, code: toHex(bytes), abi }));
  const { id } = world.create(tableIdObject, { code: BigInt(remover), table: 1n, payer: 0n, count: 1 });
  const removed = (payer: bigint) => () => {
    const row = world.create(keyValueObject, { t_id: id, primary_key: 7n, payer, value: new Uint8Array(20) });
    try {
      return receipt(call(alice, remover, 'remove')).ram_receipts.map(({ account }) => account);
    } finally {
      if (state.find(keyValueObject, row.id) !== undefined) state.remove(keyValueObject, row);
    }
  };
  for (const payer of [2n ** 48n, 2n ** 60n + 1n]) {
    refused(t, INSTANCE_ERRORS.contract_instance_range, removed(payer));
    t.equal(world.balance(Number(payer)), 0n, 'nor to what looks like it when it is no longer exact');
  }
  t.same(removed(0n)(), [], 'nobody was to pay for it');
  t.same(removed(2n ** 48n - 1n)(), [2 ** 48 - 1]);
  t.end();
});

t.test('calls need the account for RAM since fork 1016, even if they take none', (t) => {
  const headTime = MAINNET_FORKS.HF_1016;
  // Others of that day change nothing of it.
  const others = { HF_1013: headTime + 9, HF_1017: headTime + 9 };
  for (const [passed, isNeeded] of [
    [0, false],
    [1, true],
  ] as const) {
    const { alice, deploy, call } = setup(headTime + passed, 'another-name', { ...MAINNET_FORKS, ...others });
    const hello = instanceOf(deploy('hello'));
    const hi = () => call(alice, hello, 'hi', '036c7a79');
    if (isNeeded) refused(t, CALL_FEE_ERRORS.ram_account_missing, hi);
    else t.match(hi(), [3, { ram_usage_bs: 0 }]);
  }
  t.end();
});

t.test('code is looked at when it is deployed since fork 1006, and always when it is updated', (t) => {
  const noModule = toHex(new Uint8Array(8));
  for (const [headTime, isLookedAt] of [
    [MAINNET_FORKS.HF_1006, false],
    [MAINNET_FORKS.HF_1006 + 1, true],
  ] as const) {
    const { world, alice, deploy, core } = setup(headTime);
    const given = { fee: { amount: 5_000_000, asset_id: core }, abi: abi('hello'), code: noModule };
    const bad = () => world.run(74, { ...given, name: 'no-module', account: `1.2.${alice}` });
    if (isLookedAt) refused(t, WASM_ERRORS.wasm_malformed, bad);
    else t.equal(toHex(world.state.get(accountObject, instanceOf(bad())).code), noModule);
    const contract = `1.2.${instanceOf(deploy('hello'))}`;
    const update = () => world.run(76, { ...given, owner: `1.2.${alice}`, contract });
    refused(t, WASM_ERRORS.wasm_malformed, update);
  }
  t.end();
});

t.test('update', (t) => {
  const { world, alice, bob, deploy, core } = setup();
  const contract = instanceOf(deploy('hello'));
  const size = (name: string): number => code(name).length / 2 + packedSize(abiDef, abiDef.fromJson(abi(name)));
  const growth = size('bank') - size('hello');
  const op = {
    owner: `1.2.${alice}`,
    contract: `1.2.${contract}`,
    code: code('bank'),
    abi: abi('bank'),
    fee: { amount: 100_000 + Math.floor((growth * 100_000) / 1024), asset_id: core },
  };
  const same = { ...op, code: code('hello'), abi: abi('hello'), fee: { amount: 100_000, asset_id: core } };
  refused(t, CONTRACT_UPDATE_ERRORS.update_not_owner, () => world.run(76, { ...same, owner: `1.2.${bob}` }));
  refused(t, CONTRACT_UPDATE_ERRORS.update_no_contract, () =>
    world.run(76, { ...op, fee: { amount: 5_000_000, asset_id: core }, owner: '1.2.0', contract: `1.2.${bob}` }),
  );
  refused(t, CONTRACT_UPDATE_ERRORS.update_new_owner, () => world.run(76, { ...same, new_owner: '1.2.99' }));
  refused(t, PIPELINE_ERRORS.fee_insufficient, () =>
    world.run(76, { ...same, fee: { amount: 99_999, asset_id: core } }),
  );
  t.same(world.run(76, same), [0, {}], 'the same code again is allowed');
  const short = { ...op, fee: { ...op.fee, amount: op.fee.amount - 1 } };
  refused(t, PIPELINE_ERRORS.fee_insufficient, () => world.run(76, short), 'growth is paid to the last unit');
  t.same(world.run(76, { ...op, new_owner: `1.2.${bob}` }), [0, {}]);
  t.match(world.state.get(accountObject, contract), { registrar: bob, referrer: bob, lifetime_referrer: bob });
  t.equal(toHex(world.state.get(accountObject, contract).code), code('bank'));
  t.end();
});

t.test('until fork 1015 whoever had registered an account could make a contract of it', (t) => {
  const { world, alice, core } = setup(MAINNET_FORKS.HF_1015);
  const normal = world.account('normal', { registrar: alice });
  const update = () =>
    world.run(76, {
      fee: { amount: 5_000_000, asset_id: core },
      owner: `1.2.${alice}`,
      contract: `1.2.${normal}`,
      code: code('hello'),
      abi: abi('hello'),
    });
  world.pass(1);
  refused(t, CONTRACT_UPDATE_ERRORS.update_no_contract, update);
  world.pass(-1);
  t.same(update(), [0, {}]);
  t.equal(toHex(world.state.get(accountObject, normal).code), code('hello'));
  t.end();
});

t.test('from the second of fork 1024 on code may stay, and from the next on only growth is paid for', (t) => {
  for (const [headTime, row] of [
    [MAINNET_FORKS.HF_1024 - 1, CONTRACT_UPDATE_ERRORS.update_same_code],
    [MAINNET_FORKS.HF_1024, undefined],
  ] as const) {
    const { world, alice, deploy, core } = setup(headTime);
    const contract = `1.2.${instanceOf(deploy('hello'))}`;
    const update = (amount: number) =>
      world.run(76, {
        fee: { amount, asset_id: core },
        owner: `1.2.${alice}`,
        contract,
        code: code('hello'),
        abi: abi('hello'),
      });
    refused(t, PIPELINE_ERRORS.fee_insufficient, () => update(100_000), 'all of it is paid for');
    if (row === undefined) t.same(update(5_000_000), [0, {}]);
    else refused(t, row, () => update(5_000_000));
    world.pass(MAINNET_FORKS.HF_1024 + 1 - headTime);
    t.same(update(100_000), [0, {}]);
  }
  t.end();
});

t.test('what the time of a call costs has 63 bits, with the fee beside it', (t) => {
  const { world, alice, deploy, call } = setup();
  const contract = instanceOf(deploy('hello'));
  const most = 2n ** 63n - 1n;
  const priced = (fee: bigint, price_per_ms_cpu: bigint) => () => {
    world.setParameters({
      current_fees: { parameters: [[75, { fee, price_per_kbyte_ram: 0n, price_per_ms_cpu }]], scale: 0 },
    });
    call(alice, contract, 'hi', '036c7a79');
  };
  const [whole, rest] = [most / 77n, most % 77n];
  refused(t, BALANCE_ERRORS.balance_insufficient, priced(rest, whole), 'nobody has as much');
  refused(t, INT_ERRORS.integer_overflow, priced(rest + 1n, whole));
  refused(t, INT_ERRORS.integer_overflow, priced(0n, whole + 1n));
  refused(t, INT_ERRORS.integer_overflow, priced(2n ** 64n - 1n, 0n));
  t.end();
});

t.test('ids of the newest 65536 blocks are part of the state, older ones lie in the store', async (t) => {
  const world = new BareWorld();
  const head = 65_538;
  world.state.modify(dynamicGlobalPropertyObject, world.state.single(dynamicGlobalPropertyObject), (o) => {
    o.head_block_number = head;
  });
  const idOf = (number: number): string => number.toString(16).padStart(40, '0');
  // By their numbers, of which the head has taken the place of the block that many below it.
  for (const number of [65_536, 65_537, head, 3]) world.create(blockSummaryObject, { block_id: idOf(number) });
  const asked: number[] = [];
  const blockId = (number: number) => {
    asked.push(number);
    return idOf(number);
  };
  const { chain } = contractHost(world.state, { ...world.context, blockId }, () => {
    throw new Error('nothing runs');
  });
  for (const number of [1, 2, 3, 65_536, 65_537, head]) {
    t.equal(toHex(chain.blockId(number) ?? new Uint8Array(0)), idOf(number), `${number}`);
  }
  t.same(asked, [1, 2]);
});

t.test('the price of RAM is rounded up, of freed RAM toward zero', (t) => {
  for (const [bytes, price] of [
    [232, 11_329n],
    [120, 5860n],
    [-120, -5859n],
    [249, 12_159n],
    [-137, -6689n],
    [137, 6690n],
  ] as const) {
    t.equal(ramPrice(bytes, 50_000n), price, `${bytes}`);
  }
  for (const bytes of [1024, -1024]) {
    refused(t, CALL_FEE_ERRORS.ram_fee_overflow, () => ramPrice(bytes, 2n ** 63n));
  }
  t.end();
});
