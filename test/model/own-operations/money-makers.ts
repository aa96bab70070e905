import type { PrivateKey } from '../../../src/crypto/private-key.js';
import type { ProxyTransferParams } from '../../../src/protocol/proxy-transfer.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { lockBalanceObject } from '../../../src/state/objects/lock-balance.js';
import type { Choices, Given, Maker } from './choices.js';
import { extension } from './model.js';
import { LOCKS } from './programs.js';
import { KEYS, sign } from './signers.js';

type Program = readonly [string, { readonly lock_days: number; readonly interest_rate: number }];

function lock(c: Choices): Given {
  const account = c.account();
  const given = extension<{ params: Program[] }>(c.m.parameters.extensions, 6)?.params ?? [];
  const [program_id, { lock_days, interest_rate }] = c.random.pick<Program>(given.length > 0 ? given : LOCKS);
  return {
    account,
    create_date_time: c.time(),
    program_id: c.chance(0.95) ? program_id : 'unknown',
    amount: c.amountOf(account, c.chance(0.95) ? 1 : 0),
    lock_days: (lock_days + (c.chance(0.05) ? 1 : 0)) >>> 0,
    interest_rate: interest_rate + (c.chance(0.05) ? 1 : 0),
    memo: c.chance(0.7) ? 'm' : c.pick('x'.repeat(63), 'x'.repeat(64), 'é'.repeat(32)),
  };
}

function unlock(c: Choices): Given {
  const row = c.row(lockBalanceObject);
  const account = row !== undefined && c.chance(0.9) ? row.owner : c.account();
  return { account, lock_id: row?.id ?? c.random.below(30) };
}

function inlineTransfer(c: Choices): Given {
  const from = c.account();
  const memo = c.pick('', 'm', 'x'.repeat(127), 'x'.repeat(128), 'x'.repeat(2000));
  return { from, to: c.account(), amount: c.amountOf(from, c.asset()), memo };
}

const LAST = new WeakMap<Choices, ProxyTransferParams>();

function signers(c: Choices, from: number): PrivateKey[] {
  const own = c.m.find(accountObject, from)?.active.key_auths[0]?.[0];
  const right = KEYS.find(({ publicKey }) => publicKey === own) ?? (KEYS[0] as PrivateKey);
  if (c.chance(0.03)) return [];
  if (c.chance(0.85)) return [right];
  return c.chance(0.5) ? [c.random.pick(KEYS)] : [c.random.pick(KEYS), right];
}

function proxyTransfer(c: Choices): Given {
  const from = c.account();
  const now = c.m.time;
  const long = c.pick('', 'x'.repeat(99), 'x'.repeat(100));
  const asked: ProxyTransferParams = {
    from,
    to: c.account(),
    proxy_account: c.account(),
    amount: c.amountOf(from, c.asset()),
    percentage: c.pick(0, 1, 1000, 1000, 9999, 10_000, 10_001),
    memo: c.chance(0.8) ? 'm' : long,
    expiration: c.chance(0.7) ? now + 5 : c.pick(now, now + 1, now + 10, now + 11, now + 86_400, now + 86_401),
    signatures: [],
  };
  asked.signatures = sign(asked, signers(c, from));
  const again = c.chance(0.1) ? LAST.get(c) : undefined;
  LAST.set(c, asked);
  const proxy_memo = c.chance(0.85) ? 'p' : c.pick('', 'x'.repeat(99), 'x'.repeat(100));
  return { proxy_memo, request_params: again ?? asked };
}

export const MONEY_MAKERS: Readonly<Record<number, Maker>> = {
  71: lock,
  72: unlock,
  73: proxyTransfer,
  78: inlineTransfer,
};
