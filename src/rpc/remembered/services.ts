import type { Cancel } from '../../base/world.js';
import { NoticeQueue } from '../notices/queue.js';
import { Subscriptions } from '../notices/subscriptions.js';
import type { RpcPorts } from '../ports.js';
import { AccountIndex } from './account-index.js';
import { TextCache } from './block-cache.js';
import { Confirmations } from './confirmations.js';

const BLOCK_TEXT_CHARS_MAX = 64_000_000;

/** What the RPC layer remembers between requests. All of it follows the chain, fork switches included. */
export class RpcServices {
  readonly notices = new NoticeQueue();
  readonly subscriptions: Subscriptions;
  readonly confirmations: Confirmations;
  readonly accounts: AccountIndex;
  /** Printed blocks: the same few are asked for again and again. */
  readonly blockTexts = new TextCache(BLOCK_TEXT_CHARS_MAX);
  readonly #stop: Cancel;

  constructor(node: RpcPorts) {
    this.subscriptions = new Subscriptions(node, this.notices);
    this.confirmations = new Confirmations(node);
    this.accounts = new AccountIndex(node.chain);
    this.#stop = node.chain.listen((event) => {
      this.accounts.follow(event);
      // The order in which a client is told: the block, its own transactions in it, then what it has changed.
      this.subscriptions.tellBlock(event);
      this.confirmations.follow(event);
      this.subscriptions.follow(event);
      if (event.kind === 'settled') this.notices.send();
    });
  }

  close(): void {
    this.#stop();
    this.confirmations.close();
  }
}
