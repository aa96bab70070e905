import type { ClientSession } from '../client-session.js';

/**
 * What blocks give notice of, until the chain has tried again what waits. The reference tells first which transactions
 * wait once more and then of the blocks; clients of both have to find the same order.
 */
export class NoticeQueue {
  #waiting: { readonly session: ClientSession; readonly callback: bigint; readonly argument: string }[] = [];

  add(session: ClientSession, callback: bigint, argument: string): void {
    this.#waiting.push({ session, callback, argument });
  }

  send(): void {
    const notices = this.#waiting;
    this.#waiting = [];
    for (const { session, callback, argument } of notices) session.notifyText(callback, argument);
  }
}
