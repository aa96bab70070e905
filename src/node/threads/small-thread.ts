import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';

/** It holds a few thousand operations at a time. Values nest as deep as in the main thread. */
const LIMITS = { maxOldGenerationSizeMb: 256, stackSizeMb: 8 };
/**
 * The room for young objects that the program gives its main thread goes, as a flag of the engine, for every thread that
 * begins later, whatever limits that has: 200 MB of garbage. Threads that are there already keep theirs.
 */
const YOUNG_OBJECTS = '--max-semi-space-size=4';

/** A thread for work on blocks beside the chain, whose memory stays small. */
export function smallThread(program: URL, workerData: unknown): Worker {
  setFlagsFromString(YOUNG_OBJECTS);
  return new Worker(program, { workerData, resourceLimits: LIMITS });
}
