import t from 'tap';
import { ReplayProgress } from '../../../src/node/chain/replay-progress.js';
import { MemoryLog } from '../../support/memory-log.js';

t.test('a line after two seconds and then for each ten, with the pace of that while and the time left', async (t) => {
  const log = new MemoryLog();
  let ms = 5_000;
  const progress = new ReplayProgress(log, () => ms);
  const look = (afterMs: number, number: number, transactions: number): void => {
    ms += afterMs;
    progress.look({ number, last: 10_000, transactions });
  };
  look(0, 1001, 50);
  look(1_999, 1100, 60);
  t.same(log.entries, [], 'most starts are over by then');
  look(1, 1401, 2_050);
  look(9_999, 3000, 20_060);
  look(1, 3401, 22_050);
  t.match(log.entries, [
    {
      text: 'applying blocks of the log',
      values: { num: 1401, of: 10_000, percent: 14, blocksPerSec: 200, txsPerSec: 1000, left: '43s' },
    },
    { values: { num: 3401, percent: 34, blocksPerSec: 200, txsPerSec: 2000, left: '33s' } },
  ]);
  t.equal(log.entries.length, 2);
});

t.test('who asks between two lines hears of the pace of now, not of the slow beginning', async (t) => {
  let ms = 0;
  let told = '';
  const progress = new ReplayProgress(
    new MemoryLog(),
    () => ms,
    (detail) => {
      told = detail;
    },
  );
  const look = (afterMs: number, number: number): string => {
    ms += afterMs;
    progress.look({ number, last: 30_000, transactions: 0 });
    return told;
  };
  t.equal(look(0, 1), 'applying blocks of the log, 1 of 30000 (0 %)');
  t.equal(look(500, 100), 'applying blocks of the log, 100 of 30000 (0.3 %)', 'too early for a pace');
  t.match(look(1_500, 2001), /, 1000 blocks\/s, 28s left$/);
  t.match(look(500, 6001), /, 1000 blocks\/s, 28s left$/, 'half a second says little');
  t.match(look(1_500, 20_001), /, 9000 blocks\/s, 1s left$/);
});
