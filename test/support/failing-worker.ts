import { isMainThread } from 'node:worker_threads';
import type { WorkerTask } from '../../src/verify/worker.js';

/** In place of the pool's worker: one signature makes it throw, more make its thread die. */
export default function fail({ count }: WorkerTask): void {
  if (count === 1) throw new Error('thrown on purpose');
  // Never the test itself.
  if (!isMainThread) process.exit(3);
}
