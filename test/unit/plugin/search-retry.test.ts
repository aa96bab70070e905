import t from 'tap';
import { GivenUp, Retry } from '../../../plugins/search_db/retry.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';

/** Requests to the search database that are refused: tried again with pauses that grow to half a minute, see docs/indexers.md. */

const SECOND_MS = 1000;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function world() {
  const clock = new FakeClock();
  const log = new MemoryLog();
  let changes = 0;
  const retry = new Retry({ clock, log, onChange: () => changes++ });
  /** Until it has been tried so often; says when that was. */
  const refusedAt = async (times: number): Promise<number[]> => {
    const at: number[] = [];
    const done = retry.until('it is tried', async () => {
      at.push(clock.nowMs());
      if (at.length < times) throw new Error('busy');
    });
    for (await turn(); at.length < times; await turn()) clock.advance(clock.timers > 0 ? 100 : 0);
    await done;
    return at;
  };
  return { clock, log, retry, refusedAt, changes: () => changes };
}

const gaps = (at: readonly number[]): number[] => at.slice(1).map((ms, i) => ms - (at[i] as number));

t.test('pauses grow to half a minute, and are short again when it was taken', async (t) => {
  const { retry, refusedAt } = world();
  const grown = [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000];
  t.same(gaps(await refusedAt(12)), grown);
  t.equal(retry.count, 11);
  t.equal(retry.trouble, undefined);
  t.same(gaps(await refusedAt(3)), [100, 200]);
});

t.test('the log hears of it once a minute, and of its end', async (t) => {
  const { clock, log, refusedAt, changes } = world();
  await refusedAt(12);
  t.ok(clock.nowMs() > 60 * SECOND_MS && clock.nowMs() < 120 * SECOND_MS);
  t.equal(log.texts('warn').length, 2);
  t.same(log.entries[0]?.values, { while: 'it is tried', reason: 'Error: busy' });
  t.same(log.texts('info'), ['the search database takes what it is given again']);
  t.equal(changes(), 12, 'each trouble, and its end');
  await refusedAt(1);
  t.equal(changes(), 12);
  await refusedAt(2);
  t.equal(log.texts('warn').length, 3, 'a new trouble is told at once');
});

t.test('who gives up waits no longer, and tries nothing any more', async (t) => {
  const { clock, retry } = world();
  let tries = 0;
  const attempt = async (): Promise<never> => {
    tries++;
    throw new Error('busy');
  };
  const waiting = retry.until('it is tried', attempt);
  await turn();
  retry.giveUp();
  const reasonOf = (never: Promise<never>): Promise<unknown> => never.catch((error: unknown) => error);
  t.ok((await reasonOf(waiting)) instanceof GivenUp);
  t.equal(clock.timers, 0);
  t.ok((await reasonOf(retry.until('it is tried', attempt))) instanceof GivenUp);
  t.equal(tries, 2);
  t.equal(retry.signal.aborted, true, 'requests under way end, too');
});
