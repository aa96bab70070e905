import * as declared from '../../../api/chain.js';
import { toHex } from '../../../base/bytes.js';
import { ChainError, check, defineErrors } from '../../../base/errors.js';
import { encode } from '../../../codec/binary.js';
import { addressesOfKey } from '../../../crypto/old-addresses.js';
import {
  potentialAddresses,
  potentialKeys,
  requiredAuthorities,
  requiredSignatures,
  verifyAuthority,
} from '../../../operations/authorities.js';
import { definitionOf } from '../../../operations/registered.js';
import { convertBelow, quoteFee, quoteNested } from '../../../operations/required-fee.js';
import type { Asset } from '../../../protocol/asset.js';
import { AccountSet, type RequiredAuthorities } from '../../../protocol/authority.js';
import { coreTarget, type FeeTarget } from '../../../protocol/fee-target.js';
import { type Instance, ORIGINAL_CORE_ASSET } from '../../../protocol/ids.js';
import type { Operation } from '../../../protocol/operation-slot.js';
import { signedTransaction, transaction } from '../../../protocol/transaction.js';
import { assetObject } from '../../../state/objects/asset.js';
import { blindedBalanceObject } from '../../../state/objects/blinded-balance.js';
import { parameters } from '../../../state/rules/parameters.js';
import { implement, type RpcContext } from '../../define.js';
import { eachInPieces, type Pieces } from '../../pieces/pieces.js';
import type { ChainPort } from '../../ports.js';
import { checkOperations, checkTransaction, isContractCall, withSigners } from '../transaction-limits.js';
import { findByNameOrId } from './lookup.js';

export const AUTHORITY_API_ERRORS = defineErrors({
  fee_question_calls: { kind: 'limit', text: 'at most ${limit} contract calls in one question for fees, not ${count}' },
  authority_account_unknown: { text: 'account: no such account' },
});

/** Contract calls of one question: each of them runs, which takes up to some 50 ms. Those in proposals do not run. */
const CONTRACT_CALLS_MAX = 100;

/** Finds the addresses of keys and keeps them ready, so that a check of authorities meets them made. */
function* prepareAddresses(keys: readonly string[]): Pieces<void> {
  yield* eachInPieces(keys, (key) => void addressesOfKey(key));
}

/**
 * One operation's fee: by the schedule, or for a contract call by running it. Quirk: what is only proposed goes by the
 * schedule, contracts too.
 */
function quote({ node }: RpcContext, op: Operation, feeAsset: Instance, level: number): Asset {
  const s = node.chain.state;
  const { options } = s.get(assetObject, feeAsset);
  const core = s.coreAsset;
  // Who still asks for the core asset of old gets the fee in that of today.
  const isOldCore = feeAsset === ORIGINAL_CORE_ASSET && core !== feeAsset;
  const target = isOldCore ? coreTarget(core) : { core, rate: options.core_exchange_rate };
  const isFree = node.mockContractFee === true;
  if (isContractCall(op) && level === 0) {
    return isFree ? { amount: 0n, asset_id: feeAsset } : contractFee(node.chain, op, target, feeAsset);
  }
  // Contract updates pay for what they add; no entry of the schedule says that.
  const bySchedule = level > 0 || isFree;
  const special: bigint | undefined = bySchedule ? undefined : definitionOf(op[0]).feePolicy?.requiredFee?.(s, op[1]);
  return special === undefined ? quoteFee(parameters(s).current_fees, op, target) : convertBelow(special, target);
}

/** The run pays its fee: in the core asset, or for who has none of it in the asset asked for. */
function contractFee(chain: ChainPort, op: Operation, target: FeeTarget, feeAsset: Instance): Asset {
  let fee: Asset;
  try {
    fee = chain.contractFee(op, target.core);
  } catch (error) {
    if (!(error instanceof ChainError) || feeAsset === target.core) throw error;
    return chain.contractFee(op, feeAsset);
  }
  return convertBelow(fee.amount, target);
}

export const transactionMethods = implement(declared.transactionMethods, {
  get_transaction_hex: (_, { trx }) => toHex(encode(signedTransaction, trx)),
  get_unsigned_transaction_hex: (_, { trx }) => toHex(encode(transaction, trx)),
  get_required_signatures: ({ node }, { trx, available_keys }) =>
    withSigners(node.chain, trx, function* (signed) {
      yield* prepareAddresses(available_keys);
      return requiredSignatures(node.chain.state, trx.operations, { signed, available: available_keys });
    }),
  get_potential_signatures: ({ node }, { trx }) =>
    withSigners(node.chain, trx, (signed) => potentialKeys(node.chain.state, trx.operations, signed)),
  get_potential_address_signatures: ({ node }, { trx }) =>
    withSigners(node.chain, trx, (signed) => potentialAddresses(node.chain.state, trx.operations, signed)),
  verify_authority: ({ node }, { trx }) =>
    withSigners(node.chain, trx, (keys) => {
      verifyAuthority(node.chain.state, requiredAuthorities(trx.operations), { keys });
      return true;
    }),
  *verify_account_authority({ node }, { name_or_id, signers }) {
    yield* prepareAddresses(signers);
    const s = node.chain.state;
    const account = findByNameOrId(s, name_or_id);
    check(account !== undefined, AUTHORITY_API_ERRORS.authority_account_unknown, { account: name_or_id });
    const required: RequiredAuthorities = { active: AccountSet.of(account.id), owner: new AccountSet(), other: [] };
    verifyAuthority(s, required, { keys: signers });
    return true;
  },
  validate_transaction: ({ node }, { trx }) => {
    checkTransaction(trx);
    return node.chain.dryRun(trx);
  },
  *get_required_fees(context, { ops, id }) {
    const count = ops.filter(isContractCall).length;
    check(count <= CONTRACT_CALLS_MAX, AUTHORITY_API_ERRORS.fee_question_calls, { limit: CONTRACT_CALLS_MAX, count });
    return yield* eachInPieces(ops, function* (op) {
      checkOperations([op]);
      if (isContractCall(op)) yield;
      return quoteNested(op, (one, level) => quote(context, one, id, level)).quote;
    });
  },
});

export const blindedBalanceMethods = implement(declared.blindedBalanceMethods, {
  *get_blinded_balances({ node }, { commitments }) {
    const { commitment } = blindedBalanceObject.by;
    const found = yield* eachInPieces(commitments, (one) => node.chain.state.findBy(commitment, one));
    return found.filter((one) => one !== undefined);
  },
});
