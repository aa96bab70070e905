import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { PrivateKey } from '../../src/crypto/private-key.js';
import type { NodeLink } from '../../src/wallet/node-link.js';
import { linkTo, openRecorded, recordedChain } from './support/frozen.js';

/** What a wallet remembers beside its keys: accounts as they stand, and labels. */

t.test(
  'accounts beyond a hundred are asked for in parts, and what a fork took back stays as it was known',
  async (t) => {
    const node = linkTo(recordedChain());
    const asked: number[] = [];
    const link: NodeLink = {
      call: async (api, method, params) => {
        const [ids] = params as [string[]];
        if (method !== 'get_accounts' || ids[0] === undefined || Number(ids[0].slice(4)) < 1000) {
          return node.call(api, method, params);
        }
        asked.push(ids.length);
        return ids.map((id) => (id === '1.2.1150' ? null : { id, name: `new-${id}` }));
      },
    };
    const { wallet, remove } = await openRecorded('02-four-keys.json', link);
    t.teardown(remove);
    const ids = Array.from({ length: 201 }, (_, i) => `1.2.${1000 + i}`);
    const stored = (id: string, name: string) => ({ id, name, json: { id, name } });
    wallet.update({ my_accounts: ids.map((id) => stored(id, `old-${id}`)) });
    await wallet.refreshAccounts();
    t.same(asked, [100, 100, 1]);
    t.same(
      wallet.data.my_accounts,
      ids.map((id) => stored(id, `${id === '1.2.1150' ? 'old' : 'new'}-${id}`)),
    );
  },
);

t.test('one label for a key, one key for a label', async (t) => {
  const { wallet, remove } = await openRecorded('02-four-keys.json', linkTo(recordedChain()));
  t.teardown(remove);
  const [key, other] = [PrivateKey.fromSeed('one').publicKey, PrivateKey.fromSeed('other').publicKey];
  t.ok(wallet.setLabel(key, 'first'));
  t.ok(wallet.setLabel(key, 'second'), 'another one takes its place');
  t.equal(wallet.labelOfKey(key), 'second');
  t.equal(wallet.keyOfLabel('first'), undefined);
  t.ok(wallet.setLabel(key, 'second'), 'it has it already');
  t.notOk(wallet.setLabel(other, 'second'), 'another key has it');
  t.equal(wallet.keyOfLabel('second'), key);
  t.ok(wallet.setLabel(other, 'first'));
  wallet.save();
  await wallet.load();
  t.same([wallet.labelOfKey(key), wallet.labelOfKey(other)], ['second', 'first']);
});

t.test('whoever takes up another file saves to that one', async (t) => {
  const { wallet, remove } = await openRecorded('02-four-keys.json', linkTo(recordedChain()));
  t.teardown(remove);
  const first = wallet.file;
  const second = join(t.testdir(), 'second.json');
  wallet.save(second);
  t.equal(wallet.file, first, 'a copy is no other file');
  t.notOk(await wallet.load(join(t.testdirName, 'third.json')));
  t.equal(wallet.file, first);
  t.ok(await wallet.load(second));
  const before = readFileSync(first, 'utf8');
  wallet.setLabel(PrivateKey.fromSeed('one').publicKey, 'mine');
  t.ok(wallet.hasUnsaved);
  wallet.save();
  t.notOk(wallet.hasUnsaved);
  t.match(readFileSync(second, 'utf8'), /"mine"/);
  t.equal(readFileSync(first, 'utf8'), before);
});
