import { existsSync } from 'node:fs';
import { toHex } from '../../base/bytes.js';
import { ChainError, check, fail } from '../../base/errors.js';
import { memoNonce, readMemo, writeMemo } from '../../client/memos.js';
import { encode } from '../../codec/binary.js';
import { array } from '../../codec/containers.js';
import { type Json, parseJson } from '../../codec/json.js';
import { bool, i32, text } from '../../codec/scalars.js';
import { encodeText } from '../../codec/text.js';
import { normalizeBrainKey, suggestBrainKey } from '../../crypto/brain-key.js';
import { sha256, sha256Hex } from '../../crypto/hash.js';
import { NULL_PUBLIC_KEY, type PublicKey } from '../../crypto/public-key.js';
import { signRepeatably } from '../../crypto/repeatable-signature.js';
import { publicKey } from '../../protocol/keys.js';
import { memoData } from '../../protocol/memo.js';
import { CHECK_ERRORS, KEYSTORE_ERRORS } from '../errors.js';
import { readNamed } from '../file/read.js';
import { type BrainKeyInfo, brainKeyInfo, readPrivateKey } from '../keys/derived.js';
import { type ExportedKeys, exportedKeys, exportPasswordHash, openExportedKeys } from '../keys/export-file.js';
import type { Wallet } from '../wallet.js';
import { type CommandTable, command } from './define.js';

const infoJson = (wallet: Wallet, { brain_priv_key, wif_priv_key, pub_key }: BrainKeyInfo): Json => ({
  brain_priv_key,
  wif_priv_key,
  pub_key: publicKey.toJson(pub_key, wallet.network),
});

/** A public key as typed; the texts of the reference for what is none. */
function typedKey(wallet: Wallet, given: string): PublicKey | undefined {
  try {
    return publicKey.fromJson(given, wallet.network);
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

/** A key itself, or the key that has the label; the null key where there is none. */
export function keyOrLabel(wallet: Wallet, given: string): PublicKey {
  return typedKey(wallet, given) ?? wallet.keyOfLabel(given) ?? NULL_PUBLIC_KEY;
}

/** The memo key of an account, or a key or label as it is. */
async function memoKeyOf(wallet: Wallet, given: string): Promise<PublicKey> {
  const key = keyOrLabel(wallet, given);
  return key === NULL_PUBLIC_KEY ? (await wallet.chain.account(given)).options.memo_key : key;
}

function readExport(wallet: Wallet, file: string): ExportedKeys {
  check(existsSync(file), KEYSTORE_ERRORS.export_file_missing, { file });
  return exportedKeys.fromJson(parseJson(readNamed(file).toString('utf8')), wallet.network);
}

export const keyCommands = {
  import_key: command({
    params: { account_name_or_id: text, wif_key: text },
    result: 'bool',
    secret: ['wif_key'],
    acts: true,
    help: 'Keeps a private key for an account. True when it is a key of the account now; the file is then saved, with a backup before and after.',
    examples: ['import_key nathan 5KQwrPbwdL6PhXujxW37FSSQZ1JiwsST4cqQzDeyXtP79zkvFD3'],
    run: (wallet, args) => wallet.importKey(args.account_name_or_id, args.wif_key),
  }),
  import_keys: command({
    params: { account_name_or_id: text, wif_keys: array(text) },
    result: 'vector<bool>',
    secret: ['wif_keys'],
    acts: true,
    help: 'Keeps several private keys for an account and saves once. For each key whether it is one of the account.',
    examples: ['import_keys nathan ["5J…", "5K…"]'],
    run: async (wallet, { account_name_or_id, wif_keys }) => {
      wallet.ring.requireUnlocked();
      const keys = wif_keys.map(readPrivateKey);
      const account = await wallet.chain.account(account_name_or_id);
      const known = keys.map((key) => wallet.addKey(account, key));
      wallet.save();
      return known;
    },
  }),
  import_accounts: command({
    params: { filename: text, password: text },
    result: 'map<string,bool>',
    secret: ['password'],
    acts: true,
    help: 'Imports all keys of a file that another wallet has exported. For each account of the file whether it is one of the chain and has one of the keys.',
    run: async (wallet, { filename, password }) => {
      wallet.ring.requireUnlocked();
      const exported = readExport(wallet, filename);
      const hash = exportPasswordHash(exported, password);
      const results: [string, boolean][] = [];
      for (const entry of exported.account_keys) {
        results.push([entry.account_name, await importEntry(wallet, entry, openExportedKeys(entry, hash))]);
      }
      wallet.save();
      return results.sort((a, b) => (a[0] < b[0] ? -1 : 1));
    },
  }),
  import_account_keys: command({
    params: { filename: text, password: text, src_account_name: text, dest_account_name: text },
    result: 'bool',
    secret: ['password'],
    acts: true,
    help: 'Imports the keys that an exported file has for one account, for an account of this wallet.',
    run: async (wallet, { filename, password, src_account_name, dest_account_name }) => {
      wallet.ring.requireUnlocked();
      check(existsSync(filename), KEYSTORE_ERRORS.export_file_missing, { file: filename });
      const isMine = wallet.data.my_accounts.some(({ name }) => name === dest_account_name);
      check(isMine, CHECK_ERRORS.import_not_mine, { account: dest_account_name });
      const exported = readExport(wallet, filename);
      const hash = exportPasswordHash(exported, password);
      const entry = exported.account_keys.find(({ account_name }) => account_name === src_account_name);
      if (entry === undefined) return fail(CHECK_ERRORS.import_not_found, { account: src_account_name });
      const account = await wallet.chain.account(dest_account_name);
      for (const key of openExportedKeys(entry, hash)) wallet.addKey(account, key);
      wallet.save();
      return true;
    },
  }),
  import_balance: command({
    params: { account_name_or_id: text, wif_keys: array(text), broadcast: bool },
    result: 'vector<signed_transaction>',
    secret: ['wif_keys'],
    acts: true,
    help: 'Claimed balances of the genesis block. Since the core asset became 1.3.1 the chain refuses every claim, and this command says so.',
    run: async (wallet, { account_name_or_id, wif_keys }) => {
      wallet.ring.requireUnlocked();
      await wallet.chain.account(account_name_or_id);
      for (const wif of wif_keys) if (wif !== '*') claimKey(wif);
      return fail(CHECK_ERRORS.import_balance_fee);
    },
  }),
  dump_private_keys: command({
    params: {},
    result: 'map<public_key,string>',
    help: 'Shows every private key of the wallet.',
    run: (wallet) => {
      wallet.ring.requireUnlocked();
      return wallet.ring
        .publicKeys()
        .map((key) => [publicKey.toJson(key, wallet.network), wallet.ring.get(key).toWif()]);
    },
  }),
  get_private_key: command({
    params: { pubkey: publicKey },
    result: 'string',
    help: 'Shows the private key of a public key.',
    run: (wallet, { pubkey }) => wallet.ring.get(pubkey).toWif(),
  }),
  get_public_key: command({
    params: { label: text },
    result: 'public_key',
    help: 'The key that has a label.',
    run: (wallet, { label }) => publicKey.toJson(keyOrLabel(wallet, label), wallet.network),
  }),
  get_key_label: command({
    params: { pubkey: publicKey },
    result: 'string',
    help: 'The label of a key; "" when it has none.',
    run: (wallet, { pubkey }) => wallet.labelOfKey(pubkey) ?? '',
  }),
  set_key_label: command({
    params: { pubkey: publicKey, label: text },
    result: 'bool',
    acts: true,
    help: 'Gives a key a label, by which it can then be named. False when another key has it.',
    run: (wallet, { pubkey, label }) => {
      const isSet = wallet.setLabel(pubkey, label);
      if (isSet) wallet.save();
      return isSet;
    },
  }),
  suggest_brain_key: command({
    params: {},
    result: 'brain_key_info',
    help: 'Words that nobody else has, and the key that they give. Whoever knows the words has the key.',
    run: (wallet) => infoJson(wallet, brainKeyInfo(suggestBrainKey((count) => wallet.world.random.bytes(count)))),
  }),
  derive_owner_keys_from_brain_key: command({
    params: { brain_key: text, number_of_desired_keys: i32 },
    result: 'vector<brain_key_info>',
    secret: ['brain_key'],
    help: 'The first keys that a brain key gives; number 0 is the owner key of its account.',
    run: (wallet, { brain_key, number_of_desired_keys }) => {
      check(number_of_desired_keys >= 1, CHECK_ERRORS.brain_key_count);
      return Array.from({ length: number_of_desired_keys }, (_, n) => infoJson(wallet, brainKeyInfo(brain_key, n)));
    },
  }),
  normalize_brain_key: command({
    params: { brain_key: text },
    result: 'string',
    secret: ['brain_key'],
    help: 'The form of a brain key from which its keys are made: capital letters, single spaces.',
    run: (_, { brain_key }) => normalizeBrainKey(brain_key),
  }),
  get_orginal_public_key: command({
    params: { pub_key: text },
    result: 'string',
    help: 'The 33 bytes of a public key.',
    run: (wallet, { pub_key }) => {
      const prefix = wallet.network.keyPrefix;
      check(pub_key.length > prefix.length, CHECK_ERRORS.public_key_short, { prefix });
      return publicKey.fromJson(pub_key, wallet.network);
    },
  }),
  get_pub_key_from_wif_key: command({
    params: { wif_key: text },
    result: 'string',
    secret: ['wif_key'],
    help: 'The public key of a private key.',
    run: (wallet, { wif_key }) => publicKey.toJson(readPrivateKey(wif_key).publicKey, wallet.network),
  }),
  get_hash: command({
    params: { value: text },
    result: 'sha256',
    help: 'The SHA-256 of a text.',
    run: (_, { value }) => sha256Hex(encodeText(value)),
  }),
  sign_string: command({
    params: { wif_key: text, raw_data: text, is_pack: bool },
    result: 'signature',
    secret: ['wif_key'],
    help: 'Signs the SHA-256 of a text; with is_pack of the text behind its length, as contracts unpack it.',
    run: (_, { wif_key, raw_data, is_pack }) => {
      const digest = sha256(is_pack ? encode(text, raw_data) : encodeText(raw_data));
      return toHex(signRepeatably(digest, signingKey(wif_key)));
    },
  }),
  sign_memo: command({
    params: { from: text, to: text, memo: text },
    result: 'memo_data',
    help: 'Encrypts a memo from one account, key or label to another.',
    run: async (wallet, { from, to, memo }) => {
      wallet.ring.requireUnlocked();
      // Quirk of the wording: of an unknown sender, too, it is the key that is missing.
      const sender = await memoKeyOf(wallet, from).catch((error: unknown) => {
        if (error instanceof ChainError && error.kind === 'invalid') return NULL_PUBLIC_KEY;
        throw error;
      });
      const receiver = await memoKeyOf(wallet, to);
      const nonce = memoNonce(wallet.world.clock, wallet.world.random);
      return memoData.toJson(writeMemo(wallet.ring.get(sender), receiver, nonce, memo), wallet.network);
    },
  }),
  read_memo: command({
    params: { memo: memoData },
    result: 'string',
    help: 'The text of a memo, as its receiver or as its sender. "" when it cannot be read; the log says why.',
    run: (wallet, { memo }) => {
      wallet.ring.requireUnlocked();
      const reading = readMemo(memo, (key) => wallet.ring.find(key));
      if (reading.kind === 'text') return reading.text;
      wallet.world.log.warn('a memo cannot be read', { why: reading.kind });
      return '';
    },
  }),
} satisfies CommandTable;

async function importEntry(
  wallet: Wallet,
  entry: ExportedKeys['account_keys'][number],
  keys: ReturnType<typeof openExportedKeys>,
): Promise<boolean> {
  let isOfAccount = false;
  try {
    const account = await wallet.chain.account(entry.account_name);
    for (const key of keys) if (wallet.addKey(account, key)) isOfAccount = true;
  } catch (error) {
    // Not on this chain: the keys are kept all the same, the answer says that nobody owns them. A node that does not
    // answer says nothing about that.
    if (!(error instanceof ChainError && error.kind === 'invalid')) throw error;
    for (const key of keys) wallet.ring.add(key);
  }
  return isOfAccount;
}

function claimKey(wif: string): void {
  try {
    readPrivateKey(wif);
  } catch (error) {
    if (error instanceof ChainError) fail(CHECK_ERRORS.import_key_invalid);
    throw error;
  }
}

function signingKey(wif: string) {
  try {
    return readPrivateKey(wif);
  } catch (error) {
    if (error instanceof ChainError) return fail(CHECK_ERRORS.signing_key_malformed);
    throw error;
  }
}
