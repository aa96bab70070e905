import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { WALLET_FILE_ERRORS } from '../../src/wallet/errors.js';
import { backupOf, saveCopy, saveFile } from '../../src/wallet/file/save.js';
import { checkUnchanged } from '../../src/wallet/file/wallet-file.js';
import type { NodeLink } from '../../src/wallet/node-link.js';
import { Wallet } from '../../src/wallet/wallet.js';
import { NETWORK } from '../support/network.js';
import { refused } from '../support/refused.js';
import { linkTo, openRecorded, recordedChain } from './support/frozen.js';

const folder = mkdtempSync(join(tmpdir(), 'wallet-save-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
const mode = (file: string): number => statSync(file).mode & 0o777;

t.test('a file is replaced as a whole, readable by its owner alone, with the one before as a backup', (t) => {
  const file = join(folder, 'w.json');
  saveFile(file, 'one');
  t.equal(existsSync(backupOf(file)), false, 'there was nothing to keep');
  chmodSync(file, 0o644);
  saveFile(file, 'two');
  t.equal(readFileSync(file, 'utf8'), 'two');
  t.equal(mode(file), 0o600);
  t.equal(readFileSync(backupOf(file), 'utf8'), 'one');
  t.equal(mode(backupOf(file)), 0o600);
  const link = join(folder, 'link.json');
  symlinkSync(file, link);
  saveFile(link, 'three');
  t.equal(readFileSync(file, 'utf8'), 'three', 'behind a link stands the file that is meant');
  t.end();
});

t.test('copies take the first free name', (t) => {
  const name = join(folder, 'before');
  t.equal(saveCopy(name, 'a'), `${name}.wallet`);
  t.equal(saveCopy(name, 'b'), `${name}-1.wallet`);
  t.equal(saveCopy(name, 'c'), `${name}-2.wallet`);
  t.equal(readFileSync(`${name}.wallet`, 'utf8'), 'a');
  t.equal(mode(`${name}-2.wallet`), 0o600);
  t.end();
});

t.test('what cannot be written is refused, and what was there stays', (t) => {
  refused(t, WALLET_FILE_ERRORS.wallet_file_write, () => saveFile(join(folder, 'nowhere', 'w.json'), 'x'));
  const file = join(folder, 'kept.json');
  writeFileSync(file, 'kept');
  // In the way of the backup: saving fails after it has begun.
  mkdirSync(join(backupOf(file), 'x'), { recursive: true });
  refused(t, WALLET_FILE_ERRORS.wallet_file_write, () => saveFile(file, 'new'));
  t.equal(readFileSync(file, 'utf8'), 'kept');
  t.same(
    readdirSync(folder).filter((name) => name.endsWith('.tmp')),
    [],
    'nothing half written is left',
  );
  t.end();
});

t.test('what others write while a slow disk takes its time is not overwritten', (t) => {
  const file = join(folder, 'raced.json');
  writeFileSync(file, 'read');
  const stillRead = (): void => checkUnchanged(file, 'read');
  const raced = (): void => {
    stillRead();
    const isWritten = readdirSync(folder).some((name) => name.startsWith('raced.json.') && name.endsWith('.tmp'));
    if (isWritten) writeFileSync(file, 'by another wallet');
    stillRead();
  };
  refused(t, WALLET_FILE_ERRORS.wallet_file_changed, () => saveFile(file, 'ours', raced));
  t.equal(readFileSync(file, 'utf8'), 'by another wallet');
  saveFile(file, 'ours', () => checkUnchanged(file, 'by another wallet'));
  t.equal(readFileSync(file, 'utf8'), 'ours');
  t.same(
    readdirSync(folder).filter((name) => name.endsWith('.tmp')),
    [],
  );
  t.end();
});

t.test('of two wallets that save at the same instant one is refused', async (t) => {
  const file = join(folder, 'rivals.json');
  writeFileSync(file, 'read by both');
  const saver = fileURLToPath(new URL('../support/rival-saver.js', import.meta.url));
  const rivals = ['one', 'two'].map((text) => {
    const child = spawn(process.execPath, [saver, file, text], { stdio: ['pipe', 'pipe', 'inherit'] });
    const said: string[] = [];
    child.stdout.on('data', (piece: Buffer) => said.push(String(piece)));
    return { text, child, said, ready: once(child.stdout, 'data'), ended: once(child, 'close') };
  });
  await Promise.all(rivals.map(({ ready }) => ready));
  for (const { child } of rivals) child.stdin.write('go\n');
  await Promise.all(rivals.map(({ ended }) => ended));
  const outcomes = rivals.map(({ said }) => said.join('').replace('ready\n', '').trim());
  t.same([...outcomes].sort(), ['saved', 'wallet_file_changed'], 'neither takes away what the other one has written');
  t.equal(readFileSync(file, 'utf8'), rivals[outcomes.indexOf('saved')]?.text);
  t.notOk(existsSync(`${file}.lock`));
});

t.test('what one that was killed has left in the way is cleared away', (t) => {
  const file = join(folder, 'left.json');
  writeFileSync(file, 'read');
  writeFileSync(`${file}.lock`, '');
  saveFile(file, 'ours', () => checkUnchanged(file, 'read'));
  t.equal(readFileSync(file, 'utf8'), 'ours');
  t.notOk(existsSync(`${file}.lock`));
  t.end();
});

t.test('kill -9 while saving leaves the old or the new file, whole', async (t) => {
  const saver = fileURLToPath(new URL('../support/wallet-saver.js', import.meta.url));
  const whole = (file: string): boolean => {
    const text = readFileSync(file, 'utf8');
    const n = text.slice(0, text.indexOf(' '));
    return text === `${`${n} `.repeat(200_000)}end of ${n}`;
  };
  for (let round = 0; round < 25; round++) {
    const file = join(folder, `killed-${round}.json`);
    const child = spawn(process.execPath, [saver, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    while (!existsSync(file)) await pause(1);
    await pause((round * 7) % 40);
    child.kill('SIGKILL');
    await once(child, 'exit');
    t.ok(whole(file), `round ${round}`);
    if (existsSync(backupOf(file))) t.ok(whole(backupOf(file)), `round ${round}: the backup`);
    saveFile(file, 'after');
    t.equal(readFileSync(file, 'utf8'), 'after', 'and it can be saved again');
  }
});

t.test('the own file is the own file, however it is written', async (t) => {
  const { wallet, folder: own, remove } = await openRecorded('10-frozen-start.json', linkTo(recordedChain()));
  t.teardown(remove);
  const link = join(own, 'link.json');
  symlinkSync(wallet.file, link);
  for (const [n, name] of [relative(process.cwd(), wallet.file), link, `${own}/./wallet.json`].entries()) {
    wallet.update({ ws_user: `user ${n}` });
    wallet.save(name);
    t.match(JSON.parse(readFileSync(wallet.file, 'utf8')), { ws_user: `user ${n}` });
    t.notOk(wallet.hasUnsaved, name);
    wallet.save();
  }
  writeFileSync(wallet.file, readFileSync(wallet.file, 'utf8').replace('user 2', 'somebody else'));
  refused(t, WALLET_FILE_ERRORS.wallet_file_changed, () => wallet.save(link), 'of others nothing is overwritten');
  wallet.ring.unlock('supersecret');
  const held = wallet.ring.get(wallet.ring.publicKeys()[0] ?? '');
  t.ok(await wallet.load(relative(process.cwd(), wallet.file)));
  t.same([...held.secret()], Array(32).fill(0), 'keys of before are wiped from the memory');
  t.equal(wallet.data.ws_user, 'somebody else');
  wallet.save();
});

t.test('what others write while the file is read is not overwritten', async (t) => {
  const { wallet, remove } = await openRecorded('10-frozen-start.json', linkTo(recordedChain()));
  t.teardown(remove);
  const { file, world, chainId } = wallet;
  let others = 0;
  // Asked for with the first key of the file.
  const keyPrefix = (): string => {
    if (others++ === 0) writeFileSync(file, `${readFileSync(file, 'utf8')}\n`);
    return NETWORK.keyPrefix;
  };
  const network = Object.defineProperty({ ...NETWORK }, 'keyPrefix', { get: keyPrefix });
  const opened = await Wallet.open({ ...world, network }, file, chainId);
  t.ok(others > 0);
  refused(t, WALLET_FILE_ERRORS.wallet_file_changed, () => opened.save());
  others = 0;
  t.ok(await opened.load());
  refused(t, WALLET_FILE_ERRORS.wallet_file_changed, () => opened.save());
  t.ok(await opened.load());
  opened.save();
});

t.test('an account that comes while others are asked for stays', async (t) => {
  const node = linkTo(recordedChain());
  let meanwhile = async (): Promise<void> => undefined;
  const link: NodeLink = {
    call: async (api, method, params) => {
      const answer = await node.call(api, method, params);
      if (method === 'get_accounts') await meanwhile();
      return answer;
    },
  };
  const { wallet, remove } = await openRecorded('02-four-keys.json', link);
  t.teardown(remove);
  wallet.ring.unlock('supersecret');
  const names = (): string[] => wallet.data.my_accounts.map(({ name }) => name);
  t.notOk(names().includes('erin'));
  meanwhile = async () => {
    meanwhile = async () => undefined;
    wallet.rememberAccount(await wallet.chain.account('erin'));
  };
  await wallet.refreshAccounts();
  t.ok(names().includes('erin'));
});
