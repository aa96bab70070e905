import type { NodeProcess } from './node-process.js';

/** The memory of a node that is another process, without what only waits to be collected. */

const COLLECTED = 'garbage collected';
const GC_ON_SIGNAL = `data:text/javascript,process.on("SIGUSR2",()=>{globalThis.gc();console.log("${COLLECTED}")})`;

/** Flags of Node with which a process collects its garbage when it is asked. */
export const COLLECT_FLAGS: readonly string[] = ['--expose-gc', '--import', GC_ON_SIGNAL];

export async function collectGarbage(process: NodeProcess): Promise<void> {
  // What one collection finds may free more for the next.
  for (let i = 0; i < 3; i++) {
    const times = process.stdout.split(COLLECTED).length;
    process.child.kill('SIGUSR2');
    await process.until(new RegExp(`(${COLLECTED}[^]*){${times}}`));
  }
}

/** One number of a node's monitor. */
export async function metricOf(monitor: string, name: string): Promise<number> {
  const text = await (await fetch(`http://${monitor}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

/** Bytes of the heap and of what it holds outside of it. */
export async function heldBytes(monitor: string): Promise<number> {
  return (
    (await metricOf(monitor, 'nodejs_heap_size_used_bytes')) + (await metricOf(monitor, 'nodejs_external_memory_bytes'))
  );
}
