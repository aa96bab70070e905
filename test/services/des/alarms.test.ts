import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import t, { type Test } from 'tap';
import { systemRandom } from '../../../src/node/runtime/random.js';
import { Alarms } from '../../../src/services/alarm/alarms.js';
import { ALARM_TABLES, type AlarmTables } from '../../../src/services/alarm/tables.js';
import { openDatabase } from '../../../src/services/common/database.js';
import { type Carrier, carrierOf } from '../../../src/services/mail/carrier.js';
import { eventually } from '../../support/eventually.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';
import { emptyDatabaseFor } from '../support/databases.js';
import { startSmtp } from '../support/smtp.js';

/** Letters to the operator over a real SMTP server: one for each trouble, whoever sees it and however often. */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const CANNOT = 'the account cannot pay';

async function opened(t: Test, refuses: (to: string) => boolean = () => false) {
  const { received, port } = await startSmtp(t, refuses);
  const folder = t.testdir();
  const file = join(folder, 'smtp');
  writeFileSync(file, `smtp://market:top%20secret@127.0.0.1:${port}`);
  const place = join(folder, 'exchange.db');
  const db = await openDatabase<AlarmTables>((await emptyDatabaseFor(place)) ?? place, [ALARM_TABLES]);
  t.teardown(() => db.destroy());
  const clock = new FakeClock(1_600_000_000_000);
  const instance = (to = ['one@keepers.example', 'two@keepers.example'], send?: Carrier['send']) => {
    const registry = new Registry();
    const log = new MemoryLog();
    const options = { 'mail-from': 'des@exchange.example', 'smtp-file': file, 'mail-folder': undefined };
    const mail = carrierOf(options, clock);
    const alarms = new Alarms({
      db,
      mail: mail && { from: mail.from, carrier: send === undefined ? mail.carrier : { ...mail.carrier, send }, to },
      service: 'des',
      name: 'keeper',
      registry,
      clock,
      random: systemRandom,
      log,
    });
    t.teardown(() => alarms.close());
    return { alarms, log, metrics: () => registry.metrics() };
  };
  return { received, clock, instance, db };
}

t.test('one letter for each operator, though two instances see it again and again', async (t) => {
  const { received, clock, instance } = await opened(t);
  const both = [instance().alarms, instance().alarms];
  for (let turn = 0; turn < 3; turn++) {
    await Promise.all(both.map((one) => one.tell('fees-out', CANNOT)));
    clock.advance(2 * MINUTE_MS);
  }
  t.same(received.map(({ to }) => to[0]).sort(), ['one@keepers.example', 'two@keepers.example']);
  const [first] = received;
  t.match(first?.text, /^Subject: keeper: the account cannot pay/im);
  t.match(first?.text, /^Message-ID: <alarm-fees-out-1600000000000-[01]@exchange\.example>/im);
  t.match(first?.text, /Since 2020-09-13T12:26:40\.000Z: the account cannot pay/);
  clock.advance(DAY_MS);
  await Promise.all(both.map((one) => one.tell('fees-out', CANNOT)));
  t.equal(received.length, 4, 'once more when it has lasted for a day');
  await Promise.all(both.map((one) => one.tell('fees-out', undefined)));
  t.equal(received.length, 6, 'and when it is over');
  t.match(received.at(-1)?.text, /^Subject: keeper: the fees of the chain can be paid again/im);
  await both[0]?.tell('fees-out', undefined);
  t.equal(received.length, 6);
  await both[0]?.tell('fees-out', CANNOT);
  t.equal(received.length, 8, 'a new trouble is told of at once');
});

t.test('each kind by itself', async (t) => {
  const { received, instance } = await opened(t);
  const { alarms } = instance(['one@keepers.example']);
  await alarms.tell('fees-low', 'soon');
  await alarms.tell('fees-out', 'now');
  t.equal(received.length, 2);
  await alarms.tell('fees-low', undefined);
  await alarms.tell('fees-low', 'soon');
  t.equal(received.length, 4, 'the other one did not end with it');
});

t.test('a server that turns it away is tried again after a minute', async (t) => {
  let isRefusing = true;
  const { received, clock, instance, db } = await opened(t, () => isRefusing);
  const { alarms, log, metrics } = instance(['one@keepers.example']);
  await alarms.tell('fees-low', 'soon');
  t.match(await metrics(), /trustnode_alarm_mails_total\{outcome="failed"\} 1/);
  t.equal(log.texts('warn').length, 1);
  t.match(await db.selectFrom('alarm').selectAll().executeTakeFirst(), { told_ms: null });
  isRefusing = false;
  clock.advance(MINUTE_MS);
  await alarms.tell('fees-low', 'soon');
  t.equal(received.length, 0, 'not before');
  clock.advance(1);
  await alarms.tell('fees-low', 'soon');
  t.equal(received.length, 1);
  t.match(await metrics(), /trustnode_alarm_mails_total\{outcome="sent"\} 1/);
});

t.test('an operator whose address is refused, beside one who has got it', async (t) => {
  let isRefusing = true;
  const { received, clock, instance } = await opened(t, (to) => isRefusing && to.startsWith('two'));
  const { alarms } = instance();
  const again = async (): Promise<void> => {
    clock.advance(2 * MINUTE_MS);
    await alarms.tell('fees-low', 'soon');
  };
  await alarms.tell('fees-low', 'soon');
  for (let turn = 0; turn < 3; turn++) await again();
  t.equal(received.length, 1, 'who has got it gets it once');
  isRefusing = false;
  for (let turn = 0; turn < 2; turn++) await again();
  t.same(
    received.map(({ to }) => to[0]),
    ['one@keepers.example', 'two@keepers.example'],
  );
  clock.advance(DAY_MS);
  await alarms.tell('fees-low', 'soon');
  t.equal(received.length, 4, 'both, a day later');
  t.equal(new Set(received.map(({ text }) => /^Message-ID: (.*)$/im.exec(text)?.[1])).size, 4);
});

t.test('what nobody was told of ends without a letter', async (t) => {
  let isRefusing = true;
  const { received, instance } = await opened(t, () => isRefusing);
  const { alarms } = instance(['one@keepers.example']);
  await alarms.tell('fees-low', 'soon');
  isRefusing = false;
  await alarms.tell('fees-low', undefined);
  t.equal(received.length, 0);
});

t.test('whoever is killed while the end is told of leaves it to the next one', async (t) => {
  const { received, clock, instance } = await opened(t);
  let isWriting = false;
  const killed = instance(undefined, (letter) => {
    isWriting = /can be paid again/.test(letter.subject);
    // Nothing of a process that is killed comes to an end.
    return isWriting ? new Promise(() => undefined) : Promise.resolve();
  });
  await killed.alarms.tell('fees-out', CANNOT);
  void killed.alarms.tell('fees-out', undefined);
  await eventually('it writes', () => isWriting);
  const next = instance(['one@keepers.example']);
  await next.alarms.tell('fees-out', undefined);
  t.equal(received.length, 0, 'the other one may be about to do it');
  clock.advance(3 * MINUTE_MS);
  await next.alarms.tell('fees-out', undefined);
  t.match(
    received.map(({ text }) => text),
    [/^Subject: keeper: the fees of the chain can be paid again/im],
  );
  await next.alarms.tell('fees-out', undefined);
  t.equal(received.length, 1);
});

t.test('the end is told of again, until everybody knows it', async (t) => {
  let refused = 'everybody';
  const { received, clock, instance, db } = await opened(t, (to) => refused === 'everybody' || to.startsWith(refused));
  const { alarms } = instance();
  const ends = () => received.filter(({ text }) => /^Subject: .* can be paid again/im.test(text));
  refused = 'nobody';
  await alarms.tell('fees-out', CANNOT);
  refused = 'everybody';
  await alarms.tell('fees-out', undefined);
  t.equal(ends().length, 0);
  refused = 'two';
  await alarms.tell('fees-out', undefined);
  refused = 'nobody';
  await alarms.tell('fees-out', undefined);
  t.same(
    ends().map(({ to }) => to[0]),
    ['one@keepers.example', 'two@keepers.example'],
    'each of them once',
  );
  t.same(await db.selectFrom('alarm').selectAll().execute(), []);
  await alarms.tell('fees-out', undefined);
  t.equal(ends().length, 2);
  await alarms.tell('fees-out', CANNOT);
  refused = 'everybody';
  await alarms.tell('fees-out', undefined);
  refused = 'nobody';
  clock.advance(MINUTE_MS);
  await alarms.tell('fees-out', CANNOT);
  await alarms.tell('fees-out', undefined);
  t.equal(ends().length, 4, 'one that has begun again before is the same one');
});
