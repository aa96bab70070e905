import { requiredFee } from '../../operations/pipeline.js';
import { type Asset, makeAsset } from '../../protocol/asset.js';
import { EXTENSION_TAG } from '../../protocol/extensions.js';
import { COMMITTEE_ACCOUNT, CORE_ASSET, type Instance, ORIGINAL_CORE_ASSET } from '../../protocol/ids.js';
import { ORIGINAL_CORE_SYMBOL } from '../../protocol/networks.js';
import type { Operation, OperationBody } from '../../protocol/operation-slot.js';
import type { SignedTransaction } from '../../protocol/transaction.js';
import { type AccountObject, accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { committeeMemberObject } from '../../state/objects/committee-member.js';
import { proposalObject } from '../../state/objects/proposal.js';
import { witnessObject } from '../../state/objects/witness.js';
import { parameters } from '../../state/rules/parameters.js';
import type { ReadState } from '../../state/views.js';
import { DEV_ACCOUNTS, DEV_FAUCET, DEV_WITNESS_ACCOUNTS, type DevAccount, moreDevAccount } from './dev-network.js';
import { genesisClaims, signedForHead } from './genesis-claims.js';

/**
 * What a fresh development chain is given by ordinary operations, so that it looks like the main network of today:
 * money in the accounts, votes for the witnesses, and the symbol GXC for the core asset 1.3.1. See
 * docs/decisions/dev-network.md.
 */

export const OP = {
  transfer: 0,
  accountCreate: 5,
  accountUpdate: 6,
  assetUpdate: 11,
  proposalCreate: 22,
  proposalUpdate: 23,
} as const;
const LIFETIME_SEC = 600;
/** Symbol of asset 1.3.0 afterwards. */
const RETIRED_SYMBOL = 'GXCOLD';
/** The committee pays the fees of what it decides. */
const COMMITTEE_MONEY = 100_000_00000n;
/** One coin, for exchange rates. */
const COIN = 100_000n;

/** Funded accounts beside those of the genesis file. */
export interface MoreAccounts {
  readonly count: number;
  /** Whole coins of the core asset for each. */
  readonly coins: number;
}

/** What is to be pushed next; empty when there is nothing to do, or not yet. */
export function devSetup(s: ReadState, more: MoreAccounts = { count: 0, coins: 0 }): SignedTransaction[] {
  if (s.headNumber === 0) return [...claims(s), votes(s), ...moreAccounts(s, more)];
  const symbol = s.get(assetObject, CORE_ASSET).symbol;
  const canDecide = s.get(accountObject, COMMITTEE_ACCOUNT).active.account_auths.length > 0;
  return symbol !== ORIGINAL_CORE_SYMBOL && canDecide ? [renameCoreAsset(s)] : [];
}

/** True when nothing is left to do. */
export function isDevSetupDone(s: ReadState): boolean {
  return s.get(assetObject, CORE_ASSET).symbol === ORIGINAL_CORE_SYMBOL;
}

function accountOf(s: ReadState, { name }: DevAccount): Readonly<AccountObject> | undefined {
  return s.findBy(accountObject.by.name, name);
}

const idOf = (s: ReadState, owner: DevAccount): Instance => accountOf(s, owner)?.id ?? 0;

function claims(s: ReadState): SignedTransaction[] {
  const owners = [...DEV_ACCOUNTS, ...DEV_WITNESS_ACCOUNTS, DEV_FAUCET];
  return genesisClaims(
    s,
    owners.map((owner) => ({ id: idOf(s, owner), key: owner.key })),
  );
}

/** Votes make the witnesses the committee, at the maintenance that ends block 1. */
function votes(s: ReadState): SignedTransaction {
  const voter = DEV_FAUCET;
  const witnesses = [...s.all(witnessObject)].map((one) => one.vote_id);
  const members = [...s.all(committeeMemberObject)].map((one) => one.vote_id);
  const update = priced(s, OP.accountUpdate, ORIGINAL_CORE_ASSET, {
    account: idOf(s, voter),
    owner: undefined,
    active: undefined,
    new_options: {
      ...(accountOf(s, voter)?.options as AccountObject['options']),
      num_witness: witnesses.length,
      num_committee: members.length,
      votes: [...witnesses, ...members],
    },
    extensions: {},
  });
  return signedForHead(s, [update], [voter.key]);
}

/** In block 1, where the fees of others are paid in the original core asset too. */
function moreAccounts(s: ReadState, { count, coins }: MoreAccounts): SignedTransaction[] {
  if (count === 0) return [];
  const faucet = idOf(s, DEV_FAUCET);
  const options = accountOf(s, DEV_FAUCET)?.options as AccountObject['options'];
  const first = s.nextInstance(accountObject);
  const operations = Array.from({ length: count }, (_, i) => {
    const { name, key } = moreDevAccount(i + 1);
    const authority = { weight_threshold: 1, account_auths: [], key_auths: [[key.publicKey, 1]], address_auths: [] };
    const create = priced(s, OP.accountCreate, ORIGINAL_CORE_ASSET, {
      registrar: faucet,
      referrer: faucet,
      referrer_percent: 0,
      name,
      owner: authority,
      active: authority,
      options: { ...options, memo_key: key.publicKey, num_witness: 0, num_committee: 0, votes: [] },
      extensions: {},
    });
    if (coins === 0) return [create];
    const pay = priced(s, OP.transfer, ORIGINAL_CORE_ASSET, {
      from: faucet,
      to: first + i,
      amount: makeAsset(BigInt(coins) * COIN, CORE_ASSET),
      memo: undefined,
      extensions: [],
    });
    return [create, pay];
  }).flat();
  return [signedForHead(s, operations, [DEV_FAUCET.key])];
}

/**
 * Asset 1.3.0 gives its symbol away, and gets the exchange rate without which it cannot pay fees; that takes a decision
 * of the committee. Then the core asset takes the symbol, and the rate to itself that fee questions look at.
 */
function renameCoreAsset(s: ReadState): SignedTransaction {
  const payer = DEV_FAUCET;
  const rate = (id: Instance) => ({ base: makeAsset(COIN, id), quote: makeAsset(COIN, CORE_ASSET) });
  const update = (id: Instance, issuer: Instance, symbol: string): Operation =>
    priced(s, OP.assetUpdate, CORE_ASSET, {
      issuer,
      asset_to_update: id,
      new_issuer: undefined,
      new_options: { ...s.get(assetObject, id).options, core_exchange_rate: rate(id) },
      extensions: [[EXTENSION_TAG.asset_symbol, { symbol }]],
    });
  const operations = [
    priced(s, OP.transfer, CORE_ASSET, {
      from: idOf(s, payer),
      to: COMMITTEE_ACCOUNT,
      amount: makeAsset(COMMITTEE_MONEY, CORE_ASSET),
      memo: undefined,
      extensions: [],
    }),
    priced(s, OP.proposalCreate, CORE_ASSET, {
      fee_paying_account: idOf(s, payer),
      expiration_time: s.headTime + LIFETIME_SEC,
      proposed_ops: [{ op: update(ORIGINAL_CORE_ASSET, COMMITTEE_ACCOUNT, RETIRED_SYMBOL) }],
      review_period_seconds: undefined,
      extensions: [],
    }),
    priced(s, OP.proposalUpdate, CORE_ASSET, {
      fee_paying_account: idOf(s, payer),
      proposal: s.nextInstance(proposalObject),
      active_approvals_to_add: DEV_WITNESS_ACCOUNTS.map((one) => idOf(s, one)),
      active_approvals_to_remove: [],
      owner_approvals_to_add: [],
      owner_approvals_to_remove: [],
      key_approvals_to_add: [],
      key_approvals_to_remove: [],
      extensions: [],
    }),
    update(CORE_ASSET, idOf(s, DEV_FAUCET), ORIGINAL_CORE_SYMBOL),
  ];
  return signedForHead(s, operations, [payer.key, ...DEV_WITNESS_ACCOUNTS.map(({ key }) => key)]);
}

function operation(tag: number, body: { readonly fee: Asset } & Readonly<Record<string, unknown>>): Operation {
  return [tag, body as OperationBody];
}

/** With the fee that the schedule asks. */
export function priced(
  s: ReadState,
  tag: number,
  feeAsset: Instance,
  body: Readonly<Record<string, unknown>>,
): Operation {
  const free = operation(tag, { ...body, fee: makeAsset(0n, feeAsset) });
  const amount = requiredFee(parameters(s).current_fees, free);
  return operation(tag, { ...body, fee: makeAsset(amount, feeAsset) });
}
