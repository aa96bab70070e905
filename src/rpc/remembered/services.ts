import type { Cancel } from '../../base/world.js';
import type { ChainListener } from '../../chain/events.js';
import { NoticeQueue } from '../notices/queue.js';
import { Subscriptions } from '../notices/subscriptions.js';
import type { RpcPorts } from '../ports.js';
import { AccountIndex } from './account-index.js';
import { TextCache } from './block-cache.js';
import { Confirmations } from './confirmations.js';

const BLOCK_TEXT_CHARS_MAX = 64_000_000;

/** What the RPC layer remembers between requests. All of it follows the chain, fork switches included. */
export class RpcServices {
  readonly notices: NoticeQueue;
  readonly subscriptions: Subscriptions;
  readonly confirmations: Confirmations;
  readonly accounts: AccountIndex;
  /** Printed blocks: the same few are asked for again and again. */
  readonly blockTexts = new TextCache(BLOCK_TEXT_CHARS_MAX);
  readonly #stops: readonly Cancel[];

  constructor(node: RpcPorts) {
    this.notices = new NoticeQueue(node);
    this.subscriptions = new Subscriptions(node, this.notices);
    this.confirmations = new Confirmations(node);
    this.accounts = new AccountIndex(node.chain);
    // The order in which a client is told: the block, its own transactions in it, then what it has changed. Each is a
    // listener of its own: that one has failed costs the others nothing, and nobody the answer that waits for a block.
    const listeners: readonly ChainListener[] = [
      (event) => this.accounts.follow(event),
      (event) => this.subscriptions.tellBlock(event),
      (event) => this.confirmations.follow(event),
      (event) => this.subscriptions.follow(event),
      (event) => {
        if (event.kind === 'settled') this.notices.send();
      },
    ];
    this.#stops = listeners.map((listener) => node.chain.listen(listener));
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.confirmations.close();
    this.notices.close();
  }
}
