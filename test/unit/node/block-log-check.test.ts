import t from 'tap';
import { fail } from '../../../src/base/errors.js';
import { BlockLogCheck } from '../../../src/node/chain/block-log-check.js';
import { STORAGE_ERRORS } from '../../../src/storage/errors.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';

const DAY_MS = 24 * 3600 * 1000;

t.test('of a chain without blocks there is nothing to tell', (t) => {
  const clock = new FakeClock();
  const logger = new MemoryLog();
  const log = { firstNumber: 0, read: () => undefined };
  const check = new BlockLogCheck({ log, irreversible: () => 0, clock, logger, onDamage: () => undefined });
  check.start();
  clock.advance(10_000);
  t.same(logger.entries, []);
  check.stop();
  t.end();
});

t.test('reads every irreversible block, a little at a time, again the next day', (t) => {
  const clock = new FakeClock();
  const logger = new MemoryLog();
  const read: number[] = [];
  const found: number[] = [];
  let irreversible = 2000;
  const check = new BlockLogCheck({
    log: {
      firstNumber: 11,
      read(number) {
        read.push(number);
        if (number === 700) {
          fail(STORAGE_ERRORS.block_log_corrupt, { path: 'blocks', number, offset: 7, reason: 'its checksum differs' });
        }
        return new Uint8Array(number < 20 ? 300_000 : 10);
      },
    },
    irreversible: () => irreversible,
    clock,
    logger,
    onDamage: (number) => found.push(number),
  });
  check.start();
  clock.advance(250);
  t.same(read, [11, 12], 'large blocks: few in one turn');
  clock.advance(250 * 4);
  t.ok(read.length > 8 && read.length <= 8 + 500, 'small ones: more, but not all');
  clock.advance(60_000);
  t.same(
    read,
    Array.from({ length: 1990 }, (_, i) => i + 11),
    'each once',
  );
  t.same(found, [700]);
  t.match(logger.entries, [
    {
      level: 'error',
      text: 'a block of the log is damaged',
      values: { block: 700, error: /offset 7 is damaged/, hint: /--truncate 700/ },
    },
    { level: 'info', values: { block: 2000, damaged: 1 } },
  ]);
  irreversible = 2001;
  clock.advance(DAY_MS - 120_000);
  t.equal(read.length, 1990, 'then it rests');
  clock.advance(DAY_MS);
  t.equal(read.length, 1990 + 1991);
  t.equal(logger.entries.at(-1)?.values.damaged, 1);
  check.stop();
  t.equal(clock.timers, 0);
  t.end();
});

t.test('what the system refuses to read is no damage: it is read again, and after so many times the next day', (t) => {
  const clock = new FakeClock();
  const logger = new MemoryLog();
  const found: number[] = [];
  let refusals = 3;
  let reads = 0;
  const log = {
    firstNumber: 1,
    read(number: number) {
      reads++;
      if (number !== 5 || refusals === 0) return new Uint8Array(10);
      refusals--;
      return fail(STORAGE_ERRORS.storage_io, { path: 'blocks', reason: 'EMFILE: too many open files' });
    },
  };
  const onDamage = (number: number): void => {
    found.push(number);
  };
  const check = new BlockLogCheck({ log, irreversible: () => 10, clock, logger, onDamage });
  check.start();
  clock.advance(250);
  t.equal(reads, 5);
  clock.advance(60_000);
  t.equal(reads, 6, 'the same block after a minute');
  clock.advance(2 * 60_000);
  t.equal(reads, 13, 'then it goes on where it was');
  t.same(found, []);
  const [warning, end, ...others] = logger.entries;
  t.match(warning, { level: 'warn', values: { block: 5, error: /EMFILE/ } });
  t.match([end?.values, others], [{ block: 10, damaged: 0 }, []], 'told once');

  refusals = Number.POSITIVE_INFINITY;
  clock.advance(DAY_MS);
  reads = 0;
  clock.advance(60 * 60_000);
  t.ok(reads <= 10, 'not for ever');
  t.match(logger.entries.at(-1), { level: 'error', values: { block: 5 } });
  refusals = 0;
  clock.advance(DAY_MS);
  t.match(logger.entries.at(-1), { level: 'info', values: { block: 10, damaged: 0 } });
  t.same(found, []);
  check.stop();
  t.end();
});
