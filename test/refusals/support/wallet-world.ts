import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RpcConnectionError } from '../../../src/client/connection.js';
import type { Json } from '../../../src/codec/json.js';
import type { Terminal } from '../../../src/commands/terminal.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { runCommand } from '../../../src/wallet/commands/index.js';
import { type NodeLink, nodeError } from '../../../src/wallet/node-link.js';
import { asSender } from '../../../src/wallet/sending/sender.js';
import { serveWallet } from '../../../src/wallet/server.js';
import { commonSecret, makeOutput, receiptText, sealMemo } from '../../../src/wallet/stealth/outputs.js';
import { parseLine } from '../../../src/wallet/text/line.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';
import { walletVector } from '../../support/wallet-vectors.js';
import { linkTo, openRecorded, recordedChain } from '../../wallet/support/frozen.js';

/** Wallets on the recorded chain: one unlocked, one locked, one without a password, one whose node is nobody. */

const link = linkTo(recordedChain());
const START = 1_795_293_900_000;
const PASSWORD = 'supersecret';
const kept: (() => void)[] = [];

async function wallet(file: string, node: NodeLink = link): Promise<Wallet> {
  const opened = await openRecorded(file, node, START);
  kept.push(opened.remove);
  return opened.wallet;
}
process.once('exit', () => {
  for (const remove of kept) remove();
});

const full = await wallet('10-frozen-start.json');
full.ring.unlock(PASSWORD);
const closed = await wallet('10-frozen-start.json');
export const folder = join(full.file, '..');

const runOf =
  (one: Wallet) =>
  async (name: string, ...params: Json[]): Promise<Json> =>
    (await runCommand(one, name, params)).result;

export const open = runOf(full);
export const locked = runOf(closed);

/** A wallet of another kind for one question. */
export async function fresh(name: string, ...params: Json[]): Promise<Json> {
  const path = join(folder, 'fresh.json');
  const { chain_id } = JSON.parse(readFileSync(full.file, 'utf8')) as { chain_id: string };
  writeFileSync(path, `{"chain_id":"${chain_id}"}`);
  const one = await wallet('10-frozen-start.json');
  await one.load(path);
  return runOf(one)(name, ...params);
}

/** With a node that answers by `answer`. */
export async function withNode(answer: () => Promise<Json>, name: string, ...params: Json[]): Promise<Json> {
  let isOpen = false;
  const one = await wallet('10-frozen-start.json', {
    call: (api, method, given) => (isOpen ? answer() : link.call(api, method, given)),
  });
  isOpen = true;
  return runOf(one)(name, ...params);
}

/** With a node that has removed the first five operations of every account. */
export async function withShortHistory(name: string, ...params: Json[]): Promise<Json> {
  const one = await wallet('10-frozen-start.json', {
    call: async (api, method, given) => {
      if (api === 'history') return { total_without_operations: 0, operation_history_objs: [] };
      const answer = await link.call(api, method, given);
      return method === 'get_objects' ? (answer as object[]).map((found) => ({ ...found, removed_ops: 5 })) : answer;
    },
  });
  return runOf(one)(name, ...params);
}

/** A file beside the wallet. */
export function fileWith(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

export const recordedFile = (name: string): string => walletVector('files', name);

/** Exported keys of which one is damaged. */
export function damagedExport(): string {
  const json = JSON.parse(readFileSync(recordedFile('export-keys.json'), 'utf8')) as {
    account_keys: { encrypted_private_keys: string[] }[];
  };
  const [first] = json.account_keys;
  if (first !== undefined) first.encrypted_private_keys = ['00'.repeat(48)];
  return fileWith('damaged.json', JSON.stringify(json));
}

const overwritten = await wallet('10-frozen-start.json');
export const changedFile = overwritten.file;

/** Somebody else writes the file, then this wallet saves. */
export function saveOverAnother(): Promise<Json> {
  writeFileSync(changedFile, `${readFileSync(changedFile, 'utf8')} `);
  return runOf(overwritten)('save_wallet_file', '');
}

/** A folder of a contract with these files. */
export function contractFolder(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  for (const [end, text] of Object.entries(files)) writeFileSync(join(path, `${name}.${end}`), text);
  return path;
}

/** A builder transaction with so many transfers in it. */
export async function built(transfers = 1): Promise<number> {
  const handle = Number(await open('begin_builder_transaction'));
  for (let n = 0; n < transfers; n++) {
    await open('add_operation_to_builder_transaction', handle, [0, { from: '1.2.19', to: '1.2.22' }]);
  }
  return handle;
}

const receipt = full.data.blind_receipts[0]?.conf ?? {
  one_time_key: '',
  to: undefined,
  encrypted_memo: new Uint8Array(),
};

export const receiptWith = (change: Partial<typeof receipt>): string => receiptText({ ...receipt, ...change });

/** A receipt to a key of this wallet whose memo says something wrong. */
export function damagedReceipt(what: 'commitment' | 'check'): string {
  const to = receipt.to ?? '';
  const oneTime = PrivateKey.fromSeed('refusals');
  const { memo, confirmation } = makeOutput({ oneTime, to, amount: { amount: 5n, asset_id: 1 } });
  const wrong =
    what === 'check' ? { ...memo, check: memo.check ^ 1 } : { ...memo, amount: { amount: 6n, asset_id: 1 } };
  return receiptText({ ...confirmation, encrypted_memo: sealMemo(wrong, commonSecret(oneTime, to)) });
}

export const NO_TERMINAL: Terminal = {
  isTTY: false,
  columns: undefined,
  exitCode: 0,
  out: () => undefined,
  err: () => undefined,
  input: () => new Uint8Array(),
};

/** What a server of the wallet answers that allows one command, to its user alone. */
export async function served(document: Json, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const server = await serveWallet(
    { host: '127.0.0.1', port: 0, tls: undefined, form: 'rpc' },
    { allow: new Set(['info']), user: 'u', password: 'p', origins: [], hostNames: [] },
    (method, params) => open(method, ...params),
    { clock: new FakeClock(START), log: new MemoryLog() },
  );
  const authorization = `Basic ${Buffer.from('u:p').toString('base64')}`;
  try {
    const answer = await fetch(`http://127.0.0.1:${server.port}/`, {
      method: 'POST',
      body: JSON.stringify(document),
      headers: { authorization, connection: 'close', ...headers },
    });
    return await answer.text();
  } finally {
    await server.close();
  }
}

/** On the recorded chain's last irreversible block. */
export const TX = {
  ref_block_num: 465,
  ref_block_prefix: 2287010413,
  expiration: '2026-11-21T20:45:06',
  operations: [],
  extensions: [],
  signatures: [],
};

export const KEY = 'GXC5VN4jSrEAdqKJdMBUMe3Q8fmEDmMZK3knUQqkCvFQgC1Nt3L5T';

/** As a connection that breaks says it. */
export const nodeGone = (): unknown => nodeError(new RpcConnectionError('the connection was closed'));

export const typed = (line: string): Json[] => parseLine(line);

/** Somebody at a prompt says no. */
export function declined(): Promise<Json> {
  const sender = { approve: async () => false, sent: () => undefined };
  return asSender(sender, () => open('transfer', 'nathan', 'alice', '1', 'GXS', '', true));
}
