import { Counter, Histogram, type Metric } from 'prom-client';
import { ChainError } from '../../base/errors.js';
import { BUG_PLACES, type Bug } from '../../chain/bugs.js';
import type { ChainListener } from '../../chain/events.js';
import type { ImportListener } from '../../importer/importer.js';
import { CODES, type Code } from '../../witness/decide.js';

/** An empty block takes one or two milliseconds, a full one some hundred, a maintenance may take more. */
const BLOCK_BUCKETS_SEC = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

function nameOf(outcome: Parameters<ImportListener>[1]): string {
  if (!('error' in outcome)) return outcome.isApplied ? 'applied' : 'kept';
  return outcome.error instanceof ChainError ? outcome.error.kind : 'bug';
}

/** What the chain and the block production do, for the endpoint that the operator's machines read. */
export class NodeMetrics {
  readonly #blockSec = new Histogram({
    name: 'trustnode_chain_block_duration_seconds',
    help: 'Time to apply a block, for produced ones with their assembly',
    buckets: BLOCK_BUCKETS_SEC,
    registers: [],
  });
  readonly #transactions = new Counter({
    name: 'trustnode_chain_block_transactions_total',
    help: 'Transactions in applied blocks',
    registers: [],
  });
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
  readonly #imported = new Counter({
    name: 'trustnode_chain_blocks_imported_total',
    help: 'Blocks by where they came from and what became of them: applied, kept beside the chain, or the kind of refusal',
    labelNames: ['origin', 'outcome'],
    registers: [],
  });
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
    this.#imported.inc({ origin, outcome: nameOf(outcome) });
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
      this.#blockSec.observe(blockMs() / 1000);
      this.#transactions.inc(event.block.block.transactions.length);
    };
  }
}
