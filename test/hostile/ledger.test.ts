import t from 'tap';
import { Ledger } from './ledger.js';

t.test('a result and a coded error are answers, whatever else comes is a fault', async (t) => {
  const ledger = new Ledger();
  const error = (data: object): string => JSON.stringify({ id: 1, error: { code: 1, message: 'm', data } });
  ledger.judge('right', '', '{"id":1,"result":null}');
  ledger.judge('right', '', error({ code: 10, name: 'assert_exception' }));
  ledger.judge('right', '', `[${error({ code: 10, name: 'assert_exception' })},{"id":2,"result":1}]`);
  t.same(ledger.wrong, []);
  t.same(Object.fromEntries(ledger.counts), { right: { answered: 2, refused: 1, closed: 0, silent: 0 } });

  const faults = [
    error({ code: 3990000, name: 'unhandled_exception' }),
    error({}),
    'Internal Server Error',
    `[{"id":2,"result":1},${error({ code: 3990000, name: 'unhandled_exception' })}]`,
  ];
  for (const text of faults) ledger.judge('wrong', 'what was sent', text);
  t.equal(ledger.wrong.length, faults.length);
  for (const line of ledger.wrong) t.match(line, /^wrong: .*\n {4}to "what was sent"$/);
  t.equal(ledger.total, 3, 'a fault is in no column');
  t.match(ledger.table().join('\n'), /kind +inputs +answered +refused +closed +silent\n +right +3 +2 +1 +0 +0$/);
});

t.test('so many faults are kept as a person reads', async (t) => {
  const ledger = new Ledger();
  for (let i = 0; i < 1000; i++) ledger.blame('wrong', Uint8Array.of(1, 255), 'x'.repeat(10_000));
  t.equal(ledger.wrong.length, 20);
  t.ok(ledger.wrong.every((line) => line.length < 1000));
});
