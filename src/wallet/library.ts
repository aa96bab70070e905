/**
 * What programs take of the wallet, as `trustnode/wallet`: keys, memos and amounts, a builder, a signer, and what becomes
 * of a transaction. It works with the client of `trustnode/client` and loads nothing of the node.
 */

export { amountText, type Denomination, parseAmount, prettyAmount } from '../client/amounts.js';
export { TransactionBuilder } from '../client/builder.js';
export {
  type ConfirmOptions,
  confirmTransaction,
  isFinal,
  type TransactionStatus,
  TransactionWatch,
} from '../client/confirmation.js';
export { type MemoReading, memoNonce, readMemo, writeMemo } from '../client/memos.js';
export { addSignatures, combineSignatures, fewestSigners, type KeyHolder, signWithFewest } from '../client/signing.js';
export { idOfTransaction } from '../client/transactions.js';
export { normalizeBrainKey, suggestBrainKey } from '../crypto/brain-key.js';
export { readWalletFile, type WalletData } from './file/wallet-file.js';
export { type BrainKeyInfo, brainKeyInfo, readPrivateKey } from './keys/derived.js';
export { Keyring } from './keys/keyring.js';
