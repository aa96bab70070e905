import { readFileSync } from 'node:fs';
import t from 'tap';
import { RpcConnectionError } from '../../src/client/connection.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { runCommand } from '../../src/wallet/commands/index.js';
import { NODE_ERRORS } from '../../src/wallet/errors.js';
import { backupOf } from '../../src/wallet/file/save.js';
import { brainKeyInfo } from '../../src/wallet/keys/derived.js';
import { type NodeLink, nodeError } from '../../src/wallet/node-link.js';
import { claimRegistrations } from '../../src/wallet/registrations.js';
import { refusedLater } from '../support/refused.js';
import { linkTo, openRecorded, recordedChain } from './support/frozen.js';

/** Keys of what this wallet has registered wait in clear until the chain knows them, and no longer. */

const link = linkTo(recordedChain());

t.test('keys of registered accounts and witnesses come to the others, in the file too', async (t) => {
  const { wallet, remove } = await openRecorded('01-password-only.json', link);
  t.teardown(remove);
  const [active, memo, block, waiting] = ['active', 'memo', 'block', 'waiting'].map((seed) =>
    PrivateKey.fromSeed(seed),
  );
  if (active === undefined || memo === undefined || block === undefined || waiting === undefined) throw new Error();
  wallet.update({
    pending_account_registrations: [
      ['erin', [active.toWif(), memo.toWif()]],
      ['not-there-yet', [waiting.toWif(), waiting.toWif()]],
    ],
    pending_witness_registrations: [
      ['erin', waiting.toWif()],
      ['init0', block.toWif()],
    ],
  });
  wallet.save();
  await claimRegistrations(wallet);
  t.equal(wallet.data.pending_account_registrations.length, 2, 'a locked wallet waits');

  wallet.ring.unlock('supersecret');
  await claimRegistrations(wallet);
  for (const key of [active, memo, block]) t.ok(wallet.ring.has(key.publicKey));
  t.notOk(wallet.ring.has(waiting.publicKey));
  t.ok(wallet.data.my_accounts.some(({ name }) => name === 'erin'));
  const text = readFileSync(wallet.file, 'utf8');
  const backup = readFileSync(backupOf(wallet.file), 'utf8');
  for (const key of [active, memo, block]) t.notMatch(text + backup, key.toWif(), 'nothing in clear');
  const { pending_account_registrations: accounts, pending_witness_registrations: witnesses } = JSON.parse(text);
  t.same(
    [accounts.map(([name]: [string]) => name), witnesses.map(([name]: [string]) => name)],
    [['not-there-yet'], ['erin']],
  );
});

t.test('a wallet that is locked while the node is asked waits for another time', async (t) => {
  for (const method of ['is_account_registered', 'get_witness_by_account']) {
    let lock = (): void => undefined;
    const node = linkTo(recordedChain());
    const locking: NodeLink = {
      call: async (api, name, params) => {
        const answer = await node.call(api, name, params);
        if (name === method) lock();
        return answer;
      },
    };
    const { wallet, remove } = await openRecorded('01-password-only.json', locking);
    t.teardown(remove);
    const [active, block] = [PrivateKey.fromSeed('active'), PrivateKey.fromSeed('block')];
    const isAccount = method === 'is_account_registered';
    wallet.update({
      pending_account_registrations: isAccount ? [['erin', [active.toWif()]]] : [],
      pending_witness_registrations: isAccount ? [] : [['init0', block.toWif()]],
    });
    wallet.save();
    wallet.ring.unlock('supersecret');
    lock = () => wallet.ring.lock();
    await claimRegistrations(wallet);
    const waiting = (): number =>
      wallet.data.pending_account_registrations.length + wallet.data.pending_witness_registrations.length;
    t.equal(waiting(), 1, method);
    lock = () => undefined;
    wallet.ring.unlock('supersecret');
    await claimRegistrations(wallet);
    t.equal(waiting(), 0);
    t.ok(wallet.ring.has((isAccount ? active : block).publicKey));
  }
});

t.test('an attempt that may have arrived keeps its keys, and one takes away none of another', async (t) => {
  const node = linkTo(recordedChain());
  let isLost = false;
  const losing: NodeLink = {
    call: async (api, method, params) => {
      const answer = await node.call(api, method, params);
      if (isLost && api === 'network_broadcast') throw nodeError(new RpcConnectionError('the connection was closed'));
      return answer;
    },
  };
  const { wallet, remove } = await openRecorded('10-frozen-start.json', losing, 1_795_293_900_000);
  t.teardown(remove);
  wallet.ring.unlock('supersecret');
  const run = async (name: string, ...params: (string | boolean)[]) => (await runCommand(wallet, name, params)).result;
  const witnesses = (): string[] => wallet.data.pending_witness_registrations.map(([name]) => name);
  const known = witnesses();
  const twoAtOnce = await Promise.allSettled([
    run('create_witness', 'merch', 'u', 'GXS', true),
    run('create_witness', 'bob', 'u', 'GXS', true),
  ]);
  t.match(twoAtOnce, [{ status: 'fulfilled' }, { status: 'rejected', reason: { row: NODE_ERRORS.node_refused } }]);
  t.same(witnesses(), [...known, 'merch'].sort(), 'what is refused leaves nothing, and what was taken beside it stays');

  isLost = true;
  await refusedLater(t, NODE_ERRORS.node_gone, run('create_witness', 'issuer', 'u', 'GXS', true));
  t.ok(witnesses().includes('issuer'));
  const file = JSON.parse(readFileSync(wallet.file, 'utf8'));
  t.ok(
    file.pending_witness_registrations.some(([name]: [string]) => name === 'issuer'),
    'in the file too',
  );

  for (const words of ['ONE TWO', 'THREE FOUR']) {
    await run('create_account_with_brain_key', words, 'new-one', 'nathan', 'nathan', false);
  }
  const wifs = wallet.data.pending_account_registrations.find(([name]) => name === 'new-one')?.[1] ?? [];
  t.equal(new Set(wifs).size, 4, 'nobody knows yet which of two attempts the chain will have');
  t.notOk(wifs.includes(brainKeyInfo('ONE TWO').wif_priv_key), 'the owner key is not kept');
});
