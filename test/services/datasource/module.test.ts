import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parseJson } from '../../../src/codec/json.js';
import { knownBy } from '../../../src/services/datasource/knows.js';
import { openSealed } from '../../../src/trade/packets.js';
import { MemoryLog } from '../../support/memory-log.js';
import { answererWith, buyer, question, seller } from '../support/answerer.js';

/** `--module`: what a program in JavaScript gives is sold as JSON, or not at all. */

async function sold(t: Test, code: string): Promise<string | undefined> {
  const file = join(t.testdir({ 'answer.mjs': `export default async () => (${code});` }), 'answer.mjs');
  const knows = await knownBy({ ask: undefined, module: file, 'ask-bytes-max': 1000 });
  const one = question('5', { name: 'alice' });
  const found = await answererWith(knows).answer(one);
  return found && Buffer.from(openSealed(buyer, seller.publicKey, one.nonce, String(found.data))).toString();
}

t.test('as JSON writes it', async (t) => {
  for (const [code, text] of [
    ['({ at: new Date(0), big: 2n ** 64n, none: undefined, list: [undefined, null, 1.5] })', undefined],
    ['new (class Element { name = "Iron"; })()', '{"name":"Iron"}'],
    ['new Date(0)', '"1970-01-01T00:00:00.000Z"'],
    ['Object.create(null)', '{}'],
    ['false', 'false'],
    ['"x".repeat(998)', `"${'x'.repeat(998)}"`],
  ] as const) {
    const expected = text ?? '{"at":"1970-01-01T00:00:00.000Z","big":18446744073709551616,"list":[null,null,1.5]}';
    await t.test(code, async (t) => t.equal(await sold(t, code), expected));
  }
  await t.test('as deep as buyers read', async (t) => {
    const deep = await sold(t, '(() => { let deep = 5; for (let i = 0; i < 249; i++) deep = [deep]; return deep; })()');
    t.ok(parseJson(String(deep)));
  });
  await t.test('nothing', async (t) => t.equal(await sold(t, 'null'), undefined));
});

t.test('what JSON has no word for, and what no buyer could read', async (t) => {
  for (const [code, why] of [
    ['({ prices: new Map([["Fe", 1]]) })', /^the answer\.prices is a Map/],
    ['[{ mean: 0 / 0 }]', /^the answer\[0\]\.mean is NaN/],
    ['({ read() {} })', /^the answer\.read is a function/],
    ['(() => { const own = {}; own.own = own; return own; })()', /nested deeper than 250 levels/],
    ['(() => { let deep = 5; for (let i = 0; i < 250; i++) deep = [deep]; return deep; })()', /nested deeper than 250/],
    ['"x".repeat(999)', /has more than 1000 bytes/],
  ] as const) {
    await t.test(code, async (t) => {
      const log = new MemoryLog();
      const file = join(t.testdir({ 'answer.mjs': `export default async () => (${code});` }), 'answer.mjs');
      const knows = await knownBy({ ask: undefined, module: file, 'ask-bytes-max': 1000 });
      await t.rejects(answererWith(knows, { log }).answer(question('5', { name: 'alice' })), {
        message: /the program behind this source has failed/,
      });
      t.match(String((log.entries[0]?.values as { error?: Error })?.error?.message), why);
    });
  }
});
