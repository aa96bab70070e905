import { existsSync } from 'node:fs';
import { jsonType } from '../../api/types.js';
import { compareText } from '../../base/bytes.js';
import { ChainError, check, fail } from '../../base/errors.js';
import { array, map, set } from '../../codec/containers.js';
import { type Json, type JsonObject, parseJson } from '../../codec/json.js';
import { text } from '../../codec/scalars.js';
import { isJsonObject, struct } from '../../codec/struct.js';
import type { Network, Type, ValueOf } from '../../codec/type.js';
import { DEFAULT_KEY_PREFIX, publicKeyFromText } from '../../crypto/public-key.js';
import { accountId, parseObjectId } from '../../protocol/ids.js';
import { publicKey, sha256Hash } from '../../protocol/keys.js';
import { WALLET_FILE_ERRORS } from '../errors.js';
import { blindReceipt } from '../stealth/receipt.js';
import { prettyJson } from '../text/pretty-json.js';
import { readNamed } from './read.js';

/**
 * The wallet file of the chain family, member by member in its order. Private keys stand in `cipher_keys` alone, but for
 * those of registrations that are not on the chain yet, which the form keeps in clear.
 */

/** An account as the node has shown it: kept whole, whatever members its version of the chain has. */
export interface StoredAccount {
  readonly id: string;
  readonly name: string;
  readonly json: JsonObject;
}

export function storedAccount(json: Json): StoredAccount {
  check(
    isJsonObject(json) && typeof json.id === 'string' && typeof json.name === 'string',
    WALLET_FILE_ERRORS.wallet_file_form,
    {
      file: '',
      what: 'an account has no id or no name',
    },
  );
  return { id: json.id as string, name: json.name as string, json };
}

const account: Type<StoredAccount> = {
  ...jsonType('account', {
    fromJson: storedAccount,
    toJson: (value: StoredAccount) => value.json,
    default: () => storedAccount({ id: '1.2.0', name: '' }),
  }),
  compare: (a, b) => parseObjectId(a.id).instance - parseObjectId(b.id).instance,
};

const keyLabel = struct('key_label', { label: text, key: publicKey });

const walletFields = struct('wallet_data', {
  chain_id: sha256Hash,
  my_accounts: set(account),
  cipher_keys: text,
  extra_keys: map(accountId, set(publicKey)),
  pending_account_registrations: map(text, array(text)),
  pending_witness_registrations: map(text, text),
  labeled_keys: set({ ...keyLabel, compare: (a, b) => compareText(a.label, b.label) }),
  /** Unique by commitment alone: the reference drops, when it loads, what was received in the same second. */
  blind_receipts: set({ ...blindReceipt, compare: (a, b) => compareText(a.data.commitment, b.data.commitment) }),
  ws_server: text,
  ws_user: text,
  ws_password: text,
});
export type WalletData = ValueOf<typeof walletFields>;

export function newWalletData(chainId: string): WalletData {
  return { ...walletFields.default(), chain_id: chainId };
}

export function formatWalletFile(data: WalletData, network: Network): string {
  return prettyJson(walletFields.toJson(data, network));
}

/** The chain's own wallet writes some characters as they are that standard JSON escapes. */
function parseLenient(source: string): Json {
  try {
    return parseJson(source);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return parseJson(source, 'reference');
  }
}

export function parseWalletFile(source: string, file: string, network: Network): WalletData {
  try {
    const json = parseLenient(source);
    check(isJsonObject(json), WALLET_FILE_ERRORS.wallet_file_form, { file, what: 'it is no JSON object' });
    check(
      typeof json.chain_id === 'string' && /^[0-9a-f]{64}$/.test(json.chain_id),
      WALLET_FILE_ERRORS.wallet_file_form,
      {
        file,
        what: 'chain_id is no chain id',
      },
    );
    const sealed = json.cipher_keys ?? '';
    check(typeof sealed === 'string' && /^(?:[0-9a-f]{32})*$/.test(sealed), WALLET_FILE_ERRORS.wallet_file_form, {
      file,
      what: 'cipher_keys is no cipher text',
    });
    return walletFields.fromJson(json, network);
  } catch (error) {
    if (!(error instanceof ChainError) || error.row === WALLET_FILE_ERRORS.wallet_file_form) throw error;
    return fail(WALLET_FILE_ERRORS.wallet_file_form, { file, what: error.message });
  }
}

const KEY_PREFIX_MAX = 8;

/** The beginning of a public key's text that is not of the key: its checksum tells. */
function prefixOf(key: string): string | undefined {
  for (let length = 1; length <= KEY_PREFIX_MAX; length++) {
    const prefix = key.slice(0, length);
    try {
      publicKeyFromText(key, prefix);
      return prefix;
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
    }
  }
  return undefined;
}

/**
 * How the keys in the text of a file are written, for whoever has not asked a node yet; a file without keys is that of any
 * network. What is wrong with a text is said by whoever parses it.
 */
export function networkOfText(source: string): Network {
  for (const [, key = ''] of source.matchAll(/"([A-Z][1-9A-Za-z]{49,58})"/g)) {
    const keyPrefix = prefixOf(key);
    if (keyPrefix !== undefined) return { keyPrefix };
  }
  return { keyPrefix: DEFAULT_KEY_PREFIX };
}

/** As it stands on the disk; undefined: there is no such file. */
export function walletFileText(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  return readNamed(file).toString('utf8');
}

/** Two programs on one file: whoever writes last would take away what the other one has written. */
export function checkUnchanged(file: string, read: string | undefined): void {
  check(walletFileText(file) === read, WALLET_FILE_ERRORS.wallet_file_changed, { file });
}

/** Undefined: there is no such file. */
export function readWalletFile(file: string, network: Network): WalletData | undefined {
  const source = walletFileText(file);
  return source === undefined ? undefined : parseWalletFile(source, file, network);
}

/** What a file holds, without any secret in it. */
export interface WalletSummary {
  readonly chain_id: string;
  readonly accounts: readonly string[];
  /** Known only when the password was given. */
  readonly private_keys: number | undefined;
  readonly has_password: boolean;
  readonly pending_registrations: number;
  readonly labels: number;
  readonly blind_balances: number;
  readonly server: string;
  /** Secrets that the form keeps in clear. */
  readonly plain_secrets: readonly string[];
}

export function summarize(data: WalletData, privateKeys: number | undefined): WalletSummary {
  const pending = data.pending_account_registrations.length + data.pending_witness_registrations.length;
  const plain: string[] = [];
  if (pending > 0) plain.push('keys of registrations that are not on the chain yet');
  if (data.ws_password !== '') plain.push('the password of the node');
  if (data.blind_receipts.length > 0) plain.push('amounts and blinding factors of blinded balances');
  return {
    chain_id: data.chain_id,
    accounts: data.my_accounts.map(({ name }) => name),
    private_keys: privateKeys,
    has_password: data.cipher_keys !== '',
    pending_registrations: pending,
    labels: data.labeled_keys.length,
    blind_balances: data.blind_receipts.length,
    server: data.ws_server,
    plain_secrets: plain,
  };
}
