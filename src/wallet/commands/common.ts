import { jsonType } from '../../api/types.js';
import type { Json, JsonObject } from '../../codec/json.js';
import { bool, text, wrongKind } from '../../codec/scalars.js';
import { isJsonObject } from '../../codec/struct.js';
import type { Operation } from '../../protocol/operation-slot.js';
import { type SignedTransaction, signedTransaction } from '../../protocol/transaction.js';
import type { AssetView } from '../chain-view.js';
import { LOOKUP_ERRORS } from '../errors.js';
import { idOf, type TransactOptions } from '../transactions.js';
import type { Wallet } from '../wallet.js';

/** What many commands have in common. */

export function givenObject(json: Json, wanted: string): JsonObject {
  return isJsonObject(json) ? json : wrongKind(json, wanted);
}

/** An object as it is given, where its members are known only by whoever takes it. */
export const jsonObject = jsonType<JsonObject>('variant_object', {
  fromJson: (json) => givenObject(json, 'variant_object'),
  toJson: (value) => value,
  default: () => ({}),
});

/** Whether the transaction is sent to the node, or only made and signed. */
export const BROADCAST = { broadcast: bool } as const;
export const FEE_AND_BROADCAST = { fee_asset_symbol: text, broadcast: bool } as const;

export const SIGNED_TRANSACTION = 'signed_transaction';

export function feeAsset(wallet: Wallet, symbol: string): Promise<AssetView> {
  return wallet.chain.asset(symbol, LOOKUP_ERRORS.asset_option_unknown);
}

export const transactionJson = (wallet: Wallet, tx: SignedTransaction): Json =>
  signedTransaction.toJson(tx, wallet.network);

export const withId = (wallet: Wallet, tx: SignedTransaction): Json => [idOf(tx), transactionJson(wallet, tx)];

export async function act(wallet: Wallet, operations: readonly Operation[], options: TransactOptions): Promise<Json> {
  return transactionJson(wallet, await wallet.transactions.transact(operations, options));
}
