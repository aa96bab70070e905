import type { ErrorRow } from '../../../src/base/errors.js';
import { packedSize } from '../../../src/codec/binary.js';
import { CONTRACT_ERRORS } from '../../../src/operations/contract/contract-checks.js';
import { CONTRACT_DEPLOY_ERRORS, contractDeploy } from '../../../src/operations/contract/contract-deploy.js';
import { CONTRACT_UPDATE_ERRORS } from '../../../src/operations/contract/contract-update.js';
import { PIPELINE_ERRORS } from '../../../src/operations/pipeline.js';
import { abiDef } from '../../../src/protocol/abi.js';
import { emptyAuthority } from '../../../src/protocol/authority.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { dynamicGlobalPropertyObject } from '../../../src/state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { WASM_ERRORS } from '../../../src/vm/errors.js';
import { OP } from '../../../src/vm/wasm/opcodes.js';
import { callGiven } from '../../support/example-contracts.js';
import { holds } from '../../support/holds.js';
import { refused } from '../../support/refused.js';
import { deployVector, vectorContract } from '../../support/vector-contracts.js';
import { buildModule } from '../../support/wasm-builder.js';
import { core, worldTest } from '../../support/world.js';

const FUNDS = 10n ** 9n;
const WORLD = { accounts: { alice: FUNDS, bob: FUNDS, 'ram-account': 0n } };
const NO_MODULE = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);

worldTest('contract_deploy (74)', { ...WORLD, fees: true }, (t, w) => {
  const hello = vectorContract('hello');
  const given = { name: 'hello-one', account: 'alice', vm_type: '0', vm_version: '1', ...hello };
  const fee = w.operation('contract_deploy', given)[1].fee.amount;
  // Everything that the operation says is paid by its size.
  const [, body] = w.operation('contract_deploy', given);
  const size = packedSize(contractDeploy.schema, body as unknown as Parameters<typeof contractDeploy.schema.toJson>[0]);
  t.equal(fee, 100_000n + BigInt(Math.floor((size * 100_000) / 1024)));
  const cases: readonly (readonly [ErrorRow, object])[] = [
    [CONTRACT_DEPLOY_ERRORS.contract_name_invalid, { name: 'No' }],
    [CONTRACT_DEPLOY_ERRORS.contract_name_taken, { name: 'bob' }],
    [CONTRACT_ERRORS.contract_code_empty, { code: new Uint8Array(), fee: core(fee) }],
    [CONTRACT_ERRORS.contract_without_actions, { abi: abiDef.default(), fee: core(fee) }],
    [WASM_ERRORS.wasm_malformed, { code: NO_MODULE, fee: core(fee) }],
    [PIPELINE_ERRORS.fee_insufficient, { fee: core(fee - 1n) }],
    // Of several faults the first in this order is told.
    [CONTRACT_DEPLOY_ERRORS.contract_name_taken, { name: 'bob', code: NO_MODULE, abi: abiDef.default() }],
    [CONTRACT_ERRORS.contract_without_actions, { code: NO_MODULE, abi: abiDef.default() }],
    [CONTRACT_ERRORS.contract_fee_negative, { fee: core(-1) }],
  ];
  for (const [row, more] of cases) w.refuse(t, row, 'contract_deploy', { ...given, ...more });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('contract_deploy', given, ['bob']));
  const registered = () => w.state.single(dynamicGlobalPropertyObject).accounts_registered_this_interval;
  const [before, balance] = [registered(), w.balance('alice')];
  const id = w.create('contract_deploy', given);
  w.block();
  t.equal(w.balance('alice'), balance - fee);
  t.equal(registered(), before, 'contracts do not make accounts dearer');
  const contract = w.account('hello-one');
  const alice = w.id('alice');
  const { network_percent_of_fee, lifetime_referrer_percent_of_fee } = w.state.single(globalPropertyObject).parameters;
  holds(t, contract, {
    id,
    registrar: alice,
    referrer: alice,
    lifetime_referrer: alice,
    network_fee_percentage: network_percent_of_fee,
    lifetime_referrer_fee_percentage: lifetime_referrer_percent_of_fee,
    referrer_rewards_percentage: 0,
    membership_expiration_date: 0,
    owner: emptyAuthority(0),
    active: emptyAuthority(0),
    options: accountObject.schema.default().options,
    vm_type: '0',
    vm_version: '1',
    code: hello.code,
    abi: hello.abi,
  });
  t.match(contract.code_version, /^08f0f342/, 'the hash covers the length of the code as well');
  holds(t, w.state.get(accountStatisticsObject, contract.statistics), { owner: id, lifetime_fees_paid: 0n });
  // Quirk: an authority without threshold is satisfied by nobody's signature.
  w.push('transfer', { from: 'alice', to: 'hello-one', amount: core(200_000) });
  w.push('transfer', { from: 'hello-one', to: 'bob', amount: core(100_000) }, []);
  w.block();
  t.same([w.balance('hello-one'), w.balance('bob')], [0n, FUNDS + 100_000n]);
});

worldTest('the account of a contract is protected by an authority of its own', { ...WORLD, fees: true }, (t, w) => {
  const contract = deployVector(w, 'bank', 'bank-one');
  w.block();
  const authority = { ...emptyAuthority(1), account_auths: [[w.id('alice'), 1]] };
  const protect = w.operation('account_update', { account: contract, owner: authority, active: authority });
  const money = w.operation('transfer', { from: 'alice', to: contract, amount: protect[1].fee });
  w.pushAll([money, protect], ['alice']);
  w.block();
  t.same(w.balance('bank-one'), 0n, 'the fee came with the money for it');
  w.push('transfer', { from: 'alice', to: contract, amount: core(500_000) });
  w.block();
  const take = { from: 'bank-one', to: 'bob', amount: core(100_000) };
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('transfer', take, []));
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('transfer', take, ['bob']));
  const thief = { ...emptyAuthority(1), account_auths: [[w.id('bob'), 1]] };
  const steal = { account: contract, owner: thief, fee: core(100_000) };
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('account_update', steal, ['bob']));
  t.same(w.push('transfer', take, ['alice']), [0, {}], 'who holds it needs no code');
  // The code goes on paying, and the owner updating.
  w.push('contract_call', callGiven(w, 'bob', 'bank-one', 'deposit', {}, 1000));
  const args = { to_account: 'bob', amount: { amount: 1000, asset_id: 1 } };
  const before = w.balance('bob');
  w.push('contract_call', callGiven(w, 'bob', 'bank-one', 'withdraw', args));
  t.ok(w.balance('bob') > before, 'paid by the code');
  const least = core(100_000);
  t.same(w.push('contract_update', { fee: least, owner: 'alice', contract, ...vectorContract('bank') }), [0, {}]);
  w.block();
});

worldTest('contract_update (76)', WORLD, (t, w) => {
  const contract = deployVector(w, 'hello', 'contract-one');
  const [hello, bank] = [vectorContract('hello'), vectorContract('bank')];
  const bytes = ({ code, abi }: typeof hello): number => code.length + packedSize(abiDef, abi);
  // Whatever the schedule says, which asks for nothing here.
  const least = 100_000n;
  const growth = least + BigInt(Math.floor(((bytes(bank) - bytes(hello)) * 100_000) / 1024));
  const update = (more: object = {}) => ({ fee: core(growth), owner: 'alice', contract, ...bank, ...more });
  const worst = { code: NO_MODULE, abi: abiDef.default(), new_owner: 9_999, fee: core(FUNDS / 10n) };
  const cases: readonly (readonly [ErrorRow, object])[] = [
    [CONTRACT_UPDATE_ERRORS.update_contract_missing, { contract: 9_999 }],
    [CONTRACT_UPDATE_ERRORS.update_not_owner, { owner: 'bob' }],
    // bob is his own registrar.
    [CONTRACT_UPDATE_ERRORS.update_no_contract, { owner: 'bob', contract: w.id('bob'), fee: core(FUNDS) }],
    [CONTRACT_ERRORS.contract_code_empty, { code: new Uint8Array() }],
    [WASM_ERRORS.wasm_malformed, { code: NO_MODULE }],
    [CONTRACT_ERRORS.contract_without_actions, { abi: abiDef.default() }],
    [CONTRACT_UPDATE_ERRORS.update_new_owner, { new_owner: 9_999 }],
    [PIPELINE_ERRORS.fee_insufficient, { fee: core(growth - 1n) }],
    [PIPELINE_ERRORS.fee_insufficient, { ...hello, fee: core(least - 1n) }],
    [CONTRACT_ERRORS.contract_fee_negative, { fee: core(-1) }],
    // Of several faults the first in this order is told.
    [CONTRACT_UPDATE_ERRORS.update_not_owner, { ...worst, contract: w.id('alice'), owner: 'bob' }],
    [CONTRACT_UPDATE_ERRORS.update_no_contract, { ...worst, owner: 'bob', contract: w.id('bob') }],
    [WASM_ERRORS.wasm_malformed, worst],
    [CONTRACT_ERRORS.contract_without_actions, { ...worst, code: bank.code }],
  ];
  for (const [row, more] of cases) w.refuse(t, row, 'contract_update', update(more));
  const { abi } = w.state.get(accountObject, contract);
  const { structs } = abi;
  let looks = 0;
  const get = () => {
    looks++;
    return structs;
  };
  Object.defineProperty(abi, 'structs', { get, enumerable: true, configurable: true });
  w.refuse(t, PIPELINE_ERRORS.fee_insufficient, 'contract_update', update({ fee: core(growth - 1n) }));
  t.equal(looks, 0, 'what is there is measured once');
  Object.defineProperty(abi, 'structs', { value: structs, enumerable: true, writable: true, configurable: true });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('contract_update', update(), ['bob']));
  const former = w.account('contract-one');
  const { statistics, registrar } = former;
  t.same(w.push('contract_update', update({ ...hello, fee: core(least) })), [0, {}], 'the same code again');
  const balance = w.balance('alice');
  t.same(w.push('contract_update', update()), [0, {}]);
  w.block();
  t.equal(w.balance('alice'), balance - growth);
  holds(t, w.account('contract-one'), { id: contract, registrar, statistics, code: bank.code, abi: bank.abi });
  t.notMatch(w.account('contract-one').code_version, /^08f0f342/);
  const shrunk = update({ ...hello, fee: core(least - 1n) });
  w.refuse(t, PIPELINE_ERRORS.fee_insufficient, 'contract_update', shrunk, 'nothing comes back for less code');
  w.push('contract_update', update({ ...hello, new_owner: 'bob', fee: core(least) }));
  w.block();
  const bob = w.id('bob');
  holds(t, w.account('contract-one'), { registrar: bob, referrer: bob, lifetime_referrer: bob, code: hello.code });
  const byAlice = update({ ...hello, fee: core(least) });
  w.refuse(t, CONTRACT_UPDATE_ERRORS.update_not_owner, 'contract_update', byAlice);
  w.push('contract_update', { ...byAlice, owner: 'bob' });
  w.push('contract_call', callGiven(w, 'alice', 'contract-one', 'hi', { user: 'lzy' }));
  w.block();
});

worldTest('contract_update (76) pays for the bytes of the code, not for those that say its length', WORLD, (t, w) => {
  const { abi } = vectorContract('hello');
  const sized = (nops: number) => buildModule({ memory: null, apply: (a) => a.raw(new Array(nops).fill(OP.nop)) });
  const [small, large] = [sized(1), sized(150)];
  t.ok(small.length < 128 && large.length >= 128, 'lengths of one byte and of two');
  const names = { name: 'small', account: 'alice', vm_type: '0', vm_version: '0' };
  const contract = w.create('contract_deploy', { ...names, code: small, abi });
  const fee = 100_000n + BigInt(Math.floor(((large.length - small.length) * 100_000) / 1024));
  const given = { owner: 'alice', contract, code: large, abi };
  w.refuse(t, PIPELINE_ERRORS.fee_insufficient, 'contract_update', { ...given, fee: core(fee - 1n) });
  t.same(w.push('contract_update', { ...given, fee: core(fee) }), [0, {}]);
  w.block();
});
