import type { Asset } from '../../src/protocol/asset.js';
import {
  assertionOperation,
  balanceClaimOperation,
  customOperation,
  vestingBalanceCreateOperation,
  vestingBalanceWithdrawOperation,
  withdrawPermissionClaimOperation,
  withdrawPermissionCreateOperation,
  withdrawPermissionDeleteOperation,
  withdrawPermissionUpdateOperation,
} from '../../src/protocol/operations/accounts.js';
import {
  fbaDistributeOperation,
  inlineTransferOperation,
  overrideTransferOperation,
  transferOperation,
} from '../../src/protocol/operations/transfers.js';
import { balanceObject } from '../../src/state/objects/balance.js';
import { vestingBalanceObject } from '../../src/state/objects/vesting-balance.js';
import { withdrawPermissionObject } from '../../src/state/objects/withdraw-permission.js';
import { addressesOf } from './addresses.js';
import { share } from './amounts.js';
import { data, flat, none, withMemo, withSize } from './fee-rules.js';
import { type AnyRule, type Model, rule } from './model.js';
import { must } from './tables.js';
import { linearOpen, open, withdraw } from './vesting.js';

const DAY = 86_400;
const NULL_KEY = '0'.repeat(66);
const hasFee = ({ fee }: { fee: Asset }): void => must(fee.amount >= 0n, 'a fee below zero');
const u32 = (value: number): number => Number(BigInt.asUintN(32, BigInt(value)));

/** Goes over the wire between two that may hold the asset. */
function checkRestricted(m: Model, asset: number, ...parties: number[]): void {
  const { options, issuer } = m.asset(asset);
  must((options.flags & 8) === 0 || parties.includes(issuer), 'only to and from the issuer');
}

const transfer = rule(transferOperation, {
  payer: (op) => op.from,
  fee: withMemo(100_000, 1_000_000),
  valid(op) {
    hasFee(op);
    must(op.from !== op.to && op.amount.amount > 0n, 'a transfer of nothing or to nobody else');
  },
  run(m, op) {
    const { asset_id } = op.amount;
    must(m.mayHold(op.from, asset_id) && m.mayHold(op.to, asset_id), 'one may not hold it');
    checkRestricted(m, asset_id, op.from, op.to);
    if (!m.after('1019')) must(m.account(op.to).code.length === 0, 'a contract');
    m.move(op.from, op.to, op.amount);
    return undefined;
  },
});

const overrideTransfer = rule(overrideTransferOperation, {
  payer: (op) => op.issuer,
  fee: withMemo(2_000_000, 10),
  valid(op) {
    hasFee(op);
    must(op.from !== op.to && op.issuer !== op.from && op.amount.amount > 0n, 'a transfer of nothing');
  },
  run(m, op) {
    const { options, issuer, id } = m.asset(op.amount.asset_id);
    must((options.flags & 4) !== 0 && issuer === op.issuer, 'nothing to override');
    must(m.mayHold(op.from, id) && m.mayHold(op.to, id), 'one may not hold it');
    m.move(op.from, op.to, op.amount);
    return undefined;
  },
});

const textSize = (text: string): number => Buffer.byteLength(text) + (Buffer.byteLength(text) < 128 ? 1 : 2);

const inlineTransfer = rule(inlineTransferOperation, {
  payer: (op) => op.from,
  fee: {
    defaults: { fee: 100_000, price_per_kbyte: 100_000 },
    price: (values, op) => values('fee') + data(textSize(op.memo), values('price_per_kbyte')),
  },
  valid(op) {
    hasFee(op);
    must(op.from !== op.to && op.amount.amount > 0n, 'a transfer of nothing or to nobody else');
  },
  run(m, op) {
    m.account(op.to);
    m.asset(op.amount.asset_id);
    m.move(op.from, op.to, op.amount);
    return undefined;
  },
});

interface Periods {
  readonly withdrawal_limit: Asset;
  readonly withdrawal_period_sec: number;
  readonly periods_until_expiration: number;
  readonly period_start_time: number;
}

const endOf = (op: Periods): number =>
  u32(
    op.period_start_time +
      u32(Number((BigInt(op.periods_until_expiration) * BigInt(op.withdrawal_period_sec)) % (1n << 32n))),
  );

function validPermission(
  op: Periods & { fee: Asset; withdraw_from_account: number; authorized_account: number },
): void {
  hasFee(op);
  must(op.withdraw_from_account !== op.authorized_account, 'the same account');
  must(op.withdrawal_limit.amount > 0n, 'nothing to withdraw');
  must(op.withdrawal_period_sec > 0 && op.periods_until_expiration > 0, 'no period');
}

const permissionOf = (op: Periods) => ({
  withdrawal_limit: op.withdrawal_limit,
  withdrawal_period_sec: op.withdrawal_period_sec,
  period_start_time: op.period_start_time,
  expiration: endOf(op),
});

const permissionCreate = rule(withdrawPermissionCreateOperation, {
  payer: (op) => op.withdraw_from_account,
  fee: flat(100_000),
  valid: validPermission,
  run(m, op) {
    m.account(op.authorized_account);
    m.asset(op.withdrawal_limit.asset_id);
    must(op.period_start_time > m.time && endOf(op) > m.time, 'in the past');
    must(op.withdrawal_period_sec >= m.parameters.block_interval, 'shorter than a block');
    const { withdraw_from_account, authorized_account } = op;
    const id = m.create(withdrawPermissionObject, { withdraw_from_account, authorized_account, ...permissionOf(op) });
    return [1, (1n << 56n) | (12n << 48n) | BigInt(id)];
  },
});

const permissionUpdate = rule(withdrawPermissionUpdateOperation, {
  payer: (op) => op.withdraw_from_account,
  fee: flat(100_000),
  valid: validPermission,
  run(m, op) {
    const old = m.get(withdrawPermissionObject, op.permission_to_update);
    must(old.authorized_account === op.authorized_account, 'of another');
    must(old.withdraw_from_account === op.withdraw_from_account, 'from another');
    m.asset(op.withdrawal_limit.asset_id);
    must(op.period_start_time >= m.time && endOf(op) > m.time, 'in the past');
    must(op.withdrawal_period_sec >= m.parameters.block_interval, 'shorter than a block');
    m.change(withdrawPermissionObject, old.id, (o) => Object.assign(o, permissionOf(op)));
    return undefined;
  },
});

const permissionClaim = rule(withdrawPermissionClaimOperation, {
  payer: (op) => op.withdraw_to_account,
  fee: withMemo(2_000_000, 10),
  valid(op) {
    hasFee(op);
    must(op.withdraw_from_account !== op.withdraw_to_account && op.amount_to_withdraw.amount > 0n, 'nothing');
  },
  run(m, op) {
    const { amount, asset_id } = op.amount_to_withdraw;
    const old = m.get(withdrawPermissionObject, op.withdraw_permission);
    must(old.expiration > m.time, 'expired');
    must(old.authorized_account === op.withdraw_to_account, 'of another');
    must(old.withdraw_from_account === op.withdraw_from_account, 'from another');
    const { withdrawal_limit, withdrawal_period_sec: period, period_start_time: start } = old;
    must(asset_id === withdrawal_limit.asset_id, 'of another asset');
    const left = share(withdrawal_limit.amount - old.claimed_this_period);
    const available = m.time >= u32(start + period) ? withdrawal_limit.amount : left > 0n ? left : 0n;
    must(amount <= available, 'more than is left');
    checkRestricted(m, asset_id, old.authorized_account, old.withdraw_from_account);
    must(m.mayHold(old.authorized_account, asset_id), 'one may not hold it');
    const periods = Math.trunc((m.time - start) / period);
    m.change(withdrawPermissionObject, old.id, (o) => {
      o.period_start_time = u32(start + periods * period);
      o.claimed_this_period = periods === 0 ? share(o.claimed_this_period + amount) : amount;
    });
    m.move(op.withdraw_from_account, op.withdraw_to_account, op.amount_to_withdraw);
    return undefined;
  },
});

const permissionDelete = rule(withdrawPermissionDeleteOperation, {
  payer: (op) => op.withdraw_from_account,
  fee: flat(0),
  valid(op) {
    hasFee(op);
    must(op.withdraw_from_account !== op.authorized_account, 'the same account');
  },
  run(m, op) {
    const old = m.get(withdrawPermissionObject, op.withdrawal_permission);
    must(old.authorized_account === op.authorized_account, 'of another');
    must(old.withdraw_from_account === op.withdraw_from_account, 'from another');
    m.remove(withdrawPermissionObject, old.id);
    return undefined;
  },
});

const vestingCreate = rule(vestingBalanceCreateOperation, {
  payer: (op) => op.creator,
  fee: flat(100_000),
  valid(op) {
    hasFee(op);
    must(op.amount.amount > 0n, 'nothing to vest');
  },
  run(m, op) {
    m.account(op.owner);
    const { amount, policy } = op;
    must(m.balance(op.creator, amount.asset_id) >= amount.amount, 'the creator has less');
    must((m.asset(amount.asset_id).options.flags & 8) === 0, 'restricted');
    m.take(op.creator, amount);
    const id = m.create(vestingBalanceObject, {
      owner: op.owner,
      balance: amount,
      policy:
        policy[0] === 0
          ? [0, { ...policy[1], begin_balance: amount.amount }]
          : [1, { ...policy[1], coin_seconds_earned: 0n, coin_seconds_earned_last_update: m.time }],
    });
    return [1, (1n << 56n) | (13n << 48n) | BigInt(id)];
  },
});

const vestingWithdraw = rule(vestingBalanceWithdrawOperation, {
  payer: (op) => op.owner,
  fee: flat(2_000_000),
  valid(op) {
    hasFee(op);
    must(op.amount.amount > 0n, 'nothing to withdraw');
  },
  run(m, op) {
    const { owner, balance, policy, id } = m.get(vestingBalanceObject, op.vesting_balance);
    must(owner === op.owner && op.amount.asset_id === balance.asset_id, 'of another');
    must(op.amount.amount <= open(policy, balance.amount, m.time), 'not yet open');
    must(op.amount.amount <= balance.amount, 'there is less');
    m.change(vestingBalanceObject, id, (o) => withdraw(o, op.amount.amount, m.time));
    m.give(owner, op.amount);
    return undefined;
  },
});

const custom = rule(customOperation, {
  payer: (op) => op.payer,
  fee: withSize(100_000, 10),
  valid: (op) => must(op.fee.amount > 0n, 'no fee'),
  run: () => undefined,
});

const assertion = rule(assertionOperation, {
  payer: (op) => op.fee_paying_account,
  fee: { defaults: { fee: 100_000 }, price: (values, op) => values('fee') * BigInt(op.predicates.length) },
  valid: hasFee,
  run(m, op) {
    for (const [tag, value] of op.predicates) {
      must(tag < m.parameters.max_predicate_opcode, 'an unknown predicate');
      const given = value as { account_id: number; name: string; asset_id: number; symbol: string };
      if (tag === 0) must(m.account(given.account_id).name === given.name, 'another name');
      else if (tag === 1) must(m.asset(given.asset_id).symbol === given.symbol, 'another symbol');
      else must(m.isBlock((value as { id: string }).id), 'another block');
    }
    return undefined;
  },
});

const balanceClaim = rule(balanceClaimOperation, {
  payer: (op) => op.deposit_to_account,
  fee: none,
  asks(op, { other }) {
    other.push({ weight_threshold: 1, account_auths: [], key_auths: [[op.balance_owner_key, 1]], address_auths: [] });
  },
  valid(op) {
    must(op.fee.amount === 0n && op.fee.asset_id === 0, 'another fee');
    must(op.balance_owner_key !== NULL_KEY, 'no key');
  },
  run(m, op) {
    const { owner, balance, vesting_policy, last_claim_date, id } = m.get(balanceObject, op.balance_to_claim);
    must(addressesOf(op.balance_owner_key).includes(owner), 'of another key');
    must(op.total_claimed.asset_id === balance.asset_id, 'of another asset');
    const claimed = op.total_claimed.amount;
    if (vesting_policy === undefined) must(claimed === balance.amount, 'not all of it');
    else {
      must(claimed <= linearOpen(vesting_policy, balance.amount, m.time), 'not yet open');
      must(m.time - last_claim_date >= DAY, 'once a day');
    }
    if (vesting_policy !== undefined && claimed < balance.amount) {
      m.change(balanceObject, id, (o) => {
        o.balance.amount = share(o.balance.amount - claimed);
        o.last_claim_date = m.time;
      });
    } else m.remove(balanceObject, id);
    m.give(op.deposit_to_account, op.total_claimed);
    return undefined;
  },
});

const fbaDistribute = rule(fbaDistributeOperation, {
  payer: (op) => op.account_id,
  fee: none,
  valid: () => must(false, 'only the chain says this'),
});

export const MONEY_RULES: readonly AnyRule[] = [
  transfer,
  overrideTransfer,
  inlineTransfer,
  permissionCreate,
  permissionUpdate,
  permissionClaim,
  permissionDelete,
  vestingCreate,
  vestingWithdraw,
  custom,
  assertion,
  balanceClaim,
  fbaDistribute,
];
