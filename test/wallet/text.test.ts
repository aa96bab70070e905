import { readFileSync } from 'node:fs';
import t from 'tap';
import { AMOUNT_ERRORS, amountText, parseAmount, prettyAmount } from '../../src/client/amounts.js';
import { prettyJson } from '../../src/wallet/text/pretty-json.js';
import { relativeTime } from '../../src/wallet/text/relative-time.js';
import { refused } from '../support/refused.js';
import { recordedCalls, walletVector } from '../support/wallet-vectors.js';

const CORE = { symbol: 'GXC', precision: 5 };

t.test('amounts', (t) => {
  const good: [string, bigint][] = [
    ['1', 100_000n],
    ['1.', 100_000n],
    ['.5', 50_000n],
    ['', 0n],
    ['-1', -100_000n],
    ['01', 100_000n],
    ['1.23456', 123_456n],
    ['1000000000000', 100_000_000_000_000_000n],
  ];
  for (const [text, amount] of good) t.equal(parseAmount(text, CORE), amount, text);
  for (const text of ['abc', '1.2.3', '1,000', '1e3', ' 1', '1 ', '1GXS', '--1', '1-', '+1', '0x1']) {
    refused(t, AMOUNT_ERRORS.amount_text, () => parseAmount(text, CORE), text);
  }
  refused(t, AMOUNT_ERRORS.amount_decimals, () => parseAmount('1.123456', CORE));
  refused(t, AMOUNT_ERRORS.amount_decimals, () => parseAmount('1.1', { symbol: 'X', precision: 0 }));
  refused(t, AMOUNT_ERRORS.amount_supply, () => parseAmount('1000000000000.00001', CORE));
  refused(t, AMOUNT_ERRORS.amount_overflow, () => parseAmount('100000000000000', CORE));
  t.equal(prettyAmount(100_000n, CORE), '1 GXC');
  t.equal(prettyAmount(1000n, CORE), '0.01000 GXC');
  t.equal(prettyAmount(-150_000n, CORE), '-1.50000 GXC');
  t.equal(amountText(7n, 0), '7');
  t.end();
});

t.test('how long ago', (t) => {
  const cases: [number, string][] = [
    [0, '0 second old'],
    [1, '1 second old'],
    [89, '89 seconds old'],
    [90, '2 minutes old'],
    [150, '3 minutes old'],
    [89 * 60, '89 minutes old'],
    [90 * 60, '2 hours old'],
    [90 * 3600, '4 days old'],
    [90 * 86_400, '13 weeks old'],
    [70 * 604_800, '1 year old'],
  ];
  for (const [age, text] of cases) t.equal(relativeTime(1000, 1000 + age, 'old'), text);
  t.equal(relativeTime(1009, 1000), '9 seconds in the future');
  t.end();
});

t.test('JSON as the prompt prints it', (t) => {
  t.equal(prettyJson([]), '[]');
  t.equal(
    prettyJson({ a: {}, b: [], c: [[1]], d: null }),
    '{\n  "a": {},\n  "b": [],\n  "c": [[\n      1\n    ]\n  ],\n  "d": null\n}',
  );
  const calls = recordedCalls().filter(({ part }) => part === 's12-frozen');
  let equal = 0;
  calls.forEach((http, i) => {
    const prompt = calls[i + 1];
    // The same command at the prompt right after it was called over HTTP.
    if (http.via !== 'http' || prompt?.via !== 'prompt' || http.result === undefined) return;
    const typed = [http.request?.method, ...(http.request?.params ?? []).map((one) => JSON.stringify(one))].join(' ');
    if (prompt.line !== typed) return;
    const lines = (prompt.text ?? '').split('\n').slice(2);
    if (!/^[[{"]/.test(lines[0] ?? '') || !prompt.line?.startsWith('get_') || /history|balances/.test(prompt.line))
      return;
    t.equal(`${prettyJson(http.result)}\n`, lines.join('\n'), prompt.line);
    equal++;
  });
  t.ok(equal > 40, `${equal} answers`);
  t.equal(prettyJson(JSON.parse(readFileSync(walletVector('files', '02-four-keys.json'), 'utf8'))).length > 0, true);
  t.end();
});
