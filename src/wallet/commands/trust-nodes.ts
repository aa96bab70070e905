import { check, fail } from '../../base/errors.js';
import { parseAmount } from '../../client/amounts.js';
import { operationOf } from '../../client/operations.js';
import { array } from '../../codec/containers.js';
import { bool, text, u32 } from '../../codec/scalars.js';
import { asset, makeAsset } from '../../protocol/asset.js';
import { accountId, parseObjectId, stakingId, witnessId } from '../../protocol/ids.js';
import { publicKey } from '../../protocol/keys.js';
import { vestingBalanceWithdrawOperation } from '../../protocol/operations/accounts.js';
import {
  committeeMemberCreateOperation,
  stakingClaimOperation,
  stakingCreateOperation,
  stakingUpdateOperation,
  trustNodePledgeWithdrawOperation,
  witnessCreateOperation,
  witnessSetCommissionOperation,
  witnessUnbannedOperation,
  witnessUpdateOperation,
} from '../../protocol/operations/governance.js';
import type { Account } from '../chain-view.js';
import { CHECK_ERRORS, LOOKUP_ERRORS } from '../errors.js';
import { firstFreeChild } from '../keys/derived.js';
import { awaitWitness } from '../registrations.js';
import type { Wallet } from '../wallet.js';
import { updateOptions } from './accounts.js';
import { act, BROADCAST, FEE_AND_BROADCAST, feeAsset, SIGNED_TRANSACTION } from './common.js';
import { type CommandTable, command } from './define.js';

/** A key that a pending or known witness signs blocks with is derived from the account's active key. */
async function blockSigningKey(wallet: Wallet, account: Account) {
  const [first] = account.active.key_auths;
  const { key_auths, account_auths } = account.active;
  const isPlain = first !== undefined && key_auths.length === 1 && account_auths.length === 0;
  check(isPlain, CHECK_ERRORS.witness_active_keys, { account: account.name });
  const active = wallet.ring.get(first[0]);
  return firstFreeChild(active, async (key) => {
    if (wallet.ring.has(key)) return true;
    const [references = []] = (await wallet.chain.ask('get_key_references', [
      publicKey.toJson(key, wallet.network),
    ])) as unknown[][];
    return references.length > 0;
  });
}

const VESTING_ID = /^1\.13\.\d+$/;

async function vestingOf(wallet: Wallet, nameOrId: string): Promise<{ instance: number; owner: number }> {
  const id = VESTING_ID.test(nameOrId) ? nameOrId : ((await wallet.chain.witness(nameOrId)).pay_vb ?? '');
  if (id === '') return fail(LOOKUP_ERRORS.object_null, { id: nameOrId, type: 'null_type' });
  const found = await wallet.chain.objectOr(id, LOOKUP_ERRORS.object_null);
  return {
    instance: parseObjectId(id).instance,
    owner: wallet.chain.read(accountId, 'get_objects', found.owner ?? null),
  };
}

/** One vote more or fewer, all others as they are. */
function withVote(account: Account, vote: number, approve: boolean): number[] {
  const others = account.options.votes.filter((one) => one !== vote);
  return approve ? [...others, vote] : others;
}

export const trustNodeCommands = {
  create_witness: command({
    params: { owner_account: text, url: text, ...FEE_AND_BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Makes an account a candidate for producing blocks. The key for blocks is derived from its active key and kept here.',
    run: async (wallet, { owner_account, url, fee_asset_symbol, broadcast }) => {
      const account = await wallet.chain.account(owner_account);
      const existing = await wallet.chain.witnessOfAccount(account.id);
      check(existing === undefined, CHECK_ERRORS.witness_exists, { owner_account });
      const key = await blockSigningKey(wallet, account);
      const operation = operationOf(witnessCreateOperation, {
        witness_account: account.id,
        url,
        block_signing_key: key.publicKey,
      });
      return awaitWitness(wallet, owner_account, key, async () =>
        act(wallet, [operation], { feeAsset: await feeAsset(wallet, fee_asset_symbol), broadcast }),
      );
    },
  }),
  update_witness: command({
    params: { witness_name: text, url: text, block_signing_key: text, ...FEE_AND_BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Changes the url or the block key of a witness; "" keeps either.',
    run: async (wallet, { witness_name, url, block_signing_key, fee_asset_symbol, broadcast }) => {
      const witness = await wallet.chain.witness(witness_name);
      const prefix = wallet.network.keyPrefix;
      const isLong = block_signing_key === '' || block_signing_key.length > prefix.length;
      check(isLong, CHECK_ERRORS.public_key_short, { prefix });
      const operation = operationOf(witnessUpdateOperation, {
        witness: witness.id,
        witness_account: witness.witness_account,
        new_url: url === '' ? undefined : url,
        new_signing_key: block_signing_key === '' ? undefined : publicKey.fromJson(block_signing_key, wallet.network),
      });
      return act(wallet, [operation], { feeAsset: await feeAsset(wallet, fee_asset_symbol), broadcast });
    },
  }),
  get_witness: command({
    params: { owner_account: text },
    result: 'witness_object',
    help: 'A witness by its id, or by name or id of its account.',
    run: async (wallet, { owner_account }) => (await wallet.chain.witness(owner_account)).json,
  }),
  list_witnesses: command({
    params: { lowerbound: text, limit: u32 },
    result: 'map<string,witness_id>',
    help: 'Witnesses from a name on.',
    run: (wallet, { lowerbound, limit }) => wallet.chain.ask('lookup_witness_accounts', lowerbound, limit),
  }),
  create_committee_member: command({
    params: { owner_account: text, url: text, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Makes an account a candidate for the committee.',
    run: async (wallet, { owner_account, url, broadcast }) => {
      const account = await wallet.chain.account(owner_account);
      const existing = await wallet.chain.committeeMemberOfAccount(account.id);
      check(existing === undefined, CHECK_ERRORS.committee_member_exists, { owner_account });
      const operation = operationOf(committeeMemberCreateOperation, { committee_member_account: account.id, url });
      return act(wallet, [operation], { broadcast });
    },
  }),
  get_committee_member: command({
    params: { owner_account: text },
    result: 'committee_member_object',
    help: 'A committee member by its id, or by name or id of its account.',
    run: async (wallet, { owner_account }) => (await wallet.chain.committeeMember(owner_account)).json,
  }),
  list_committee_members: command({
    params: { lowerbound: text, limit: u32 },
    result: 'map<string,committee_member_id>',
    help: 'Committee members from a name on.',
    run: (wallet, { lowerbound, limit }) => wallet.chain.ask('lookup_committee_member_accounts', lowerbound, limit),
  }),
  vote_for_trust_nodes: command({
    params: { voting_account: text, trust_nodes: array(text), ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Replaces all votes of an account by those for the given trust nodes, both as witness and in the committee.',
    examples: ['vote_for_trust_nodes "alice" ["init0","init1"] true'],
    run: async (wallet, { voting_account, trust_nodes, broadcast }) => {
      const account = await wallet.chain.account(voting_account);
      const votes: number[] = [];
      for (const name of trust_nodes) {
        const node = await wallet.chain.account(name);
        const witness = await wallet.chain.witnessOfAccount(node.id);
        if (witness === undefined) return fail(CHECK_ERRORS.trust_node_no_witness, { a: name });
        const member = await wallet.chain.committeeMemberOfAccount(node.id);
        if (member === undefined) return fail(CHECK_ERRORS.trust_node_no_committee_member, { a: name });
        votes.push(member.vote_id, witness.vote_id);
      }
      const { maximum_witness_count, maximum_committee_count } = await wallet.chain.parameters();
      const count = trust_nodes.length;
      const operation = updateOptions(account, {
        votes: [...new Set(votes)],
        num_witness: Math.min(count, maximum_witness_count),
        num_committee: Math.min(count, maximum_committee_count),
      });
      return act(wallet, [operation], { broadcast });
    },
  }),
  vote_for_witness: command({
    params: { voting_account: text, witness: text, approve: bool, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Votes for a witness, or takes the vote back. Names or ids of accounts.',
    run: async (wallet, { voting_account, witness, approve, broadcast }) => {
      const account = await wallet.chain.account(voting_account);
      const owner = await wallet.chain.account(witness);
      const found = await wallet.chain.witnessOfAccount(owner.id);
      if (found === undefined) return fail(CHECK_ERRORS.vote_no_witness, { witness });
      const has = account.options.votes.includes(found.vote_id);
      const names = { account: voting_account, witness };
      check(!(approve && has), CHECK_ERRORS.vote_witness_given, names);
      check(approve || has, CHECK_ERRORS.vote_witness_missing, names);
      return act(wallet, [updateOptions(account, { votes: withVote(account, found.vote_id, approve) })], { broadcast });
    },
  }),
  vote_for_committee_member: command({
    params: { voting_account: text, committee_member: text, approve: bool, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Votes for a committee member, or takes the vote back. Names or ids of accounts.',
    run: async (wallet, { voting_account, committee_member, approve, broadcast }) => {
      const account = await wallet.chain.account(voting_account);
      const owner = await wallet.chain.account(committee_member);
      const found = await wallet.chain.committeeMemberOfAccount(owner.id);
      if (found === undefined) return fail(CHECK_ERRORS.vote_no_committee_member, { committee_member });
      const has = account.options.votes.includes(found.vote_id);
      const names = { account: voting_account, committee_member };
      check(!(approve && has), CHECK_ERRORS.vote_committee_member_given, names);
      check(approve || has, CHECK_ERRORS.vote_committee_member_missing, names);
      return act(wallet, [updateOptions(account, { votes: withVote(account, found.vote_id, approve) })], { broadcast });
    },
  }),
  withdraw_vesting: command({
    params: { witness_name: text, amount: text, asset_symbol: text, ...FEE_AND_BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Takes vested money out: the pay of a witness by its name, or any vesting balance by its id.',
    run: async (wallet, { witness_name, amount, asset_symbol, fee_asset_symbol, broadcast }) => {
      const paid = await wallet.chain.asset(asset_symbol);
      const vesting = await vestingOf(wallet, witness_name);
      const operation = operationOf(vestingBalanceWithdrawOperation, {
        vesting_balance: vesting.instance,
        owner: vesting.owner,
        amount: makeAsset(parseAmount(amount, paid), paid.id),
      });
      return act(wallet, [operation], { feeAsset: await feeAsset(wallet, fee_asset_symbol), broadcast });
    },
  }),
  withdraw_trust_node_pledge: command({
    params: { account_name: text, ...FEE_AND_BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Asks for the pledge of a trust node back.',
    run: async (wallet, { account_name, fee_asset_symbol, broadcast }) => {
      const account = await wallet.chain.account(account_name);
      const operation = operationOf(trustNodePledgeWithdrawOperation, { witness_account: account.id });
      return act(wallet, [operation], { feeAsset: await feeAsset(wallet, fee_asset_symbol), broadcast });
    },
  }),
  staking_create: command({
    params: {
      owner: accountId,
      amount: asset,
      trust_node: witnessId,
      program_id: text,
      weight: u32,
      staking_days: u32,
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Stakes an amount for a trust node by a program of the chain.',
    run: (wallet, { broadcast, ...members }) =>
      act(wallet, [operationOf(stakingCreateOperation, members)], { broadcast }),
  }),
  staking_update: command({
    params: { owner: accountId, staking_id: stakingId, trust_node: witnessId, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Moves a staking to another trust node.',
    run: (wallet, { broadcast, ...members }) =>
      act(wallet, [operationOf(stakingUpdateOperation, members)], { broadcast }),
  }),
  staking_claim: command({
    params: { owner: accountId, staking_id: stakingId, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Takes a staking back when its time is over.',
    run: (wallet, { broadcast, ...members }) =>
      act(wallet, [operationOf(stakingClaimOperation, members)], { broadcast }),
  }),
  witness_set_commission: command({
    params: { witness_name: text, commission_rate: u32, ...FEE_AND_BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Sets what a witness keeps of the pay of those who stake for it: 0 to 1000 per mille.',
    run: async (wallet, { witness_name, commission_rate, fee_asset_symbol, broadcast }) => {
      const witness = await wallet.chain.witness(witness_name);
      const operation = operationOf(witnessSetCommissionOperation, {
        witness: witness.id,
        witness_account: witness.witness_account,
        commission_rate,
      });
      return act(wallet, [operation], { feeAsset: await feeAsset(wallet, fee_asset_symbol), broadcast });
    },
  }),
  witness_unbanned: command({
    params: { witness_name: text, ...FEE_AND_BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Lets a banned witness take part again.',
    run: async (wallet, { witness_name, fee_asset_symbol, broadcast }) => {
      const witness = await wallet.chain.witness(witness_name);
      const operation = operationOf(witnessUnbannedOperation, {
        witness: witness.id,
        witness_account: witness.witness_account,
      });
      return act(wallet, [operation], { feeAsset: await feeAsset(wallet, fee_asset_symbol), broadcast });
    },
  }),
} satisfies CommandTable;
