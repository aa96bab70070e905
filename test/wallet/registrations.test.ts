import { readFileSync } from 'node:fs';
import t from 'tap';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { claimRegistrations } from '../../src/wallet/registrations.js';
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
  for (const key of [active, memo, block]) t.notMatch(text, key.toWif(), 'nothing in clear');
  const { pending_account_registrations: accounts, pending_witness_registrations: witnesses } = JSON.parse(text);
  t.same(
    [accounts.map(([name]: [string]) => name), witnesses.map(([name]: [string]) => name)],
    [['not-there-yet'], ['erin']],
  );
});
