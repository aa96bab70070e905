import { ChainError, check } from '../../base/errors.js';
import { forgetOldest } from '../../base/forget-oldest.js';
import type { Clock, Logger } from '../../base/world.js';
import type { Json, JsonObject } from '../../codec/json.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import type { Product } from '../../trade/buyer.js';
import { given, wantedInstead } from '../../trade/described.js';
import { openQuestion, type Question, sealAnswer } from '../../trade/seller.js';
import { DATASOURCE_ERRORS } from './errors.js';

/** What the seller's own program is told. */
export interface Wanted {
  readonly productId: number;
  readonly params: JsonObject;
  /** Account of the buyer. */
  readonly buyer: string;
  readonly requestId: string;
}

/** Undefined where there is nothing to be told. */
export type Knows = (wanted: Wanted, signal: AbortSignal) => Promise<Json | undefined>;

export interface AnswererParts {
  readonly key: PrivateKey;
  readonly knows: Knows;
  readonly products: ReadonlySet<number>;
  /** As the exchange describes it, or has described it a while ago. */
  product(id: number): Promise<Pick<Product, 'input'>>;
  /** As it describes it now. */
  productNow(id: number): Promise<Pick<Product, 'input'>>;
  readonly asksMax: number;
  readonly timeoutMs: number;
  /** What answers may hold in memory for those who ask again. */
  readonly keptCharsMax?: number;
  readonly clock: Clock;
  readonly log: Logger;
}

const KEPT_MAX = 10_000;
/** An answer may have megabytes. */
const KEPT_CHARS_MAX = 67_108_864;
/** A question is refused as too old by then. */
const KEPT_MS = 1_200_000;

interface Kept {
  readonly untilMs: number;
  readonly answer: Promise<JsonObject | undefined>;
  /** Of the answer; 0 while there is none. */
  chars: number;
}

const nameOf = ({ buyer, buyerKey, productId, nonce, memo, params }: Question): string =>
  `${buyer} ${buyerKey} ${productId} ${nonce} ${memo ?? params}`;

const charsOf = (answer: JsonObject | undefined): number => String(answer?.data ?? '').length;

/** By the product's own description; types that only one client knows are not looked at. */
export function checkParams(params: JsonObject, input: JsonObject): void {
  for (const [name, described] of Object.entries(input)) {
    const { type, required } = described as { readonly type?: Json; readonly required?: Json };
    const value = given(params, name);
    if (value === undefined) {
      check(required !== true, DATASOURCE_ERRORS.datasource_params, { name, wanted: 'given' });
      continue;
    }
    const wanted = wantedInstead(value, type);
    check(wanted === undefined, DATASOURCE_ERRORS.datasource_params, { name, wanted });
  }
}

/** Opens a question, has it answered once, and seals the answer. */
export class Answerer {
  readonly #parts: AnswererParts;
  readonly #kept = new Map<string, Kept>();
  /** Of all that are kept. */
  #chars = 0;
  #running = 0;

  constructor(parts: AnswererParts) {
    this.#parts = parts;
  }

  #find(name: string): Kept | undefined {
    const kept = this.#kept.get(name);
    return kept !== undefined && this.#parts.clock.monotonicMs() < kept.untilMs ? kept : undefined;
  }

  /** Whether it is answered from memory. */
  has(question: Question): boolean {
    return this.#find(nameOf(question)) !== undefined;
  }

  /** The same question again is the same answer; a failure is tried anew. Undefined: there is no such data. */
  async answer(question: Question): Promise<JsonObject | undefined> {
    const { clock } = this.#parts;
    const name = nameOf(question);
    const kept = this.#find(name);
    if (kept !== undefined) return kept.answer;
    this.#forget(name);
    const asked: Kept = { untilMs: clock.monotonicMs() + KEPT_MS, answer: this.#work(question), chars: 0 };
    this.#kept.set(name, asked);
    forgetOldest(this.#kept, KEPT_MAX, (one) => this.#forget(one));
    try {
      const found = await asked.answer;
      if (this.#kept.get(name) === asked) this.#count(asked, charsOf(found));
      return found;
    } catch (error) {
      if (this.#kept.get(name) === asked) this.#forget(name);
      throw error;
    }
  }

  #count(answered: Kept, chars: number): void {
    answered.chars = chars;
    this.#chars += chars;
    const { keptCharsMax = KEPT_CHARS_MAX } = this.#parts;
    for (const [name, kept] of this.#kept) {
      if (this.#chars <= keptCharsMax) return;
      if (kept.chars > 0) this.#forget(name);
    }
  }

  #forget(name: string): void {
    this.#chars -= this.#kept.get(name)?.chars ?? 0;
    this.#kept.delete(name);
  }

  async #work(question: Question): Promise<JsonObject | undefined> {
    const { key, products, clock, asksMax } = this.#parts;
    const { productId, buyer, requestId } = question;
    check(products.has(productId), DATASOURCE_ERRORS.datasource_product, { product: productId });
    const params = openQuestion(question, key, clock.nowMs());
    await this.#checkParams(productId, params);
    check(this.#running < asksMax, DATASOURCE_ERRORS.datasource_busy);
    this.#running++;
    try {
      const result = await this.#ask({ productId, params, buyer, requestId });
      return result === undefined ? undefined : sealAnswer(question, key, result);
    } finally {
      this.#running--;
    }
  }

  /** Members change a product at any time: what is not as was asked for a while ago may be what is asked for now. */
  async #checkParams(productId: number, params: JsonObject): Promise<void> {
    const { product, productNow } = this.#parts;
    try {
      checkParams(params, (await product(productId)).input);
    } catch (error) {
      const isOther = error instanceof ChainError && error.row === DATASOURCE_ERRORS.datasource_params;
      if (!isOther) throw error;
      checkParams(params, (await productNow(productId)).input);
    }
  }

  async #ask(wanted: Wanted): Promise<Json | undefined> {
    const { knows, timeoutMs, clock, log } = this.#parts;
    const stop = new AbortController();
    let cancel = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      cancel = clock.after(timeoutMs, () => {
        stop.abort();
        reject(new ChainError(DATASOURCE_ERRORS.datasource_unknown, { why: 'it takes too long' }));
      });
    });
    try {
      return await Promise.race([knows(wanted, stop.signal), late]);
    } catch (error) {
      // What the seller's program says in its distress is the seller's alone.
      log.warn('a question could not be answered', { request: wanted.requestId, error });
      throw error instanceof ChainError
        ? error
        : new ChainError(DATASOURCE_ERRORS.datasource_unknown, { why: 'the program behind this source has failed' });
    } finally {
      cancel();
    }
  }
}
