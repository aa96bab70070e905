import t from 'tap';
import type { ErrorRow } from '../../../src/base/errors.js';
import type { Json } from '../../../src/codec/json.js';
import { BALANCE_LOCK_ERRORS } from '../../../src/operations/balance/balance-lock.js';
import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { CONTRACT_ERRORS } from '../../../src/operations/contract/contract-checks.js';
import { CONTRACT_DEPLOY_ERRORS } from '../../../src/operations/contract/contract-deploy.js';
import { OPERATIONS_47_84 } from '../../../src/operations/list-47-84.js';
import { PROXY_TRANSFER_ERRORS } from '../../../src/operations/transfer/proxy-transfer.js';
import { changedJson } from '../../support/changed-operation.js';
import { NETWORK } from '../../support/network.js';
import { refused } from '../../support/refused.js';

const definitionOf = (tag: number) => {
  const definition = OPERATIONS_47_84.find((entry) => entry.tag === tag);
  if (definition === undefined) throw new Error(`operation ${tag} is missing`);
  return definition;
};

const changed = (tag: number, path: string, value: Json) =>
  definitionOf(tag).schema.fromJson(changedJson(tag, { [path]: value }), NETWORK);

const { operation_fee_negative, amount_not_positive, from_equals_to } = OPERATION_ERRORS;

/** Each line breaks exactly one rule of an operation that is valid otherwise. */
const CASES: readonly (readonly [tag: number, path: string, value: Json, row: ErrorRow])[] = [
  [57, 'to', '1.2.17', from_equals_to],
  [57, 'amount.amount', 0, amount_not_positive],
  [71, 'amount.asset_id', '1.3.0', BALANCE_LOCK_ERRORS.lock_asset],
  [73, 'request_params.amount.amount', -1, PROXY_TRANSFER_ERRORS.proxy_amount_negative],
  [73, 'proxy_memo', '', PROXY_TRANSFER_ERRORS.proxy_memo_empty],
  [73, 'request_params.percentage', 10_001, PROXY_TRANSFER_ERRORS.proxy_percentage],
  [73, 'request_params.to', '1.2.3840', PROXY_TRANSFER_ERRORS.proxy_to_self],
  [74, 'name', '9lives', CONTRACT_DEPLOY_ERRORS.contract_name_invalid],
  [74, 'code', '', CONTRACT_ERRORS.contract_code_empty],
  [76, 'code', '', CONTRACT_ERRORS.contract_code_empty],
  [78, 'to', '1.2.17', from_equals_to],
  [78, 'amount.amount', 0, amount_not_positive],
];

t.test('each stateless rule refuses', (t) => {
  for (const [tag, path, value, row] of CASES) {
    refused(t, row, () => definitionOf(tag).validate(changed(tag, path, value)), `${tag} ${path}`);
  }
  t.end();
});

/** Operations that look at their fee; the others leave that to the state. */
const CHECKS_FEE = new Set([57, 58, 62, 64, 66, 68, 69, 71, 72, 73, 74, 75, 76, 77, 78, 79, 83, 84]);
/** Those that say of a negative fee what is wrong with it. */
const SAYS_SO = new Set([74, 76]);

t.test('a negative fee is refused by those operations that look at it', (t) => {
  for (const { tag, name, validate } of OPERATIONS_47_84) {
    const op = changed(tag, 'fee.amount', -1);
    const row = SAYS_SO.has(tag) ? CONTRACT_ERRORS.contract_fee_negative : operation_fee_negative;
    if (CHECKS_FEE.has(tag)) refused(t, row, () => validate(op), name);
    else t.doesNotThrow(() => validate(op), name);
  }
  t.end();
});

t.test('limits are included', (t) => {
  const allowed: readonly (readonly [tag: number, path: string, value: Json])[] = [
    [73, 'request_params.percentage', 10_000],
    [73, 'request_params.amount.amount', 0],
    [57, 'amount.amount', 1],
    [75, 'fee.amount', 0],
  ];
  for (const [tag, path, value] of allowed) {
    t.doesNotThrow(() => definitionOf(tag).validate(changed(tag, path, value)), `${tag} ${path}`);
  }
  t.end();
});

t.test('a stale update without issuer is paid by account 0', (t) => {
  for (const tag of [48, 50, 52, 54]) {
    const op = changed(tag, 'new_issuer', null);
    t.doesNotThrow(() => definitionOf(tag).validate(op));
    t.equal(definitionOf(tag).payer(op), 0);
  }
  t.end();
});

t.test('no operation of the committee has another payer', (t) => {
  for (const tag of [58, 62, 64, 66, 68, 69]) t.equal(definitionOf(tag).payer(changed(tag, 'fee.amount', 0)), 0);
  t.end();
});
