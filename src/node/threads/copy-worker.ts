import { parentPort, workerData } from 'node:worker_threads';
import { LevelKv } from '../../storage/level-kv.js';
import { copyObjects } from '../../storage/object-store.js';
import type { CopyTask, CopyWord } from './copy-thread.js';

/** Copies the stored objects of a running node, once. */

const port = parentPort;
if (port === null) throw new Error('this is a program for a thread');
const { from, to } = workerData as CopyTask;
const say = (word: CopyWord): void => port.postMessage(word);

const source = await LevelKv.openForThreads(from);
try {
  const target = await LevelKv.openForThreads(to);
  try {
    const whole = copyObjects(source, target);
    say({ kind: 'begun' });
    say({ kind: 'whole', head: await whole });
  } finally {
    await target.close();
  }
} finally {
  await source.close();
}
