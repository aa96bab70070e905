import t from 'tap';
import type { Wanted } from '../../../src/services/datasource/answerer.js';
import { openSealed } from '../../../src/trade/packets.js';
import { answererWith, buyer, question, seller } from '../support/answerer.js';

/** How a data source answers: each question once, only what is sold, and never what it does not understand. */

t.test('once, however often it is asked', async (t) => {
  const asked: Wanted[] = [];
  const answerer = answererWith(async (wanted) => {
    asked.push(wanted);
    return { hello: wanted.params.name ?? '' };
  });
  const one = question('9223372036854775807', { name: 'alice' });
  const [first, second] = await Promise.all([answerer.answer(one), answerer.answer(one)]);
  t.same(await answerer.answer(one), first);
  t.same(second, first);
  t.equal(asked.length, 1);
  t.match(asked, [{ productId: 1, params: { name: 'alice' }, buyer: '1.2.17', requestId: 'x' }]);
  const bytes = openSealed(buyer, seller.publicKey, one.nonce, String(first?.data));
  t.equal(Buffer.from(bytes).toString(), '{"hello":"alice"}');
  await answerer.answer(question('2', { name: 'alice' }));
  t.equal(asked.length, 2, 'another one is another one');
});

t.test('long answers are kept as far as there is room for them', async (t) => {
  const asked: string[] = [];
  const answerer = answererWith(
    async ({ params: { name } }) => {
      asked.push(String(name));
      return 'x'.repeat(1000);
    },
    { keptCharsMax: 7000 },
  );
  // Each is some 2,000 digits of hex.
  const questions = ['a', 'b', 'c', 'd'].map((name, i) => question(String(i), { name }));
  for (const one of questions) await answerer.answer(one);
  asked.length = 0;
  for (const one of [...questions].reverse()) await answerer.answer(one);
  t.same(asked, ['a'], 'the oldest one alone has made room');
  const long = answererWith(async () => asked.push('long') && 'x'.repeat(10_000), { keptCharsMax: 7000 });
  const one = question('9', { name: 'e' });
  t.ok(await long.answer(one));
  t.ok(await long.answer(one));
  t.same(asked, ['a', 'long', 'long'], 'one that is longer than all room is not kept');
});

t.test('nothing to tell', async (t) => {
  t.equal(await answererWith(async () => undefined).answer(question('1', { name: 'x' })), undefined);
});

t.test('what it does not take', async (t) => {
  let asked = 0;
  const answerer = answererWith(async () => ++asked);
  await t.rejects(answerer.answer(question('1', {})), { message: 'name: it has to be given' });
  await t.rejects(answerer.answer(question('2', { name: 5 })), { message: 'name: it has to be a text' });
  await t.rejects(answerer.answer(question('3', { name: 'x', age: 1.5 })), { message: /age/ });
  await t.rejects(answerer.answer(question('4', { name: 'x' }, 2)), { message: 'the product 2 is not sold here' });
  await t.rejects(answerer.answer({ ...question('5', { name: 'x' }), memo: 'x' }), { message: /MD5/ });
  t.equal(asked, 0);
});

t.test('a product that asks for something else since it was looked at', async (t) => {
  const input = { city: { type: 'string', required: true } };
  const changed = answererWith(async ({ params }) => params, { productNow: async () => ({ input }) });
  t.ok(await changed.answer(question('1', { city: 'x' })), 'who asks as it is described now is answered');
  await t.rejects(changed.answer(question('2', { age: 5 })), { message: 'city: it has to be given' });
});

t.test('a program that fails or does not come to an end, and is tried anew', async (t) => {
  let tries = 0;
  const failing = answererWith(async () => {
    if (tries++ === 0) throw new Error('the password is hunter2');
    return 'good';
  });
  const one = question('1', { name: 'x' });
  await t.rejects(failing.answer(one), { message: /the program behind this source has failed$/ });
  t.ok(await failing.answer(one));
  const late = answererWith(() => new Promise(() => undefined), { timeoutMs: 20, asksMax: 1 });
  const first = late.answer(question('2', { name: 'x' }));
  await t.rejects(first, { message: /takes too long/ });
  const busy = answererWith(() => new Promise(() => undefined), { timeoutMs: 500, asksMax: 1 });
  const both = await Promise.allSettled([
    busy.answer(question('3', { name: 'x' })),
    busy.answer(question('4', { name: 'x' })),
  ]);
  const why = both.map((one) => String((one as PromiseRejectedResult).reason.message)).sort();
  t.match(why, [/takes too long/, /too many questions/]);
});

t.test('as many at a time as it may, one after another without end, whatever became of them', async (t) => {
  let stopped = 0;
  const answerer = answererWith(
    async ({ params: { name } }, signal) => {
      if (name === 'wrong') throw new Error('no');
      if (name !== 'late') return 'good';
      signal.addEventListener('abort', () => stopped++);
      return new Promise(() => undefined);
    },
    { asksMax: 1, timeoutMs: 50 },
  );
  const names = ['good', 'wrong', 'good', 'late', 'good'];
  const answers = [];
  for (const [i, name] of names.entries()) {
    const asked = answerer.answer(question(String(i), { name }));
    answers.push(
      await asked.then(
        () => 'answered',
        (error: Error) => error.message,
      ),
    );
  }
  t.match(answers, ['answered', /has failed/, 'answered', /takes too long/, 'answered']);
  t.equal(stopped, 1, 'the program behind it is told that nobody waits any more');
});
