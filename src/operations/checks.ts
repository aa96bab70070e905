import { check, defineErrors } from '../base/errors.js';
import { encodeText } from '../codec/text.js';
import type { Asset } from '../protocol/asset.js';
import type { Instance } from '../protocol/ids.js';

/** Checks that many operations share. The texts are those that clients of the family know. */
export const OPERATION_ERRORS = defineErrors({
  operation_fee_negative: { text: 'fee.amount >= 0: ', hint: 'the fee must not be negative' },
  amount_not_positive: { text: 'amount.amount > 0: ', hint: 'the amount must be positive' },
  from_equals_to: { text: 'from != to: ', hint: 'sender and receiver are the same account' },
  new_url_too_long: { text: 'new_url->size() < GRAPHENE_MAX_URL_LENGTH: ', hint: 'a URL has at most 126 bytes' },
  url_too_long: { text: 'url.size() < GRAPHENE_MAX_URL_LENGTH: ', hint: 'a URL has at most 126 bytes' },
});

/** Longer ones are refused; the number itself too. */
const URL_BYTES_END = 127;

/** Bytes of a text, without a length prefix. */
export function textLength(value: string): number {
  return encodeText(value).length;
}

export function checkFee(op: { fee: Asset }): void {
  check(op.fee.amount >= 0n, OPERATION_ERRORS.operation_fee_negative);
}

export function checkAmountPositive(amount: Asset): void {
  check(amount.amount > 0n, OPERATION_ERRORS.amount_not_positive);
}

export function checkDifferent(from: Instance, to: Instance): void {
  check(from !== to, OPERATION_ERRORS.from_equals_to);
}

export function checkUrl(url: string): void {
  check(textLength(url) < URL_BYTES_END, OPERATION_ERRORS.url_too_long);
}

export function checkNewUrl(url: string | undefined): void {
  check(url === undefined || textLength(url) < URL_BYTES_END, OPERATION_ERRORS.new_url_too_long);
}
