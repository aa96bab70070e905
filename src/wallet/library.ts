/**
 * What programs take of the wallet, as `trustnode/wallet`: keys, memos and amounts, a builder, a signer, and what becomes
 * of a transaction. It works with the client of `trustnode/client` and loads nothing of the node.
 */

export { idOfTransaction } from '../client/transactions.js';
export { normalizeBrainKey, suggestBrainKey } from '../crypto/brain-key.js';
export { readWalletFile, type WalletData } from './file/wallet-file.js';
export { type BrainKeyInfo, brainKeyInfo, readPrivateKey } from './keys/derived.js';
export { Keyring } from './keys/keyring.js';
export { type MemoReading, memoNonce, readMemo, writeMemo } from './memos.js';
export { TransactionBuilder } from './sending/builder.js';
export {
  type ConfirmOptions,
  confirmTransaction,
  isFinal,
  type TransactionStatus,
  TransactionWatch,
} from './sending/confirmation.js';
export { addSignatures, combineSignatures, fewestSigners, type KeyHolder, signWithFewest } from './sending/signing.js';
export { amountText, type Denomination, parseAmount, prettyAmount } from './text/amounts.js';
