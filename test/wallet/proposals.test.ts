import t from 'tap';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { SCALAR_ERRORS } from '../../src/codec/scalars.js';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { CHECK_ERRORS, LOOKUP_ERRORS, NODE_ERRORS } from '../../src/wallet/errors.js';
import { startDevNode } from '../support/dev-node.js';
import { refusedLater } from '../support/refused.js';
import { type WalletOn, walletOn } from './support/wallet-on.js';

/** Where signers do not meet: a transaction of the builder becomes a proposal, is looked at, approved and carried out. */

const folder = t.testdir();
const dev = await startDevNode(folder);
dev.clock.advance(9_000);
const open: WalletOn[] = [];
t.teardown(async () => {
  for (const one of open) await one.close();
  await dev.node.stop();
});
async function walletOf(name: string): Promise<WalletOn> {
  const wif = DEV_ACCOUNTS.find((one) => one.name === name)?.key.toWif() ?? '';
  const opened = await walletOn(dev, folder, name, { [name]: wif });
  open.push(opened);
  return opened;
}
const [alice, bob, carol] = [await walletOf('alice'), await walletOf('bob'), await walletOf('carol')];
const block = (): void => dev.clock.advance(3_000);
const inSeconds = (seconds: number): string => new Date(dev.clock.nowMs() + seconds * 1000).toISOString().slice(0, 19);

const ids = new Map<string, string>();
for (const name of ['alice', 'bob', 'carol']) ids.set(name, await alice.run<string>('get_account_id', name));
const idOf = (name: string): string => ids.get(name) ?? '';

const payment = (from: string, to: string, amount: number): Json => [
  0,
  { from: idOf(from), to: idOf(to), amount: { amount, asset_id: '1.3.1' } },
];

/** By its number: the newest that needs the account. */
async function newestOf(account: string): Promise<string> {
  const found = (await alice.wallet.chain.ask('get_proposed_transactions', idOf(account))) as { id: string }[];
  return found.at(-1)?.id ?? '';
}
const proposalsOf = async (account: string): Promise<number> =>
  ((await alice.wallet.chain.ask('get_proposed_transactions', idOf(account))) as Json[]).length;
const has = async (account: string): Promise<number> => {
  const balances = await alice.run<{ asset_id: string; amount: number | string }[]>('list_account_balances', account);
  return Number(balances.find(({ asset_id }) => asset_id === '1.3.1')?.amount);
};

/** Proposed by `by`, with whatever is in the builder. */
async function propose(by: WalletOn, payer: string, operations: readonly Json[], review = 0): Promise<string> {
  const handle = await by.run<number>('begin_builder_transaction');
  for (const one of operations) await by.run('add_operation_to_builder_transaction', handle, one);
  await by.run('set_fees_on_builder_transaction', handle, 'GXC');
  await by.run('propose_builder_transaction2', handle, payer, inSeconds(3600), review, true);
  block();
  return newestOf('alice');
}

t.test('a payment of two, proposed by a third, is carried out with the last approval', async (t) => {
  // Alice pays and so does bob: both have to agree.
  const id = await propose(carol, 'carol', [payment('alice', 'carol', 700_000), payment('bob', 'carol', 300_000)]);
  t.match(id, /^1\.10\.\d+$/);
  const review = await carol.run<JsonObject>('review_proposal', id);
  t.match(review, {
    id,
    is_approved: false,
    required: [
      { required: 'active authority of alice', is_satisfied: false, members: [{ is_given: false }] },
      { required: 'active authority of bob', is_satisfied: false, members: [{ is_given: false }] },
    ],
  });
  const shown = await carol.type(`review_proposal ${id}`);
  for (const line of [
    /^transfer\n {4}from: alice\n {4}to: carol\n {4}amount: 7 GXC\n {4}fee: [\d.]+ GXC\n/,
    /\ntransfer\n {4}from: bob\n {4}to: carol\n {4}amount: 3 GXC\n/,
    /\nactive authority of alice: needs 1, has 0\n {4}missing {2}GXC\w+ \(1\)\n/,
    /\nactive authority of bob: needs 1, has 0\n/,
    new RegExp(`\\nproposal ${id.replaceAll('.', '\\.')}, expires at \\d{4}-`),
  ]) {
    t.match(shown, line);
  }

  await alice.run('approve_proposal', 'alice', id, { active_approvals_to_add: ['alice'] }, true);
  block();
  t.match(await bob.run('review_proposal', id), {
    is_approved: false,
    required: [{ is_satisfied: true }, { is_satisfied: false }],
  });
  const unpaid = await has('carol');
  t.comment('an approval can be taken back, and given again');
  await alice.run('approve_proposal', 'alice', id, { active_approvals_to_remove: ['alice'] }, true);
  block();
  t.match(await bob.run('review_proposal', id), { required: [{ is_satisfied: false }, { is_satisfied: false }] });
  await bob.run('approve_proposal', 'bob', id, { active_approvals_to_add: ['bob'] }, true);
  block();
  t.equal(await has('carol'), unpaid, 'one of two is not enough');
  await alice.run('approve_proposal', 'alice', id, { active_approvals_to_add: ['alice'] }, true);
  block();
  t.equal(await has('carol'), unpaid + 1_000_000, 'the last approval carries it out at once');
  t.equal(await proposalsOf('alice'), 0);
  await refusedLater(t, LOOKUP_ERRORS.object_null, carol.run('review_proposal', id), 'and it is gone');
});

t.test('who is not asked cannot approve, and who approves must sign', async (t) => {
  const id = await propose(carol, 'carol', [payment('alice', 'carol', 1)]);
  await refusedLater(
    t,
    NODE_ERRORS.node_refused,
    carol.run('approve_proposal', 'carol', id, { active_approvals_to_add: ['alice'] }, true),
    'carol has not the key of alice',
  );
  const key = DEV_ACCOUNTS.find(({ name }) => name === 'alice')?.key.publicKey ?? '';
  const text = (await alice.run<{ active: { key_auths: [string, number][] } }>('get_account', 'alice')).active
    .key_auths[0]?.[0];
  t.ok(text !== undefined && alice.wallet.ring.has(key));
  const paid = await has('carol');
  await alice.run('approve_proposal', 'alice', id, { key_approvals_to_add: [text ?? ''] }, true);
  block();
  t.equal(await has('carol'), paid + 1, 'a key approves as well as its account');
});

t.test('an account of two out of three: its members approve', async (t) => {
  await alice.run('update_account_multisig', 'alice', 'active', 2, ['bob', 'carol', 'faucet'], [1, 1, 1], 'GXC', true);
  block();
  const before = await has('bob');
  const id = await propose(bob, 'bob', [payment('alice', 'bob', 500_000)]);
  const afterFee = await has('bob');
  t.ok(afterFee < before);
  t.match(
    await bob.type(`review_proposal ${id}`),
    /active authority of alice: needs 2, has 0\n {4}missing {2}bob \(1\)/,
  );
  await carol.run('approve_proposal', 'carol', id, { active_approvals_to_add: ['carol'] }, true);
  block();
  const half = await bob.type(`review_proposal ${id}`);
  t.match(half, /active authority of alice: needs 2, has 1\n/);
  t.match(half, /\n {4}given {4}carol \(1\)\n/);
  t.match(half, /\n {4}missing {2}bob \(1\)\n/);
  const nearly = await has('bob');
  const fee = Number(await approvalFee());
  await bob.run('approve_proposal', 'bob', id, { active_approvals_to_add: ['bob'] }, true);
  block();
  t.equal(await has('bob'), nearly - fee + 500_000, 'carried out with the second of three');
});

t.test('changes of fees and parameters are numbers, and of what there is', async (t) => {
  const change = (name: string, values: Json): Promise<JsonObject> =>
    alice.run<JsonObject>(name, 'alice', '2027-01-01T00:00:00', values, false);
  const proposed = await change('propose_fee_change', { scale: '20000' });
  const [[, { proposed_ops }]] = proposed.operations as unknown as [
    [number, { proposed_ops: [{ op: [number, { new_parameters: { current_fees: { scale: number } } }] }] }],
  ];
  t.equal(proposed_ops[0].op[1].new_parameters.current_fees.scale, 20_000);
  await refusedLater(t, SCALAR_ERRORS.json_integer, change('propose_fee_change', { scale: 'twice' }));
  await refusedLater(t, SCALAR_ERRORS.json_kind, change('propose_fee_change', { transfer: 5 }));
  await refusedLater(t, SCALAR_ERRORS.json_kind, change('propose_fee_change', 5));
  await refusedLater(t, CHECK_ERRORS.parameter_unknown, change('propose_parameter_change', { toString: 1 }));
});

/** Of an approval that is not sent. */
async function approvalFee(): Promise<Json> {
  const id = await newestOf('alice');
  const tx = await bob.run<{ operations: [number, { fee: { amount: Json } }][] }>(
    'approve_proposal',
    'bob',
    id,
    { active_approvals_to_add: ['bob'] },
    false,
  );
  return tx.operations[0]?.[1].fee.amount ?? null;
}

t.test(
  'a review period: from its begin on approvals are only taken back, and it is carried out at its end',
  async (t) => {
    const before = await has('carol');
    const id = await propose(carol, 'carol', [payment('bob', 'carol', 900_000)], 1800).then(() => newestOf('bob'));
    t.match(await carol.run('review_proposal', id), { review_from: /^\d{4}-/, expiration: /^\d{4}-/ });
    t.match(await carol.type(`review_proposal ${id}`), /\nfrom \d{4}-\S+ on approvals can only be taken back\n/);
    await bob.run('approve_proposal', 'bob', id, { active_approvals_to_add: ['bob'] }, true);
    block();
    const waiting = await has('carol');
    t.ok(waiting <= before, 'approved, and still to be reviewed');
    t.match(await carol.run('review_proposal', id), { is_approved: true });
    for (let n = 0; n < 1205; n++) block();
    t.equal(await has('carol'), waiting + 900_000);
    t.equal(await proposalsOf('bob'), 0);
  },
);
