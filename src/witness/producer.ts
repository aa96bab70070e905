import { ChainError } from '../base/errors.js';
import type { Cancel, Clock, Logger } from '../base/world.js';
import type { Network } from '../codec/type.js';
import type { PrivateKey } from '../crypto/private-key.js';
import { type PublicKey, publicKeyToText } from '../crypto/public-key.js';
import type { Instance } from '../protocol/ids.js';
import { Alone, type AloneView } from './alone.js';
import { type Code, decide, type Refusal, type SlotView, type Turn, timeText, witnessText } from './decide.js';
import { type Answered, MissedSlots, type SlotPlan } from './missed-slots.js';
import { type ForeignBlock, OtherSigner } from './other-signer.js';
import type { SlotRecord } from './slot-record.js';

/** A block that was made here. */
export interface ProducedBlock {
  readonly number: number;
  readonly id: string;
  readonly transactions: number;
}

export interface ProducerSettings {
  readonly witnesses: readonly Instance[];
  readonly keys: readonly PrivateKey[];
  readonly staleProduction: boolean;
  /** Of 10,000. */
  readonly participationMin: number;
}

export interface ProducerParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly view: SlotView;
  readonly network: Network;
  /** Assembles, signs and pushes a block for this turn; throws where the chain refuses it. */
  readonly produce: (turn: Turn, key: PrivateKey) => ProducedBlock;
  /** Whoever signs for `produce` claims the slot there first. */
  readonly slots: Pick<SlotRecord, 'lastSec'>;
  /** The slots after the head block. */
  readonly plan: () => SlotPlan;
  /** Whether anybody else can have gone on with the chain; without it an old head is never gone on with. */
  readonly alone?: AloneView;
  /** Milliseconds of processor time that this process has had so far: tells who was busy from who was kept waiting. */
  readonly processorMs: () => number;
  /** Whether somebody wants no blocks for a while; asked every second. */
  readonly isPaused?: () => boolean;
  /** For metrics: every answer, every second. */
  readonly onAnswer?: (code: Code) => void;
  /** For metrics: each slot of an own witness that the chain has passed over. */
  readonly onMissed?: (witness: Instance) => void;
}

const SECOND_MS = 1000;
/** A wake-up that near is not waited for: the timer might come before the second has begun. */
const WAKE_MARGIN_MS = 50;
/** Clocks of witnesses differ; half a second ahead counts as there. */
const ROUNDING_MS = 500;

/** A slot that was signed and lies further ahead was none yet by any clock that was right. */
const SIGNED_AHEAD_SEC = 60;

/** Why no block is made, as the log says it: of the answers that somebody should hear of. */
const WHY: Readonly<Record<Code, string>> = {
  produced: '',
  not_synced: 'the last block is old, waiting for a recent one (see --enable-stale-production)',
  not_my_turn: 'it is the turn of another witness',
  not_time_yet: 'the slot has not begun',
  no_private_key: 'no private key for the signing key of the witness (see --private-key)',
  low_participation: 'too few slots were filled, this node may be on a minority fork',
  lag: 'this node woke up too late for the slot (busy machine or wrong clock?)',
  exception_producing_block: 'the chain refused the block that was assembled',
  shutdown: 'this node is being stopped',
  slot_signed: 'this node has signed a block for this slot or for a later one before',
  signed_elsewhere: 'another machine makes blocks for the witness; end one of the two, start the other',
};
/** With an old head, where nothing but the word of peers is waited for. */
const WHY_NOT_ALONE_YET =
  'the last block is old, and this node goes on by itself when no peer has told of a higher head for ten seconds';
const WHY_BEHIND =
  'the last block is old, a peer has told of a higher head, and its blocks are waited for; without such a peer this node goes on by itself after ten seconds';
const WHY_NOT_BEGUN_YET =
  'the chain has no block yet, and this node makes the first one when no peer has told of one for ten seconds';
const WHY_SIGNED_AHEAD =
  'this node has signed a block for a slot that is still to come, so its clock was wrong then; it signs none before that slot is over. With the clock right, stop the node, remove witness/signed_slots from its data directory, and start it again';
type Said = Pick<Answered, 'code' | 'because'>;
const notProducing = (code: Code): string => `not producing: ${WHY[code]}`;

/** Wakes every full second and makes a block when it is one of our witnesses' turn. */
export class Producer {
  readonly #settings: ProducerSettings;
  readonly #parts: ProducerParts;
  readonly #witnesses: ReadonlySet<Instance>;
  readonly #keys: ReadonlyMap<PublicKey, PrivateKey>;
  readonly #other: OtherSigner;
  readonly #missed: MissedSlots;
  readonly #alone: Alone | undefined;
  #isEnabled: boolean;
  #timer: Cancel | undefined;
  /** The reason that was logged last, by witness or for the whole node: each is said once, not every second. */
  readonly #said = new Map<Instance | 'node', string>();

  constructor(settings: ProducerSettings, parts: ProducerParts) {
    this.#settings = settings;
    this.#parts = parts;
    this.#witnesses = new Set(settings.witnesses);
    this.#keys = new Map(settings.keys.map((key) => [key.publicKey, key]));
    this.#isEnabled = settings.staleProduction;
    this.#other = new OtherSigner({
      witnesses: this.#witnesses,
      hasKey: (key) => this.#keys.has(key),
      fromSec: Math.max(parts.slots.lastSec, Math.floor(parts.clock.nowMs() / SECOND_MS)),
    });
    this.#alone = parts.alone === undefined ? undefined : new Alone(parts.alone);
    this.#missed = new MissedSlots({
      clock: parts.clock,
      log: parts.log,
      witnesses: this.#witnesses,
      plan: parts.plan,
      processorMs: parts.processorMs,
      fromSec: Math.ceil(parts.clock.nowMs() / SECOND_MS),
      onMissed: parts.onMissed,
    });
  }

  /** Witnesses for which another machine makes blocks. */
  get signedElsewhere(): readonly Instance[] {
    return this.#other.witnesses;
  }

  /** The slot after which this node signs again, where it has signed for one that is far ahead of its clock. */
  get signedAheadSec(): number | undefined {
    const { clock, slots } = this.#parts;
    return slots.lastSec - clock.nowMs() / SECOND_MS > SIGNED_AHEAD_SEC ? slots.lastSec : undefined;
  }

  /** A block that somebody else has sent and that was not refused. */
  blockCame(block: ForeignBlock): void {
    if (!this.#other.came(block)) return;
    this.#parts.log.error(
      'another machine makes blocks for a witness of this node with the same key: this node makes none for it any more',
      { witness: witnessText(block.witness), num: block.number, id: block.id, slot: timeText(block.slotSec) },
    );
  }

  /** The head is another one, which has followed the one before it. */
  headApplied(timeSec: number): void {
    this.#missed.applied(timeSec);
  }

  /** The head is the one before it again, or one of which nobody wants to know what lay in between. */
  headReplaced(): void {
    this.#missed.undone();
  }

  get isEnabled(): boolean {
    return this.#isEnabled;
  }

  /** At once: the slot that the clock stands in is looked at without waiting for the next full second. */
  start({ isAtOnce = false } = {}): void {
    const { log } = this.#parts;
    const ids = this.#settings.witnesses.map(witnessText);
    if (ids.length === 0) {
      log.info('no witness configured, this node makes no blocks', {});
      return;
    }
    log.info('launching block production', { witnesses: ids.join(' '), keys: this.#keys.size });
    for (const id of this.#settings.witnesses) this.#reportKey(id);
    const aheadSec = this.signedAheadSec;
    if (aheadSec !== undefined) log.error(`not producing: ${WHY_SIGNED_AHEAD}`, { signed: timeText(aheadSec) });
    if (isAtOnce) this.#wakeUpIn(0);
    else this.#schedule();
  }

  /** At start, so that a wrong key shows before the witness misses a block. */
  #reportKey(witness: Instance): void {
    const { log, view, network } = this.#parts;
    try {
      const signingKey = view.signingKey(witness);
      const key = publicKeyToText(signingKey, network.keyPrefix);
      if (this.#keys.has(signingKey)) log.info('witness can sign', { witness: witnessText(witness), key });
      else log.warn('no private key for the signing key of the witness', { witness: witnessText(witness), key });
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      log.warn('witness is not known to the chain yet', { witness: witnessText(witness) });
    }
  }

  stop(): void {
    this.#timer?.();
    this.#timer = undefined;
  }

  #schedule(): void {
    const toNextMs = SECOND_MS - (this.#parts.clock.nowMs() % SECOND_MS);
    this.#wakeUpIn(toNextMs < WAKE_MARGIN_MS ? toNextMs + SECOND_MS : toNextMs);
  }

  #wakeUpIn(delayMs: number): void {
    this.#timer = this.#parts.clock.after(delayMs, () => {
      // First the next wake-up: whatever happens below, the loop goes on.
      this.#schedule();
      if (this.#parts.isPaused?.() !== true) this.step();
    });
  }

  /** What a wake-up does; the answer is for tests and metrics. */
  step(): Code {
    const { view, clock } = this.#parts;
    const nowSec = Math.floor((clock.nowMs() + ROUNDING_MS) / SECOND_MS);
    const isAlone = this.#isAlone();
    const { answer, isEnabled } = decide(view, {
      nowSec,
      isAlone,
      isEnabled: this.#isEnabled,
      isOurs: (witness) => this.#witnesses.has(witness),
      hasKey: (key) => this.#keys.has(key),
      participationMin: this.#settings.participationMin,
      isSignedElsewhere: (witness) => this.#other.of(witness) !== undefined,
      lastSignedSec: this.#parts.slots.lastSec,
    });
    if (isEnabled && !this.#isEnabled) this.#sayEnabled(view.slotTime(1) < nowSec);
    this.#isEnabled = isEnabled;
    const { code, because } = answer.code === 'produced' ? this.#produce(answer) : this.#explain(answer);
    this.#missed.wokeUp({ nowSec, code, because });
    this.#parts.onAnswer?.(code);
    return code;
  }

  #isAlone(): boolean {
    const { clock, view } = this.#parts;
    const canSign = (witness: Instance): boolean =>
      this.#witnesses.has(witness) && this.#keys.has(view.signingKey(witness)) && this.#other.of(witness) === undefined;
    return this.#alone?.isAlone(clock.monotonicMs(), canSign) === true;
  }

  #sayEnabled(isHeadOld: boolean): void {
    const { log, alone } = this.#parts;
    if (!isHeadOld || alone === undefined) {
      log.info('the chain is up to date, block production is on', {});
      return;
    }
    const peers = alone.blocksBehind() === undefined ? 'none' : 'none with a higher head';
    if (alone.headNumber() === 0) {
      log.info('this node begins the chain: it signs for all witnesses of its genesis file, and no peer has a block', {
        witnesses: alone.activeWitnesses().map(witnessText).join(' '),
        peers,
      });
      return;
    }
    log.info(
      'the last block is old, and block production is on all the same: this node has the signing keys of all active witnesses, so that nobody else can have made a block since',
      { num: alone.headNumber(), witnesses: alone.activeWitnesses().map(witnessText).join(' '), peers },
    );
  }

  #produce(turn: Turn): Said {
    const { log, clock } = this.#parts;
    const key = this.#keys.get(turn.signingKey) as PrivateKey;
    const start = clock.monotonicMs();
    try {
      const block = this.#parts.produce(turn, key);
      this.#other.made(block.id);
      this.#missed.made(turn.slotSec, block);
      const ms = Math.round(clock.monotonicMs() - start);
      const hadTrouble = [this.#said.delete('node'), this.#said.delete(turn.witness)].includes(true);
      if (hadTrouble) log.info('producing blocks again', { witness: witnessText(turn.witness) });
      log.debug('block produced', {
        num: block.number,
        witness: witnessText(turn.witness),
        txs: block.transactions,
        ms,
      });
      return { code: 'produced', because: WHY.produced };
    } catch (error) {
      // A bug of ours is not a reason to go on signing.
      if (!(error instanceof ChainError)) throw error;
      const reason = error.context.length > 0 ? `${error.message} (${error.context[0]?.text})` : error.message;
      const values = { witness: witnessText(turn.witness), slot: timeText(turn.slotSec), key: error.key, reason };
      this.#say(turn.witness, `exception ${turn.slotSec} ${error.key}`, () =>
        log.error(notProducing('exception_producing_block'), values),
      );
      return { code: 'exception_producing_block', because: `${WHY.exception_producing_block}: ${reason}` };
    }
  }

  #explain(answer: Refusal): Said {
    const { log } = this.#parts;
    switch (answer.code) {
      case 'not_synced': {
        const because = this.#whyNotSynced();
        const nextSlot = timeText(answer.nextSlotSec);
        const values = because === WHY_BEHIND ? { behind: this.#parts.alone?.blocksBehind(), nextSlot } : { nextSlot };
        this.#say('node', because, () => log.info(`not producing: ${because}`, values));
        return { code: answer.code, because };
      }
      case 'no_private_key':
        this.#say(answer.witness, `no_private_key ${answer.signingKey}`, () =>
          log.error(notProducing(answer.code), {
            witness: witnessText(answer.witness),
            key: publicKeyToText(answer.signingKey, this.#parts.network.keyPrefix),
          }),
        );
        break;
      case 'low_participation':
        this.#say('node', 'low_participation', () =>
          log.error(notProducing(answer.code), {
            participation: `${answer.participation / 100}%`,
            required: `${this.#settings.participationMin / 100}%`,
          }),
        );
        break;
      case 'lag':
        // One line for each missed slot: the operator must see how many there are.
        this.#say(answer.witness, `lag ${answer.slotSec}`, () =>
          log.error(notProducing(answer.code), {
            witness: witnessText(answer.witness),
            slot: timeText(answer.slotSec),
            lagSec: answer.lagSec,
          }),
        );
        break;
      case 'signed_elsewhere':
        // One line for each slot: this does not pass by itself.
        this.#say(answer.witness, `signed_elsewhere ${answer.slotSec}`, () =>
          log.error(notProducing(answer.code), {
            witness: witnessText(answer.witness),
            slot: timeText(answer.slotSec),
            id: this.#other.of(answer.witness)?.id,
          }),
        );
        break;
      case 'slot_signed': {
        const isAhead = this.signedAheadSec !== undefined;
        const because = isAhead ? WHY_SIGNED_AHEAD : WHY.slot_signed;
        this.#say(answer.witness, `slot_signed ${answer.slotSec}`, () =>
          log[isAhead ? 'error' : 'warn'](`not producing: ${because}`, {
            witness: witnessText(answer.witness),
            slot: timeText(answer.slotSec),
            signed: timeText(answer.lastSignedSec),
          }),
        );
        break;
      }
      case 'not_time_yet':
      case 'not_my_turn':
        // The ordinary course of things; says nothing about whether an earlier trouble is over.
        log.debug('not producing', { code: answer.code });
        break;
    }
    return { code: answer.code, because: WHY[answer.code] };
  }

  #whyNotSynced(): string {
    if (this.#alone?.isWaiting !== true) return WHY.not_synced;
    const { alone } = this.#parts;
    if ((alone?.blocksBehind() ?? 0) > 0) return WHY_BEHIND;
    return alone?.headNumber() === 0 ? WHY_NOT_BEGUN_YET : WHY_NOT_ALONE_YET;
  }

  #say(subject: Instance | 'node', reason: string, write: () => void): void {
    if (this.#said.get(subject) === reason) return;
    this.#said.set(subject, reason);
    write();
  }
}
