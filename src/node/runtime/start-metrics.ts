import { Gauge, type Metric } from 'prom-client';
import { buildInfo } from './build-info.js';
import type { StartStage } from './start-stage.js';

const gauge = (name: string, help: string, read: () => number): Metric =>
  new Gauge({
    name: `trustnode_${name}`,
    help,
    registers: [],
    collect() {
      this.set(read());
    },
  });

/** The same name before and after, so that a rule can tell a start from a stop. */
export const isStarting = (value: 0 | 1): Metric =>
  gauge('starting', '1 during a start, a replay included; 0 while clients are served', () => value);

/** What a monitor sees while the node is not open for clients yet, which a replay may make hours. */
export function startMetrics(stage: StartStage): readonly Metric[] {
  return [
    buildInfo(),
    isStarting(1),
    gauge(
      'replay_block',
      'Last block of the log that a replay has applied, 0 before it',
      () => stage.replayed?.number ?? 0,
    ),
    gauge('replay_last_block', 'Last block of the log, 0 before a replay', () => stage.replayed?.last ?? 0),
  ];
}
