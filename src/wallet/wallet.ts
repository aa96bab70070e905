import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { check } from '../base/errors.js';
import type { Clock, Logger, Random } from '../base/world.js';
import type { Network } from '../codec/type.js';
import type { ChainId } from '../crypto/digests.js';
import type { PrivateKey } from '../crypto/private-key.js';
import type { PublicKey } from '../crypto/public-key.js';
import { compareInstances } from '../protocol/ids.js';
import { canonicalKeys } from '../protocol/keys.js';
import { Builders } from './builders.js';
import { type Account, ChainView } from './chain-view.js';
import { WALLET_FILE_ERRORS } from './errors.js';
import { saveCopy, saveFile } from './file/save.js';
import {
  checkUnchanged,
  formatWalletFile,
  newWalletData,
  parseWalletFile,
  type StoredAccount,
  storedAccount,
  type WalletData,
  walletFileText,
} from './file/wallet-file.js';
import { backupMark, readPrivateKey } from './keys/derived.js';
import { Keyring } from './keys/keyring.js';
import { asList, type NodeLink } from './node-link.js';
import type { OperationRules } from './rules.js';
import { Transactions } from './transactions.js';

export interface WalletWorld {
  /** Name and version of the program, for `about`. */
  readonly program: string;
  readonly network: Network;
  readonly node: NodeLink;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly rules: OperationRules;
}

/** Accounts that one question to the node names. */
const ACCOUNTS_AT_ONCE = 100;

/**
 * An open wallet: its file, its keys while they are unlocked, the transactions that are being built. Whoever drives it,
 * at a prompt or over HTTP, drives this one object.
 */
export class Wallet {
  readonly world: WalletWorld;
  readonly chain: ChainView;
  readonly transactions: Transactions;
  readonly builders = new Builders();
  #ring: Keyring;
  #data: WalletData;
  #file: string;
  /** The file as it was last read or written; undefined while there is none. */
  #onDisk: string | undefined;
  #isChanged = false;

  private constructor(world: WalletWorld, file: string, data: WalletData) {
    this.world = world;
    this.chain = new ChainView(world.node, world.network);
    this.#file = resolve(file);
    this.#data = data;
    this.#ring = new Keyring(this.network, data.cipher_keys);
    this.transactions = new Transactions(
      this.chain,
      { has: (key) => this.#ring.has(key), get: (key) => this.#ring.get(key) },
      data.chain_id,
      world.rules,
    );
  }

  /** Of a file that may not be there yet. The caller has made sure that the node is on the same chain. */
  static async open(world: WalletWorld, file: string, chainId: ChainId): Promise<Wallet> {
    // Read once: whatever others write from now on is not overwritten.
    const onDisk = walletFileText(file);
    const data = onDisk === undefined ? newWalletData(chainId) : parseWalletFile(onDisk, file, world.network);
    checkChain(data, chainId);
    const wallet = new Wallet(world, file, data);
    wallet.#onDisk = onDisk;
    await wallet.refreshAccounts();
    return wallet;
  }

  get ring(): Keyring {
    return this.#ring;
  }

  get file(): string {
    return this.#file;
  }

  /** What the file holds, or will hold with the next save. */
  get data(): Readonly<WalletData> {
    return this.#data;
  }

  get chainId(): ChainId {
    return this.#data.chain_id;
  }

  get network(): Network {
    return this.world.network;
  }

  nowSec(): number {
    return Math.floor(this.world.clock.nowMs() / 1000);
  }

  /** Changes what the file holds. Nothing is on the disk before `save`. */
  update(changes: Partial<WalletData>): void {
    this.#data = { ...this.#data, ...changes };
    this.#isChanged = true;
  }

  save(file = ''): void {
    const target = file === '' || isSameFile(file, this.#file) ? this.#file : file;
    this.#data = { ...this.#data, cipher_keys: this.#ring.sealed };
    const text = formatWalletFile(this.#data, this.network);
    if (target !== this.#file) {
      saveFile(target, text);
      return;
    }
    saveFile(target, text, () => checkUnchanged(target, this.#onDisk));
    this.#onDisk = text;
    this.#isChanged = false;
  }

  /** Locked afterwards. The old password stays where the file cannot be written. */
  setPassword(password: string): void {
    const { sealed } = this.#ring;
    this.#ring.setPassword(password);
    try {
      // Ours: the reference writes the file when something else makes it do so.
      this.save();
    } catch (error) {
      this.#ring.takeBack(sealed);
      throw error;
    }
  }

  /** Something was changed that the file does not say. */
  get hasUnsaved(): boolean {
    return this.#isChanged;
  }

  /** False: there is no such file. A file that cannot be used changes nothing. */
  async load(file = ''): Promise<boolean> {
    const source = file === '' ? this.#file : resolve(file);
    const onDisk = walletFileText(source);
    if (onDisk === undefined) return false;
    const data = parseWalletFile(onDisk, source, this.network);
    checkChain(data, this.chainId);
    this.#onDisk = onDisk;
    this.#isChanged = false;
    this.#data = data;
    // What it holds in memory is wiped.
    if (!this.#ring.isLocked) this.#ring.lock();
    this.#ring = new Keyring(this.network, data.cipher_keys);
    this.#file = source;
    await this.refreshAccounts();
    return true;
  }

  /** The stored accounts as they stand on the chain now. */
  async refreshAccounts(): Promise<void> {
    const stored = this.#data.my_accounts;
    const fresh = new Map<string, StoredAccount>();
    for (let at = 0; at < stored.length; at += ACCOUNTS_AT_ONCE) {
      const part = stored.slice(at, at + ACCOUNTS_AT_ONCE);
      const ids = part.map(({ id }) => id);
      const found = asList(await this.chain.ask('get_accounts', ids), 'get_accounts');
      part.forEach(({ id }, i) => {
        const now = found[i] ?? null;
        // An account that a fork took back may come again: what is known of it stays.
        if (now !== null) fresh.set(id, storedAccount(now));
      });
    }
    // Others may have come to them while the node was asked.
    this.#data = { ...this.#data, my_accounts: this.#data.my_accounts.map((old) => fresh.get(old.id) ?? old) };
  }

  rememberAccount(account: Account): void {
    const stored = storedAccount(account.json);
    const others = this.#data.my_accounts.filter(({ id }) => id !== stored.id);
    const instance = (id: string): number => Number(id.slice('1.2.'.length));
    this.update({ my_accounts: [...others, stored].sort((a, b) => instance(a.id) - instance(b.id)) });
  }

  isMine(account: Account): boolean {
    return this.#data.my_accounts.some(({ name }) => name === account.name);
  }

  /** Keeps a key for an account. True when it is one of the account's keys; the caller then saves. */
  addKey(account: Account, key: PrivateKey): boolean {
    this.#ring.add(key);
    this.rememberAccount(account);
    const known = this.#data.extra_keys.find(([id]) => id === account.id)?.[1] ?? [];
    const keys = canonicalKeys([...known, key.publicKey]);
    const others = this.#data.extra_keys.filter(([id]) => id !== account.id);
    const extra: [number, string[]][] = [...others, [account.id, keys]];
    this.update({ extra_keys: extra.sort((a, b) => compareInstances(a[0], b[0])) });
    return keysOf(account).includes(key.publicKey);
  }

  /** The file as it stands on the disk, under another name in its folder. */
  backup(name: string): void {
    if (existsSync(this.#file)) saveCopy(join(dirname(this.#file), name), readFileSync(this.#file, 'utf8'));
  }

  /** With backups before and after, as the reference makes them. */
  async importKey(accountName: string, wif: string): Promise<boolean> {
    this.#ring.requireUnlocked();
    const key = readPrivateKey(wif);
    const mark = backupMark(key.publicKey);
    this.backup(`before-import-key-${mark}`);
    const isOfAccount = this.addKey(await this.chain.account(accountName), key);
    // Ours: the reference keeps a key of nobody in memory until its end, and loses it with a crash.
    this.save();
    if (!isOfAccount) return false;
    this.backup(`after-import-key-${mark}`);
    return true;
  }

  /** Of an account, a public key or a label: whom a memo is for. */
  keyOfLabel(label: string): PublicKey | undefined {
    return this.#data.labeled_keys.find((known) => known.label === label)?.key;
  }

  labelOfKey(key: PublicKey): string | undefined {
    return this.#data.labeled_keys.find((known) => known.key === key)?.label;
  }

  /** One label per key and one key per label. False: another key has the label. */
  setLabel(key: PublicKey, label: string): boolean {
    const holder = this.keyOfLabel(label);
    if (holder !== undefined) return holder === key;
    const others = this.#data.labeled_keys.filter((known) => known.key !== key);
    const sorted = [...others, { label, key }].sort((a, b) => (a.label < b.label ? -1 : 1));
    this.update({ labeled_keys: sorted });
    return true;
  }
}

/** However it is written: relative to where the wallet was started, or by a link to it. */
function isSameFile(given: string, own: string): boolean {
  const path = resolve(given);
  return path === own || (existsSync(path) && existsSync(own) && realpathSync(path) === realpathSync(own));
}

function keysOf(account: Account): PublicKey[] {
  const of = ([key]: [PublicKey, number]): PublicKey => key;
  return [...account.owner.key_auths.map(of), ...account.active.key_auths.map(of), account.options.memo_key];
}

function checkChain(data: WalletData, chainId: ChainId): void {
  check(data.chain_id === chainId, WALLET_FILE_ERRORS.wallet_file_chain, { actual: data.chain_id, expected: chainId });
}
