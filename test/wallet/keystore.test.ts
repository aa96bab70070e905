import { createDecipheriv, createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { RpcConnectionError } from '../../src/client/connection.js';
import type { Json } from '../../src/codec/json.js';
import { processTerminal } from '../../src/commands/terminal.js';
import { changePassword } from '../../src/commands/wallet/file-actions.js';
import { readOptions } from '../../src/commands/wallet/options.js';
import { compareKeysByAddress } from '../../src/crypto/address.js';
import { deriveKey } from '../../src/crypto/brain-key.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { publicKey } from '../../src/protocol/keys.js';
import { runCommand } from '../../src/wallet/commands/index.js';
import { KEYSTORE_ERRORS, NODE_ERRORS, WALLET_FILE_ERRORS } from '../../src/wallet/errors.js';
import { formatWalletFile, newWalletData, parseWalletFile, summarize } from '../../src/wallet/file/wallet-file.js';
import { backupMark, blindBrainKey, brainKeyInfo, firstFreeChild } from '../../src/wallet/keys/derived.js';
import { exportedKeys, exportPasswordHash, openExportedKeys } from '../../src/wallet/keys/export-file.js';
import { Keyring } from '../../src/wallet/keys/keyring.js';
import { type NodeLink, nodeError } from '../../src/wallet/node-link.js';
import { NETWORK } from '../support/network.js';
import { refused, refusedLater } from '../support/refused.js';
import { recordedCalls, recordedFiles, walletVector } from '../support/wallet-vectors.js';
import { linkTo, openRecorded, recordedChain } from './support/frozen.js';

const read = (name: string): string => readFileSync(walletVector('files', name), 'utf8');

/** Every key of a ring, as dump_private_keys prints them. */
const dump = (ring: Keyring): [string, string][] =>
  ring.publicKeys().map((key) => [publicKey.toJson(key, NETWORK) as string, ring.get(key).toWif()]);

/** Written from the description of the format alone: nothing of the wallet's own code. */
function decryptIndependently(cipherKeys: string, password: string): { wifs: string[]; checksum: string } {
  const hash = createHash('sha512').update(password).digest();
  const decipher = createDecipheriv('aes-256-cbc', hash.subarray(0, 32), hash.subarray(32, 48));
  const plain = Buffer.concat([decipher.update(Buffer.from(cipherKeys, 'hex')), decipher.final()]);
  let at = 0;
  const varint = (): number => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = plain[at++] as number;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const wifs: string[] = [];
  for (let left = varint(); left > 0; left--) {
    at += 33;
    const length = varint();
    wifs.push(plain.subarray(at, at + length).toString('latin1'));
    at += length;
  }
  return { wifs, checksum: plain.subarray(at).toString('hex') };
}

t.test('recorded wallet files open, with the keys that the reference shows', (t) => {
  for (const { file, password, dump_private_keys } of recordedFiles()) {
    const text = file.endsWith('export-keys.json') ? undefined : read(file);
    if (text === undefined) continue;
    const data = parseWalletFile(text, file, NETWORK);
    const ring = new Keyring(NETWORK, data.cipher_keys);
    t.equal(ring.isNew, false, file);
    t.equal(ring.isLocked, true, file);
    ring.unlock(password);
    t.same(dump(ring), dump_private_keys, `${file}: keys in the order of the reference`);
    ring.lock();
    t.equal(ring.sealed, data.cipher_keys, `${file}: sealed again it has the same bytes`);
  }
  t.end();
});

t.test('recorded wallet files are written again to the same bytes', (t) => {
  for (const { file } of recordedFiles()) {
    const text = read(file);
    t.equal(formatWalletFile(parseWalletFile(text, file, NETWORK), NETWORK), text, file);
  }
  t.end();
});

t.test('files of ours open by the description of the format alone', (t) => {
  const ring = new Keyring(NETWORK);
  ring.setPassword('grüße 漢字');
  ring.unlock('grüße 漢字');
  const keys = Array.from({ length: 200 }, (_, n) => deriveKey('INDEPENDENT', n));
  for (const key of keys) ring.add(key);
  const data = { ...newWalletData('ab'.repeat(32)), cipher_keys: ring.sealed };
  const { cipher_keys } = JSON.parse(formatWalletFile(data, NETWORK)) as { cipher_keys: string };
  const opened = decryptIndependently(cipher_keys, 'grüße 漢字');
  const sorted = [...keys].sort((a, b) => compareKeysByAddress(a.publicKey, b.publicKey));
  t.same(
    opened.wifs,
    sorted.map((key) => key.toWif()),
  );
  t.equal(opened.checksum, createHash('sha512').update('grüße 漢字').digest('hex'));
  for (const key of keys.slice(0, 5))
    t.notMatch(formatWalletFile(data, NETWORK), key.toWif(), 'no key stands there in clear');
  t.end();
});

t.test('the vectors of the format', (t) => {
  const ring = new Keyring(NETWORK);
  ring.setPassword('supersecret');
  t.equal(
    ring.sealed,
    '72800aec344f791f8b20b90646c76e0ac68d9860a329e4317c8718b3d4127b7c488360bf32ca056df6b78b81195c1fa21f53e9665a4ff2d468acc54b906f93a5e8026784a77cf6bb54cddbc2b3f00994',
  );
  ring.unlock('supersecret');
  ring.add(PrivateKey.fromSeed('nathan'));
  ring.lock();
  t.equal(
    ring.sealed,
    'ef5c50ed36cd8cc6c33a352084eeeccedaa6751ebfeeb980eb9dbc9a943b07d41272f38a509bf0a020fa7f4683b53f00ce9e9f6a7fcd7a5e533c45f5b87be36621232cda5897fb5ff56ec87bb2c189edad615fe9a1262d65126c308f19dd92718dffa2f62c98dfb1073b622d5018f5fe35f38c34d7255d0a00338602a139b8a368454eefa2d843e146afff7d8c7ef9b22ee2801f881449703e0f20455e3f2728',
  );
  t.end();
});

t.test('a wrong password is one refusal, whatever gives it away', (t) => {
  const data = parseWalletFile(read('03-many-keys.json'), 'file', NETWORK);
  const ring = new Keyring(NETWORK, data.cipher_keys);
  // Of 600 wrong passwords two or three decrypt to a valid padding, and only the form or the hash tells.
  for (let n = 0; n < 600; n++) {
    refused(t, KEYSTORE_ERRORS.wallet_password_wrong, () => ring.unlock(`wrong ${n}`));
  }
  t.ok(ring.isLocked);
  refused(t, KEYSTORE_ERRORS.wallet_password_empty, () => ring.unlock(''));
  // The whole plain text but another hash at its end: right padding, right form.
  const forged = new Keyring(NETWORK);
  forged.setPassword('one');
  const flipped = Buffer.from(forged.sealed, 'hex');
  flipped[0] = (flipped[0] as number) ^ 1;
  refused(t, KEYSTORE_ERRORS.wallet_password_wrong, () => new Keyring(NETWORK, flipped.toString('hex')).unlock('one'));
  t.end();
});

t.test('locking, unlocking, another password', (t) => {
  const ring = new Keyring(NETWORK);
  refused(t, KEYSTORE_ERRORS.wallet_new, () => ring.unlock('x'));
  refused(t, KEYSTORE_ERRORS.wallet_locked, () => ring.lock());
  refused(t, KEYSTORE_ERRORS.wallet_password_empty, () => ring.setPassword(''));
  t.equal(ring.isNew, true);
  ring.setPassword('first');
  t.equal(ring.isLocked, true, 'setting a password locks');
  refused(t, KEYSTORE_ERRORS.wallet_password_locked, () => ring.setPassword('second'));
  const key = PrivateKey.fromSeed('one');
  refused(t, KEYSTORE_ERRORS.wallet_locked, () => ring.add(key));
  ring.unlock('first');
  ring.add(key);
  refused(t, KEYSTORE_ERRORS.wallet_password_empty, () => ring.setPassword(''));
  t.equal(ring.isLocked, false, 'nothing would open it again');
  ring.unlock('first');
  t.ok(ring.has(key.publicKey), 'unlocking an open wallet loses nothing');
  refused(t, KEYSTORE_ERRORS.wallet_password_wrong, () => ring.unlock('second'));
  t.equal(ring.isLocked, false, 'a wrong password does not lock it either');
  ring.setPassword('second');
  refused(t, KEYSTORE_ERRORS.wallet_password_wrong, () => ring.unlock('first'));
  ring.changePassword('second', 'third');
  t.equal(ring.isLocked, true, 'it was locked and is again');
  refused(t, KEYSTORE_ERRORS.wallet_password_wrong, () => ring.changePassword('second', 'x'));
  ring.unlock('third');
  t.equal(ring.get(key.publicKey).toWif(), key.toWif());
  const held = ring.get(key.publicKey);
  ring.lock();
  t.same([...held.secret()], Array(32).fill(0), 'locking wipes what was in memory');
  t.equal(key.toWif(), PrivateKey.fromSeed('one').toWif(), 'and not what the caller holds');
  refused(t, KEYSTORE_ERRORS.key_missing, () => ring.get(key.publicKey));
  t.end();
});

t.test('what another program has written while a new password was asked for is not overwritten', async (t) => {
  const file = join(t.testdir(), 'wallet.json');
  copyFileSync(walletVector('files', '02-four-keys.json'), file);
  const meanwhile = read('03-many-keys.json');
  const terminal = {
    ...processTerminal,
    input: () => {
      writeFileSync(file, meanwhile);
      return Buffer.from('supersecret\nanother\n');
    },
  };
  const changing = changePassword(readOptions({ 'wallet-file': file }), terminal);
  await refusedLater(t, WALLET_FILE_ERRORS.wallet_file_changed, changing);
  t.equal(readFileSync(file, 'utf8'), meanwhile);
});

t.test('what is no wallet file', (t) => {
  const whole = JSON.parse(read('02-four-keys.json')) as Record<string, unknown>;
  const cases: [string, unknown][] = [
    ['cut off', read('02-four-keys.json').slice(0, 400)],
    ['a list', '[]'],
    ['no chain', JSON.stringify({ ...whole, chain_id: 'zz' })],
    ['half a block', JSON.stringify({ ...whole, cipher_keys: 'abcd' })],
    ['an account without id', JSON.stringify({ ...whole, my_accounts: [{ name: 'x' }] })],
    ['a damaged key', JSON.stringify({ ...whole, labeled_keys: [{ label: 'x', key: 'GXCbad' }] })],
  ];
  for (const [what, text] of cases) {
    refused(t, WALLET_FILE_ERRORS.wallet_file_form, () => parseWalletFile(text as string, 'w.json', NETWORK), what);
  }
  t.end();
});

t.test('receipts of the same second all survive', (t) => {
  const data = parseWalletFile(read('08-blind-labels.json'), 'file', NETWORK);
  t.ok(
    new Set(data.blind_receipts.map(({ date }) => date)).size < data.blind_receipts.length,
    'there are such receipts',
  );
  const again = parseWalletFile(formatWalletFile(data, NETWORK), 'file', NETWORK);
  t.equal(again.blind_receipts.length, data.blind_receipts.length);
  t.end();
});

t.test('a file says what it holds without its secrets', (t) => {
  const data = parseWalletFile(read('04-pending-registration.json'), 'file', NETWORK);
  const summary = summarize(data, undefined);
  t.equal(summary.pending_registrations, 1);
  t.match(summary.plain_secrets, [/not on the chain/]);
  t.notMatch(JSON.stringify(summary), '5JkiHgP4DrNLyMiUPciJhJJwSyWpaJbqhu5kEkk8KJ3sD8MZo35');
  const blind = summarize(parseWalletFile(read('10-frozen-start.json'), 'file', NETWORK), 44);
  t.equal(blind.blind_balances, 5);
  t.equal(blind.private_keys, 44);
  t.equal(blind.server, 'ws://127.0.0.1:23090');
  t.end();
});

t.test('keys that another wallet exported', (t) => {
  const exported = exportedKeys.fromJson(JSON.parse(read('export-keys.json')), NETWORK);
  refused(t, KEYSTORE_ERRORS.export_password_wrong, () => exportPasswordHash(exported, 'wrong'));
  const hash = exportPasswordHash(exported, 'exportpw');
  for (const account of exported.account_keys) {
    t.same(
      openExportedKeys(account, hash).map((key) => key.publicKey),
      account.public_keys,
      account.account_name,
    );
  }
  const damaged = { account_name: 'x', public_keys: [], encrypted_private_keys: [new Uint8Array(48)] };
  refused(t, KEYSTORE_ERRORS.export_key_damaged, () => openExportedKeys(damaged, hash));
  t.end();
});

t.test('exported keys whose accounts cannot be asked for are not called those of nobody', async (t) => {
  const node = linkTo(recordedChain());
  let isGone = false;
  const link: NodeLink = {
    call: (api, method, params) =>
      isGone ? Promise.reject(nodeError(new RpcConnectionError('gone'))) : node.call(api, method, params),
  };
  const { wallet, remove } = await openRecorded('01-password-only.json', link);
  t.teardown(remove);
  wallet.ring.unlock('supersecret');
  const importing = (): Promise<{ result: Json }> =>
    runCommand(wallet, 'import_accounts', [walletVector('files', 'export-keys.json'), 'exportpw']);
  isGone = true;
  await refusedLater(t, NODE_ERRORS.node_gone, importing());
  isGone = false;
  const { result } = await importing();
  t.ok((result as [string, boolean][]).some(([, isOfAccount]) => isOfAccount));
});

t.test('a folder in the place of a file, or of a part of a contract, is said to be none', async (t) => {
  const { wallet, folder: own, remove } = await openRecorded('10-frozen-start.json', linkTo(recordedChain()));
  t.teardown(remove);
  wallet.ring.unlock('supersecret');
  const { wallet_file_read: row } = WALLET_FILE_ERRORS;
  await refusedLater(t, row, runCommand(wallet, 'import_accounts', [own, 'x']));
  for (const part of ['made.abi', 'made.wasm']) mkdirSync(join(own, 'made', part), { recursive: true });
  const deploying = ['made', 'nathan', '0', '0', join(own, 'made'), 'GXC', false];
  await refusedLater(t, row, runCommand(wallet, 'deploy_contract', deploying));
});

t.test('derived keys', async (t) => {
  const words =
    'SHAP CASCADE AIRLIKE WRINKLE CUNETTE FROWNY MISREAD MOIST HANDSET COLOVE EMOTION UNSPAN SEAWARD HAGGIS TEENTY NARRAS';
  const owner = brainKeyInfo(words);
  t.equal(owner.wif_priv_key, '5J2FpCq3UmvcodkCCofXSNvHYTodufbPajwpoEFAh2TJf27EuL3');
  t.equal(publicKey.toJson(owner.pub_key, NETWORK), 'GXC75UwALPEFECfHLjHyNSxCk1j7XzSvApQiXKEbanWgr7yvXXbdG');
  const active = await firstFreeChild(PrivateKey.fromWif(owner.wif_priv_key), () => false);
  t.equal(active.toWif(), '5KJBiEnxDT1GTPfTSvBDs3gaTb5hN3V8RHXPSWXxks2GE7w6bZk');
  const memo = await firstFreeChild(active, () => false);
  t.equal(memo.toWif(), '5HwfDoM76dTYoouuyTw2M19SkjfWkBAVq7cBqS9gYECjcKntLjE');
  t.equal(brainKeyInfo(words, 1).wif_priv_key, '5JvTg85ctPSakD1Ygk448ScaD6zgZ9vEJjYbwCzvHwWGLu5W1ow');
  const known = new Set([0, 1, 7].map((n) => deriveKey(active.toWif(), n).publicKey));
  const next = await firstFreeChild(active, (key) => known.has(key));
  t.equal(next.publicKey, deriveKey(active.toWif(), 8).publicKey, 'five in a row may be unknown and were in use');
  const far = new Set([0, 7].map((n) => deriveKey(active.toWif(), n).publicKey));
  const found = await firstFreeChild(active, (key) => far.has(key));
  t.equal(found.publicKey, deriveKey(active.toWif(), 1).publicKey, 'behind six unknown ones nobody looks');
});

t.test('keys of blinded balances, as recorded', (t) => {
  const made = recordedCalls().filter(({ request, result }) => request?.method === 'create_blind_account' && result);
  t.ok(made.length >= 5);
  for (const { request, result } of made) {
    t.equal(
      publicKey.toJson(blindBrainKey(request?.params[1] as string).publicKey, NETWORK),
      result,
      String(request?.params[1]),
    );
  }
  t.end();
});

t.test('backups are named after the key', (t) => {
  const alice = recordedFiles().find(({ file }) => file === '02a-foreign-key.json')?.dump_private_keys[0];
  t.equal(backupMark(publicKey.fromJson(alice?.[0] ?? '', NETWORK)), '2c916697');
  t.end();
});
