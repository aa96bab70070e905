import { Counter, type Metric } from 'prom-client';
import { ChainError } from '../../base/errors.js';
import { BUG_PLACES, type Bug } from '../../chain/bugs.js';
import type { ChainListener } from '../../chain/events.js';
import type { ImportListener } from '../../importer/importer.js';
import { DurationTally, tallyMetric } from '../../rpc/serving/duration-tally.js';
import { CODES, type Code } from '../../witness/decide.js';

/** An empty block takes one or two milliseconds, a full one some hundred, a maintenance may take more. */
const BLOCK_BUCKETS_SEC = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

function nameOf(outcome: Parameters<ImportListener>[1]): string {
  if (!('error' in outcome)) return outcome.isApplied ? 'applied' : 'kept';
  return outcome.error instanceof ChainError ? outcome.error.kind : 'bug';
}

/** As it is when the page is asked for. */
function counterOf(name: string, help: string, value: () => number): Counter {
  return new Counter({
    name,
    help,
    registers: [],
    collect() {
      this.reset();
      this.inc(value());
    },
  });
}

function importedCounter(all: ReadonlyMap<string, ReadonlyMap<string, number>>): Counter<'origin' | 'outcome'> {
  return new Counter({
    name: 'trustnode_chain_blocks_imported_total',
    help: 'Blocks by where they came from and what became of them: applied, kept beside the chain, or the kind of refusal',
    labelNames: ['origin', 'outcome'],
    registers: [],
    collect() {
      this.reset();
      for (const [origin, outcomes] of all) {
        for (const [outcome, count] of outcomes) this.inc({ origin, outcome }, count);
      }
    },
  });
}

/** What the chain and the block production do, for the endpoint that the operator's machines read. */
export class NodeMetrics {
  // What each block moves is in plain numbers: the library's own cost a percent of what a node does while it catches up.
  readonly #blockTimes = new DurationTally(BLOCK_BUCKETS_SEC);
  readonly #blockSec = tallyMetric(
    'trustnode_chain_block_duration_seconds',
    'Time to apply a block, for produced ones with their assembly',
    () => [[{}, this.#blockTimes]],
  );
  #transactionCount = 0;
  readonly #transactions = counterOf(
    'trustnode_chain_block_transactions_total',
    'Transactions in applied blocks',
    () => this.#transactionCount,
  );
  readonly #undone = new Counter({
    name: 'trustnode_chain_blocks_undone_total',
    help: 'Blocks that fork switches took back',
    registers: [],
  });
  readonly #answers = new Counter({
    name: 'trustnode_witness_answers_total',
    help: 'What block production decided, once a second',
    labelNames: ['answer'],
    registers: [],
  });
  readonly #slotsMissed = new Counter({
    name: 'trustnode_witness_slots_missed_total',
    help: 'Slots of witnesses of this node that stayed empty while it ran; the log says why',
    labelNames: ['witness'],
    registers: [],
  });
  /** By where they came from and by what became of them. */
  readonly #outcomes = new Map<string, Map<string, number>>();
  readonly #imported = importedCounter(this.#outcomes);
  readonly #damaged = new Counter({
    name: 'trustnode_storage_damaged_blocks_total',
    help: 'Blocks of the log that were found damaged, each once a round of the check',
    registers: [],
  });

  readonly #bugs = new Counter({
    name: 'trustnode_chain_bugs_total',
    help: 'Transactions, blocks and listeners of the chain that met a bug of this node; each is logged',
    labelNames: ['where'],
    registers: [],
  });

  constructor() {
    for (const where of BUG_PLACES) this.#bugs.inc({ where }, 0);
    // Series exist from the start, so that an alert on a rise sees the first one.
    for (const answer of Object.keys(CODES)) this.#answers.inc({ answer }, 0);
  }

  get all(): readonly Metric[] {
    return [
      this.#blockSec,
      this.#transactions,
      this.#undone,
      this.#answers,
      this.#slotsMissed,
      this.#bugs,
      this.#damaged,
      this.#imported,
    ] as Metric[];
  }

  readonly importListener: ImportListener = ({ kind: origin }, outcome) => {
    let outcomes = this.#outcomes.get(origin);
    if (outcomes === undefined) {
      outcomes = new Map();
      this.#outcomes.set(origin, outcomes);
    }
    const name = nameOf(outcome);
    outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
  };

  damagedBlock(): void {
    this.#damaged.inc();
  }

  answer(code: Code): void {
    this.#answers.inc({ answer: code });
  }

  slotMissed(witness: string): void {
    this.#slotsMissed.inc({ witness });
  }

  bug({ where }: Bug): void {
    this.#bugs.inc({ where });
  }

  listener(blockMs: () => number): ChainListener {
    return (event) => {
      if (event.kind === 'undone') this.#undone.inc();
      if (event.kind !== 'applied') return;
      this.#blockTimes.add(blockMs() / 1000);
      this.#transactionCount += event.block.block.transactions.length;
    };
  }
}
