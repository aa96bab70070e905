import { resolve } from 'node:path';
import { fail } from '../../base/errors.js';
import { WALLET_FILE_ERRORS } from '../../wallet/errors.js';
import { saveFile } from '../../wallet/file/save.js';
import {
  checkUnchanged,
  formatWalletFile,
  networkOfText,
  parseWalletFile,
  summarize,
  walletFileText,
} from '../../wallet/file/wallet-file.js';
import { Keyring, openKeys, passwordHash } from '../../wallet/keys/keyring.js';
import { prettyJson } from '../../wallet/text/pretty-json.js';
import { secretsFrom } from '../secrets.js';
import { EXIT, type Terminal } from '../terminal.js';
import type { WalletOptions } from './options.js';

/** Work on a wallet file alone: no node is asked. */

function existing(options: WalletOptions) {
  const file = resolve(options['wallet-file']);
  const text = walletFileText(file) ?? fail(WALLET_FILE_ERRORS.wallet_file_missing, { file });
  const network = networkOfText(text);
  return { file, text, network, data: parseWalletFile(text, file, network) };
}

/** With the password, if one is given, also how many keys there are. */
export async function checkFile(options: WalletOptions, terminal: Terminal): Promise<void> {
  const { data } = existing(options);
  const password = await secretsFrom(terminal)('Password (none: only look): ');
  const keys = password === '' ? undefined : openKeys(data.cipher_keys, passwordHash(password)).length;
  const { private_keys, ...rest } = summarize(data, keys);
  const shown = { ...rest, accounts: [...rest.accounts], plain_secrets: [...rest.plain_secrets] };
  terminal.out(`${prettyJson(private_keys === undefined ? shown : { ...shown, private_keys })}\n`);
}

export async function changePassword(options: WalletOptions, terminal: Terminal): Promise<void> {
  const { file, text, network, data } = existing(options);
  const ask = secretsFrom(terminal);
  const ring = new Keyring(network, data.cipher_keys);
  const old = await ask('Password until now: ');
  ring.unlock(old);
  ring.lock();
  const password = await ask('New password: ');
  // Nobody has seen it, and the backup is gone with the next save.
  if (process.stdin.isTTY === true && (await ask('New password again: ')) !== password) {
    terminal.err('the two are not the same; nothing was changed\n');
    terminal.exitCode = EXIT.refused;
    return;
  }
  ring.changePassword(old, password);
  // A wallet that runs may have written it while somebody was thinking of a password.
  saveFile(file, formatWalletFile({ ...data, cipher_keys: ring.sealed }, network), () => checkUnchanged(file, text));
  terminal.err('the password is changed; the backup beside the file still has the old one\n');
}
