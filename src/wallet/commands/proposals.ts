import { check, fail } from '../../base/errors.js';
import { declarationByName, operationOf } from '../../client/operations.js';
import { array, tagFromJson } from '../../codec/containers.js';
import type { Json, JsonObject } from '../../codec/json.js';
import { text, time, u32 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import type { FeeSchedule } from '../../protocol/chain-parameters.js';
import { type ChainParameters, chainParameters } from '../../protocol/chain-parameters.js';
import { EXTENSION_TAG, type Extensions, extensions } from '../../protocol/extensions.js';
import { proposalId } from '../../protocol/ids.js';
import { publicKey } from '../../protocol/keys.js';
import type { FeeParameters, Operation } from '../../protocol/operation-slot.js';
import {
  accountUpgradeDatasourceOperation,
  accountUpgradeDataTransactionMemberOperation,
  accountUpgradeMerchantOperation,
} from '../../protocol/operations/accounts.js';
import {
  committeeMemberUpdateGlobalParametersOperation,
  proposalCreateOperation,
  proposalUpdateOperation,
} from '../../protocol/operations/governance.js';
import { OPERATION_DECLARATIONS } from '../../protocol/operations/index.js';
import type { Account } from '../chain-view.js';
import { CHECK_ERRORS, LOOKUP_ERRORS } from '../errors.js';
import { withFees } from '../fees.js';
import { asObject } from '../node-link.js';
import { proposalJson, proposalText, reviewProposal } from '../text/proposal-review.js';
import type { Wallet } from '../wallet.js';
import { isLifetimeMember } from './accounts.js';
import { act, BROADCAST, givenObject, jsonObject, SIGNED_TRANSACTION } from './common.js';
import { type CommandTable, command } from './define.js';

const DAY_SEC = 86_400;

/** A proposal lives a day, or half of what the chain allows where that is less; from the wallet's own clock on. */
async function proposalExpiry(wallet: Wallet): Promise<number> {
  const { maximum_proposal_lifetime } = await wallet.chain.parameters();
  return wallet.nowSec() + Math.min(Math.floor(maximum_proposal_lifetime / 2), DAY_SEC);
}

interface Proposing {
  readonly payer: number;
  readonly operations: readonly Operation[];
  readonly expiration?: number;
  readonly review?: number;
  readonly broadcast: boolean;
}

/**
 * Proposes operations to those whose approval they need. Ours: their fees are in the core asset of today, as that of the
 * proposal; the reference puts most of them in 1.3.0, and what must pay such a fee is approved and never executed.
 */
export async function propose(wallet: Wallet, given: Proposing): Promise<Json> {
  const { current_fees } = await wallet.chain.parameters();
  const inner = withFees(wallet.world.rules, given.operations, current_fees, await wallet.transactions.feeTarget());
  const proposal = operationOf(proposalCreateOperation, {
    fee_paying_account: given.payer,
    expiration_time: given.expiration ?? (await proposalExpiry(wallet)),
    proposed_ops: inner.map((op) => ({ op })),
    review_period_seconds: given.review,
  });
  return act(wallet, [proposal], { broadcast: given.broadcast });
}

const VERSION_ONE: Extensions = [[EXTENSION_TAG.operation_version, { version: 1 }]];
const isStillMember = (date: number, now: number): boolean => date > now;

/** Membership dates are compared with the chain's time. */
async function chainTime(wallet: Wallet): Promise<number> {
  return (await wallet.chain.dynamic()).time;
}

const approvalDelta = struct('approval_delta', {
  active_approvals_to_add: array(text),
  active_approvals_to_remove: array(text),
  owner_approvals_to_add: array(text),
  owner_approvals_to_remove: array(text),
  key_approvals_to_add: array(publicKey),
  key_approvals_to_remove: array(publicKey),
});

const ids = async (wallet: Wallet, names: readonly string[]): Promise<number[]> => {
  const found: number[] = [];
  for (const name of names) found.push((await wallet.chain.account(name)).id);
  return found;
};

async function proposeParameters(
  wallet: Wallet,
  given: { proposer: string; expiration: number; parameters: ChainParameters; broadcast: boolean; review?: number },
): Promise<Json> {
  const operation = operationOf(committeeMemberUpdateGlobalParametersOperation, { new_parameters: given.parameters });
  return propose(wallet, {
    payer: (await wallet.chain.account(given.proposer)).id,
    operations: [operation],
    expiration: given.expiration,
    ...(given.review === undefined ? {} : { review: given.review }),
    broadcast: given.broadcast,
  });
}

/** `transfer` and `7` both name an operation. */
function feeTagOf(name: string): number {
  if (/^\d/.test(name)) {
    const number = tagFromJson(name);
    check(number < OPERATION_DECLARATIONS.length, CHECK_ERRORS.fee_operation_number, { number });
    return number;
  }
  return declarationByName(name)?.tag ?? fail(CHECK_ERRORS.fee_operation_unknown);
}

function changedFees(schedule: FeeSchedule, given: JsonObject, wallet: Wallet): FeeSchedule {
  const { network } = wallet;
  const entries = new Map<number, FeeParameters[1]>(schedule.parameters);
  let { scale } = schedule;
  for (const [name, value] of Object.entries(given)) {
    if (name === 'scale') {
      scale = u32.fromJson(value);
      continue;
    }
    const tag = feeTagOf(name);
    const type = (OPERATION_DECLARATIONS[tag] as (typeof OPERATION_DECLARATIONS)[number]).fee.schema;
    const before = asObject(type.toJson((entries.get(tag) ?? type.default()) as never, network), name);
    entries.set(tag, type.fromJson({ ...before, ...givenObject(value, name) }, network) as FeeParameters[1]);
  }
  return { parameters: [...entries].sort((a, b) => a[0] - b[0]), scale };
}

async function rolesAt(wallet: Wallet, name: string): Promise<{ account: Account; now: number }> {
  return { account: await wallet.chain.account(name), now: await chainTime(wallet) };
}

export const proposalCommands = {
  review_proposal: command({
    params: { proposal_id: text },
    result: 'proposal_review',
    help: 'Tells in words what a proposal would do, until when, who must approve it, who has, and who is missing.',
    examples: ['review_proposal "1.10.5"'],
    run: async (wallet, { proposal_id }) => proposalJson(await reviewProposal(wallet, proposal_id)),
    show: async (wallet, _, { proposal_id }) => proposalText(await reviewProposal(wallet, proposal_id)),
  }),
  approve_proposal: command({
    params: { fee_paying_account: text, proposal_id: text, delta: approvalDelta, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Approves a proposal or takes approvals back, by names of accounts or by keys; what is not named stays.',
    examples: ['approve_proposal "init0" "1.10.5" {"active_approvals_to_add":["init0"]} true'],
    run: async (wallet, { fee_paying_account, proposal_id, delta, broadcast }) => {
      const id = proposalId.fromJson(proposal_id);
      await wallet.chain.objectOr(proposal_id, LOOKUP_ERRORS.object_null);
      const operation = operationOf(proposalUpdateOperation, {
        fee_paying_account: (await wallet.chain.account(fee_paying_account)).id,
        proposal: id,
        active_approvals_to_add: await ids(wallet, delta.active_approvals_to_add),
        active_approvals_to_remove: await ids(wallet, delta.active_approvals_to_remove),
        owner_approvals_to_add: await ids(wallet, delta.owner_approvals_to_add),
        owner_approvals_to_remove: await ids(wallet, delta.owner_approvals_to_remove),
        key_approvals_to_add: delta.key_approvals_to_add,
        key_approvals_to_remove: delta.key_approvals_to_remove,
      });
      return act(wallet, [operation], { broadcast });
    },
  }),
  propose_parameter_change: command({
    params: { proposing_account: text, expiration_time: time, changed_values: jsonObject, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Proposes other values for parameters of the chain; those that are not named stay.',
    examples: ['propose_parameter_change "init0" "2027-01-01T00:00:00" {"witness_pay_per_block":160000} true'],
    run: async (wallet, { proposing_account, expiration_time, changed_values, broadcast }) => {
      check(!Object.hasOwn(changed_values, 'current_fees'), CHECK_ERRORS.parameter_current_fees);
      const before = await wallet.chain.parameters();
      const shown = asObject(chainParameters.toJson(before, wallet.network), 'parameters');
      for (const name of Object.keys(changed_values))
        check(Object.hasOwn(shown, name), CHECK_ERRORS.parameter_unknown, { name });
      return proposeParameters(wallet, {
        proposer: proposing_account,
        expiration: expiration_time,
        parameters: chainParameters.fromJson({ ...shown, ...changed_values }, wallet.network),
        broadcast,
      });
    },
  }),
  propose_gpo_extensions_change: command({
    params: { proposing_account: text, expiration_time: time, changed_extensions: jsonObject, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Proposes other extensions of the chain parameters: {"extensions":[[9,{"amount":500000000}]]}. Members that a struct does not name get their built-in values.',
    run: async (wallet, { proposing_account, expiration_time, changed_extensions, broadcast }) => {
      check(Object.hasOwn(changed_extensions, 'extensions'), CHECK_ERRORS.gpo_no_extensions);
      const changed = extensions.fromJson(changed_extensions.extensions as Json);
      const before = await wallet.chain.parameters();
      const kept = before.extensions.filter(([tag]) => !changed.some(([other]) => other === tag));
      return proposeParameters(wallet, {
        proposer: proposing_account,
        expiration: expiration_time,
        parameters: { ...before, extensions: [...kept, ...changed] },
        review: before.committee_proposal_review_period,
        broadcast,
      });
    },
  }),
  propose_fee_change: command({
    params: { proposing_account: text, expiration_time: time, changed_values: jsonObject, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Proposes other fees, by number or name of the operation: {"transfer":{"fee":1000},"scale":10000}. Members that are not named keep their value.',
    run: async (wallet, { proposing_account, expiration_time, changed_values, broadcast }) => {
      const before = await wallet.chain.parameters();
      return proposeParameters(wallet, {
        proposer: proposing_account,
        expiration: expiration_time,
        parameters: { ...before, current_fees: changedFees(before.current_fees, changed_values, wallet) },
        broadcast,
      });
    },
  }),
  upgrade_account_merchant: command({
    params: { name: text, proposer: text, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Proposes that an account becomes a merchant, who may buy data.',
    run: async (wallet, { name, proposer, broadcast }) => {
      const { account, now } = await rolesAt(wallet, name);
      const isMerchant = isStillMember(account.merchant_expiration_date, now);
      check(!isMerchant, CHECK_ERRORS.already_merchant_member, { account: name });
      const payer = await wallet.chain.account(proposer);
      const operation = operationOf(accountUpgradeMerchantOperation, {
        account_to_upgrade: account.id,
        auth_referrer: payer.id,
        upgrade_to_merchant_member: true,
        extensions: VERSION_ONE,
      });
      return propose(wallet, { payer: payer.id, operations: [operation], broadcast });
    },
  }),
  upgrade_account_datasource: command({
    params: { name: text, proposer: text, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Proposes that a merchant becomes a data source, who may sell data.',
    run: async (wallet, { name, proposer, broadcast }) => {
      const { account, now } = await rolesAt(wallet, name);
      const isMerchant = isStillMember(account.merchant_expiration_date, now);
      check(isMerchant, CHECK_ERRORS.no_merchant_yet, { account: name });
      const isDatasource = isStillMember(account.datasource_expiration_date, now);
      check(!isDatasource, CHECK_ERRORS.already_datasource_member, { account: name });
      const payer = await wallet.chain.account(proposer);
      const operation = operationOf(accountUpgradeDatasourceOperation, {
        account_to_upgrade: account.id,
        auth_referrer: payer.id,
        upgrade_to_datasource_member: true,
        extensions: VERSION_ONE,
      });
      return propose(wallet, { payer: payer.id, operations: [operation], broadcast });
    },
  }),
  upgrade_data_transaction_member: command({
    params: { name: text, proposer: text, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Proposes that an account becomes a data-transaction member.',
    run: async (wallet, { name, proposer, broadcast }) => {
      const { account, now } = await rolesAt(wallet, name);
      const isMember = isStillMember(account.data_transaction_member_expiration_date, now);
      check(!isMember, CHECK_ERRORS.wallet_already_data_transaction_member, { account: name });
      const payer = await wallet.chain.account(proposer);
      const operation = operationOf(accountUpgradeDataTransactionMemberOperation, {
        account_to_upgrade: account.id,
        upgrade_to_data_transaction_member: true,
      });
      return propose(wallet, { payer: payer.id, operations: [operation], broadcast });
    },
  }),
  propose_deprecate_datasource: command({
    params: { propose_account: text, datasource_account: text, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Proposes that an account is no longer a data source.',
    run: async (wallet, { propose_account, datasource_account, broadcast }) => {
      const payer = await wallet.chain.account(propose_account);
      check(isLifetimeMember(payer), CHECK_ERRORS.proposer_no_member, { account: propose_account });
      const { account, now } = await rolesAt(wallet, datasource_account);
      const isDatasource = isStillMember(account.datasource_expiration_date, now);
      check(isDatasource, CHECK_ERRORS.deprecate_no_datasource, { account: datasource_account });
      return propose(wallet, { payer: payer.id, operations: [noDatasource(account, payer)], broadcast });
    },
  }),
  propose_deprecate_merchant: command({
    params: { propose_account: text, merchant_account: text, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Proposes that an account is no longer a merchant, nor a data source.',
    run: async (wallet, { propose_account, merchant_account, broadcast }) => {
      const payer = await wallet.chain.account(propose_account);
      check(isLifetimeMember(payer), CHECK_ERRORS.proposer_no_member, { account: propose_account });
      const { account, now } = await rolesAt(wallet, merchant_account);
      const names = { account: merchant_account };
      check(isStillMember(account.merchant_expiration_date, now), CHECK_ERRORS.deprecate_no_merchant, names);
      const isDatasource = isStillMember(account.datasource_expiration_date, now);
      check(isDatasource, CHECK_ERRORS.deprecate_merchant_no_datasource, names);
      const noMerchant = operationOf(accountUpgradeMerchantOperation, {
        account_to_upgrade: account.id,
        auth_referrer: payer.id,
        upgrade_to_merchant_member: false,
        extensions: VERSION_ONE,
      });
      return propose(wallet, { payer: payer.id, operations: [noDatasource(account, payer), noMerchant], broadcast });
    },
  }),
} satisfies CommandTable;

function noDatasource(account: Account, payer: Account): Operation {
  return operationOf(accountUpgradeDatasourceOperation, {
    account_to_upgrade: account.id,
    auth_referrer: payer.id,
    upgrade_to_datasource_member: false,
    extensions: VERSION_ONE,
  });
}
