import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { parseJson, JSON_ERRORS as ROWS } from '../../../src/codec/json.js';
import { refused } from '../../support/refused.js';

t.test('no digit is lost', async (t) => {
  t.same(parseJson('[9007199254740993, -9223372036854775808, 1]'), [9007199254740993n, -9223372036854775808n, 1]);
  t.same(parseJson('{"a":18446744073709551615}'), { a: 18446744073709551615n });
  for (const before of ['', ' ', '\n', '-', '[1,', '["",\t', '{"a":1,"b":']) {
    const text = `${before}9007199254740993${before.includes('[') ? ']' : before.includes('{') ? '}' : ''}`;
    t.match(
      JSON.stringify(parseJson(text), (_, v) => (typeof v === 'bigint' ? String(v) : v)),
      '9007199254740993',
      text,
    );
  }
});

t.test('wherever a number of sixteen digits stands, none of them is lost', async (t) => {
  for (let at = 0; at < 50; at++) {
    for (const digits of ['9007199254740993', '90071992547409931', '1'.repeat(40)]) {
      const found = parseJson(`["${'.'.repeat(at)}",${digits},"${'7'.repeat(at)}"]`) as unknown[];
      if (found[1] !== BigInt(digits)) t.fail(`${digits} behind ${at} characters is ${found[1]}`);
    }
    t.same(parseJson(`["${'.'.repeat(at)}",999999999999999]`), ['.'.repeat(at), 999999999999999]);
  }
});

t.test('the standard dialect is that of the built-in parser', async (t) => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      // Forces our own parser: sixteen digits that could be a number.
      const both = `[${text},"is 1234567890123456"]`;
      const exact = parseJson(both);
      const rounded = JSON.parse(JSON.stringify(exact, (_, v) => (typeof v === 'bigint' ? Number(v) : v)));
      assert.deepStrictEqual(rounded, JSON.parse(both));
    }),
    { numRuns: 500 },
  );
  t.pass('500 random texts');
  t.same(parseJson('"is 1234567890123456 \\u4f60\\n\\/\\b"'), 'is 1234567890123456 你\n/\b');
  t.same(parseJson('[1e3, -0.5, 1234567890123456.5]'), [1000, -0.5, 1234567890123456.5]);
  const own = parseJson('{"__proto__":1,"x":1234567890123456789}') as object;
  t.ok(Object.hasOwn(own, '__proto__'), 'no prototype is touched');
});

t.test('broken texts say where', async (t) => {
  for (const [text, position] of [
    ['', 0],
    ['{', 1],
    ['[1,', 3],
    ['[1 2]', 3],
    ['{"a" 1}', 5],
    ['{a:1}', 1],
    ['"abc', 4],
    ['"\\x"', 3],
    ['tru', 0],
    ['[1]]', 3],
    ['01', 1],
    ['"a\nb"', 2],
  ] as const) {
    refused(t, ROWS.json_syntax, () => parseJson(text), { data: { position } });
  }
  refused(t, ROWS.json_too_deep, () => parseJson(`${'['.repeat(300)}`));
  refused(t, ROWS.json_too_deep, () => parseJson('['.repeat(300) + ']'.repeat(300)));
  for (const before of ['', '"is 1234567890123456",']) {
    // The outermost list may begin with digits that need our own parser.
    const nested = (lists: number, inside: string): string =>
      `[${before}${'['.repeat(lists - 1)}${inside}${']'.repeat(lists)}`;
    t.doesNotThrow(() => parseJson(nested(250, '')), 'empty lists to the last level');
    t.doesNotThrow(() => parseJson(nested(249, '1')), 'a number in the last level');
    refused(t, ROWS.json_too_deep, () => parseJson(nested(250, '1')));
    refused(t, ROWS.json_too_deep, () => parseJson(nested(251, '')));
  }
  refused(t, ROWS.json_number_length, () => parseJson('1'.repeat(500)));
});

t.test('the dialect of the reference', async (t) => {
  const parse = (text: string) => parseJson(text, 'reference');
  t.equal(parse('"a\\u0041b\\b\\/"'), 'au0041bb/');
  t.equal(parse('"\\n\\t\\r\\\\"'), '\n\t\r\\');
  t.equal(parse('1e5'), '1e5');
  t.same(parse('[1 2,,3,]'), [1, 2, 3]);
  t.same(parse('{"a":1,"a":2}'), { a: 1 });
  t.same(parse('{"a":nope,"b":12ab,"c":true,"d":null}'), { a: 'nope', b: '12ab', c: true, d: null });
  t.equal(parse('5 trailing'), 5);
  refused(t, ROWS.json_number_length, () => parse('a'.repeat(500)));
  t.equal(parse('"line\nbreak"'), 'line\nbreak');
});
