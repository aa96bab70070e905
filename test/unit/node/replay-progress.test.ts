import t from 'tap';
import { ReplayProgress } from '../../../src/node/chain/replay-progress.js';
import { MemoryLog } from '../../support/memory-log.js';

t.test('a line for each ten seconds, with the pace of that while and the time left', async (t) => {
  const log = new MemoryLog();
  let ms = 5_000;
  const progress = new ReplayProgress(log, () => ms);
  const look = (afterMs: number, number: number, transactions: number): void => {
    ms += afterMs;
    progress.look({ number, last: 10_000, transactions });
  };
  look(0, 1001, 50);
  look(4_000, 1500, 60);
  look(5_999, 2000, 70);
  t.same(log.entries, [], 'most starts are over by then');
  look(1, 3001, 20_050);
  look(9_000, 4000, 20_060);
  look(1_000, 5001, 20_050);
  t.match(log.entries, [
    {
      text: 'applying blocks of the log',
      values: { num: 3001, of: 10_000, percent: 30, blocksPerSec: 200, txsPerSec: 2000, left: '35s' },
    },
    { values: { num: 5001, percent: 50, blocksPerSec: 200, txsPerSec: 0, left: '25s' } },
  ]);
  t.equal(log.entries.length, 2);
});
