import { parseJson } from '../../../src/codec/json.js';
import { Writer } from '../../../src/codec/writer.js';
import { abiDef } from '../../../src/protocol/abi.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { nameFromText } from '../../../src/protocol/name.js';
import { keyValueObject, tableIdObject } from '../../../src/state/objects/contract-table.js';
import { stateHash } from '../../../src/state/state-hash.js';
import { contractFile } from '../../support/contract-world.js';
import { refused } from '../../support/refused.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';

/** Rules of single checks are in test/unit/operations; here contracts go through blocks, undo and a second chain. */

const WORLD = { accounts: { alice: 10n ** 9n, bob: 10n ** 9n, 'ram-account': 0n } };

const filesOf = (name: string) => ({
  code: contractFile(`${name}.wasm`),
  abi: abiDef.fromJson(parseJson(new TextDecoder().decode(contractFile(`${name}.abi`)))),
});

function deploy(w: TestWorld, name: string, as = `${name}-one`): number {
  const id = w.create('contract_deploy', {
    name: as,
    account: 'alice',
    vm_type: '0',
    vm_version: '0',
    ...filesOf(name),
  });
  w.block();
  return id;
}

function withdrawal(to: string, amount: bigint): Uint8Array {
  const data = new Writer();
  data.varint(BigInt(to.length));
  data.raw(new TextEncoder().encode(to));
  data.u64(amount);
  data.u64(1n);
  return data.finish();
}

worldTest('contract_deploy (74), contract_call (75), contract_update (76)', WORLD, (t, w) => {
  const bank = deploy(w, 'bank');
  t.ok(w.account('bank-one').code.length > 0);
  const call = (account: string, method: string, more: object = {}) => ({
    account,
    contract_id: bank,
    method_name: nameFromText(method),
    data: new Uint8Array(),
    ...more,
  });
  w.push('transfer', { from: 'alice', to: 'bank-one', amount: core(1_000_000) });
  const emptyHash = w.chain.snapshots.withHeadState(stateHash);
  for (const [account, amount] of [
    ['alice', 500],
    ['bob', 300],
    ['alice', 200],
  ] as const) {
    w.push('contract_call', call(account, 'deposit', { amount: core(amount) }));
  }
  t.equal(w.state.count(keyValueObject), 2, 'pending calls show');
  t.equal(w.chain.snapshots.withHeadState(stateHash), emptyHash, 'and have not happened');
  w.block();
  t.equal(w.state.count(tableIdObject), 1);
  t.equal(w.state.count(keyValueObject), 2);
  const before = w.balance('bob');
  w.push('contract_call', call('bob', 'withdraw', { data: withdrawal('bob', 100n) }));
  w.block();
  t.ok(w.balance('bob') > before - 50_000n && w.balance('bob') !== before);
  t.throws(() => w.push('contract_call', call('bob', 'withdraw', { data: withdrawal('bob', 10_000n) })));
  t.throws(() => w.push('contract_call', call('bob', 'nothing')), 'no such action');
  t.throws(() => w.push('contract_call', call('bob', 'withdraw', { data: withdrawal('bob', 1n), amount: core(1) })));
  t.throws(() => w.push('contract_call', { ...call('bob', 'deposit'), contract_id: w.id('alice') }));
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () =>
    w.push('contract_call', call('bob', 'deposit', { amount: core(1) }), ['alice']),
  );
  const update = { fee: core(1_000_000), owner: 'alice', contract: bank, ...filesOf('hello') };
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('contract_update', update, ['bob']));
  w.push('contract_update', update);
  w.block();
  t.throws(() => w.push('contract_call', call('bob', 'deposit', { amount: core(1) })), 'the old actions are gone');
  w.block();
});

worldTest('a transaction that fails after a call leaves nothing of the call', WORLD, (t, w) => {
  const bank = deploy(w, 'bank');
  w.push('transfer', { from: 'alice', to: 'bank-one', amount: core(1_000_000) });
  w.block();
  const hash = w.chain.snapshots.withHeadState(stateHash);
  const deposit = w.operation('contract_call', {
    account: 'alice',
    contract_id: bank,
    method_name: nameFromText('deposit'),
    data: new Uint8Array(),
    amount: core(10),
  });
  const tooMuch = w.operation('transfer', { from: 'alice', to: 'bob', amount: core(10n ** 10n) });
  t.throws(() => w.pushAll([deposit, tooMuch]));
  t.equal(w.state.count(keyValueObject), 0);
  t.equal(w.chain.snapshots.withHeadState(stateHash), hash);
  w.pushAll([deposit]);
  w.block();
  t.equal(w.state.count(keyValueObject), 1);
});
