import { check, defineErrors, invariant } from '../base/errors.js';
import type { ChainId } from '../crypto/digests.js';
import { SKIP } from '../operations/define.js';
import { definitionOf } from '../operations/registered.js';
import { billedCpuTimeOfAll } from '../protocol/results.js';
import type { FetchAhead } from '../state/fetch-ahead.js';
import { BLOCK_SUMMARY_COUNT, blockSummaryObject } from '../state/objects/block-summary.js';
import { dynamicGlobalPropertyObject, MAINTENANCE_FLAG } from '../state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../state/objects/global-property.js';
import { witnessScheduleObject } from '../state/objects/witness-schedule.js';
import { vmCpuLimits } from '../state/rules/parameters.js';
import type { WriteState } from '../state/views.js';
import { applyTransaction } from './apply-transaction.js';
import type { BlockBodies } from './block-bodies.js';
import { type Checkpoints, checkCheckpoint } from './checkpoints.js';
import type { RunContext } from './context.js';
import {
  closeExpiredProposals,
  removeExpiredPermissions,
  removeExpiredSignatures,
  removeExpiredTransactions,
  removeOldDataTransactions,
} from './expirations.js';
import type { BlockFacts, TransactionFacts } from './facts.js';
import { updateHead } from './head-update.js';
import { checkHeader, checkMerkleRoot } from './header.js';
import { updateLastIrreversible } from './irreversibility.js';
import { MAINTENANCE } from './maintenance/index.js';
import type { MaintenanceRun } from './maintenance/run.js';
import type { VoteSums } from './maintenance/vote-sums.js';
import type { TriedTransactions } from './next-block.js';
import { shuffle } from './schedule.js';
import { paySigningWitness } from './witness-pay.js';

export const BLOCK_ERRORS = defineErrors({
  block_cpu_limit: {
    text: 'block_cpu_time_us <= get_cpu_limit().block_cpu_limit: block cpu time exceed global block limit',
    hint: 'contract calls of the block have used ${used} µs, allowed are ${limit}',
  },
});

export interface BlockRun {
  readonly state: WriteState;
  /** What its transactions will read is looked at through this. */
  readonly ahead: FetchAhead;
  readonly chainId: ChainId;
  readonly facts: BlockFacts;
  /** Where the bodies of its transactions are found from now on. */
  readonly bodies: BlockBodies;
  /** The transactions' effects are in the newest frame already: this node has tried them on this very state. */
  readonly tried: TriedTransactions | undefined;
  readonly context: RunContext;
  readonly votes: VoteSums;
  readonly checkpoints: Checkpoints;
  readonly dataTransactionLifetimeHours: number;
  /** Operations of the newest transaction before this block. */
  readonly carriedIndex: number;
  /** Told of every step; for timings. */
  readonly observe: ((step: string, work: () => void) => void) | undefined;
  /** Set by the header check: this block ends a maintenance interval. */
  isMaintenance: boolean;
}

interface BlockStep {
  readonly name: string;
  run(b: BlockRun): void;
}

function rememberMaintenance(b: BlockRun): void {
  b.isMaintenance = b.state.single(dynamicGlobalPropertyObject).next_maintenance_time <= b.facts.block.timestamp;
}

/** Few enough that what they will read is still near when the last of them has its turn. */
const TRANSACTIONS_TOGETHER = 64;

/** What the next transactions will read, from this one on. */
function fetchFor(b: BlockRun, from: number): void {
  const { ahead, facts, context } = b;
  const to = Math.min(from + TRANSACTIONS_TOGETHER, facts.transactions.length);
  // One alone waits for its own.
  if (to - from < 2) return;
  for (let i = from; i < to; i++) {
    for (const [tag, body] of (facts.transactions[i] as TransactionFacts).transaction.operations) {
      const definition = definitionOf(tag);
      const payer = definition.payer(body);
      ahead.payer(payer);
      ahead.balance(payer, body.fee.asset_id);
      definition.touches?.(body, ahead);
    }
  }
  ahead.fetch((context.skip & (SKIP.transactionSignatures | SKIP.authorityCheck)) === 0);
}

function applyTransactions(b: BlockRun): void {
  const { state, chainId, context, facts, bodies } = b;
  const { transactions } = facts;
  let cpuUs = 0;
  for (let i = 0; i < transactions.length; i++) {
    const one = transactions[i] as (typeof transactions)[number];
    const stored = one.transaction.operation_results;
    context.journal.transaction = i;
    if (b.tried === undefined && i % TRANSACTIONS_TOGETHER === 0) fetchFor(b, i);
    const entry = b.tried?.entries[i];
    if (entry === undefined) applyTransaction(state, chainId, context, one, stored, bodies);
    else {
      for (const operation of entry.operations) context.journal.operations.push({ ...operation, transaction: i });
      entry.remembered?.moveTo(bodies, i);
    }
    cpuUs += billedCpuTimeOfAll(stored);
  }
  context.journal.transaction = transactions.length;
  // Quirk of histories alone: operations of the block itself are numbered on from those of the last transaction; in a block
  // without transactions, of the last one of an earlier block. (The reference also counts transactions that were only tried,
  // so that its nodes differ from each other.)
  context.journal.index = transactions.at(-1)?.transaction.operations.length ?? b.carriedIndex;
  delete context.transaction;
  context.billedCpuUs = 0;
  if (b.tried !== undefined) context.contractTime.usedUs = b.tried.unbilledUs;
  if (cpuUs === 0) return;
  const limit = vmCpuLimits(state).block_cpu_limit;
  check(cpuUs <= limit, BLOCK_ERRORS.block_cpu_limit, { used: cpuUs, limit });
}

function maintain(b: BlockRun): void {
  if (!b.isMaintenance) return;
  const run: MaintenanceRun = {
    state: b.state,
    context: b.context,
    votes: b.votes,
    tally: [],
    witnessHistogram: [],
    committeeHistogram: [],
    total: 0n,
  };
  for (const step of MAINTENANCE) observed(b, `maintenance.${step.name}`, () => step.run(run));
}

function rememberBlockId(b: BlockRun): void {
  const slot = b.facts.number % BLOCK_SUMMARY_COUNT;
  const { id } = b.facts;
  b.state.edit(blockSummaryObject, b.state.get(blockSummaryObject, slot)).block_id = id;
}

function setMaintenanceFlag(b: BlockRun): void {
  const head = b.state.single(dynamicGlobalPropertyObject);
  const flags = b.isMaintenance ? head.dynamic_flags | MAINTENANCE_FLAG : head.dynamic_flags & ~MAINTENANCE_FLAG;
  if (flags === head.dynamic_flags) return;
  b.state.modify(dynamicGlobalPropertyObject, head, (o) => {
    o.dynamic_flags = flags >>> 0;
  });
}

function shuffleWitnesses(b: BlockRun): void {
  const { active_witnesses } = b.state.single(globalPropertyObject);
  invariant(active_witnesses.length > 0, 'an election leaves somebody active');
  if (b.state.headNumber % active_witnesses.length !== 0) return;
  b.state.modify(witnessScheduleObject, b.state.single(witnessScheduleObject), (o) => {
    o.current_shuffled_witnesses = shuffle(active_witnesses, b.state.headTime);
  });
}

/** All that a block does, in the order that is consensus. */
const BLOCK_STEPS: readonly BlockStep[] = [
  { name: 'check_checkpoint', run: (b) => checkCheckpoint(b.checkpoints, b.facts) },
  { name: 'check_merkle_root', run: (b) => checkMerkleRoot(b.facts, b.context.skip) },
  { name: 'check_header', run: (b) => checkHeader(b.state, b.facts, b.context.skip) },
  { name: 'remember_maintenance', run: rememberMaintenance },
  { name: 'apply_transactions', run: applyTransactions },
  { name: 'update_head', run: (b) => updateHead(b.state, b.facts, b.context.skip, b.checkpoints.last) },
  { name: 'pay_signing_witness', run: (b) => paySigningWitness(b.state, b.facts.block.witness) },
  { name: 'update_last_irreversible', run: (b) => updateLastIrreversible(b.state) },
  { name: 'maintain', run: maintain },
  { name: 'remember_block_id', run: rememberBlockId },
  { name: 'remove_expired_transactions', run: (b) => removeExpiredTransactions(b.state) },
  { name: 'close_expired_proposals', run: (b) => closeExpiredProposals(b.state, b.context) },
  { name: 'remove_expired_signatures', run: (b) => removeExpiredSignatures(b.state) },
  { name: 'remove_expired_permissions', run: (b) => removeExpiredPermissions(b.state) },
  { name: 'set_maintenance_flag', run: setMaintenanceFlag },
  { name: 'shuffle_witnesses', run: shuffleWitnesses },
  {
    name: 'remove_old_data_transactions',
    run: (b) => removeOldDataTransactions(b.state, b.dataTransactionLifetimeHours),
  },
];

function observed(b: BlockRun, name: string, work: () => void): void {
  if (b.observe === undefined) work();
  else b.observe(name, work);
}

/** Applies a block to the newest frame. The caller takes the frame back when it is refused. */
export function applyBlock(run: BlockRun): void {
  for (const step of BLOCK_STEPS) {
    if (run.observe === undefined) step.run(run);
    else run.observe(step.name, () => step.run(run));
  }
}
