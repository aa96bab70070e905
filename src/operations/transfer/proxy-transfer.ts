import { toHex } from '../../base/bytes.js';
import { check, defineErrors } from '../../base/errors.js';
import { wrapU32 } from '../../base/int.js';
import { timeToText } from '../../codec/time.js';
import { PERCENT_100 } from '../../protocol/chain-parameters.js';
import { ORIGINAL_CORE_ASSET } from '../../protocol/ids.js';
import { proxyTransferOperation } from '../../protocol/operations/transfers.js';
import { type ProxyTransferParams, proxyRequestDigests } from '../../protocol/proxy-transfer.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { type AccountObject, accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { signatureObject } from '../../state/objects/signature.js';
import { adjustBalance } from '../../state/rules/balances.js';
import { parameters } from '../../state/rules/parameters.js';
import { checkFee, textLength } from '../checks.js';
import { defineOperation, type OperationContext } from '../define.js';
import { checkMayTransfer, checkTransferBalance, explainTransfer } from './transfer-checks.js';

export const PROXY_TRANSFER_ERRORS = defineErrors({
  proxy_amount_negative: {
    text: 'request_params.amount.amount >= 0: ',
    hint: 'the amount of the request is negative',
  },
  proxy_memo_empty: { text: 'proxy_memo.size() > 0: ', hint: 'proxy_memo must not be empty' },
  proxy_percentage: {
    text: 'request_params.percentage >= 0 && request_params.percentage <= GRAPHENE_100_PERCENT: ',
    hint: 'the percentage is above 100 %',
  },
  proxy_to_self: { text: 'get_from_account() != get_to_account(): ', hint: 'sender and receiver are the same account' },
  proxy_memo_long: {
    text: 'op.proxy_memo.size() < MAX_OP_STRING_LENGTH: proxy_memo ${r} too long, exceeds 100 bytes',
  },
  proxy_request_memo_long: {
    text: 'op.request_params.memo.size() < MAX_OP_STRING_LENGTH: memo ${r} too long, exceeds 100 bytes',
  },
  proxy_expiration: {
    text: 'expiration <= d.head_block_time() + chain_parameters.maximum_time_until_expiration && expiration > d.head_block_time(): user request param expiration invalid, ${e}',
  },
  proxy_unsigned: { text: 'op.request_params.signatures.size() > 0: no signatures' },
  proxy_multisig: { text: 'keys.size() == 1: do not support multisig acount, account ${a}' },
  proxy_wrong_signer: {
    text: 'op.request_params.verify_proxy_transfer_signature(keys.at(0)): verify user signature error',
  },
  proxy_signature_used: {
    text: 'maybe_found == signature_idx.end(): user request signature already used once! signature ${s}',
  },
});

const MEMO_BYTES_END = 100;

/**
 * The request must be signed with the only key of its sender. Account members of the authority are not looked at. Any
 * of the signatures will do, each over a digest of its own; one before it that is no signature at all refuses. What is
 * remembered against a second use is the first one, whichever matched.
 */
function checkSignature(
  request: ProxyTransferParams,
  from: Readonly<AccountObject>,
  context: OperationContext,
): Uint8Array {
  const { signatures } = request;
  const [first] = signatures;
  check(first !== undefined, PROXY_TRANSFER_ERRORS.proxy_unsigned);
  const keys = from.active.key_auths;
  check(keys.length === 1, PROXY_TRANSFER_ERRORS.proxy_multisig, () => ({ a: `1.2.${from.id}` }));
  const key = keys[0]?.[0];
  const digests = proxyRequestDigests(request);
  const isSigned = signatures.some((signature) => context.recoverKey(digests.next().value, signature) === key);
  check(isSigned, PROXY_TRANSFER_ERRORS.proxy_wrong_signer);
  return first;
}

/** Brings a transfer that its sender has signed apart to the chain, pays the fee, and takes a commission. */
export const proxyTransfer = defineOperation({
  ...proxyTransferOperation,
  payer: (op) => op.request_params.proxy_account,
  validate(op) {
    checkFee(op);
    const { amount, percentage, from, to } = op.request_params;
    check(amount.amount >= 0n, PROXY_TRANSFER_ERRORS.proxy_amount_negative);
    check(op.proxy_memo !== '', PROXY_TRANSFER_ERRORS.proxy_memo_empty);
    check(percentage <= PERCENT_100, PROXY_TRANSFER_ERRORS.proxy_percentage);
    check(from !== to, PROXY_TRANSFER_ERRORS.proxy_to_self);
  },
  heldSignatures: (op) => op.request_params.signatures.length,
  evaluate(s, op, context) {
    const request = op.request_params;
    const { proxy_memo } = op;
    check(textLength(proxy_memo) < MEMO_BYTES_END, PROXY_TRANSFER_ERRORS.proxy_memo_long, { r: proxy_memo });
    const { memo } = request;
    check(textLength(memo) < MEMO_BYTES_END, PROXY_TRANSFER_ERRORS.proxy_request_memo_long, { r: memo });
    const latest = s.headTime + parameters(s).maximum_time_until_expiration;
    const isTimely = request.expiration <= wrapU32(latest) && request.expiration > s.headTime;
    check(isTimely, PROXY_TRANSFER_ERRORS.proxy_expiration, () => ({ e: timeToText(request.expiration) }));
    const from = s.get(accountObject, request.from);
    const signature = checkSignature(request, from, context);
    const former = s.findBy(signatureObject.by.signature, toHex(signature));
    check(former === undefined, PROXY_TRANSFER_ERRORS.proxy_signature_used, () => ({ s: toHex(signature) }));
    const to = s.get(accountObject, request.to);
    const what = s.get(assetObject, request.amount.asset_id);
    // Quirk of the texts alone: they print the amount as if it were of 1.3.0.
    const shown = { amount: request.amount.amount, asset_id: ORIGINAL_CORE_ASSET };
    explainTransfer(s, 'pay', shown, from, to, () => {
      checkMayTransfer(s, from, to, what, { account: ({ name }) => name });
      checkTransferBalance(s, from, to, request.amount, shown);
    });
    return signature;
  },
  apply(s, op, signature) {
    const { from, to, proxy_account, amount, percentage, expiration } = op.request_params;
    s.create(signatureObject, { signature, expiration });
    const commission = (amount.amount * BigInt(percentage)) / BigInt(PERCENT_100);
    adjustBalance(s, from, amount.asset_id, -amount.amount);
    adjustBalance(s, to, amount.asset_id, amount.amount - commission);
    adjustBalance(s, proxy_account, amount.asset_id, commission);
    return VOID_RESULT;
  },
});
