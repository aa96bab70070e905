import type { QueryDoor } from '../../src/chain/doors.js';
import { parseJson } from '../../src/codec/json.js';
import { Writer } from '../../src/codec/writer.js';
import { addressOfKey } from '../../src/crypto/address.js';
import type { PrivateKey } from '../../src/crypto/private-key.js';
import { type AbiDef, abiDef } from '../../src/protocol/abi.js';
import { makeAsset } from '../../src/protocol/asset.js';
import { keyAuthority } from '../../src/protocol/authority.js';
import type { Instance } from '../../src/protocol/ids.js';
import { nameFromText } from '../../src/protocol/name.js';
import type { Operation } from '../../src/protocol/operation-slot.js';
import type { SignedTransaction } from '../../src/protocol/transaction.js';
import { type AccountObject, accountObject } from '../../src/state/objects/account.js';
import { assetObject } from '../../src/state/objects/asset.js';
import { balanceObject } from '../../src/state/objects/balance.js';
import { lockBalanceObject } from '../../src/state/objects/lock-balance.js';
import { proposalObject } from '../../src/state/objects/proposal.js';
import { stakingObject } from '../../src/state/objects/staking.js';
import { vestingBalanceObject } from '../../src/state/objects/vesting-balance.js';
import { withdrawPermissionObject } from '../../src/state/objects/withdraw-permission.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import { balanceOf } from '../../src/state/rules/balances.js';
import type { ReadState } from '../../src/state/views.js';
import { contractFile } from '../support/contract-world.js';
import type { Given } from '../support/world.js';
import { accountKey, witnessKey } from '../support/world-genesis.js';
import type { SeededRandom } from './random.js';
import { operationOf, signedTransactionOf } from './transactions.js';

export const USERS = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi'];
export const USER_FUNDS = 1_000_000_000_000n;

/** Also those that pay for nothing but their own keys. */
export const fundedNames = (witnesses: number): string[] => [
  ...USERS,
  ...Array.from({ length: witnesses }, (_, i) => `init${i}`),
];

const keysByWitness = new Map<Instance, readonly PrivateKey[]>();

/** Witness 1.6.1 is init0; the first key is that of the genesis. */
export function signingKeys(witness: Instance): readonly PrivateKey[] {
  let keys = keysByWitness.get(witness);
  if (keys === undefined) {
    keys = [witnessKey(`init${witness - 1}`), witnessKey(`init${witness - 1} second`)];
    keysByWitness.set(witness, keys);
  }
  return keys;
}

let bank: { readonly code: Uint8Array; readonly abi: AbiDef } | undefined;
function loadBank(): { readonly code: Uint8Array; readonly abi: AbiDef } {
  bank ??= {
    code: contractFile('bank.wasm'),
    abi: abiDef.fromJson(parseJson(new TextDecoder().decode(contractFile('bank.abi')))),
  };
  return bank;
}
const bankCode = (): Uint8Array => loadBank().code;
const bankAbi = (): AbiDef => loadBank().abi;

/** What one transaction is to do: operation, fields, and the accounts that sign. */
type Plan = readonly [name: string, given: Given, ...signers: string[]];

interface Kind {
  readonly weight: number;
  make(state: ReadState, random: SeededRandom): Plan | undefined;
}

const core = (amount: bigint | number) => makeAsset(BigInt(amount), 1);
const nameOf = (state: ReadState, id: number): string => state.get(accountObject, id).name;
const someAmount = (random: SeededRandom): bigint => BigInt(random.between(1, 2_000_000));

function someAccount(state: ReadState, random: SeededRandom): Readonly<AccountObject> {
  const first = state.findBy(accountObject.by.name, USERS[0] as string)?.id ?? 0;
  return state.get(accountObject, random.between(first, state.nextInstance(accountObject) - 1));
}

function someOf<T>(list: Iterable<T>, random: SeededRandom): T | undefined {
  const all = [...list];
  return all.length === 0 ? undefined : random.pick(all);
}

const transfer: Kind = {
  weight: 30,
  make(state, random) {
    const from = random.pick(USERS);
    // Now and then more than there is.
    const amount = random.chance(0.05) ? balanceOf(state, someAccount(state, random).id, 1) + 1n : someAmount(random);
    return ['transfer', { from, to: someAccount(state, random).name, amount: core(amount) }, from];
  },
};

const accountCreate: Kind = {
  weight: 6,
  make(_state, random) {
    const registrar = random.pick(USERS);
    const name = `account-${random.below(100_000)}`;
    const authority = keyAuthority(accountKey(name).publicKey);
    const options = { memo_key: accountKey(name).publicKey, voting_account: 5, num_witness: 0, num_committee: 0 };
    const given = { registrar, referrer: registrar, referrer_percent: random.below(10_001), name };
    const more = { options: { ...options, votes: [], extensions: [] }, owner: authority, active: authority };
    return ['account_create', { ...given, ...more }, registrar];
  },
};

const vote: Kind = {
  weight: 6,
  make(state, random) {
    const name = random.pick(USERS);
    const account = state.findBy(accountObject.by.name, name);
    if (account === undefined) return undefined;
    const votes = [...state.all(witnessObject)].filter(() => random.chance(0.5)).map((witness) => witness.vote_id);
    votes.sort((a, b) => a - b);
    return ['account_update', { account: name, new_options: { ...account.options, votes } }, name];
  },
};

const propose: Kind = {
  weight: 6,
  make(state, random) {
    const [payer, from] = [random.pick(USERS), random.pick(USERS)];
    const inner = operationOf(state, 'transfer', { from, to: random.pick(USERS), amount: core(someAmount(random)) });
    const expiration_time = state.headTime + random.between(6, 120);
    return ['proposal_create', { fee_paying_account: payer, expiration_time, proposed_ops: [{ op: inner }] }, payer];
  },
};

const approve: Kind = {
  weight: 8,
  make(state, random) {
    const proposal = someOf(state.all(proposalObject), random);
    const missing = proposal?.required_active_approvals[0];
    if (proposal === undefined || missing === undefined) return undefined;
    const [payer, approver] = [random.pick(USERS), nameOf(state, missing)];
    const given = { fee_paying_account: payer, proposal: proposal.id, active_approvals_to_add: [missing] };
    return ['proposal_update', given, ...new Set([payer, approver])] as unknown as Plan;
  },
};

const vest: Kind = {
  weight: 4,
  make(_state, random) {
    const creator = random.pick(USERS);
    const policy = random.chance(0.5)
      ? [0, { begin_timestamp: 0, vesting_cliff_seconds: 0, vesting_duration_seconds: random.between(0, 60) }]
      : [1, { start_claim: 0, vesting_seconds: random.between(1, 60) }];
    return [
      'vesting_balance_create',
      { creator, owner: random.pick(USERS), amount: core(someAmount(random)), policy },
      creator,
    ];
  },
};

const takeVested: Kind = {
  weight: 4,
  make(state, random) {
    const balance = someOf(state.all(vestingBalanceObject), random);
    if (balance === undefined) return undefined;
    const owner = nameOf(state, balance.owner);
    const amount = makeAsset(balance.balance.amount / BigInt(random.between(1, 4)), balance.balance.asset_id);
    return ['vesting_balance_withdraw', { vesting_balance: balance.id, owner, amount }, owner];
  },
};

const lock: Kind = {
  weight: 4,
  make(state, random) {
    const account = random.pick(USERS);
    const amount = core(BigInt(random.between(100_000, 1_000_000)));
    const program = { program_id: '1', lock_days: 0, interest_rate: 0 };
    // Any second nearby is allowed; the same one twice is not.
    const create_date_time = state.headTime + random.between(-30, 30);
    return ['balance_lock', { account, create_date_time, amount, memo: '', ...program }, account];
  },
};

const unlock: Kind = {
  weight: 3,
  make(state, random) {
    const found = someOf(state.all(lockBalanceObject), random);
    if (found === undefined) return undefined;
    const account = nameOf(state, found.owner);
    return ['balance_unlock', { account, lock_id: found.id }, account];
  },
};

const stake: Kind = {
  weight: 4,
  make(state, random) {
    const witness = someOf(state.all(witnessObject), random);
    if (witness === undefined) return undefined;
    const owner = random.pick(USERS);
    const amount = core(BigInt(random.between(1, 10) * 100_000));
    const program = { program_id: '1', weight: 1, staking_days: 0 };
    return ['staking_create', { owner, trust_node: witness.id, amount, ...program }, owner];
  },
};

const claimStake: Kind = {
  weight: 3,
  make(state, random) {
    const found = someOf(state.all(stakingObject), random);
    if (found === undefined) return undefined;
    const owner = nameOf(state, found.owner);
    return ['staking_claim', { owner, staking_id: found.id }, owner];
  },
};

const permit: Kind = {
  weight: 3,
  make(state, random) {
    const from = random.pick(USERS);
    const to = random.pick(USERS.filter((name) => name !== from));
    const given = {
      withdraw_from_account: from,
      authorized_account: to,
      withdrawal_limit: core(someAmount(random)),
      withdrawal_period_sec: 30,
      periods_until_expiration: random.between(1, 4),
      period_start_time: state.headTime + 3,
    };
    return ['withdraw_permission_create', given, from];
  },
};

const takePermitted: Kind = {
  weight: 3,
  make(state, random) {
    const found = someOf(state.all(withdrawPermissionObject), random);
    if (found === undefined) return undefined;
    const to = nameOf(state, found.authorized_account);
    const given = {
      withdraw_permission: found.id,
      withdraw_from_account: found.withdraw_from_account,
      withdraw_to_account: found.authorized_account,
      amount_to_withdraw: core(found.withdrawal_limit.amount / 2n + 1n),
    };
    return ['withdraw_permission_claim', given, to];
  },
};

const custom: Kind = {
  weight: 4,
  make(_state, random) {
    const payer = random.pick(USERS);
    const data = new Uint8Array(random.below(500)).fill(random.below(256));
    return ['custom', { payer, required_auths: [], id: random.below(65_536), data }, payer];
  },
};

const createAsset: Kind = {
  weight: 3,
  make(_state, random) {
    const issuer = random.pick(USERS);
    const symbol = `COIN${String.fromCharCode(65 + random.below(26), 65 + random.below(26))}`;
    const one = makeAsset(1n, 1);
    const common_options = {
      max_supply: 1_000_000_000n,
      market_fee_percent: 0,
      max_market_fee: 0n,
      issuer_permissions: 0x4f,
      flags: 0,
      core_exchange_rate: { base: one, quote: makeAsset(1n, 2) },
      whitelist_authorities: [],
      blacklist_authorities: [],
      whitelist_markets: [],
      blacklist_markets: [],
      description: '',
      extensions: [],
    };
    return ['asset_create', { issuer, symbol, precision: random.below(9), common_options }, issuer];
  },
};

const issueAsset: Kind = {
  weight: 3,
  make(state, random) {
    const found = someOf(state.all(assetObject), random);
    if (found === undefined || !USERS.includes(nameOf(state, found.issuer))) return undefined;
    const issuer = nameOf(state, found.issuer);
    const asset_to_issue = makeAsset(someAmount(random), found.id);
    return ['asset_issue', { issuer, asset_to_issue, issue_to_account: random.pick(USERS) }, issuer];
  },
};

/** Witnesses have two keys and change between them. */
const changeSigningKey: Kind = {
  weight: 2,
  make(state, random) {
    const witness = someOf(state.all(witnessObject), random);
    if (witness === undefined) return undefined;
    const witness_account = nameOf(state, witness.witness_account);
    const new_signing_key = random.pick(signingKeys(witness.id)).publicKey;
    return ['witness_update', { witness: witness.id, witness_account, new_signing_key }, witness_account];
  },
};

const BANK = /^bank-/;

const deployBank: Kind = {
  weight: 1,
  make(_state, random) {
    const account = random.pick(USERS);
    const name = `bank-${random.below(4)}`;
    const given = { name, account, vm_type: '0', vm_version: '0', code: bankCode(), abi: bankAbi() };
    return ['contract_deploy', { ...given, fee: core(10_000_000) }, account];
  },
};

/** Its table has a row per customer: objects that come, change and go. */
const callBank: Kind = {
  weight: 10,
  make(state, random) {
    const bank = someOf(
      [...state.all(accountObject)].filter(({ name }) => BANK.test(name)),
      random,
    );
    if (bank === undefined) return undefined;
    const account = random.pick(USERS);
    const call = { account, contract_id: bank.id, fee: core(100_000) };
    if (random.chance(0.6)) {
      return [
        'contract_call',
        {
          ...call,
          method_name: nameFromText('deposit'),
          data: new Uint8Array(),
          amount: core(random.between(1, 100_000)),
        },
        account,
      ];
    }
    const data = new Writer();
    data.varint(BigInt(account.length));
    data.raw(new TextEncoder().encode(account));
    data.u64(BigInt(random.between(1, 20_000)));
    data.u64(1n);
    return ['contract_call', { ...call, method_name: nameFromText('withdraw'), data: data.finish() }, account];
  },
};

const KINDS: readonly Kind[] = [
  createAsset,
  issueAsset,
  changeSigningKey,
  deployBank,
  callBank,
  transfer,
  accountCreate,
  vote,
  propose,
  approve,
  vest,
  takeVested,
  lock,
  unlock,
  stake,
  claimStake,
  permit,
  takePermitted,
  custom,
];

const LIFETIME_SEC_MAX = 90;
/** A transaction refers to a block that is that far behind the head, at most. */
const REFERENCE_BACK_MAX = 4;

/** A random transaction against the state as one node sees it; many are good, some come too late or ask too much. */
export function randomTransaction(queries: QueryDoor, random: SeededRandom): SignedTransaction | undefined {
  const { state, head } = queries;
  if (head.number === 0) return undefined;
  const plan = random.pickWeighted(KINDS).make(state, random);
  if (plan === undefined) return undefined;
  const [name, given, ...signers] = plan;
  const reference = queries.blockIdOf(Math.max(1, head.number - random.below(REFERENCE_BACK_MAX))) ?? head.id;
  return signedTransactionOf(queries, {
    operations: [operationOf(state, name, given)],
    keys: [...new Set(signers)].map((signer) => accountKey(signer)),
    expiration: head.time + random.between(5, LIFETIME_SEC_MAX),
    reference,
  });
}

/** Hands the genesis balances to their owners. */
export function claimTransactions(queries: QueryDoor, names: readonly string[] = USERS): SignedTransaction[] {
  const { state, head } = queries;
  const out: SignedTransaction[] = [];
  for (const name of names) {
    const key = accountKey(name);
    const operations = state.group(balanceObject.by.owner, addressOfKey(key.publicKey)).map((balance): Operation => {
      const given = {
        fee: makeAsset(0n, 0),
        deposit_to_account: name,
        balance_to_claim: balance.id,
        balance_owner_key: key.publicKey,
        total_claimed: balance.balance,
      };
      return operationOf(state, 'balance_claim', given);
    });
    const expiration = head.time + 600;
    if (operations.length > 0) {
      out.push(signedTransactionOf(queries, { operations, keys: [key], expiration, reference: head.id }));
    }
  }
  return out;
}
