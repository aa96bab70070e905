import { startTestChain } from '../src/testing/library.js';
import type { Ratio } from './fixtures/ratios.js';
import { median, startStopwatch } from './fixtures/stopwatch.js';
import type { Print, Size } from './run.js';

/**
 * From the call of `startTestChain` to a chain that is set up and takes calls: 300 ms are asked for. The first one of a
 * process compiles what the others find compiled.
 */

const ROUNDS = { small: 2, full: 15 };
const AIM_MS = 300;

export async function run(print: Print, size: Size, ratio: Ratio): Promise<void> {
  const ready: number[] = [];
  const cpu: number[] = [];
  const stopped: number[] = [];
  for (let i = 0; i < ROUNDS[size]; i++) {
    const stop = startStopwatch();
    const chain = await startTestChain();
    const { seconds, cpuSeconds } = stop();
    ready.push(seconds * 1000);
    cpu.push(cpuSeconds * 1000);
    const end = performance.now();
    await chain.stop();
    stopped.push(performance.now() - end);
  }
  const [first = 0, ...others] = ready;
  const [firstCpu = 0, ...othersCpu] = cpu;
  print(['first chain of a process', `${first.toFixed(0)} ms to ready`, `${firstCpu.toFixed(0)} ms CPU`]);
  print([
    'every further one',
    `${median(others).toFixed(0)} ms to ready, ${median(stopped).toFixed(0)} ms to stop`,
    `${median(othersCpu).toFixed(0)} ms CPU to ready`,
  ]);
  ratio('300 ms to what a further chain works', AIM_MS / median(othersCpu));
}
