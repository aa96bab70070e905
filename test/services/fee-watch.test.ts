import { Registry } from 'prom-client';
import t from 'tap';
import type { NodeClient } from '../../src/client/client.js';
import { FeeWatch } from '../../src/services/alarm/fee-watch.js';
import { ChainNode } from '../../src/services/chain/node.js';
import { samplePayment } from '../../src/services/payment/sample.js';
import { eventually } from '../support/eventually.js';
import { FakeClock } from '../support/fake-clock.js';
import { MemoryLog } from '../support/memory-log.js';

/** How often the account of a service is looked after while its payments are refused. */

/** Knows a balance and a fee, and how often it was asked for them. */
class Counting extends ChainNode {
  looks = 0;

  override async balance(): Promise<bigint> {
    this.looks++;
    return 1000n;
  }

  fee = 100n;

  override async ask<V>(_what: string, question: (database: NodeClient['database']) => Promise<V>): Promise<V> {
    const get_required_fees = async () => [{ fee: { amount: this.fee } }];
    return question({ get_required_fees } as unknown as NodeClient['database']);
  }
}

t.test('however many payments are refused', async (t) => {
  const clock = new FakeClock(1_000_000);
  const node = new Counting('http://127.0.0.1:1', 1000, clock);
  const told: (string | undefined)[] = [];
  const watch = new FeeWatch({
    node,
    account: 18,
    options: { 'fee-reserve': 5, 'fee-asset': 1 },
    operation: samplePayment(18, 1),
    what: 'payment',
    alarms: { tell: async (kind, trouble) => void (kind === 'fees-out' && told.push(trouble)) },
    registry: new Registry(),
    clock,
    log: new MemoryLog(),
  });
  const settled = (looks: number) =>
    eventually(`look ${looks} is over`, () => node.looks >= looks && clock.timers === 1);
  watch.start();
  await settled(1);
  for (let i = 0; i < 1000; i++) watch.refused();
  await settled(2);
  t.match(watch.warning, /cannot pay the fee/);
  for (let i = 0; i < 1000; i++) watch.refused();
  clock.advance(30_000);
  await settled(3);
  t.equal(node.looks, 3, 'at the first refusal, and by the clock');
  t.match(told, [undefined, /cannot pay/, /cannot pay/]);
  clock.advance(30_000);
  await settled(4);
  watch.refused();
  await settled(5);
  t.match(
    told.slice(3),
    [undefined, /cannot pay/],
    'when none was refused for a minute it is over, and the next is a new one',
  );
  await watch.stop();
  watch.refused();
  t.equal(clock.timers, 0);
});

t.test('warned below the reserve, told once, and never where payments cost nothing', async (t) => {
  for (const [reserve, fee, isLow] of [
    [10, 100n, false],
    [11, 100n, true],
    [11, 0n, false],
  ] as const) {
    const clock = new FakeClock(1_000_000);
    const node = new Counting('http://127.0.0.1:1', 1000, clock);
    node.fee = fee;
    const log = new MemoryLog();
    const watch = new FeeWatch({
      node,
      account: 18,
      options: { 'fee-reserve': reserve, 'fee-asset': 1 },
      operation: samplePayment(18, 1),
      what: 'payment',
      registry: new Registry(),
      clock,
      log,
    });
    watch.start();
    await eventually('the first look is over', () => node.looks === 1 && clock.timers === 1);
    clock.advance(30_000);
    await eventually('so is the second', () => node.looks === 2 && clock.timers === 1);
    t.equal(watch.warning, isLow ? 'the account can pay the fees of 10 more payments' : undefined);
    t.same([log.texts('error').length, log.texts('warn').length], [isLow ? 1 : 0, 0]);
    await watch.stop();
  }
});
