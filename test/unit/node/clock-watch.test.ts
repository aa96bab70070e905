import t from 'tap';
import { ClockWatch } from '../../../src/node/network/clock-watch.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';

t.test('a clock that is off is said soon, once a minute, and while nobody is there to say otherwise', async (t) => {
  const clock = new FakeClock();
  const log = new MemoryLog();
  let offsetMs: number | undefined;
  const watch = new ClockWatch({ clock, log, offsetMs: () => offsetMs });
  const said = () => log.entries.splice(0).map(({ level, values }) => [level, values?.ms]);
  watch.start();
  clock.advance(60_000);
  t.same(said(), [], 'no peer has told its time');
  t.equal(watch.warning, undefined);

  offsetMs = 30_000.4;
  clock.advance(5000);
  t.same(said(), [['warn', 30_000]]);
  t.equal(watch.warning, 'the clock of this machine is 30.0 s behind those of its peers');
  offsetMs = undefined;
  clock.advance(30_000);
  t.match(watch.warning, '30.0 s behind');
  offsetMs = -1260;
  clock.advance(30_000);
  t.same(said(), [['warn', -1260]], 'once in the minute');
  t.match(watch.warning, '1.3 s ahead of those');

  offsetMs = 20;
  clock.advance(5000);
  t.same(said(), [['info', undefined]], 'and that it is over');
  t.equal(watch.warning, undefined);
  offsetMs = 600;
  clock.advance(5000);
  t.same(said(), [['warn', 600]], 'another time is said at once');
  watch.stop();
  t.equal(clock.timers, 0);
});
