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
