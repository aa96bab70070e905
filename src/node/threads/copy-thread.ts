import type { StoreHead } from '../../storage/object-store.js';
import { smallThread } from './small-thread.js';

export interface CopyTask {
  /** Folders of stores that this process has open already, and closes later. */
  readonly from: string;
  readonly to: string;
}

export type CopyWord =
  | { readonly kind: 'begun' }
  /** Of which block the copy is. */
  | { readonly kind: 'whole'; readonly head: StoreHead | undefined };

export interface Copying {
  /** What is written from now on is no part of the copy. */
  readonly begun: Promise<void>;
  /** All is there, and both stores are closed in the thread. */
  readonly whole: Promise<StoreHead | undefined>;
}

const PROGRAM = new URL('./copy-worker.js', import.meta.url);

/**
 * Copies stored objects in a thread of its own. In the main thread nobody was held up by any one piece of it, but all
 * pieces together, 100 MB and more outside of the engine's heap, made it collect garbage in the whole state: the turns
 * meanwhile took up to a second where there are a million accounts.
 */
export function copyInThread(task: CopyTask): Copying {
  const worker = smallThread(PROGRAM, task);
  let last: Extract<CopyWord, { kind: 'whole' }> | undefined;
  const whole = new Promise<StoreHead | undefined>((resolve, reject) => {
    worker.on('error', reject);
    worker.on('exit', () => {
      if (last === undefined) reject(new Error('the thread that copies has ended before the copy was whole'));
      else resolve(last.head);
    });
  });
  const begun = new Promise<void>((resolve, reject) => {
    worker.on('message', (word: CopyWord) => {
      if (word.kind === 'begun') resolve();
      else last = word;
    });
    // Both hear of a failure, and whoever waits for one of them.
    whole.catch(reject);
  });
  begun.catch(() => undefined);
  return { begun, whole };
}
