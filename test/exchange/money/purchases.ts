import { setTimeout as pause } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { AllTables } from '../../../src/services/des/legs.js';
import type { Result } from '../../services/support/buyers.js';
import { open } from '../../services/support/packets.js';
import { SeededRandom } from '../../sim/random.js';
import type { Account, DevChain } from '../dev-chain.js';
import { requestBody } from './authorizations.js';
import type { Entry, Journal } from './journal.js';
import { RequestSeen } from './judge.js';
import { PERCENT, type People, PRICE } from './phase.js';
import { type Plan, planOf } from './plan.js';

/** Buyers, honest and otherwise: each purchase as it is planned, and all that its buyer was ever shown. */

export interface PurchaseParts {
  readonly chain: DevChain;
  readonly people: People;
  readonly journal: Journal;
  readonly seed: number;
  /** Exchanges that are up at the moment. */
  readonly urls: () => readonly string[];
  /** Buyers from this one on have little, and take it away. */
  readonly poorFrom: number;
}

type Asked = Extract<Entry, { kind: 'asked' }>;

interface Known {
  readonly asked: Asked;
  readonly seen: RequestSeen;
  readonly problems: string[];
  id: string | undefined;
  isRefused: boolean;
  lastText: string;
}

/** Between two looks: seldom at what takes long. */
const [LOOK_MS, LOOK_MS_MAX, LOOK_GROWTH] = [400, 2000, 1.3];
const AGAIN_MS = 300;
const ANSWER_MS = 20_000;
/** Nobody has got on for so long: a machine that is slow takes its time for each one, and not for all of them. */
const PATIENCE_MS = 540_000;
const FEE_UNITS = 200n;

/** Of the exchange itself, and not of what it was asked. */
const isTrouble = (status: number): boolean => status >= 500 || status === 429;

interface Element {
  readonly requestParams: { readonly from: string; readonly to: string; readonly signatures: readonly [string] };
}
export const elementsOf = ({ body }: Asked): readonly Element[] => JSON.parse(body) as readonly Element[];

export class Purchases {
  readonly #parts: PurchaseParts;
  readonly #known = new Map<string, Known>();
  readonly #done = new Set<number>();
  readonly #problems: string[] = [];
  readonly #random: SeededRandom;
  #movedMs = performance.now();

  constructor(parts: PurchaseParts) {
    this.#parts = parts;
    this.#random = new SeededRandom(parts.seed);
    for (const entry of parts.journal.entries) this.#recall(entry);
  }

  #recall(entry: Entry): void {
    if (entry.kind === 'asked') this.#remember(entry);
    else if (entry.kind === 'done') this.#done.add(entry.n);
    else if (entry.kind === 'broken') this.#problems.push(entry.problem);
    else if (entry.kind === 'taken' || entry.kind === 'refused' || entry.kind === 'seen') {
      const known = this.#known.get(entry.key) as Known;
      if (entry.kind === 'taken') known.id = entry.id;
      else if (entry.kind === 'refused') known.isRefused = true;
      else known.seen.see(JSON.parse(entry.result) as Result);
    }
  }

  #remember(asked: Asked): Known {
    const known = { asked, seen: new RequestSeen(), problems: [], id: undefined, isRefused: false, lastText: '' };
    this.#known.set(asked.key, known);
    return known;
  }

  #note(entry: Entry): void {
    this.#movedMs = performance.now();
    this.#parts.journal.write(entry);
  }

  /** What is still open then is told by the last look at all of them. */
  get #isStuck(): boolean {
    return performance.now() - this.#movedMs > PATIENCE_MS;
  }

  #broken(problem: string): void {
    this.#problems.push(problem);
    this.#note({ kind: 'broken', problem });
  }

  get begun(): number {
    return new Set([...this.#known.values()].map(({ asked }) => asked.n)).size;
  }

  get all(): readonly Known[] {
    return [...this.#known.values()];
  }

  isDone(n: number): boolean {
    return this.#known.has(`${n}`);
  }

  /** What an earlier run has begun and not finished. */
  async resume(): Promise<void> {
    const open = this.all.filter(({ asked, isRefused }) => !this.#done.has(asked.n) && !isRefused);
    await Promise.all(
      open.map(async (known) => {
        await this.#ask(known, 1);
        await this.#follow(known);
        this.#note({ kind: 'done', n: known.asked.n });
      }),
    );
  }

  async run(n: number): Promise<void> {
    const { people, seed, poorFrom, chain } = this.#parts;
    const plan = planOf(seed, n, { buyers: people.buyers.length, sources: people.sources.length });
    const buyer = people.buyers[plan.buyer] as Account;
    const isPoor = plan.buyer >= poorFrom;
    if (isPoor) await this.#supply(buyer);
    const known = this.#remember(await this.#authorized(plan, buyer, `${n}`));
    await this.#ask(known, plan.buying === 'twice' || plan.buying === 'at both' ? 2 : 1);
    if (plan.buying === 'some again') await this.#askSomeAgain(known, plan, buyer);
    if (isPoor && plan.buying === 'drains') await this.#drain(chain, buyer, people);
    await this.#follow(known);
    this.#note({ kind: 'done', n });
  }

  async #authorized(plan: Plan, buyer: Account, key: string): Promise<Asked> {
    const { chain, people } = this.#parts;
    const { time } = await this.#persistent(() => chain.head());
    const { body } = requestBody(
      buyer,
      people.sources.slice(0, plan.answers.length),
      plan.answers.map((how) => ({ n: plan.n, how })),
      {
        exchange: people.exchange.id,
        percent: PERCENT,
        price: plan.buying === 'not worth it' ? PRICE - 1n : PRICE,
        expiration: time + plan.lifetimeSec,
      },
    );
    const asked: Asked = { kind: 'asked', n: plan.n, key, product: plan.answers.length, body };
    this.#note(asked);
    return asked;
  }

  /** Again and again, until there is an answer that does not leave it open. */
  async #ask(known: Known, times: number): Promise<void> {
    while (known.id === undefined && !known.isRefused && !this.#isStuck) {
      await Promise.all(Array.from({ length: times }, (_, i) => this.#askOnce(known, i)));
      if (known.id === undefined && !known.isRefused) await pause(AGAIN_MS);
    }
  }

  #url(turn: number): string | undefined {
    const urls = this.#parts.urls();
    return urls[(turn + this.#random.below(2)) % Math.max(1, urls.length)];
  }

  async #askOnce(known: Known, turn: number): Promise<void> {
    const { asked } = known;
    const url = this.#url(turn);
    if (url === undefined) return;
    const found = await call(`${url}/api/request/create/${asked.product}`, asked.body);
    if (found === undefined || isTrouble(found.status)) return;
    const { request_id: id, code = '' } = JSON.parse(found.text) as { request_id?: string; code?: string };
    if (found.status === 200 && id !== undefined) {
      if (known.id !== undefined && known.id !== id) this.#broken(`${asked.key} is two requests`);
      known.id = id;
      this.#note({ kind: 'taken', key: asked.key, id });
      return;
    }
    // The same one may have been taken by the other exchange in the same moment.
    if (known.id !== undefined) return;
    known.isRefused = true;
    this.#note({ kind: 'refused', key: asked.key, code });
  }

  /** One authorization that was used already, beside a new one: neither of them may come of it. */
  async #askSomeAgain(known: Known, plan: Plan, buyer: Account): Promise<void> {
    const { people } = this.#parts;
    const more = { ...plan, answers: people.sources.map(() => 'data' as const) };
    const fresh = elementsOf(await this.#authorized(more, buyer, `${plan.n} fresh`));
    const body = JSON.stringify([elementsOf(known.asked)[0], ...fresh.slice(1)]);
    const asked: Asked = { kind: 'asked', n: plan.n, key: `${plan.n} again`, product: people.sources.length, body };
    this.#note(asked);
    const mixed = this.#remember(asked);
    await this.#ask(mixed, 1);
    if (mixed.id !== undefined && known.id !== undefined) this.#broken(`${asked.key} was taken`);
  }

  /** While the node is away nobody can know. */
  async #persistent<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (this.#isStuck) throw error;
        await pause(AGAIN_MS);
      }
    }
  }

  /** From a rich one, when there is nothing left to take away. */
  async #supply(buyer: Account): Promise<void> {
    const { chain, people } = this.#parts;
    const units = await this.#persistent(() => chain.balance(buyer.id));
    if (units >= PRICE) return;
    // Whether it arrives is told by the blocks.
    await chain.transfer(people.buyers[0] as Account, buyer.id, Number(5n * PRICE)).catch(() => undefined);
  }

  async #drain(chain: DevChain, buyer: Account, { sources }: People): Promise<void> {
    const units = await this.#persistent(() => chain.balance(buyer.id));
    const rest = units - FEE_UNITS - PRICE / 2n;
    if (rest > 0n) await chain.transfer(buyer, sources[0]?.id ?? '', Number(rest)).catch(() => undefined);
  }

  async #follow(known: Known): Promise<void> {
    let pauseMs = LOOK_MS;
    while (known.id !== undefined && !known.seen.isFinished && !this.#isStuck) {
      await this.#look(known);
      if (!known.seen.isFinished) await pause(pauseMs);
      pauseMs = Math.min(LOOK_MS_MAX, pauseMs * LOOK_GROWTH);
    }
    // Once more, by whichever of them: it has to stay.
    if (known.id !== undefined) await this.#look(known);
  }

  async #look(known: Known): Promise<boolean> {
    const url = this.#url(0);
    const found = url === undefined ? undefined : await call(`${url}/api/request/${known.id}`);
    if (found === undefined || isTrouble(found.status)) return false;
    if (found.status !== 200) {
      this.#broken(`purchase ${known.asked.key} is not known any more: ${found.text}`);
      return true;
    }
    if (found.text === known.lastText) return true;
    const result = JSON.parse(found.text) as Result;
    this.#checkData(known, result);
    known.seen.see(result);
    known.lastText = found.text;
    this.#note({ kind: 'seen', key: known.asked.key, result: found.text });
    return true;
  }

  /** It opens with the buyer's key, and answers this question. */
  #checkData({ asked }: Known, { datasources }: Result): void {
    const { buyers } = this.#parts.people;
    const buyer = buyers.find(({ id }) => id === elementsOf(asked)[0]?.requestParams.from) as Account;
    for (const { data, nonce, datasourcePublicKey, datasource } of datasources) {
      if (data === null) continue;
      const plain = open(buyer.wif, datasourcePublicKey, String(nonce), String(data));
      const { n } = JSON.parse(plain ?? '{}') as { n?: number };
      if (n !== asked.n) this.#broken(`purchase ${asked.key}: the data of ${datasource} is no answer to it`);
    }
  }

  /** At the end: everything once more, also what its buyer was never told of. */
  async lookAgain(db: Kysely<AllTables>): Promise<string[]> {
    for (const known of this.all) {
      known.id ??= await recordedAs(db, known.asked);
      if (known.id === undefined) {
        const isPlain = known.asked.key === `${known.asked.n}`;
        if (isPlain && !known.isRefused) this.#problems.push(`purchase ${known.asked.key} was never answered`);
        continue;
      }
      this.#movedMs = performance.now();
      while (!(await this.#look(known)) && !this.#isStuck) await pause(AGAIN_MS);
      if (!known.seen.isFinished) this.#problems.push(`purchase ${known.asked.key} is not finished at the end`);
    }
    const broken = this.all.flatMap(({ asked, seen }) => seen.problems.map((one) => `purchase ${asked.key}: ${one}`));
    return [...this.#problems, ...broken];
  }
}

/**
 * The request that was made of it, though its buyer got no answer. All of its authorizations, and no others: where it was
 * refused, one of them may have been taken beside new ones since.
 */
async function recordedAs(db: Kysely<AllTables>, asked: Asked): Promise<string | undefined> {
  const signatures = elementsOf(asked).map(({ requestParams }) => requestParams.signatures[0]);
  const first = await db
    .selectFrom('des_leg')
    .select('request_id')
    .where('signature', '=', signatures[0] ?? '')
    .executeTakeFirst();
  if (first === undefined) return undefined;
  const legs = await db.selectFrom('des_leg').select('signature').where('request_id', '=', first.request_id).execute();
  const isSame = legs.length === signatures.length && legs.every(({ signature }) => signatures.includes(signature));
  return isSame ? first.request_id : undefined;
}

interface Called {
  readonly status: number;
  readonly text: string;
}

/** Undefined where no answer comes. */
async function call(url: string, body?: string): Promise<Called | undefined> {
  const init = body === undefined ? {} : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_MS) });
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}
