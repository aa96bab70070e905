import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import '../../src/operations/index.js';
import { fullBlock } from '../../src/api/chain.js';
import { ChainError } from '../../src/base/errors.js';
import { decode, decodeTrusted, encode } from '../../src/codec/binary.js';
import { array, CONTAINER_ERRORS, canonical } from '../../src/codec/containers.js';
import { type Json, parseJson } from '../../src/codec/json.js';
import { READ_ERRORS } from '../../src/codec/reader.js';
import { u32 } from '../../src/codec/scalars.js';
import type { AnyType } from '../../src/codec/type.js';
import { signedBlock } from '../../src/protocol/block.js';
import { nameFromTextLenient } from '../../src/protocol/name.js';
import { operation } from '../../src/protocol/operation-slot.js';
import { signedTransaction } from '../../src/protocol/transaction.js';
import { RPC_ERRORS } from '../../src/rpc/errors.js';
import { LIST_ERRORS } from '../../src/rpc/limits.js';
import { decodePieces } from '../../src/rpc/pieces/decode.js';
import { parseJsonPieces, readJson } from '../../src/rpc/pieces/json.js';
import { canonicalInPieces, eachInPieces, hasMoreParts, unionInPieces } from '../../src/rpc/pieces/pieces.js';
import { printPieces, Sink } from '../../src/rpc/pieces/print.js';
import { printerOf } from '../../src/rpc/pieces/printers.js';
import { readPieces } from '../../src/rpc/pieces/read.js';
import { allPieces } from '../support/all-pieces.js';
import { arbitraryOf } from '../support/arbitrary.js';
import { NETWORK } from '../support/network.js';
import { refused } from '../support/refused.js';

const ROOM = { nodes_max: 1_000_000, members_max: 10_000 };
const parse = (text: string | Uint8Array, limits = ROOM): Json =>
  allPieces(parseJsonPieces(typeof text === 'string' ? Buffer.from(text, 'utf8') : text, limits));

const outcome = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    if (error instanceof ChainError) return error.key;
    throw error;
  }
};

/** So few members that no container is left to the built-in parser. */
const EXACTLY = { nodes_max: 1_000_000, members_max: 800 };

function sameBothWays(t: Test, text: string): void {
  const wanted = outcome(() => parseJson(text));
  for (const limits of [ROOM, EXACTLY]) {
    t.same(
      outcome(() => parse(text, limits)),
      wanted,
      text.slice(0, 60),
    );
  }
}

t.test('JSON in pieces means what it means at once', async (t) => {
  const texts = [
    'null',
    ' [ ] ',
    '{}',
    '[1,-2.5e3,0,-0,1e2,18446744073709551615,12345678901234567,0.1]',
    '{"a":{"b":[{},[],""]},"a":2,"__proto__":{"x":1},"":0}',
    String.raw`["\"\\\/\b\f\n\r\t\u0041\ud83d\ude00\ud800","ä€😀","\u00e9"]`,
    '[true,false,null,tru]',
    '[1,]',
    '[1 2]',
    '{"a" 1}',
    '{a:1}',
    '{"a":1,}',
    '"open',
    '"line\nbreak"',
    String.raw`"\x"`,
    String.raw`"\u12"`,
    String.raw`"\u12", "x`,
    '[01]',
    '-',
    '1.',
    '.5',
    '+1',
    '[1] 2',
    '',
    '  ',
    '[',
    '{"a":',
    `[${'9'.repeat(401)}]`,
    ...[249, 250, 251].map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
    ...[249, 250, 251].map((depth) => `${'['.repeat(depth)}1${']'.repeat(depth)}`),
    `"${'x'.repeat(200_000)}"`,
    `"${'ä'.repeat(100_000)}"`,
    `"${String.raw`\u00e9`.repeat(50_000)}"`,
    `"${String.raw`a\"`.repeat(50_000)}"`,
    `"${'😀'.repeat(60_000)}"`,
  ];
  for (const text of texts) sameBothWays(t, text);
  t.same(parse(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31)), 1, 'a byte order mark does not count');
  t.equal(Object.hasOwn(parse('{"__proto__":1}') as object, '__proto__'), true);
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => sameBothWays(t, text)),
    { numRuns: 300 },
  );
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'[]{}",:\\u0a1-.e \n') }), (text) => sameBothWays(t, text)),
    { numRuns: 2000 },
  );
});

t.test('small containers of a long text are what they are at once', async (t) => {
  const members = fc.array(fc.tuple(fc.json({ maxDepth: 3 }), fc.integer({ min: 0, max: 3000 })), { maxLength: 12 });
  fc.assert(
    fc.property(members, fc.string({ unit: fc.constantFrom(...'[]{}",1 ') }), (list, end) => {
      const text = `[${list.map(([json, length]) => `${json},"${'x'.repeat(length)}"`).join(', ')}`;
      sameBothWays(t, `${text}]`);
      sameBothWays(t, `${text},${end}]`);
    }),
    { numRuns: 200 },
  );
  const long = `[{"a":"${'x'.repeat(5000)}"},{"b":[18446744073709551615,{"__proto__":1,"b":2,"b":3}]},[[],{},[1,2]]`;
  for (const end of [']', ',]', ',[1,]]', ',{"a"}]', '}', ',["open]']) sameBothWays(t, `${long}${end}`);
  for (const depth of [247, 248, 249, 250]) {
    sameBothWays(t, `${long},${'['.repeat(depth)}1${']'.repeat(depth)}]`);
  }
});

t.test('JSON is counted while it is read', async (t) => {
  const list = (count: number): string => `[${Array.from({ length: count }, () => '{}').join()}]`;
  t.equal((parse(list(9), { ...ROOM, nodes_max: 10 }) as Json[]).length, 9);
  refused(t, RPC_ERRORS.rpc_json_nodes, () => parse(list(10), { ...ROOM, nodes_max: 10 }));
  for (const [text, nodes] of [
    ['[[], {} ,{"a":[1,2]},"[,]"]', 8],
    ['{"a":{"b":{"c":[ ]}}}', 4],
  ] as const) {
    for (const { members_max } of [ROOM, EXACTLY]) {
      parse(text, { members_max, nodes_max: nodes });
      refused(t, RPC_ERRORS.rpc_json_nodes, () => parse(text, { members_max, nodes_max: nodes - 1 }));
    }
  }
  const members = (count: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, i])));
  t.equal(Object.keys(parse(members(5), { ...ROOM, members_max: 5 }) as object).length, 5);
  refused(t, RPC_ERRORS.rpc_json_members, () => parse(members(6), { ...ROOM, members_max: 5 }));
  const pieces = parseJsonPieces(Buffer.from(list(10_000)), ROOM);
  let count = 0;
  while (pieces.next().done !== true) count++;
  t.ok(count >= 10_000 / 256 - 1, 'others have their turn in between');
});

t.test('no text is read in one go, whatever its bytes, and none is too long', async (t) => {
  const limit = 4_300_000;
  for (const byte of [0x61, 0x80, 0xbf, 0xc3, 0xf0]) {
    for (const [before, after] of [
      ['["', '"]'],
      [String.raw`["\n`, '"]'],
      ['{"', '":1}'],
    ] as const) {
      const of = (length: number) =>
        Buffer.concat([Buffer.from(before), Buffer.alloc(length, byte), Buffer.from(after)]);
      const read = parseJsonPieces(of(1_000_000), ROOM);
      let pieces = 1;
      let last = read.next();
      for (; last.done !== true; last = read.next()) pieces++;
      t.ok(pieces >= 15, `${pieces} pieces of a megabyte of ${byte}`);
      t.same(last.value, JSON.parse(of(1_000_000).toString('utf8')), 'the same text');
      refused(t, RPC_ERRORS.rpc_json_text, () => parse(of(limit + 100_000)));
    }
  }
});

t.test('a long document without anything in it is refused as a short one', async (t) => {
  for (const length of [2, 70_000, 2_000_000]) {
    for (const given of [' '.repeat(length), Buffer.alloc(length, 0x0a)]) {
      refused(t, RPC_ERRORS.rpc_empty, () => allPieces(readJson(given)));
    }
  }
});

t.test('arguments and answers in pieces are those at once', async (t) => {
  const types: AnyType[] = [operation, signedTransaction, fullBlock];
  for (const type of types) {
    const values = arbitraryOf(type, { depth: 1, nameFromText: nameFromTextLenient });
    fc.assert(
      fc.property(values, (given) => {
        // Sets and maps are in order after a way through bytes.
        const value = decode(type, encode(type, given));
        const json = type.toJson(value, NETWORK);
        // Nothing at once: the whole way in pieces.
        const sink = new Sink(Number.POSITIVE_INFINITY, undefined, 0);
        allPieces(printPieces(type, value, sink, NETWORK));
        return (
          isDeepStrictEqual(allPieces(decodePieces(type, json, NETWORK, 1000, 0)), type.fromJson(json, NETWORK)) &&
          sink.text() === printerOf(type)(value, NETWORK)
        );
      }),
      { numRuns: 300 },
    );
    t.pass(type.name);
  }
});

t.test('bytes in pieces are read as at once', async (t) => {
  for (const type of [operation, signedTransaction, signedBlock] as AnyType[]) {
    const values = arbitraryOf(type, { depth: 1, nameFromText: nameFromTextLenient });
    fc.assert(
      fc.property(values, (given) => {
        const bytes = encode(type, given);
        return isDeepStrictEqual(allPieces(readPieces(type, bytes)), decodeTrusted(type, bytes));
      }),
      { numRuns: 300 },
    );
    t.pass(type.name);
  }
  const bytes = encode(signedBlock, signedBlock.default());
  refused(t, READ_ERRORS.read_left_over, () => allPieces(readPieces(signedBlock, Uint8Array.of(...bytes, 0))));
  refused(t, READ_ERRORS.read_past_end, () => allPieces(readPieces(signedBlock, bytes.subarray(0, -1))));
  refused(t, CONTAINER_ERRORS.variant_tag, () => allPieces(readPieces(operation, Uint8Array.of(0x7f))));
  const ids = encode(
    array(u32),
    Array.from({ length: 10_000 }, (_, i) => i),
  );
  const pieces = readPieces(array(u32), ids);
  let count = 0;
  while (pieces.next().done !== true) count++;
  t.ok(count >= 10_000 / 16, 'others have their turn in between');
});

t.test('a union is that of the whole lists', async () => {
  const numbers = fc.array(fc.nat(50), { maxLength: 600 });
  const compare = (a: number, b: number): number => a - b;
  fc.assert(
    fc.property(numbers, numbers, (left, right) => {
      const [a, b] = [canonical(left, compare), canonical(right, compare)];
      return isDeepStrictEqual(allPieces(unionInPieces(a, b, compare)), canonical([...a, ...b], compare));
    }),
  );
});

t.test('what is wrong deep inside is said in the same words', async (t) => {
  const many = Array.from({ length: 300 }, () => [0, {}]);
  const cases: Json[] = [
    { operations: [...many, [99, {}]] },
    { operations: [...many, [0, { fee: { amount: 'x' } }]] },
    { operations: [...many, 5] },
    { operations: { a: many } },
    { operations: many, signatures: many },
    ...['transfer', [0], 85, '18446744073709551615'].map((tag) => ({ operations: [[tag, { extensions: many }]] })),
    many,
  ];
  const said = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      return error instanceof ChainError ? [error.key, error.message] : error;
    }
  };
  for (const json of cases) {
    const expected = said(() => signedTransaction.fromJson(json, NETWORK));
    t.type((expected as [string])[0], 'string');
    t.same(
      said(() => allPieces(decodePieces(signedTransaction, json, NETWORK, 1000))),
      expected,
    );
  }
  for (const tag of [false, null, 0.7, '+0', true]) {
    const json = { operations: [...many, [tag, { extensions: [[1, {}]] }]] };
    const decoded = allPieces(decodePieces(signedTransaction, json, NETWORK, 1000, 0));
    t.same(decoded, signedTransaction.fromJson(json, NETWORK), `${tag} as the tag of an operation`);
  }
  const list = Array.from({ length: 1001 }, (_, i) => i);
  refused(t, LIST_ERRORS.list_too_long, () => allPieces(decodePieces(array(u32), list, NETWORK, 1000)));
  t.equal((allPieces(decodePieces(array(u32), list.slice(1), NETWORK, 1000)) as number[]).length, 1000);
});

t.test('sorting in pieces keeps the first of equal elements', async (t) => {
  const compare = (a: { key: number }, b: { key: number }): number => a.key - b.key;
  const elements = fc.array(fc.record({ key: fc.nat(500), place: fc.nat() }), { maxLength: 2000 });
  fc.assert(
    fc.property(elements, (list) => {
      t.same(allPieces(canonicalInPieces(list, compare)), canonical(list, compare));
    }),
    { numRuns: 50 },
  );
});

t.test('work on elements may itself come in pieces', async (t) => {
  const made = eachInPieces([1, 2, 3], function* (n) {
    yield;
    return n * 2;
  });
  t.same(allPieces(made), [2, 4, 6]);
});

t.test('an answer is refused when it is too long, not when it is whole', async (t) => {
  const value = Array.from({ length: 100_000 }, (_, i) => i);
  const sink = new Sink(1000);
  refused(t, RPC_ERRORS.rpc_reply_too_large, () => allPieces(printPieces(array(u32), value, sink, NETWORK)));
  t.ok(sink.chars < 2000, String(sink.chars));
});

t.test('a value is weighed to its very last part', async (t) => {
  const weights: [string, unknown, number][] = [
    ['a number', 5, 1],
    ['nothing', null, 1],
    ['an empty list', [], 1],
    ['lists in a list', [[], [[]], []], 5],
    ['an object', { a: 1, b: {} }, 3],
    ['text by its length', 'x'.repeat(128), 3],
    ['bytes by theirs', new Uint8Array(64), 2],
  ];
  for (const [what, value, weight] of weights) {
    t.notOk(hasMoreParts(value, weight), what);
    t.ok(hasMoreParts(value, weight - 1), `${what}, with room for less`);
  }
});
