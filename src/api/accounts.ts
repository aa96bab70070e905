import { array, optional, pair, set } from '../codec/containers.js';
import { bool, text, u32 } from '../codec/scalars.js';
import { struct } from '../codec/struct.js';
import { asset } from '../protocol/asset.js';
import { accountId, assetId, balanceId, committeeMemberId, stakingId, witnessId } from '../protocol/ids.js';
import { address, publicKey } from '../protocol/keys.js';
import {
  accountBalanceRecord,
  accountRecord,
  accountStatisticsRecord,
  balanceRecord,
  lockBalanceRecord,
  vestingBalanceRecord,
  withdrawPermissionRecord,
} from '../protocol/objects/accounts-and-assets.js';
import { objectOf } from '../protocol/objects/declare.js';
import {
  committeeMemberRecord,
  proposalRecord,
  stakingRecord,
  trustNodePledgeRecord,
  witnessRecord,
  workerRecord,
} from '../protocol/objects/governance.js';
import { voteId } from '../protocol/vote.js';
import { declareMethod } from './define.js';
import { foundObject, json, nullable } from './types.js';

const account = objectOf(accountRecord);

const vestingBalance = objectOf(vestingBalanceRecord);

/** An account with everything that belongs to it, in one answer. */
export const fullAccount = struct('full_account', {
  account,
  statistics: objectOf(accountStatisticsRecord),
  registrar_name: text,
  referrer_name: text,
  lifetime_referrer_name: text,
  votes: array(foundObject),
  cashback_balance: optional(vestingBalance),
  contract_call_cashback_balance: optional(vestingBalance),
  staking_cashback_balance: optional(vestingBalance),
  balances: array(objectOf(accountBalanceRecord)),
  locked_balances: array(objectOf(lockBalanceRecord)),
  vesting_balances: array(vestingBalance),
  pledge_balances: array(objectOf(trustNodePledgeRecord)),
  /** Markets are removed from this chain; clients still look for the lists. */
  limit_orders: array(json),
  call_orders: array(json),
  settle_orders: array(json),
  proposals: array(objectOf(proposalRecord)),
  assets: array(assetId),
  withdraws: array(objectOf(withdrawPermissionRecord)),
});

export const accountMethods = {
  get_key_references: declareMethod({
    about: 'For every key the accounts that mention it in an authority or as memo key. An account may appear twice.',
    params: { keys: array(publicKey) },
    result: array(array(accountId)),
  }),
  is_public_key_registered: declareMethod({
    about: 'Whether any account mentions the key. False for a text that is no key.',
    params: { public_key: text },
    result: bool,
  }),
  get_accounts: declareMethod({
    about: 'Accounts by id, in the order asked; null where there is none.',
    params: { ids: array(accountId) },
    result: array(nullable(account)),
  }),
  get_full_accounts: declareMethod({
    about: 'Accounts by name or id, each with all that belongs to it. With subscribe, changes are sent from now on.',
    params: { names_or_ids: array(text), subscribe: bool },
    result: array(pair(text, fullAccount)),
  }),
  get_account_by_name: declareMethod({
    about: 'The account of this name, or null.',
    params: { name: text },
    result: nullable(account),
  }),
  get_account_references: declareMethod({
    about: 'Accounts that have this account in their owner or active authority.',
    params: { account_id: accountId },
    result: array(accountId),
  }),
  lookup_account_names: declareMethod({
    about: 'Accounts by name, in the order asked; null where there is none.',
    params: { names: array(text) },
    result: array(nullable(account)),
  }),
  lookup_accounts: declareMethod({
    about: 'Names and ids of accounts from a name on, ascending; at most 1000.',
    params: { lower_bound_name: text, limit: u32 },
    result: array(pair(text, accountId)),
  }),
};

export const registrationMethods = {
  is_account_registered: declareMethod({
    about: 'Whether an account of this name exists.',
    params: { name: text },
    result: bool,
  }),
};

export const balanceMethods = {
  get_account_balances: declareMethod({
    about: 'Balances of an account: of the assets asked for, or of all that it ever held when the list is empty.',
    params: { id: accountId, assets: set(assetId) },
    result: array(asset),
  }),
  get_account_lock_balances: declareMethod({
    about: 'Locked amounts of an account per asset.',
    params: { id: accountId, assets: set(assetId) },
    result: array(asset),
  }),
  get_named_account_balances: declareMethod({
    about: 'As get_account_balances, by account name.',
    params: { name: text, assets: set(assetId) },
    result: array(asset),
  }),
  get_balance_objects: declareMethod({
    about: 'Balances of the genesis file that these addresses own and have not claimed.',
    params: { addresses: array(address) },
    result: array(objectOf(balanceRecord)),
  }),
  get_vested_balances: declareMethod({
    about: 'How much of balances of the genesis file can be claimed now.',
    params: { objs: array(balanceId) },
    result: array(asset),
  }),
  get_vesting_balances: declareMethod({
    about: 'Vesting balances of an account.',
    params: { account_id: accountId },
    result: array(objectOf(vestingBalanceRecord)),
  }),
  get_staking_objects: declareMethod({
    about: 'Stakings of an account.',
    params: { account_id: accountId },
    result: array(objectOf(stakingRecord)),
  }),
};

const stakingPage = struct('staking_page', {
  records: array(objectOf(stakingRecord)),
  more: bool,
  next_id: stakingId,
});

export const witnessMethods = {
  get_witnesses: declareMethod({
    about: 'Witnesses by id, in the order asked; null where there is none.',
    params: { ids: array(witnessId) },
    result: array(nullable(objectOf(witnessRecord))),
  }),
  get_witness_by_account: declareMethod({
    about: 'The witness of an account, or null.',
    params: { account: accountId },
    result: nullable(objectOf(witnessRecord)),
  }),
  lookup_witness_accounts: declareMethod({
    about: 'Account names and ids of witnesses from a name on, ascending; at most 1000.',
    params: { lower_bound_name: text, limit: u32 },
    result: array(pair(text, witnessId)),
  }),
  get_witness_count: declareMethod({
    about: 'Number of witnesses.',
    params: {},
    result: u32,
  }),
  get_trust_nodes: declareMethod({
    about: 'Accounts that are witness and committee member.',
    params: {},
    result: array(accountId),
  }),
  get_staking_objects_by_witness: declareMethod({
    about: 'Stakings for a witness from an id on; at most 100 and the id of the next.',
    params: { wit: witnessId, start: stakingId, limit: u32 },
    result: stakingPage,
  }),
  get_committee_members: declareMethod({
    about: 'Committee members by id, in the order asked; null where there is none.',
    params: { ids: array(committeeMemberId) },
    result: array(nullable(objectOf(committeeMemberRecord))),
  }),
  get_committee_member_by_account: declareMethod({
    about: 'The committee member of an account, or null.',
    params: { account: accountId },
    result: nullable(objectOf(committeeMemberRecord)),
  }),
  lookup_committee_member_accounts: declareMethod({
    about: 'Account names and ids of committee members from a name on, ascending; at most 1000.',
    params: { lower_bound_name: text, limit: u32 },
    result: array(pair(text, committeeMemberId)),
  }),
  get_committee_member_count: declareMethod({
    about: 'Number of committee members.',
    params: {},
    result: u32,
  }),
  get_workers_by_account: declareMethod({
    about: 'The worker of an account, as a list of at most one.',
    params: { account: accountId },
    result: array(objectOf(workerRecord)),
  }),
  lookup_vote_ids: declareMethod({
    about:
      'The witness or committee member of every vote id, null where there is none; votes for workers are left out.',
    params: { votes: array(voteId) },
    result: array(foundObject),
  }),
};

export const proposalMethods = {
  get_proposed_transactions: declareMethod({
    about: 'Proposals that need the approval of this account or have it.',
    params: { id: accountId },
    result: array(objectOf(proposalRecord)),
  }),
};
