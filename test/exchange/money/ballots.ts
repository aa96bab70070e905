import { setTimeout as pause } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { MarketTables } from '../../../src/services/market/tables.js';
import {
  callMarket,
  MarketClient,
  product,
  signedHeaders,
  type VoteBegun,
} from '../../services/support/market-client.js';
import type { SeededRandom } from '../../sim/random.js';
import type { Account } from '../dev-chain.js';

/**
 * Sellers at a market of several instances: one vote after another in which each member gives the same ballot to two
 * instances at once, and asks again until it knows what has become of it.
 */

export interface BallotParts {
  readonly admin: Account;
  /** The last one is never a member before the vote on it has passed. */
  readonly sellers: readonly Account[];
  /** Instances that are up at the moment. */
  readonly urls: () => readonly string[];
  readonly random: SeededRandom;
}

/** What was found of one vote: what its electors were told, and what stands in the database. */
export interface VoteFound {
  readonly vote: number;
  readonly status: string;
  readonly electors: number;
  /** Of all members: how often each was told that its ballot counts. */
  readonly counted: readonly number[];
  readonly ballots: number;
  readonly notifications: readonly string[];
  readonly letters: readonly LetterFound[];
}

export interface LetterFound {
  readonly merchant: number;
  readonly state: string;
  /** How often a mail server has taken it. */
  readonly received: number;
}

interface Answer {
  readonly code: number;
  readonly data: unknown;
}

/** Not those of other merchants that a test may have put into the same database. */
const FIRST_NUMBER = 900_000;
const AGAIN_MS = 200;
/** What the machine has is for purchases as well. */
const ROUND_PAUSE_MS = 500;
const [OK, FORBIDDEN, CLOSED, VOTED] = [1, 1004, 1008, 1009];
const LETTER = /^Message-ID: <vote-(\d+)-(\d+)-vote-created@/im;

/** Of the market itself, and not of what it was asked. */
const isTrouble = (status: number): boolean => status >= 500 || status === 429;

export class Ballots {
  readonly #parts: BallotParts;
  readonly #admin: MarketClient;
  readonly #sellers: readonly MarketClient[];
  readonly #counted = new Map<number, readonly number[]>();
  readonly #problems: string[] = [];
  #isReady = false;
  #rounds = 0;

  constructor(parts: BallotParts) {
    this.#parts = parts;
    this.#admin = new MarketClient('', parts.admin, 0);
    this.#sellers = parts.sellers.map((account, i) => new MarketClient('', account, FIRST_NUMBER + i));
  }

  /** Until `isOver`; the vote that is on then is brought to its end. */
  async run(isOver: () => boolean): Promise<void> {
    while (!isOver() || this.#rounds === 0) {
      if (!this.#isReady) await this.#prepare();
      await this.#round(this.#rounds++);
      await pause(ROUND_PAUSE_MS);
    }
  }

  async #prepare(): Promise<void> {
    for (const one of this.#sellers) {
      await this.#persistent(async (url) => {
        one.url = url;
        return one.bind();
      });
      const profile = { authorizerName: 'A', merchantName: 'M', email: `seller${one.merchantId}@sellers.example` };
      await this.#done(this.#admin, '/market/merchant/profile', { merchantId: one.merchantId, ...profile });
    }
    await this.#done(this.#admin, '/market/category/create', { categoryName: 'Weather' }, 'category');
    this.#isReady = true;
  }

  async #round(round: number): Promise<void> {
    const members = this.#sellers.slice(0, -1);
    const outsider = this.#sellers.at(-1) as MarketClient;
    const asker = members[round % members.length] as MarketClient;
    const others = members.filter((one) => one !== asker);
    const productName = `Ballots ${round}`;
    await this.#done(asker, '/market/product/create', product({ productName, voteThrehold: 1 }), `create-${round}`);
    const list = '/market/product/list/0/1?limit=100';
    const { data } = await this.#persistent((url) => get(asker, url, list));
    const id = (data as { productId: number; productName: string }[]).find(
      (one) => one.productName === productName,
    )?.productId;
    const add = `/market/product/${id}/members/add`;
    await this.#done(asker, add, { members: others.map(({ merchantId }) => merchantId) }, `invite-${round}`);
    const begun = await this.#done(asker, add, { members: [outsider.merchantId] }, `outsider-${round}`);
    const { voteId } = begun.data as VoteBegun;
    this.#counted.set(voteId, await Promise.all(others.map((one) => this.#vote(one, voteId))));
  }

  /** How often it was told that this counts. */
  async #vote(seller: MarketClient, voteId: number): Promise<number> {
    let counted = 0;
    const one = async (): Promise<void> => {
      const { code } = await this.#persistent((url) => post(seller, url, '/market/product/vote', { agree: 1, voteId }));
      if (code === OK) counted++;
      else if (code !== VOTED && code !== CLOSED && code !== FORBIDDEN)
        this.#problems.push(`vote ${voteId}: code ${code}`);
      if (code === FORBIDDEN) this.#problems.push(`vote ${voteId}: ${seller.merchantId} may not vote`);
    };
    await Promise.all([one(), one()]);
    return counted;
  }

  /** Of one that must succeed; `name` makes it the same call when it is made again. */
  async #done(client: MarketClient, target: string, body: unknown, name?: string): Promise<Answer> {
    const more = name === undefined ? {} : { 'Idempotency-Key': name };
    const answer = await this.#persistent((url) => post(client, url, target, body, more));
    if (answer.code !== OK) throw new Error(`${target} ${JSON.stringify(body)}: ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Again and again at whichever is up, until one says what has become of it. */
  async #persistent(ask: (url: string) => Promise<Answer & { readonly status: number }>): Promise<Answer> {
    for (;;) {
      const urls = this.#parts.urls();
      const url = urls.length === 0 ? undefined : this.#parts.random.pick(urls);
      const answer = url === undefined ? undefined : await ask(url).catch(() => undefined);
      if (answer !== undefined && !isTrouble(answer.status)) return answer;
      await pause(AGAIN_MS);
    }
  }

  /** After the last letter. */
  async found(db: Kysely<MarketTables>, received: readonly { readonly text: string }[]): Promise<readonly VoteFound[]> {
    const arrived = received.map(({ text }) => LETTER.exec(text)?.slice(1).join(' '));
    return Promise.all(
      [...this.#counted].map(async ([vote, counted]) => {
        const of = <T extends 'vote' | 'elector' | 'ballot' | 'notification' | 'mail'>(table: T) =>
          db
            .selectFrom(table as 'vote')
            .selectAll()
            .where('vote_id', '=', vote)
            .execute();
        const [row] = await of('vote');
        const told = (await of('notification')) as unknown as { kind: string; merchant_id: number }[];
        const mails = (await of('mail')) as unknown as { merchant_id: number; state: string }[];
        return {
          vote,
          counted,
          status: row?.status ?? 'gone',
          electors: (await of('elector')).length,
          ballots: (await of('ballot')).length,
          notifications: told.map(({ kind, merchant_id }) => `${kind} ${merchant_id}`),
          letters: mails.map(({ merchant_id: merchant, state }) => ({
            ...{ merchant, state },
            received: arrived.filter((one) => one === `${vote} ${merchant}`).length,
          })),
        };
      }),
    );
  }

  get problems(): readonly string[] {
    return this.#problems;
  }
}

/** A letter may come again where its bearer was killed between the mail server's answer and its own record. */
export function ballotFaults(votes: readonly VoteFound[], bearersKilled: number): string[] {
  const problems: string[] = [];
  let again = 0;
  for (const { vote, status, electors, counted, ballots, notifications, letters } of votes) {
    const say = (what: string): void => void problems.push(`vote ${vote}: ${what}`);
    if (status !== 'PASS') say(`all agree, and it is ${status}`);
    if (electors !== counted.length + 1) say(`${electors} electors of ${counted.length + 1}`);
    if (ballots !== electors) say(`${ballots} ballots of ${electors} electors`);
    for (const times of counted) if (times > 1) say(`a ballot counts ${times} times`);
    // One of its beginning for all but its asker, one of its end for all.
    const expected = 2 * electors - 1;
    if (notifications.length !== expected || new Set(notifications).size !== expected) {
      say(`${notifications.length} notifications, ${new Set(notifications).size} different ones, and not ${expected}`);
    }
    if (letters.length !== electors - 1) say(`${letters.length} letters to ${electors - 1} members`);
    if (new Set(letters.map(({ merchant }) => merchant)).size !== letters.length) say('two letters to one member');
    for (const { merchant, state, received } of letters) {
      if (state === 'sent' && received === 0) say(`the letter to ${merchant} is sent, and never came`);
      if (state !== 'sent' && state !== 'waiting') say(`the letter to ${merchant} is ${state}`);
      again += Math.max(0, received - 1);
    }
  }
  if (again > bearersKilled) problems.push(`${again} letters came again, and ${bearersKilled} bearers were killed`);
  return problems;
}

async function post(
  client: MarketClient,
  url: string,
  target: string,
  body: unknown,
  more: Record<string, string> = {},
) {
  const text = JSON.stringify(body);
  const headers = { ...signedHeaders(client.account, 'POST', target, text, client.timestamp()), ...more };
  return callMarket(url, 'POST', target, { body: text, headers });
}

async function get(client: MarketClient, url: string, target: string) {
  const headers = signedHeaders(client.account, 'GET', target, '', client.timestamp());
  return callMarket(url, 'GET', target, { headers });
}
