import { join } from 'node:path';
import { loadSettings } from '../../src/node/load-settings.js';
import { type RunningNode, startNode } from '../../src/node/node.js';
import { NODE_PARTS } from '../../src/node/parts/list.js';
import { systemRandom } from '../../src/node/runtime/random.js';
import type { World } from '../../src/node/world.js';
import type { AnyPart } from '../../src/plugin/part.js';
import { FakeClock } from './fake-clock.js';
import { MemoryLog } from './memory-log.js';

export interface DevNode {
  readonly node: RunningNode;
  readonly clock: FakeClock;
  readonly log: MemoryLog;
}

/** Options as on a command line: `{ 'rpc-endpoint': '127.0.0.1:0' }`. */
export type Line = Readonly<Record<string, string | readonly string[]>>;

export const lineOf = (line: Line): Map<string, readonly string[]> =>
  new Map(Object.entries(line).map(([name, value]) => [name, typeof value === 'string' ? [value] : value]));

/** A development node in this process, on a clock that the test moves: blocks come as fast as the machine makes them. */
export async function startDevNode(
  folder: string,
  line: Line = {},
  clock = new FakeClock(Date.now()),
  parts: readonly AnyPart[] = NODE_PARTS,
  more: Partial<Pick<World, 'readRoom' | 'random'>> = {},
): Promise<DevNode> {
  const log = new MemoryLog();
  const settings = loadSettings(
    lineOf({
      dev: 'true',
      'data-dir': join(folder, 'data'),
      'rpc-endpoint': '127.0.0.1:0',
      'verify-threads': '0',
      ...line,
    }),
    parts,
  );
  const node = await startNode(settings, { clock, random: systemRandom, log, ...more }, undefined, parts);
  if (node === undefined) throw new Error('nobody stopped the start');
  return { node, clock, log };
}
