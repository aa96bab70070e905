import { Gauge, type Registry } from 'prom-client';
import type { Clock, Logger } from '../../base/world.js';
import type { Instance } from '../../protocol/ids.js';
import type { Operation } from '../../protocol/operation-slot.js';
import type { ChainNode } from '../chain/node.js';
import { Rounds } from '../common/rounds.js';
import type { Alarms } from './alarms.js';
import type { AlarmOptions } from './options.js';

/** Whether the account can pay the fees of the chain: it is told before it cannot, and as soon as it cannot. */

export interface FeeParts {
  readonly node: ChainNode;
  readonly account: Instance;
  readonly options: Pick<AlarmOptions, 'fee-reserve'> & { readonly 'fee-asset': Instance };
  /** One such as the account pays for, as long as they are at most: the fee may depend on the size. */
  readonly operation: Operation;
  /** What that is, for people: `payment`. */
  readonly what: string;
  /** Who is told, beside log, metrics and `/readyz`. */
  readonly alarms?: Pick<Alarms, 'tell'>;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Logger;
}

const LOOK_MS = 30_000;
/** A refusal for the fee is told of for so long. */
const RECENT_MS = 60_000;

export class FeeWatch {
  readonly #parts: FeeParts;
  readonly #balance: Gauge;
  readonly #payments: Gauge;
  #low: string | undefined;
  #refusedMs: number | undefined;
  readonly #rounds: Rounds;

  constructor(parts: FeeParts) {
    this.#parts = parts;
    this.#rounds = new Rounds(parts.clock, LOOK_MS, () => this.#tryToLook());
    const registers = [parts.registry];
    this.#balance = new Gauge({
      name: 'trustnode_fee_balance_units',
      help: 'What the account has of the asset in which it pays the fees of the chain',
      registers,
    });
    this.#payments = new Gauge({
      name: 'trustnode_fee_payments_left',
      help: 'For how many payments its fees suffice',
      registers,
    });
  }

  /** The node has just refused one. Of very many that are tried again and again the first one is looked into at once. */
  refused(): void {
    const isKnown = this.#isOut;
    this.#refusedMs = this.#parts.clock.monotonicMs();
    if (!isKnown) this.#rounds.lookNow();
  }

  /** Payments are tried again much more often: where none was refused for a while, none is. */
  get #isOut(): boolean {
    const { clock } = this.#parts;
    return this.#refusedMs !== undefined && clock.monotonicMs() - this.#refusedMs < RECENT_MS;
  }

  get #cannot(): string {
    return `the account cannot pay the fee of a ${this.#parts.what}`;
  }

  get warning(): string | undefined {
    return this.#isOut ? this.#cannot : this.#low;
  }

  start(): void {
    this.#rounds.lookNow();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #tryToLook(): Promise<void> {
    try {
      await this.#look();
    } catch (error) {
      this.#parts.log.warn('could not look whether the fees suffice', { why: (error as Error).message });
    }
  }

  async #look(): Promise<void> {
    // Whatever the balance says: the pool behind another asset may be empty.
    await this.#parts.alarms?.tell('fees-out', this.#isOut ? this.#cannot : undefined);
    await this.#count();
    if (!this.#isOut) await this.#parts.alarms?.tell('fees-low', this.#low);
  }

  async #count(): Promise<void> {
    const { node, account, options, operation, what, log } = this.#parts;
    const asset = options['fee-asset'];
    const [balance, fees] = await Promise.all([
      node.balance(account, asset),
      node.ask('a fee', (database) => database.get_required_fees({ ops: [operation], id: asset })),
    ]);
    const fee = fees[0]?.fee.amount ?? 0n;
    const left = fee === 0n ? Number.MAX_SAFE_INTEGER : Number(balance / fee);
    this.#balance.set(Number(balance));
    this.#payments.set(left);
    const former = this.#low;
    this.#low = left < options['fee-reserve'] ? `the account can pay the fees of ${left} more ${what}s` : undefined;
    if (this.#low !== undefined && former === undefined) {
      log.error('the account of this service will soon be unable to pay fees', { balance, fee, left });
    }
  }
}
