import { toHex } from '../../src/base/bytes.js';
import type { JsonObject } from '../../src/codec/json.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { OPERATION_ERRORS } from '../../src/operations/checks.js';
import { PROXY_TRANSFER_ERRORS as ERRORS } from '../../src/operations/transfer/proxy-transfer.js';
import { TRANSFER_ERRORS } from '../../src/operations/transfer/transfer-checks.js';
import { ASSET_FLAG } from '../../src/protocol/asset.js';
import { keyAuthority } from '../../src/protocol/authority.js';
import { proxyRequestDigest, proxyTransferParams } from '../../src/protocol/proxy-transfer.js';
import { accountText, amountJson, FreeWorld } from '../support/free-world.js';
import { assertion, type Refusal } from './define.js';

const key = PrivateKey.fromSeed('sender');
const w = new FreeWorld();
const alice = w.account('alice', { active: keyAuthority(key.publicKey) }, 1000n);
const bob = w.account('bob');
const issuer = w.lifetimeMember('issuer');
const listed = w.asset('LISTED', issuer, { flags: ASSET_FLAG.white_list, whitelist_authorities: [issuer] });
const alicesOnly = w.asset('ALICES', issuer, { flags: ASSET_FLAG.white_list, whitelist_authorities: [alice] });
const bound = w.asset('BOUND', issuer, { flags: ASSET_FLAG.transfer_restricted });
w.changeAccount(alice, { whitelisting_accounts: [alice] });

const request = (more: JsonObject = {}): JsonObject => ({
  from: accountText(alice),
  to: accountText(bob),
  proxy_account: accountText(bob),
  amount: amountJson(5, 1),
  percentage: 100,
  expiration: w.at(60),
  ...more,
});
const sign = (params: JsonObject, signer = key): JsonObject => {
  const digest = proxyRequestDigest(proxyTransferParams.fromJson(params));
  return { ...params, signatures: [toHex(signatureBackend().sign(digest, signer))] };
};
const bring =
  (request_params: JsonObject, more: JsonObject = {}) =>
  () =>
    w.run(73, { proxy_memo: 'p', request_params, ...more });
const signed = (more: JsonObject = {}) => bring(sign(request(more)));

const used = sign(request({ memo: 'used' }));
const [usedSignature] = used.signatures as [string];
bring(used)();

const long = 'x'.repeat(100);
const EXPIRATION =
  'expiration <= d.head_block_time() + chain_parameters.maximum_time_until_expiration && expiration > d.head_block_time(): user request param expiration invalid,';
const PAYING = 'Unable to pay';

export const refusals: readonly Refusal[] = [
  assertion(
    OPERATION_ERRORS.operation_fee_negative,
    'fee.amount >= 0: ',
    bring(request({ amount: amountJson(-1, 1) }), { fee: amountJson(-1, 1) }),
  ),
  assertion(
    ERRORS.proxy_amount_negative,
    'request_params.amount.amount >= 0: ',
    bring(request({ amount: amountJson(-1, 1) }), { proxy_memo: '' }),
  ),
  assertion(
    ERRORS.proxy_memo_empty,
    'proxy_memo.size() > 0: ',
    bring(request({ percentage: 10_001 }), { proxy_memo: '' }),
  ),
  assertion(
    ERRORS.proxy_percentage,
    'request_params.percentage >= 0 && request_params.percentage <= GRAPHENE_100_PERCENT: ',
    bring(request({ percentage: 10_001, to: accountText(alice) })),
  ),
  assertion(
    ERRORS.proxy_to_self,
    'get_from_account() != get_to_account(): ',
    bring(request({ to: accountText(alice) }), { proxy_memo: long }),
  ),
  assertion(
    ERRORS.proxy_memo_long,
    `op.proxy_memo.size() < MAX_OP_STRING_LENGTH: proxy_memo ${long} too long, exceeds 100 bytes`,
    bring(request({ memo: long }), { proxy_memo: long }),
  ),
  assertion(
    ERRORS.proxy_request_memo_long,
    `op.request_params.memo.size() < MAX_OP_STRING_LENGTH: memo ${long} too long, exceeds 100 bytes`,
    bring(request({ memo: long, expiration: w.at(0) })),
  ),
  assertion(ERRORS.proxy_expiration, `${EXPIRATION} ${w.at(0)}`, bring(request({ expiration: w.at(0) }))),
  assertion(ERRORS.proxy_expiration, `${EXPIRATION} ${w.at(86_401)}`, bring(request({ expiration: w.at(86_401) }))),
  assertion(
    ERRORS.proxy_unsigned,
    'op.request_params.signatures.size() > 0: no signatures',
    bring(request({ from: accountText(bob), to: accountText(alice) })),
  ),
  assertion(
    ERRORS.proxy_multisig,
    'keys.size() == 1: do not support multisig acount, account 1.2.7',
    signed({ from: accountText(bob), to: accountText(alice) }),
  ),
  assertion(
    ERRORS.proxy_wrong_signer,
    'op.request_params.verify_proxy_transfer_signature(keys.at(0)): verify user signature error',
    bring(sign(request({ to: '1.2.999' }), PrivateKey.fromSeed('somebody'))),
  ),
  assertion(
    ERRORS.proxy_signature_used,
    `maybe_found == signature_idx.end(): user request signature already used once! signature ${usedSignature}`,
    bring(used),
  ),
  {
    row: TRANSFER_ERRORS.transfer_from_unauthorized,
    code: 3050001,
    name: 'transfer_from_account_not_whitelisted',
    message: `owner mismatch: 'from' account alice is not whitelisted for asset 1.3.3 ${PAYING} 0.00005 GXC from alice to bob`,
    raise: signed({ amount: amountJson(5, listed) }),
  },
  {
    row: TRANSFER_ERRORS.transfer_to_unauthorized,
    code: 3050002,
    name: 'transfer_to_account_not_whitelisted',
    message: `owner mismatch: 'to' account bob is not whitelisted for asset 1.3.4 ${PAYING} 0.00005 GXC from alice to bob`,
    raise: signed({ amount: amountJson(5, alicesOnly) }),
  },
  {
    row: TRANSFER_ERRORS.transfer_restricted,
    code: 3050003,
    name: 'transfer_restricted_transfer_asset',
    message: `restricted transfer asset: Asset 1.3.5 has transfer_restricted flag enabled ${PAYING} 0.00005 GXC from alice to bob`,
    raise: signed({ amount: amountJson(5, bound) }),
  },
  // The texts print the amount that is asked for as if it were of 1.3.0.
  assertion(
    TRANSFER_ERRORS.transfer_balance,
    `insufficient_balance: Insufficient Balance: 0.00995 GXS, unable to transfer '0.01001 GXC' from account 'alice' to 'bob' ${PAYING} 0.01001 GXC from alice to bob`,
    signed({ amount: amountJson(1001, 1) }),
  ),
];
