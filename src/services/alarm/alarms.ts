import type { Kysely } from 'kysely';
import { Counter, type Registry } from 'prom-client';
import { toHex } from '../../base/bytes.js';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import type { Clock, Logger, Random } from '../../base/world.js';
import { type Carrier, carrierOf } from '../mail/carrier.js';
import type { AlarmOptions } from './options.js';
import type { AlarmKind, AlarmTables } from './tables.js';

/**
 * Letters to whoever runs a service: one when a trouble begins, again each day while it lasts, one when it is over.
 * Several instances see the same trouble; each letter is one instance's.
 */

export const ALARM_ERRORS = defineErrors({
  alarm_options: {
    ...FAMILY.invalidArgument,
    text: 'e-mail to the operator needs alarm-to as well as mail-from with smtp-file or mail-folder',
  },
});

type Mail = { readonly from: string; readonly carrier: Carrier; readonly to: readonly string[] };

/** Who writes to whom, by the options; undefined: nobody. */
export function alarmMail(options: AlarmOptions, clock: Clock): Mail | undefined {
  const mail = carrierOf(options, clock);
  check((mail === undefined) === (options['alarm-to'].length === 0), ALARM_ERRORS.alarm_options);
  return mail && { ...mail, to: options['alarm-to'] };
}

export interface AlarmParts {
  readonly db: Kysely<AlarmTables>;
  /** Undefined: there is nobody to write to. */
  readonly mail: Mail | undefined;
  /** Which of those that may share the database. */
  readonly service: string;
  /** Account that it is about, for the subject. */
  readonly name: string;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

const OVER: Readonly<Record<AlarmKind, string>> = {
  'fees-out': 'the fees of the chain can be paid again',
  'fees-low': 'there is enough for the fees of the chain again',
};
const AGAIN_MS = 86_400_000;
/** Longer than any letter may take; after a failure the next try comes then. */
const LEASE_MS = 60_000;
/** Whoever sees it tells of it more often than that. */
const UNSEEN_MS = 120_000;
const OWNER_BYTES = 8;

export class Alarms {
  readonly #parts: AlarmParts;
  readonly #mails: Counter<'outcome'>;
  /** This instance. */
  readonly #owner: string;
  /** Who has got a letter that not everybody could be given, by its name: the others are tried again, and these are not. */
  readonly #reached = new Map<string, Set<string>>();

  constructor(parts: AlarmParts) {
    this.#parts = parts;
    this.#owner = toHex(parts.random.bytes(OWNER_BYTES));
    this.#mails = new Counter({
      name: 'trustnode_alarm_mails_total',
      help: 'E-mails to the operator, by outcome: sent or failed',
      labelNames: ['outcome'],
      registers: [parts.registry],
    });
  }

  get #service(): string {
    return `${this.#parts.service} ${this.#parts.name}`;
  }

  /** How it stands: `trouble` says what is wrong, undefined that nothing is. */
  async tell(kind: AlarmKind, trouble: string | undefined): Promise<void> {
    if (trouble === undefined) await this.#isOver(kind);
    else await this.#goesOn(kind, trouble);
  }

  async #goesOn(kind: AlarmKind, trouble: string): Promise<void> {
    const { db, clock } = this.#parts;
    const service = this.#service;
    const nowMs = clock.nowMs();
    const seen = { seer: this.#owner, seen_ms: nowMs };
    await db
      .insertInto('alarm')
      .values({ service, kind, since_ms: nowMs, told_ms: null, lease_until_ms: 0, ...seen })
      .onConflict((one) => one.columns(['service', 'kind']).doUpdateSet(seen))
      .execute();
    const mine = await db
      .updateTable('alarm')
      .set({ lease_until_ms: nowMs + LEASE_MS })
      .where('service', '=', service)
      .where('kind', '=', kind)
      .where('lease_until_ms', '<', nowMs)
      .where((where) => where.or([where('told_ms', 'is', null), where('told_ms', '<', nowMs - AGAIN_MS)]))
      .returning(['since_ms', 'told_ms'])
      .executeTakeFirst();
    if (mine === undefined) return;
    const { since_ms, told_ms } = mine;
    const since = new Date(since_ms).toISOString();
    // The same name for each try: a mailbox that gets it of two instances can tell.
    const name = told_ms === null ? `${kind}-${since_ms}` : `${kind}-${told_ms}-again`;
    const isSent = await this.#write(name, trouble, `Since ${since}: ${trouble}.\n`);
    if (isSent)
      await db
        .updateTable('alarm')
        .set({ told_ms: nowMs, lease_until_ms: 0 })
        .where('service', '=', service)
        .where('kind', '=', kind)
        .execute();
  }

  async #isOver(kind: AlarmKind): Promise<void> {
    const { db, clock } = this.#parts;
    const service = this.#service;
    const nowMs = clock.nowMs();
    const mine = await db
      .updateTable('alarm')
      .set({ lease_until_ms: nowMs + LEASE_MS })
      .where('service', '=', service)
      .where('kind', '=', kind)
      .where('lease_until_ms', '<', nowMs)
      // Another instance may still see it: a payment is refused to whoever sends it.
      .where((where) => where.or([where('seer', 'in', [this.#owner, '']), where('seen_ms', '<', nowMs - UNSEEN_MS)]))
      .returning(['since_ms', 'told_ms'])
      .executeTakeFirst();
    if (mine === undefined) return;
    const name = `${kind}-${mine.since_ms}-over`;
    for (const other of this.#reached.keys()) if (other.startsWith(kind) && other !== name) this.#reached.delete(other);
    // Who was never told of it has nothing to be told of.
    const isTold = mine.told_ms === null || (await this.#write(name, OVER[kind], `It is over: ${OVER[kind]}.\n`));
    const own = { service, kind, since_ms: mine.since_ms };
    // It lasts until everybody knows its end, whoever dies meanwhile. Who sees it again after that begins a new one.
    if (isTold)
      await db
        .deleteFrom('alarm')
        .where((where) => where.and(own))
        .execute();
    else
      await db
        .updateTable('alarm')
        .set({ lease_until_ms: 0 })
        .where((where) => where.and(own))
        .execute();
  }

  /** False: not everybody has got it. */
  async #write(name: string, subject: string, text: string): Promise<boolean> {
    const { mail, log } = this.#parts;
    if (mail === undefined) return true;
    const host = mail.from.split('@')[1] as string;
    const reached = this.#reached.get(name) ?? new Set<string>();
    this.#reached.set(name, reached);
    const sendTo = async (to: string, i: number): Promise<boolean> => {
      if (reached.has(to)) return true;
      const id = `<alarm-${name}-${i}@${host}>`;
      try {
        await mail.carrier.send({ id, from: mail.from, to, subject: `${this.#parts.name}: ${subject}`, text });
        reached.add(to);
        this.#mails.inc({ outcome: 'sent' });
        return true;
      } catch (error) {
        this.#mails.inc({ outcome: 'failed' });
        log.warn('an e-mail to the operator could not be sent', { why: (error as Error).message.split('\n')[0] });
        return false;
      }
    };
    // At once: one after another they might take longer than the lease.
    const isSent = (await Promise.all(mail.to.map(sendTo))).every(Boolean);
    if (isSent) this.#reached.delete(name);
    return isSent;
  }

  close(): void {
    this.#parts.mail?.carrier.close();
  }
}
