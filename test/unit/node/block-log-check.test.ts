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
    { level: 'error', text: 'a block of the log is damaged', values: { block: 700, error: /offset 7 is damaged/ } },
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
