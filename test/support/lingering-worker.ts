import { appendFileSync } from 'node:fs';
import { invariant } from '../../src/base/errors.js';
import recoverShared, { type WorkerTask } from '../../src/verify/worker.js';

/** Name of the variable that says in which file a hand writes that it comes and that it goes. */
export const LINGERING_FILE = 'TRUSTNODE_TEST_LINGERING_FILE';

/** In place of the pool's worker: every hand stays a while after the work is done, as one that still loads a library. */
export default function linger(task: WorkerTask): void {
  const file = process.env[LINGERING_FILE];
  invariant(file !== undefined, 'the test says where to write');
  appendFileSync(file, 'came\n');
  recoverShared(task);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  appendFileSync(file, 'went\n');
}
