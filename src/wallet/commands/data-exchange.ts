import { check } from '../../base/errors.js';
import { text } from '../../codec/scalars.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import { publicKey } from '../../protocol/keys.js';
import { proxyTransferParams } from '../../protocol/proxy-transfer.js';
import { authorize, signText } from '../../trade/authorization.js';
import { sealPacket } from '../../trade/packets.js';
import { openSealedText } from '../../trade/signer.js';
import { CHECK_ERRORS, KEYSTORE_ERRORS } from '../errors.js';
import type { Wallet } from '../wallet.js';
import { type CommandTable, command } from './define.js';

/** What buyers and sellers of data sign and encrypt beside the chain, for pages and programs that are given no key. */

interface Owner {
  readonly account: string;
  readonly key: PrivateKey;
}

/** By an active key that this wallet has. */
async function ownerOf(wallet: Wallet, given: string): Promise<Owner> {
  wallet.ring.requireUnlocked();
  const { id, name, active } = await wallet.chain.account(given);
  const own = active.key_auths.find(([key]) => wallet.ring.has(key))?.[0];
  check(own !== undefined, KEYSTORE_ERRORS.key_missing, { key: `the active key of ${name}` });
  return { account: `1.2.${id}`, key: wallet.ring.get(own) };
}

/**
 * Nothing else is signed as a text: the bytes of a payment could be given as one. They begin with numbers where these texts
 * have letters and digits, which as an amount would be more than there is of anything; control characters would make less.
 */
function isTextOf(account: string, given: string): boolean {
  const isNamed = [`market-v1|${account}|`, `${account}|`].some((begin) => given.startsWith(begin));
  return isNamed && !/\p{Cc}/u.test(given);
}

export const dataExchangeCommands = {
  sign_market_text: command({
    params: { account_name_or_id: text, text },
    result: 'signature',
    acts: true,
    help: 'Signs a call of a data market or a binding with the active key of an account: a text that begins with market-v1|<account>| or <account>|, and no other.',
    examples: ['sign_market_text alice "market-v1|1.2.9|GET|/market/merchant/self|e3b0…b855|1700000000000"'],
    run: async (wallet, given) => {
      const { account, key } = await ownerOf(wallet, given.account_name_or_id);
      check(isTextOf(account, given.text), CHECK_ERRORS.market_text, { account });
      return signText(given.text, key);
    },
  }),
  sign_data_payment: command({
    params: { request: proxyTransferParams },
    result: 'proxy_transfer_params',
    acts: true,
    help: 'Signs a payment for data with the active key of its payer: whom it names as proxy_account may bring it to the chain, once.',
    run: async (wallet, { request }) => {
      const { signatures: _, ...unsigned } = request;
      const { key } = await ownerOf(wallet, `1.2.${request.from}`);
      return proxyTransferParams.toJson(authorize(unsigned, key));
    },
  }),
  seal_data: command({
    params: { account_name_or_id: text, to: publicKey, nonce: text, text },
    result: 'string',
    secret: ['text'],
    help: 'Encrypts a text for whoever has a key, with the active key of an account, as buyers and sources of data do: hex.',
    run: async (wallet, given) => {
      const { key } = await ownerOf(wallet, given.account_name_or_id);
      return sealPacket(key, given.to, given.nonce, given.text);
    },
  }),
  open_data: command({
    params: { account_name_or_id: text, from: publicKey, nonce: text, data: text },
    result: 'string',
    acts: true,
    help: 'Opens what was encrypted for the active key of an account by whoever has the other key: the text.',
    run: async (wallet, given) => {
      const { key } = await ownerOf(wallet, given.account_name_or_id);
      return openSealedText(key, given.from, given.nonce, given.data);
    },
  }),
} satisfies CommandTable;
