import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ChainError, fill } from '../../src/base/errors.js';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { runCommand } from '../../src/wallet/commands/index.js';
import { runLine } from '../../src/wallet/prompt-line.js';
import { asRefusal, errorJson } from '../../src/wallet/text/detail.js';
import { parseLine } from '../../src/wallet/text/line.js';
import { projectPath } from '../support/paths.js';
import { type RecordedCall, recordedCalls } from '../support/wallet-vectors.js';
import { openRecorded, recordedHistory } from './support/frozen.js';
import { promptAnswer, RULES } from './support/frozen-rules.js';

const history = await recordedHistory();
t.teardown(() => history.close());
const frozen = await openRecorded('10-frozen-start.json', history.link, 1_795_293_900_000);
t.teardown(frozen.remove);
const { wallet, clock } = frozen;

/** A folder per contract, as the recorder had them. */
const contracts = join(frozen.folder, 'contracts');
for (const name of ['hello', 'bank']) {
  mkdirSync(join(contracts, name), { recursive: true });
  for (const end of ['abi', 'wasm']) {
    cpSync(projectPath('test', 'vectors', 'contracts', `${name}.${end}`), join(contracts, name, `${name}.${end}`));
  }
}
const here = (text: string): string => text.replaceAll('<contracts>', contracts);

const same = (a: Json, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b);

const counts = new Map<string, number>();
const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
const differing: string[] = [];

function differs(call: RecordedCall, what: string, wanted: unknown, found: unknown): void {
  differing.push(`${call.seq} ${call.via} ${what}`);
  t.fail(`${call.seq} ${call.via} ${what}`, { wanted, found });
}

/** Of errors: number, name, title, and the text of the first frame that has one. */
function errorParts(error: JsonObject): Json {
  const { code, name, message, stack } = error.data as JsonObject;
  const frame = (stack as JsonObject[]).find(({ format }) => format !== '') ?? {};
  const text = fill(String(frame.format ?? ''), (frame.data ?? {}) as JsonObject);
  // The node's own text: frames and numbers of lines are of the reference alone.
  return [code ?? null, name ?? null, message ?? null, text.split('\n')[0] ?? ''];
}

async function overHttp(call: RecordedCall): Promise<void> {
  const { method, params } = call.request as { method: string; params: Json[] };
  const given = JSON.parse(here(JSON.stringify(params))) as Json[];
  const what = `${method} ${JSON.stringify(params).slice(0, 120)}`;
  const rule = RULES.find((one) => one.applies(method, params));
  let found: Json;
  try {
    found = (await runCommand(wallet, method, given)).result;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    found = { error: errorParts(errorJson(asRefusal(error), { method, params }, 0)) };
  }
  if (rule !== undefined && rule.normalize === undefined) return count(rule.reason);
  const recorded: Json =
    call.error === undefined ? (call.result ?? null) : { error: errorParts(call.error as unknown as JsonObject) };
  const normal = rule?.normalize ?? ((result: Json) => result);
  if (!same(normal(recorded), normal(found))) return differs(call, what, recorded, found);
  count(
    rule === undefined ? (call.error === undefined ? 'equal answers' : 'equal errors') : `equal but: ${rule.reason}`,
  );
}

async function atPrompt(call: RecordedCall): Promise<void> {
  const line = call.line as string;
  const words = ((): Json[] => {
    try {
      return parseLine(line);
    } catch {
      return [];
    }
  })();
  const rule = RULES.find((one) => one.applies(String(words[0] ?? ''), words.slice(1)));
  const { output, refusal } = await runLine(wallet, here(line));
  if (rule !== undefined && rule.normalize === undefined) return count(rule.reason);
  const wanted = promptAnswer(call);
  const isError = /^\d+ \w+_?exception: /.test(wanted) || /^0 exception: /.test(wanted);
  if (isError || refusal !== undefined) {
    const heads = [wanted, output].map((text) => text.split('\n').slice(0, 2).join('\n'));
    if (heads[0] !== heads[1]) return differs(call, line.slice(0, 120), wanted, output);
    return count('equal errors at the prompt');
  }
  if (rule?.normalize === undefined) {
    if (wanted !== output) return differs(call, line.slice(0, 120), wanted, output);
    return count('equal answers at the prompt');
  }
  if (rule.lines !== undefined) {
    const begin = (text: string): string =>
      text
        .split('\n')
        .slice(rule.skippedLines ?? 0, rule.lines)
        .join('\n');
    if (begin(wanted) !== begin(output)) return differs(call, line.slice(0, 120), wanted, output);
    return count('equal answers at the prompt');
  }
  const [one, two] = [wanted, output].map((text) => rule.normalize?.(JSON.parse(text) as Json) ?? null);
  if (!same(one as Json, two as Json)) return differs(call, line.slice(0, 120), wanted, output);
  count(`equal at the prompt but: ${rule.reason}`);
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

function advanceTo(seconds: number): void {
  const ahead = Math.floor(seconds * 1000) - clock.nowMs();
  if (ahead > 0) clock.advance(ahead);
}

/** For what it leaves behind alone. */
async function again(method: string, params: readonly Json[]): Promise<void> {
  try {
    await runCommand(wallet, method, JSON.parse(here(JSON.stringify(params))) as Json[]);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
  }
}

t.test('the recorded sessions on the frozen chain', { timeout: 600_000 }, async (t) => {
  const calls = recordedCalls().filter(({ part }) => part === 's12-frozen');
  const kept = new Set(calls.map(({ seq }) => seq));
  for (const call of calls) {
    // The recorder ran nearly every command twice, over HTTP and at the prompt, and kept one of two that told the same.
    // That one twin had another type in it, whatever stood in the memory of the recorded program.
    const isAlike = !call.line?.startsWith('propose_data_market_category_update');
    const isSecond = call.via === 'prompt' && !kept.has(call.seq - 1) && isAlike;
    if (isSecond) {
      advanceTo(call.at - TWIN_SEC);
      await runLine(wallet, here(call.line as string));
    }
    advanceTo(call.at);
    if (call.via === 'http') await overHttp(call);
    else if (call.via === 'prompt') await atPrompt(call);
    const { request } = call;
    if (request !== undefined && !kept.has(call.seq + 1) && call.seq < ONCE_FROM) {
      await again(request.method, request.params);
    }
    for (const [method, params] of NOT_KEPT[call.seq] ?? []) await again(method, params);
  }
  t.comment(JSON.stringify(Object.fromEntries(counts)));
  for (const one of differing) t.comment(one);
  t.same(differing, []);
  const equal = [...counts].filter(([what]) => what.startsWith('equal')).reduce((sum, [, n]) => sum + n, 0);
  t.equal(equal, 520, 'answers that are equal, but for what the rules name');
});
