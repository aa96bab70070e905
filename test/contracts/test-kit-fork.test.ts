import { readFileSync } from 'node:fs';
import t from 'tap';
import { type ContractFiles, expectRefusal, startTestChain } from '../../src/testing/library.js';
import { projectPath } from '../support/paths.js';
import { realChain } from '../support/real-chain.js';

/** A test of a contract beside what is on a real chain. */

const file = (name: string): Buffer => readFileSync(projectPath('test/fixtures/contracts', name));
const filesOf = (name: string): ContractFiles => ({ code: file(`${name}.wasm`), abi: file(`${name}.abi`).toString() });

t.test('the kit on a fork: a contract, accounts of both chains, and somebody impersonated', async (t) => {
  const { files, genesis, treasury, chainId } = await realChain(t.testdir());
  const chain = await startTestChain({ fork: { snapshot: files[1], genesis } });
  t.teardown(() => chain.stop());
  t.equal(await chain.client.database.get_chain_id(), chainId);
  t.equal(chain.account, 'dev-1');
  const bank = await chain.deploy(filesOf('bank'), { name: 'bank' });
  await bank.call('deposit', {}, { pay: '10 GXS' });
  await bank.call('deposit', {}, { by: 'dev-2', pay: '1 GXS' });
  t.equal((await bank.rows('account')).length, 2);

  const ofTreasury = () => bank.call('deposit', {}, { by: 'treasury', pay: '5 GXS' });
  await expectRefusal(ofTreasury(), 'client_unsigned');
  chain.dev.impersonate('treasury');
  await ofTreasury();
  t.equal((await bank.rows('account')).length, 3);
  const left = (await chain.client.balances('treasury'))[0]?.amount ?? 0n;
  t.ok(left < treasury - 500_000n && left > treasury - 1_000_000n, 'it has paid, and the fee');
  chain.dev.stopImpersonate('treasury');
  await expectRefusal(ofTreasury(), 'client_unsigned');
});
