import t from 'tap';
import type { ChainEvent } from '../../../src/chain/events.js';
import { SyncProgress } from '../../../src/node/network/sync-progress.js';
import { durationText } from '../../../src/node/runtime/duration.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';

const applied = (transactions: number): ChainEvent =>
  ({
    kind: 'applied',
    block: { block: { transactions: Array.from({ length: transactions }) } },
  }) as unknown as ChainEvent;

t.test('catching up is told with its pace and what is left, and its end once', async (t) => {
  const clock = new FakeClock(1_000_000);
  const log = new MemoryLog();
  const at = { behind: 0, head: 100 };
  const progress = new SyncProgress({ clock, log, behind: () => at.behind, head: () => at.head });
  progress.start();
  clock.advance(30_000);
  t.same(log.texts('info'), [], 'nothing to say while level');
  at.behind = 6000;
  for (let i = 0; i < 500; i++) progress.listen(applied(3));
  at.head = 600;
  clock.advance(10_000);
  t.match(log.entries.at(-1), {
    text: 'catching up with the network',
    values: { num: 600, behind: 6000, blocksPerSec: 50, txsPerSec: 150, left: '2m 0s' },
  });
  t.match(progress.rates, { blocksPerSec: 50, transactionsPerSec: 150, leftSec: 120 });
  clock.advance(10_000);
  t.match(log.entries.at(-1)?.values, { blocksPerSec: 0, left: 'unknown' });
  at.behind = 3;
  at.head = 6600;
  clock.advance(10_000);
  t.match(log.entries.at(-1), { text: 'level with the network', values: { num: 6600, blocks: 6000 } });
  const said = log.entries.length;
  clock.advance(60_000);
  t.equal(log.entries.length, said);
  at.behind = 1000;
  clock.advance(20_000);
  at.behind = 0;
  clock.advance(10_000);
  t.match(log.entries.at(-1), { level: 'warn', values: { num: 6600 } }, 'whoever told of more and gave none is gone');
  progress.stop();
  t.equal(clock.timers, 0);
});

t.test('durations', async (t) => {
  t.same([12.4, 245, 12_000].map(durationText), ['12s', '4m 5s', '3h 20m']);
});
