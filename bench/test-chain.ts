import { startTestChain } from '../src/testing/library.js';
import type { Print, Size } from './run.js';

/**
 * From the call of `startTestChain` to a chain that is set up and takes calls: 300 ms are asked for. The first one of a
 * process compiles what the others find compiled.
 */

const ROUNDS = { small: 2, full: 15 };

export async function run(print: Print, size: Size): Promise<void> {
  const ready: number[] = [];
  const stopped: number[] = [];
  for (let i = 0; i < ROUNDS[size]; i++) {
    const start = performance.now();
    const chain = await startTestChain();
    ready.push(performance.now() - start);
    const end = performance.now();
    await chain.stop();
    stopped.push(performance.now() - end);
  }
  const [first = 0, ...others] = ready;
  print(['first chain of a process', `${first.toFixed(0)} ms to ready`]);
  print(['every further one', `${median(others).toFixed(0)} ms to ready, ${median(stopped).toFixed(0)} ms to stop`]);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
