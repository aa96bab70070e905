import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { JsonObject } from '../../src/codec/json.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { KEYSTORE_ERRORS, WALLET_FILE_ERRORS } from '../../src/wallet/errors.js';
import { parseWalletFile } from '../../src/wallet/file/wallet-file.js';
import { Keyring } from '../../src/wallet/keys/keyring.js';
import { startDevNode } from '../support/dev-node.js';
import { NETWORK } from '../support/network.js';
import { refused, refusedLater } from '../support/refused.js';
import { PASSWORD, walletOn } from './support/wallet-on.js';

/** A disk without room: what cannot be saved is refused, the file stays whole, and nothing that was there is lost. */

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const DISK_BYTES = 256 * 1024;

t.test('a full disk', { skip: !isRoot && 'only root makes a small disk' }, async (t) => {
  const disk = mkdtempSync(join(tmpdir(), 'wallet-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', disk]);
  const dev = await startDevNode(t.testdir());
  dev.clock.advance(9_000);
  const [alice, bob] = DEV_ACCOUNTS.map(({ name, key }) => ({ name, wif: key.toWif(), key: key.publicKey }));
  if (alice === undefined || bob === undefined) throw new Error('the development network has both');
  const { wallet, run, close } = await walletOn(dev, disk, 'wallet', { alice: alice.wif });
  t.teardown(async () => {
    await close();
    await dev.node.stop();
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  });
  const { file } = wallet;
  const before = readFileSync(file);
  const filler = join(disk, 'filler');
  const fill = (): void => {
    t.throws(() => writeFileSync(filler, Buffer.alloc(DISK_BYTES)), { code: 'ENOSPC' }, 'the disk is full');
  };
  fill();
  const isAsBefore = (what: string): void => {
    t.same(readFileSync(file), before, `${what}: the file is what it was`);
    t.equal(statSync(file).mode & 0o777, 0o600);
    const half = readdirSync(disk).filter((name) => name.endsWith('.tmp'));
    t.same(half, [], 'and nothing half written is left');
  };

  await t.test('a key that cannot be saved is kept in memory', async (t) => {
    for (const name of ['import_keys', 'import_key']) {
      const given = name === 'import_keys' ? [bob.wif] : bob.wif;
      await refusedLater(t, WALLET_FILE_ERRORS.wallet_file_write, run(name, 'bob', given), name);
      isAsBefore(name);
    }
    t.ok(wallet.ring.has(bob.key));
    t.ok(wallet.hasUnsaved);
    const error: unknown = await run('save_wallet_file', '').catch((thrown: unknown) => thrown);
    t.match(error, { key: 'wallet_file_write', data: { file, reason: /ENOSPC/ } });
    await refusedLater(
      t,
      WALLET_FILE_ERRORS.wallet_file_write,
      run('save_wallet_file', join(disk, 'copy.json')),
      'a copy',
    );
    isAsBefore('save_wallet_file');
  });

  await t.test('a password that cannot be saved is not taken', async (t) => {
    await refusedLater(t, WALLET_FILE_ERRORS.wallet_file_write, run('set_password', 'another'));
    isAsBefore('set_password');
    t.ok(wallet.ring.isLocked);
    refused(t, KEYSTORE_ERRORS.wallet_password_wrong, () => wallet.ring.unlock('another'));
    wallet.ring.unlock(PASSWORD);
    t.ok(wallet.ring.has(bob.key), 'with the key that was never saved');
  });

  await t.test('an account whose keys cannot be saved is not registered', async (t) => {
    const create = run('create_account_with_brain_key', 'SOME WORDS', 'nobody-yet', 'alice', 'alice', true);
    await refusedLater(t, WALLET_FILE_ERRORS.wallet_file_write, create);
    isAsBefore('create_account_with_brain_key');
    dev.clock.advance(3_000);
    t.equal(await wallet.chain.ask('is_account_registered', 'nobody-yet'), false);
  });

  await t.test('payments need no disk', async (t) => {
    const [id] = await run<[string, JsonObject]>('transfer2', 'alice', 'bob', '1', 'GXC', 'paid');
    t.match(id, /^[0-9a-f]{40}$/);
    isAsBefore('transfer2');
  });

  await t.test('with room again all is saved, and opens', async (t) => {
    rmSync(filler);
    t.equal(await run('save_wallet_file', ''), null);
    const data = parseWalletFile(readFileSync(file, 'utf8'), file, NETWORK);
    const ring = new Keyring(NETWORK, data.cipher_keys);
    ring.unlock(PASSWORD);
    for (const { key } of [alice, bob]) t.ok(ring.has(key));
    t.notOk(ring.has(PrivateKey.fromSeed('nobody').publicKey));
    t.equal(await run('set_password', 'another'), null);
    wallet.ring.unlock('another');
  });
});
