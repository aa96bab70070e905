import { ChainError, check, defineErrors, fail, stateless } from '../base/errors.js';
import { timeToText } from '../codec/time.js';
import { type ChainId, refBlockPrefix } from '../crypto/digests.js';
import type { PublicKey } from '../crypto/public-key.js';
import { isPlainlySigned, requiredAuthorities, verifyAuthority } from '../operations/authorities.js';
import { SKIP } from '../operations/define.js';
import { runOperation } from '../operations/pipeline.js';
import { definitionOf } from '../operations/registered.js';
import { AUTHORITY_ERRORS } from '../protocol/authority-check.js';
import { COMMITTEE_ACCOUNT, TEMP_ACCOUNT } from '../protocol/ids.js';
import type { Operation } from '../protocol/operation-slot.js';
import { billedCpuTimeUs, type OperationResult } from '../protocol/results.js';
import { accountBalanceObject } from '../state/objects/account-balance.js';
import { blockSummaryObject } from '../state/objects/block-summary.js';
import { RememberedTransaction, type TransactionBodies, transactionObject } from '../state/objects/transaction.js';
import { parameters } from '../state/rules/parameters.js';
import type { WriteState } from '../state/views.js';
import type { RunContext } from './context.js';
import type { TransactionFacts } from './facts.js';

export const TRANSACTION_ERRORS = defineErrors({
  transaction_empty: { text: 'operations.size() > 0: A transaction must have at least one operation' },
  transaction_duplicate: {
    text: '(skip & skip_transaction_dupe_check) || trx_idx.indices().get<by_trx_id>().find(trx_id) == trx_idx.indices().get<by_trx_id>().end(): duplicated trx, trx_id ${trx_id}',
  },
  transaction_reference: {
    text: 'trx.ref_block_prefix == tapos_block_summary.block_id._hash[1]: ',
    hint: 'ref_block_num and ref_block_prefix name no block of this chain',
  },
  transaction_expires_too_late: {
    text: 'trx.expiration <= now + chain_parameters.maximum_time_until_expiration: ',
    hint: 'the transaction expires too late',
  },
  transaction_expired: { text: 'now <= trx.expiration: ', hint: 'the transaction has expired' },
  temp_account_not_empty: {
    text: 'b.balance == 0: ',
    hint: 'anybody may use temp-account: a transaction must leave it empty',
  },
});

export interface TransactionRun {
  readonly state: WriteState;
  readonly chainId: ChainId;
  readonly context: RunContext;
  readonly facts: TransactionFacts;
  /** Results that the block carries; only the billed time in them is used. */
  readonly stored: readonly OperationResult[];
  /** Where the transaction itself is found by the object that remembers it. */
  readonly bodies: TransactionBodies;
  /** Told what the contract calls so far are billed, while there are operations left. */
  readonly checkTime: (billedUs: number) => void;
  /** Undefined where its checks do not ask for it. */
  remembered: RememberedTransaction | undefined;
  /** Filled by the last but one step. */
  results: OperationResult[];
}

/** What is left of it. */
export type AppliedTransaction = Pick<TransactionRun, 'results' | 'remembered'>;

type TransactionStep = (t: TransactionRun) => void;

/** Needs no state; also asked before a transaction is passed on. */
function validateTransaction(facts: TransactionFacts): void {
  const { operations } = facts.transaction;
  stateless(() => {
    check(operations.length > 0, TRANSACTION_ERRORS.transaction_empty);
    for (const [tag, body] of operations) definitionOf(tag).validate(body);
  });
}

const skips = (t: TransactionRun, bits: number): boolean => (t.context.skip & bits) !== 0;

function checkDuplicate(t: TransactionRun): void {
  if (skips(t, SKIP.transactionDupeCheck)) return;
  const { id } = t.facts;
  const isNew = t.state.findBy(transactionObject.by.trxId, id) === undefined;
  check(isNew, TRANSACTION_ERRORS.transaction_duplicate, () => ({ trx_id: id }));
}

function signingKeys(t: TransactionRun): readonly PublicKey[] {
  const { keys, error } = t.facts.signers(t.chainId);
  // Keys are compared while they are recovered: a bad signature behind two equal ones is not looked at any more.
  check(keys.length < 2 || new Set(keys).size === keys.length, AUTHORITY_ERRORS.signature_duplicate);
  if (error !== undefined) throw error;
  return keys;
}

function checkAuthority(t: TransactionRun): void {
  if (skips(t, SKIP.transactionSignatures | SKIP.authorityCheck)) return;
  try {
    checkSigners(t);
  } catch (error) {
    if (error instanceof ChainError) error.isOfSigners = true;
    throw error;
  }
}

function checkSigners(t: TransactionRun): void {
  const keys = stateless(() => signingKeys(t));
  const { operations } = t.facts.transaction;
  try {
    if (isPlainlySigned(t.state, operations, keys)) return;
    verifyAuthority(t.state, requiredAuthorities(operations), { keys });
  } catch (error) {
    asRefusal(error);
    const { impersonated } = t.context;
    if (impersonated === undefined || impersonated.size === 0) throw error;
    const accounts = [...impersonated];
    const allowsCommittee = impersonated.has(COMMITTEE_ACCOUNT);
    const proof = { keys, activeApprovals: accounts, ownerApprovals: accounts, allowsCommittee };
    verifyAuthority(t.state, requiredAuthorities(operations), proof);
  }
}

/** The first block of a chain has nothing that its transactions could refer to. */
function checkReference(t: TransactionRun): void {
  const { state } = t;
  if (state.headNumber === 0) return;
  const { ref_block_num, ref_block_prefix, expiration } = t.facts.transaction;
  if (!skips(t, SKIP.taposCheck)) {
    const prefix = refBlockPrefix(state.get(blockSummaryObject, ref_block_num).block_id);
    check(prefix === ref_block_prefix, TRANSACTION_ERRORS.transaction_reference);
  }
  const now = state.headTime;
  const { maximum_time_until_expiration: most } = parameters(state);
  if (expiration > (now + most) >>> 0) {
    fail(TRANSACTION_ERRORS.transaction_expires_too_late, {
      'trx.expiration': timeToText(expiration),
      now: timeToText(now),
      max_til_exp: most,
    });
  }
  if (now > expiration) {
    fail(TRANSACTION_ERRORS.transaction_expired, { now: timeToText(now), 'trx.exp': timeToText(expiration) });
  }
}

function remember(t: TransactionRun): void {
  if (skips(t, SKIP.transactionDupeCheck)) return;
  const { facts, bodies, context } = t;
  const { expiration } = facts.transaction;
  t.remembered = new RememberedTransaction(facts.id, expiration, bodies, context.journal.transaction);
  t.state.create(transactionObject, t.remembered);
}

function runOperations(t: TransactionRun): void {
  const { context } = t;
  const { operations } = t.facts.transaction;
  context.transaction = t.facts.transaction;
  // Nearly always one, and then without a closure for it.
  if (operations.length === 1) t.results = [runNth(t, 0)];
  else t.results = runSeveral(t, operations.length);
}

function runSeveral(t: TransactionRun, count: number): OperationResult[] {
  const results: OperationResult[] = [];
  let billedUs = 0;
  for (let i = 0; i < count; i++) {
    const result = runNth(t, i);
    results.push(result);
    billedUs += billedCpuTimeUs(result);
    t.checkTime(billedUs);
  }
  return results;
}

function runNth(t: TransactionRun, i: number): OperationResult {
  const { context } = t;
  context.journal.index = i;
  context.billedCpuUs = billedCpuTimeUs(t.stored[i]);
  return runOperation(t.state, t.facts.transaction.operations[i] as Operation, context);
}

/** Everybody may act for this account within a transaction; what stays on it would be anybody's. */
function checkTempAccount(t: TransactionRun): void {
  if (t.state.groupSize(accountBalanceObject.by.owner, TEMP_ACCOUNT) === 0) return;
  for (const row of t.state.group(accountBalanceObject.by.owner, TEMP_ACCOUNT)) {
    check(row.balance === 0n, TRANSACTION_ERRORS.temp_account_not_empty);
  }
}

const anyTime = (_billedUs: number): void => undefined;

/** The order of checks decides which refusal a client sees; the order of effects is consensus. */
const TRANSACTION_STEPS: readonly TransactionStep[] = [
  (t) => validateTransaction(t.facts),
  checkDuplicate,
  checkAuthority,
  checkReference,
  remember,
  runOperations,
  checkTempAccount,
];

/** Applies a transaction to the newest frame. The caller takes the frame back when it is refused. */
export function applyTransaction(
  state: WriteState,
  chainId: ChainId,
  context: RunContext,
  facts: TransactionFacts,
  stored: readonly OperationResult[],
  bodies: TransactionBodies,
  checkTime = anyTime,
): AppliedTransaction {
  const remembered = undefined;
  const run: TransactionRun = { state, chainId, context, facts, stored, bodies, checkTime, remembered, results: [] };
  for (const step of TRANSACTION_STEPS) step(run);
  return run;
}

/** For callers that go on after a refusal: anything else that is thrown is our own bug. */
export function asRefusal(error: unknown): ChainError {
  if (error instanceof ChainError) return error;
  throw error;
}
