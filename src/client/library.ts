/**
 * What programs take of the client, as `trustnode/client`: `openClient` is the one that signs and speaks in plain data,
 * `connect` the one below it, in the values of the chain.
 */

export { ChainError } from '../base/errors.js';
export { PrivateKey } from '../crypto/private-key.js';
export { amountText, parseAmount } from './amounts.js';
export { type ApiClient, clientOver, connect, type NodeClient } from './client.js';
export type { TransactionStatus } from './confirmation.js';
export { type ConnectOptions, type RpcConnection, RpcConnectionError, RpcError } from './connection.js';
export { compareIds, type IdKind, type IdParts, idOf, isId, readId } from './ids.js';
export { Keys } from './keys.js';
export {
  type Client,
  type MakeOptions,
  type OpenOptions,
  openClient,
  type Payment,
  type PlainAccount,
  type PlainAmount,
  type PlainAsset,
  type PlainMemo,
  type PlainSignedTransaction,
  type Transaction,
} from './open-client.js';
export type { Given, Plain, PlainObject, PlainOperation } from './plain.js';
export type { Receipt, SendOptions } from './sent.js';
export type { SeenBlock } from './watching.js';
