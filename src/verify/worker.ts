import { type SignatureChoice, signatureBackend } from '../crypto/signature.js';
import { SharedBatch } from './shared-batch.js';

export interface WorkerTask {
  readonly memory: SharedArrayBuffer;
  readonly count: number;
  readonly choice: SignatureChoice;
}

/** Runs in a thread of the pool, as often as the pool wants more hands on a batch. */
export default function recoverShared({ memory, count, choice }: WorkerTask): void {
  new SharedBatch(memory, count).work(signatureBackend(choice));
}
