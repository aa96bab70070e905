import { AsyncLocalStorage } from 'node:async_hooks';
import type { SignedTransaction } from '../../protocol/transaction.js';

/**
 * Whoever gave the command that is running. Somebody at a prompt is asked before anything is sent and told afterwards
 * what was; programs that talk to the same wallet at the same time are neither.
 */
export interface Sender {
  /** False: it is not to be sent. */
  approve(tx: SignedTransaction): Promise<boolean>;
  sent(tx: SignedTransaction): void;
}

const senders = new AsyncLocalStorage<Sender>();

/** Everything that `run` sends is sent by this one. */
export function asSender<V>(sender: Sender, run: () => V): V {
  return senders.run(sender, run);
}

export function currentSender(): Sender | undefined {
  return senders.getStore();
}
