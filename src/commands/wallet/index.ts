import { addOptions } from '../../config/command-line.js';
import { suggestBrainKey } from '../../crypto/brain-key.js';
import { DEFAULT_KEY_PREFIX } from '../../crypto/public-key.js';
import { systemRandom } from '../../node/runtime/random.js';
import { publicKey } from '../../protocol/keys.js';
import { brainKeyInfo } from '../../wallet/keys/derived.js';
import { WALLET_OPTIONS } from '../../wallet/options.js';
import { prettyJson } from '../../wallet/text/pretty-json.js';
import type { Command } from '../command.js';
import type { Terminal } from '../terminal.js';
import { changePassword, checkFile } from './file-actions.js';
import { readOptions } from './options.js';
import { runWallet } from './run-wallet.js';

export const walletCommand: Command = {
  builder: (yargs) =>
    addOptions(yargs, [['Wallet', WALLET_OPTIONS]]).positional('action', {
      choices: ['change-password', 'check'],
      describe: 'Work on the wallet file alone: another password, or what it holds',
    }),
  handler: async (args, terminal) => {
    const options = readOptions(args);
    if (options['suggest-brain-key']) return suggest(terminal);
    if (args.action === 'check') return checkFile(options, terminal);
    if (args.action === 'change-password') return changePassword(options, terminal);
    await runWallet(options, terminal);
  },
};

function suggest(terminal: Terminal): void {
  const { brain_priv_key, wif_priv_key, pub_key } = brainKeyInfo(suggestBrainKey((count) => systemRandom.bytes(count)));
  const shown = { brain_priv_key, wif_priv_key, pub_key: publicKey.toJson(pub_key, { keyPrefix: DEFAULT_KEY_PREFIX }) };
  terminal.out(`${prettyJson(shown)}\n`);
}
