import { readFileSync } from 'node:fs';
import t from 'tap';
import { toHex } from '../../src/base/bytes.js';
import { abiDef } from '../../src/protocol/abi.js';
import { hasNoBrowser } from '../support/browser.js';
import { exampleContract } from '../support/example-contracts.js';
import { lookAt, openWatched } from '../support/looked-at.js';
import { projectPath } from '../support/paths.js';
import { ExplorerWorld, shows } from './support/explorer-world.js';

/** Whom people vote for, what contracts keep, what is proposed, sold and waits. */

const HOSTILE = '<img src=x onerror="document.title=1"><b>bold</b>';
const CORE = '1.3.1';
const [ALICE, BOB, INIT0] = ['1.2.9', '1.2.10', '1.2.6'];
const transfer = { from: ALICE, to: BOB, amount: { amount: 500000, asset_id: CORE }, extensions: [] };

async function deployBank(world: ExplorerWorld): Promise<void> {
  const file = (name: string): Buffer => readFileSync(projectPath('test/vectors/contracts', name));
  const bank = { name: 'bank', account: ALICE, vm_type: '0', vm_version: '0', extensions: [] };
  const code = file('bank.wasm').toString('hex');
  await world.send('alice', [74, { ...bank, code, abi: JSON.parse(file('bank.abi').toString()) }]);
  await world.blocks(1);
  const { id } = await world.call<{ id: string }>('get_account_by_name', 'bank');
  const deposit = { contract_id: id, method_name: 'deposit', data: '', extensions: [] };
  await world.send('alice', [75, { account: ALICE, ...deposit, amount: { amount: 1000000, asset_id: CORE } }]);
  await world.blocks(1);
}

t.test('the views', { skip: hasNoBrowser }, async (t) => {
  const world = await ExplorerWorld.start(t, { plugins: 'witness account_history', 'max-ops-per-account': '1000' });
  const { page, complaints } = await openWatched(world.browser, world.url);
  const go = async (route: string, title: string): Promise<string> => {
    await page.goto(`${world.url}#/${route}`);
    return shows(page, title);
  };

  t.test('witnesses and committee, with words of strangers as text', async (t) => {
    const url = { new_url: HOSTILE, extensions: [] };
    await world.send('init0', [21, { witness: '1.6.1', witness_account: INIT0, ...url }]);
    await world.blocks(1);
    const text = await go('witnesses', 'Witnesses');
    t.match(text, '3 active of 3');
    t.match(text, '<img src=x');
    t.equal(await page.locator('main img, main b').count(), 0);
    await lookAt(t, page, 'witnesses');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Save as CSV')]);
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    t.equal(lines[0], 'rank,account,id,active,votes,missed,last_block');
    t.match(lines[1], /^1,init\d,1\.6\.\d,yes,[\d.]+,\d+,\d+$/);
    t.match(await go('committee', 'Committee'), '3 active of 3');
    await lookAt(t, page, 'committee');
  });

  t.test('assets and who holds them', async (t) => {
    t.match(await go('assets', 'Assets'), 'GXCOLD');
    await page.click('main a:text-is("GXC")');
    t.match(await shows(page, 'GXC'), /The highest first, \d+ of \d+/);
    t.ok((await page.locator('tbody tr').count()) >= 7);
    await lookAt(t, page, 'asset');
    await page.goBack();
    await shows(page, 'Assets');
    await lookAt(t, page, 'assets');
  });

  t.test('a contract, its table and its calls', async (t) => {
    await deployBank(world);
    const text = await go('account/bank', 'bank');
    t.match(text, 'contract');
    await page.click('a:has-text("actions")');
    t.match(await shows(page, 'Contract bank'), /withdraw.*to_account: string, amount: contract_asset/);
    t.match(await page.textContent('main'), /alice calls deposit of bank with 10 GXC/);
    await lookAt(t, page, 'contract');
    await page.click('main a:text-is("account")');
    t.match(await shows(page, 'Table account'), /ownerbalances910 GXC/);
    await lookAt(t, page, 'table');
    const { id } = await world.call<{ id: string }>('get_account_by_name', 'bank');
    const args = JSON.stringify({ to_account: 'bob', amount: { amount: 200000, asset_id: 1 } });
    const data = await world.call<string>('serialize_contract_call_args', 'bank', 'withdraw', args);
    const call = { contract_id: id, method_name: 'withdraw', data, extensions: [] };
    const tx = await world.send('alice', [75, { account: ALICE, ...call }]);
    await world.blocks(1);
    const within = await go(`tx/${tx}`, `Transaction ${tx.slice(0, 8)}`);
    t.match(within, /What happened within.*A contract sends 2 GXC from bank to bob/, 'done by the contract');
    t.match(
      within,
      /What contracts did and printed.*withdraw of bank.*pays 2 GXC from bank to bob/,
      'a development chain',
    );
    await lookAt(t, page, 'contract-call');
    t.match(await go('contract/bank', 'Contract bank'), /What it did and printed.*withdraw of bank.*deposit of bank/);
    const instead = (name: string): Promise<string | null> =>
      page.getByRole('link', { name, exact: true }).getAttribute('href');
    t.match(await go('contract/alice', 'Nothing here'), /There is no contract alice\./);
    t.equal(await instead('The account alice'), '#/account/alice', 'an account all the same');
    await go('contract/bank/none', 'Nothing here');
    t.equal(await instead('The contract bank'), '#/contract/bank');
    t.notMatch(await go('contract/nobody-here', 'Nothing here'), /The account/);
  });

  t.test('a proposal in plain words', async (t) => {
    const { time } = await world.call<{ time: string }>('get_dynamic_global_properties');
    const expiration_time = new Date(Date.parse(`${time}Z`) + 3600_000).toISOString().slice(0, 19);
    const proposed_ops = [{ op: [0, { ...transfer, fee: { amount: 10000, asset_id: CORE } }] }];
    const proposing = await world.send('alice', [
      22,
      { fee_paying_account: ALICE, expiration_time, proposed_ops, extensions: [] },
    ]);
    await world.blocks(1);
    t.match(await go('proposals', 'Proposals'), 'There are none');
    await page.getByLabel('Account').fill('alice');
    await page.click('text=Show its proposals');
    t.match(await shows(page, 'Proposals for alice'), /alice sends 5 GXC to bob.*alice not yet/);
    await lookAt(t, page, 'proposals');
    await page.click('main a:has-text("Proposal 1.10.")');
    await page.waitForSelector('h2:has-text("What would be done")');
    await lookAt(t, page, 'proposal');
    const made = await go(`tx/${proposing}`, `Transaction ${proposing.slice(0, 8)}`);
    t.match(made, `open until ${expiration_time.replace('T', ' ')} UTC`, 'times as everywhere else');
    t.match(made, /Proposed: 1\. transfer.*alice sends 5 GXC to bob.*fee0\.1 GXC/, 'each with all of its fields');
    t.notMatch(made.split('Proposed: 1.')[0], /proposed ops/);
    await lookAt(t, page, 'proposing');
  });

  t.test('an object with all that is in it', async (t) => {
    t.match(
      await go('object/2.0.0', 'Global properties 2.0.0'),
      /block interval3.*active witnessesinit0, init1, init2/,
    );
    await lookAt(t, page, 'object');
  });

  t.test('what operations cost, by their names and in units of the core asset', async (t) => {
    const text = await go('object/2.0.0', 'Global properties 2.0.0');
    const fees = /current feesscale100 %transferfee0\.01 GXCprice per kbyte1 GXCaccount createbasic fee0\.1 GXC/;
    t.match(text, fees);
    t.match(text, /witness pay per block0\.01 GXC/);
    const { parameters } = await world.call<{ parameters: { current_fees: object } }>('get_global_properties');
    const prices = [
      [2, { fee: 50 }],
      [4, {}],
      [5, { basic_fee: 1, premium_fee: 2, price_per_kbyte: 3 }],
    ];
    const new_parameters = { ...parameters, current_fees: { parameters: prices, scale: 5000 } };
    const { time } = await world.call<{ time: string }>('get_dynamic_global_properties');
    const proposing = {
      fee_paying_account: ALICE,
      expiration_time: new Date(Date.parse(`${time}Z`) + 3600_000).toISOString().slice(0, 19),
      review_period_seconds: 60,
      proposed_ops: [{ op: [31, { fee: { amount: 0, asset_id: CORE }, new_parameters }] }],
      extensions: [],
    };
    const tx = await world.send('alice', [22, proposing]);
    await world.blocks(1);
    const proposed = await go(`tx/${tx}`, `Transaction ${tx.slice(0, 8)}`);
    t.match(proposed, /scale50 %limit order cancel0\.0005 GXCfill ordernothingaccount createbasic fee0\.00001 GXC/);
    await lookAt(t, page, 'proposed-parameters');
  });

  t.test('the data market of a chain that has none yet', async (t) => {
    t.match(await go('products', 'Data market'), 'There are none');
    await lookAt(t, page, 'products');
  });

  t.test('what contracts print, and calls that they refuse', async (t) => {
    const { code, abi } = exampleContract('hello');
    const hello = { name: 'hello', account: ALICE, vm_type: '0', vm_version: '0', extensions: [] };
    await world.send('alice', [74, { ...hello, code: toHex(code), abi: abiDef.toJson(abi) }]);
    await world.blocks(1);
    const { id } = await world.call<{ id: string }>('get_account_by_name', 'hello');
    const data = await world.call<string>(
      'serialize_contract_call_args',
      'hello',
      'hi',
      JSON.stringify({ user: HOSTILE }),
    );
    const greeting = { account: ALICE, contract_id: id, method_name: 'hi', data, extensions: [] };
    const tx = await world.send('alice', [75, greeting]);
    t.match(await go(`tx/${tx}`, `Transaction ${tx.slice(0, 8)}`), `hi, ${HOSTILE}, from alice`);
    await world.blocks(1);
    const refused = { ...greeting, method_name: 'none' };
    await world.call('get_required_fees', [[75, refused]], CORE).catch(() => undefined);
    const told = await go('contract/hello', 'Contract hello');
    t.match(told, `hi, ${HOSTILE}, from alice`);
    t.equal(await page.locator('main img, main b').count(), 0, 'as text');
    await lookAt(t, page, 'contract-prints');
  });

  t.test('a transaction waits, and is taken', async (t) => {
    await world.send('alice', [0, { ...transfer, amount: { amount: 700000, asset_id: CORE } }]);
    await go('waiting', 'Waiting transactions');
    await page.waitForSelector('#waiting td:has-text("alice sends 7 GXC to bob")');
    await world.blocks(1);
    await page.waitForSelector('#waiting:has-text("None since you look")');
    await world.send('alice', [0, transfer]);
    await page.waitForSelector('#waiting td:has-text("alice sends 5 GXC to bob")');
    await lookAt(t, page, 'waiting');
    await world.blocks(1);
    await page.waitForSelector('#waiting:has-text("None since you look")');
  });

  t.test('nothing went wrong unseen', async (t) => {
    t.same(complaints, []);
  });
});
