import { toHex } from '../../../src/base/bytes.js';
import { encode } from '../../../src/codec/binary.js';
import { text } from '../../../src/codec/scalars.js';
import { balanceLockOperation, balanceUnlockOperation } from '../../../src/protocol/operations/accounts.js';
import { inlineTransferOperation, proxyTransferOperation } from '../../../src/protocol/operations/transfers.js';
import { lockBalanceObject } from '../../../src/state/objects/lock-balance.js';
import { signatureObject } from '../../../src/state/objects/signature.js';
import { percentOf } from '../amounts.js';
import { data, flat, none } from '../fee-rules.js';
import { must } from '../tables.js';
import { bytesOf, created, distance, hasFee, mayMove, secondsFrom } from './checks.js';
import { type AnyOwnRule, extension, ownRule } from './model.js';
import { signersOf } from './signers.js';

interface Program {
  readonly lock_days: number;
  readonly interest_rate: number;
  readonly is_valid: boolean;
}

const DAY_SEC = 86_400;
const MIN_LOCKED = 100_000n;
const CLOCK_SEC = 30;

const lock = ownRule(balanceLockOperation, {
  payer: (op) => op.account,
  fee: none,
  valid(op) {
    hasFee(op);
    must(op.amount.asset_id === 1, 'lock_asset');
  },
  check(m, { account: owner, amount, memo, program_id, interest_rate, lock_days, create_date_time }) {
    must(amount.amount <= m.balance(owner, 1), 'lock_balance');
    must(amount.amount >= MIN_LOCKED, 'lock_amount');
    must(bytesOf(memo) <= 63, 'lock_memo');
    const programs = extension<{ params: [string, Program][] }>(m.parameters.extensions, 6)?.params ?? [];
    must(programs.length > 0, 'lock_programs_missing');
    const program = programs.find(([id]) => id === program_id)?.[1];
    must(program !== undefined, 'lock_program_unknown');
    must(program.is_valid, 'lock_program_offline');
    must(program.interest_rate === interest_rate, 'lock_rate');
    must(program.lock_days === lock_days, 'lock_days');
    must(distance(create_date_time, m.time) <= CLOCK_SEC, 'lock_time');
    return () => {
      const given = { owner, create_date_time, lock_days, program_id, amount, memo };
      // The object has room for half of the bits.
      const id = m.create(
        lockBalanceObject,
        { ...given, interest_rate: interest_rate & 0xffff },
        (row) => row.owner === owner && row.create_date_time === create_date_time,
      );
      m.take(owner, amount);
      return created(25, id);
    };
  },
});

const unlock = ownRule(balanceUnlockOperation, {
  payer: (op) => op.account,
  fee: none,
  valid: hasFee,
  check(m, op) {
    const row = m.find(lockBalanceObject, op.lock_id);
    must(row !== undefined, 'unlock_unknown');
    must(row.owner === op.account, 'unlock_not_owner');
    const days = Math.floor(secondsFrom(row.create_date_time, m.time) / DAY_SEC);
    must(row.lock_days <= days, 'unlock_too_early');
    return () => {
      m.give(op.account, row.amount);
      m.remove(lockBalanceObject, row.id);
      return undefined;
    };
  },
});

const inlineTransfer = ownRule(inlineTransferOperation, {
  payer: (op) => op.from,
  fee: {
    defaults: { fee: 100_000, price_per_kbyte: 100_000 },
    price: (values, { memo }) => values('fee') + data(encode(text, memo).length, values('price_per_kbyte')),
  },
  valid(op) {
    hasFee(op);
    must(op.from !== op.to, 'from_equals_to');
    must(op.amount.amount > 0n, 'amount_not_positive');
  },
  check(m, { from, to, amount }) {
    m.account(from);
    m.account(to);
    m.asset(amount.asset_id);
    must(m.balance(from, amount.asset_id) >= amount.amount, 'transfer_balance');
    return () => {
      m.take(from, amount);
      m.give(to, amount);
      return undefined;
    };
  },
});

const proxyTransfer = ownRule(proxyTransferOperation, {
  payer: (op) => op.request_params.proxy_account,
  fee: flat(100),
  valid(op) {
    const { amount, percentage, from, to } = op.request_params;
    hasFee(op);
    must(amount.amount >= 0n, 'proxy_amount_negative');
    must(op.proxy_memo.length > 0, 'proxy_memo_empty');
    must(percentage <= 10_000, 'proxy_percentage');
    must(from !== to, 'proxy_to_self');
  },
  check(m, { proxy_memo, request_params: asked }) {
    const { from, to, amount, expiration, memo, percentage, proxy_account } = asked;
    must(bytesOf(proxy_memo) < 100, 'proxy_memo_long');
    must(bytesOf(memo) < 100, 'proxy_request_memo_long');
    const last = (m.time + m.parameters.maximum_time_until_expiration) >>> 0;
    must(expiration <= last && expiration > m.time, 'proxy_expiration');
    const { key_auths } = m.account(from).active;
    const signature = asked.signatures[0];
    must(signature !== undefined, 'proxy_unsigned');
    must(key_auths.length === 1, 'proxy_multisig');
    must(signersOf(asked).includes(key_auths[0]?.[0]), 'proxy_wrong_signer');
    const isUsed = m.where(signatureObject, (row) => toHex(row.signature) === toHex(signature)) !== undefined;
    must(!isUsed, 'proxy_signature_used');
    mayMove(m, { from, to, amount }, 'transfer_restricted');
    return () => {
      m.create(signatureObject, { signature, expiration });
      const { asset_id } = amount;
      const commission = percentOf(amount.amount, percentage);
      m.take(from, amount);
      m.give(to, { amount: amount.amount - commission, asset_id });
      m.give(proxy_account, { amount: commission, asset_id });
      return undefined;
    };
  },
});

export const MONEY_RULES: readonly AnyOwnRule[] = [lock, unlock, inlineTransfer, proxyTransfer];
