import { ChainError, check } from '../base/errors.js';
import { RecentTransactions } from '../client/recent.js';
import { addSignatures, type KeyHolder } from '../client/signing.js';
import { encodeWith } from '../codec/binary.js';
import { type ChainId, type TransactionId, tapos, transactionId } from '../crypto/digests.js';
import type { PublicKey } from '../crypto/public-key.js';
import type { Asset } from '../protocol/asset.js';
import { coreTarget, type FeeTarget } from '../protocol/fee-target.js';
import { ORIGINAL_CORE_ASSET } from '../protocol/ids.js';
import type { Operation } from '../protocol/operation-slot.js';
import { type SignedTransaction, signedTransaction, transaction } from '../protocol/transaction.js';
import type { AssetView, ChainView } from './chain-view.js';
import { SENDING_ERRORS } from './errors.js';
import { feeTarget, withFee, withFees } from './fees.js';
import { isNodeGone } from './node-link.js';
import type { OperationRules } from './rules.js';
import { currentSender } from './sending/sender.js';

/** Makes transactions: fees, the block they build on, their expiry, signatures; and sends them. */

const EXPIRATION_SEC = 30;

export interface SigningOptions {
  readonly broadcast: boolean;
  /** Names the head block instead of the last irreversible one: registrations do. */
  readonly onHead?: boolean;
  /** Signs with these instead of asking the node which are needed. */
  readonly signers?: readonly PublicKey[];
}

export interface TransactOptions extends SigningOptions {
  /** Asset of the fees; without it the core asset. */
  readonly feeAsset?: AssetView;
  /** For contracts: the node knows what they cost. */
  readonly feesByNode?: boolean;
}

export function emptyTransaction(operations: readonly Operation[] = []): SignedTransaction {
  return { ...signedTransaction.default(), operations: [...operations] };
}

export function idOf(tx: SignedTransaction): TransactionId {
  return encodeWith(transaction, tx, transactionId);
}

export class Transactions {
  readonly #chain: ChainView;
  readonly #signers: KeyHolder;
  readonly #chainId: ChainId;
  readonly #rules: OperationRules;
  readonly #recent = new RecentTransactions();

  constructor(chain: ChainView, signers: KeyHolder, chainId: ChainId, rules: OperationRules) {
    this.#chain = chain;
    this.#rules = rules;
    this.#signers = signers;
    this.#chainId = chainId;
  }

  /** Where fees go: the rate that is stored with the asset, also with the core asset. */
  async feeTarget(feeAsset?: AssetView): Promise<FeeTarget> {
    const core = this.#chain.coreAssetAt((await this.#chain.dynamic()).time);
    if (feeAsset !== undefined) return feeTarget(core, feeAsset.options.core_exchange_rate);
    if (core === ORIGINAL_CORE_ASSET) return coreTarget(core);
    return feeTarget(core, (await this.#chain.assetById(core)).options.core_exchange_rate);
  }

  /** Operations with their fees. */
  async price(
    operations: readonly Operation[],
    { feeAsset, feesByNode }: Pick<TransactOptions, 'feeAsset' | 'feesByNode'> = {},
  ): Promise<Operation[]> {
    if (feesByNode !== true) {
      const { current_fees } = await this.#chain.parameters();
      return withFees(this.#rules, operations, current_fees, await this.feeTarget(feeAsset));
    }
    const fees = await this.#chain.requiredFees(operations, feeAsset?.id ?? ORIGINAL_CORE_ASSET);
    return operations.map((one, i) => withFee(one, fees[i] as Asset));
  }

  /** Fees, checks that need no node, signatures, and off it goes if so wanted. */
  async transact(operations: readonly Operation[], options: TransactOptions): Promise<SignedTransaction> {
    const priced = await this.price(operations, options);
    for (const one of priced) this.#rules.validate(one);
    return this.sign(emptyTransaction(priced), options);
  }

  /** Signatures that it carries already are dropped: those of a changed transaction are worth nothing. */
  async sign(unsigned: SignedTransaction, options: SigningOptions): Promise<SignedTransaction> {
    const tx = { ...unsigned, signatures: [] };
    const signers = options.signers ?? (await this.#chain.signersOf(tx, (key) => this.#signers.has(key)));
    const dynamic = await this.#chain.dynamic();
    const block = options.onHead === true ? tapos(dynamic.head_block_id) : await this.#chain.irreversibleTapos(dynamic);
    // Quirk: registrations are not told apart from those before, and are refused when they come twice.
    const made = { ...tx, ...block, expiration: dynamic.time + EXPIRATION_SEC };
    const complete = options.onHead === true ? made : this.#recent.distinct(made, dynamic.time);
    const signed = this.signWith(complete, signers);
    if (options.broadcast) await this.broadcast(signed);
    return signed;
  }

  /** Adds a signature of each key, in the given order. */
  signWith(tx: SignedTransaction, keys: readonly PublicKey[]): SignedTransaction {
    return addSignatures(
      tx,
      this.#chainId,
      keys.map((key) => this.#signers.get(key)),
    );
  }

  /** Refused where somebody is asked first and says no. */
  async broadcast(tx: SignedTransaction): Promise<void> {
    const sender = currentSender();
    if (sender !== undefined) check(await sender.approve(tx), SENDING_ERRORS.broadcast_declined);
    // Before the answer: whoever sends must be able to follow it even where no answer comes.
    sender?.sent(tx);
    const json = signedTransaction.toJson(tx, this.#chain.network);
    try {
      await this.#chain.node.call('network_broadcast', 'broadcast_transaction', [json]);
    } catch (error) {
      if (sender !== undefined || !isNodeGone(error)) throw error;
      // A program knows it by this alone: one that it made anew would be a second payment.
      throw new ChainError(error.row, { ...error.data, transaction_id: idOf(tx), transaction: json });
    }
  }
}
