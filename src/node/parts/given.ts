import type { Metric } from 'prom-client';
import { partRef } from '../../plugin/part.js';
import type { ApiDef } from '../../rpc/define.js';
import type { HistorySource } from '../../rpc/history-source.js';
import type { ShiftedClock } from '../dev/shifted-clock.js';
import type { StartStage } from '../runtime/start-stage.js';
import type { Settings } from '../settings/options.js';
import type { World } from '../world.js';

/** What all parts together say, for those that show it: asked while the node runs, it knows of parts opened later too. */
export interface NodeView {
  /** Why the node is not ready for clients; undefined when it is. */
  notReady(): string | undefined;
  /** What the operator has to see to, although the node serves clients; undefined where there is nothing. */
  warning(): string | undefined;
  /** Hands over every metric of every part, those of parts that are opened later as soon as they are. */
  onMetric(take: (metric: Metric) => void): void;
  /** Methods that the parts opened so far add. */
  readonly apis: readonly ApiDef[];
  /** What is being opened, until everything is. */
  readonly stage: StartStage;
  /** Of the first part that records it. */
  readonly history: HistorySource | undefined;
}

/** What is there before the first part. Plugins do not need them: they have their context. */
export const SETTINGS = partRef<Settings>('settings');
export const WORLD = partRef<World>('world');
/** The clock of all parts, where it may be moved: on a development chain. */
export const DEV_CLOCK = partRef<ShiftedClock | undefined>('development clock');
export const NODE_VIEW = partRef<NodeView>('node view');
