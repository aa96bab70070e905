import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ChainError, fill } from '../../../src/base/errors.js';
import type { Json, JsonObject } from '../../../src/codec/json.js';
import { COMMANDS, runCommand } from '../../../src/wallet/commands/index.js';
import { runLine } from '../../../src/wallet/prompt-line.js';
import { asRefusal, errorJson } from '../../../src/wallet/text/detail.js';
import { parseLine } from '../../../src/wallet/text/line.js';
import { prettyJson } from '../../../src/wallet/text/pretty-json.js';
import type { Wallet } from '../../../src/wallet/wallet.js';
import type { FakeClock } from '../../support/fake-clock.js';
import { projectPath } from '../../support/paths.js';
import { type RecordedCall, recordedCalls } from '../../support/wallet-vectors.js';
import { promptAnswer, RULES, type Rule } from './frozen-rules.js';

/** The recorded sessions on the frozen chain, given to a wallet again in whichever way it can be talked to. */

/** Of errors: number, name, title, and the first line of the text of the first frame that has one. */
export type ErrorParts = readonly [code: Json, name: Json, title: Json, text: string];

export type CallOutcome = { readonly result: Json } | { readonly error: ErrorParts };

export interface Way {
  /** Undefined: what this way shows cannot be compared with an answer to a program. */
  call(method: string, params: Json[]): Promise<CallOutcome | undefined>;
  /** What is printed for a typed line. Undefined: only a prompt can say that. */
  line(line: string): Promise<string | undefined>;
  /** Moves the wallet's clock to where the recorded one stood. Undefined: its clock is that of the machine. */
  readonly clock: FakeClock | undefined;
}

export function errorParts(error: JsonObject): ErrorParts {
  const { code, name, message, stack } = error.data as JsonObject;
  const frame = (stack as JsonObject[]).find(({ format }) => format !== '') ?? {};
  const text = fill(String(frame.format ?? ''), (frame.data ?? {}) as JsonObject);
  // The node's own text: frames and numbers of lines are of the reference alone.
  return [code ?? null, name ?? null, message ?? null, text.split('\n')[0] ?? ''];
}

/** As the prompt begins to print it. */
const headOf = ([code, name, title, text]: ErrorParts): string => `${code} ${name}: ${title}\n${text}`;
const firstLines = (text: string): string => text.split('\n').slice(0, 2).join('\n');
const IS_ERROR = /^(?:\d+ \w+_?exception: |0 exception: )/;

/** Without a prompt or a server. */
export function directWay(wallet: Wallet, clock: FakeClock): Way {
  return {
    clock,
    call: async (method, params) => {
      try {
        return { result: (await runCommand(wallet, method, params)).result };
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        return { error: errorParts(errorJson(asRefusal(error), { method, params, form: 'http' }, 0)) };
      }
    },
    line: async (line) => (await runLine(wallet, line)).output,
  };
}

/** Over a server. Lines are read here, and printed as the prompt prints what it has no form of its own for. */
export function programWay(ask: (method: string, params: Json[]) => Promise<JsonObject>, clock: FakeClock): Way {
  const call = async (method: string, params: Json[]): Promise<CallOutcome> => {
    const { result = null, error } = await ask(method, params);
    return error === undefined ? { result } : { error: errorParts(error as JsonObject) };
  };
  return {
    clock,
    call,
    line: async (line) => {
      const [name, ...given] = wordsOf(line);
      // What cannot be read as a line no program can ask.
      if (name === undefined) return undefined;
      const outcome = await call(String(name), given);
      if ('error' in outcome) return headOf(outcome.error);
      const hasForm = COMMANDS[String(name)]?.show !== undefined;
      return hasForm ? undefined : `${prettyJson(outcome.result)}\n`;
    },
  };
}

/** At a prompt, to which calls are typed with their arguments as JSON. */
export function promptWay(type: (line: string) => Promise<string>): Way {
  return {
    clock: undefined,
    call: async (method, params) => {
      const output = await type([method, ...params.map((one) => JSON.stringify(one))].join(' '));
      const [, code, name, title] = /^(\d+) (\w+): (.*)\n/.exec(output) ?? [];
      if (code !== undefined) {
        return { error: [Number(code), name ?? '', title ?? '', output.split('\n')[1] ?? ''] };
      }
      if (COMMANDS[method]?.show !== undefined) return undefined;
      return { result: JSON.parse(output) as Json };
    },
    line: type,
  };
}

/** From this call on nothing was run twice. */
const ONCE_FROM = 2279;
/** What else was run behind a call and not kept. */
const NOT_KEPT: Readonly<Record<number, readonly (readonly [string, Json[]])[]>> = {
  2259: [['begin_builder_transaction', []]],
  2280: [['set_fees_on_builder_transaction', [3, 'GXS']]],
};
/** So long before the one at the prompt the same command ran over HTTP. */
const TWIN_SEC = 0.03;

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Commands that tell the wallet's own time, or put it into what they make. */
const OWN_TIME =
  /^(?:info|data_transaction_(?:create|complain_datasource)|create_(?:data|league|free)|upgrade_|propose_|blind_history)/;

function wordsOf(line: string): Json[] {
  try {
    return parseLine(line);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return [];
  }
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g;
/** What follows from the time on the clock: times, how long ago they are, and signatures over them. */
function withoutOwnTime(text: string): string {
  return text
    .replace(TIME, 'then')
    .replace(/"[0-9a-f]{130}"/g, '"signature"')
    .replace(/\d+ (?:second|minute|hour|day|week|month|year)s? (?:old|ago|in the future)/g, 'some time ago');
}

export class FrozenSession {
  readonly #way: Way;
  readonly #contracts: string;
  /** What was compared, by what came out. */
  readonly counts = new Map<string, number>();
  readonly differing: { readonly what: string; readonly wanted: unknown; readonly found: unknown }[] = [];
  /** Commands that were given. */
  readonly given = new Set<string>();

  /** `folder` is the wallet's: contracts lie there as the recorder had them. */
  constructor(way: Way, folder: string) {
    this.#way = way;
    this.#contracts = join(folder, 'contracts');
    for (const name of ['hello', 'bank']) {
      mkdirSync(join(this.#contracts, name), { recursive: true });
      for (const end of ['abi', 'wasm']) {
        const from = projectPath('test', 'vectors', 'contracts', `${name}.${end}`);
        cpSync(from, join(this.#contracts, name, `${name}.${end}`));
      }
    }
  }

  #here(text: string): string {
    return text.replaceAll('<contracts>', this.#contracts);
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  get equal(): number {
    return [...this.counts].filter(([what]) => what.startsWith('equal')).reduce((sum, [, n]) => sum + n, 0);
  }

  #differs(call: RecordedCall, what: string, wanted: unknown, found: unknown): void {
    this.differing.push({ what: `${call.seq} ${call.via} ${what.slice(0, 120)}`, wanted, found });
  }

  #call(method: string, params: readonly Json[]): Promise<CallOutcome | undefined> {
    this.given.add(method);
    return this.#way.call(method, JSON.parse(this.#here(JSON.stringify(params))) as Json[]);
  }

  #line(line: string): Promise<string | undefined> {
    this.given.add(String(wordsOf(line)[0] ?? ''));
    return this.#way.line(this.#here(line));
  }

  /** Whether the wallet's clock, which may be another one, shows in the answer. */
  #isOfClock(command: string): boolean {
    return this.#way.clock === undefined && OWN_TIME.test(command);
  }

  async #asProgram(call: RecordedCall): Promise<void> {
    const { method, params } = call.request as { method: string; params: Json[] };
    const what = `${method} ${JSON.stringify(params)}`;
    const rule = RULES.find((one) => one.applies(method, params));
    const found = await this.#call(method, params);
    if (found === undefined) return this.#count('shown in a form of its own');
    if (rule !== undefined && rule.normalize === undefined) return this.#count(rule.reason);
    const recorded: CallOutcome =
      call.error === undefined
        ? { result: call.result ?? null }
        : { error: errorParts(call.error as unknown as JsonObject) };
    const normal = rule?.normalize ?? ((result: Json) => result);
    const [one, two] = [recorded, found].map((outcome) => {
      const text = JSON.stringify('result' in outcome ? normal(outcome.result) : outcome.error);
      return this.#isOfClock(method) ? withoutOwnTime(text) : text;
    });
    if (one !== two) return this.#differs(call, what, recorded, found);
    if (rule !== undefined) return this.#count(`equal but: ${rule.reason}`);
    this.#count(call.error === undefined ? 'equal answers' : 'equal errors');
  }

  async #asPerson(call: RecordedCall): Promise<void> {
    const line = call.line as string;
    const words = wordsOf(line);
    const name = String(words[0] ?? '');
    const rule = RULES.find((one) => one.applies(name, words.slice(1)));
    const output = await this.#line(line);
    if (output === undefined) return this.#count('shown in a form of its own');
    if (rule !== undefined && rule.normalize === undefined) return this.#count(rule.reason);
    const wanted = promptAnswer(call);
    const [one, two] = this.#isOfClock(name) ? [withoutOwnTime(wanted), withoutOwnTime(output)] : [wanted, output];
    if (IS_ERROR.test(one) || IS_ERROR.test(two)) {
      if (firstLines(one) !== firstLines(two)) return this.#differs(call, line, wanted, output);
      return this.#count('equal errors at the prompt');
    }
    if (!sameShown(rule, one, two)) return this.#differs(call, line, wanted, output);
    const isPlain = rule?.normalize === undefined || rule.lines !== undefined;
    this.#count(isPlain ? 'equal answers at the prompt' : `equal at the prompt but: ${rule.reason}`);
  }

  #advanceTo(seconds: number): void {
    const { clock } = this.#way;
    const ahead = clock === undefined ? 0 : Math.floor(seconds * 1000) - clock.nowMs();
    if (ahead > 0) clock?.advance(ahead);
  }

  async run(): Promise<void> {
    const calls = recordedCalls().filter(({ part }) => part === 's12-frozen');
    const kept = new Set(calls.map(({ seq }) => seq));
    for (const call of calls) {
      // The recorder ran nearly every command twice, over HTTP and at the prompt, and kept one of two that told the same.
      // That one twin had another type in it, whatever stood in the memory of the recorded program.
      const isAlike = !call.line?.startsWith('propose_data_market_category_update');
      const isSecond = call.via === 'prompt' && !kept.has(call.seq - 1) && isAlike;
      if (isSecond) {
        this.#advanceTo(call.at - TWIN_SEC);
        await this.#line(call.line as string);
      }
      this.#advanceTo(call.at);
      if (call.via === 'http') await this.#asProgram(call);
      else if (call.via === 'prompt') await this.#asPerson(call);
      const { request } = call;
      if (request !== undefined && !kept.has(call.seq + 1) && call.seq < ONCE_FROM) {
        await this.#call(request.method, request.params);
      }
      for (const [method, params] of NOT_KEPT[call.seq] ?? []) await this.#call(method, params);
    }
  }
}

/** Two texts of the prompt, but for what the rule takes out. */
function sameShown(rule: Rule | undefined, wanted: string, found: string): boolean {
  if (rule?.normalize === undefined) return wanted === found;
  if (rule.lines !== undefined) {
    const part = (text: string): string[] => text.split('\n').slice(rule.skippedLines ?? 0, rule.lines);
    return same(part(wanted), part(found));
  }
  const { normalize } = rule;
  return same(normalize(JSON.parse(wanted) as Json), normalize(JSON.parse(found) as Json));
}
