import type { Cancel } from '../base/world.js';
import { AccountIndex } from './account-index.js';
import { Confirmations } from './confirmations.js';
import type { ChainNotice, RpcPorts } from './ports.js';
import { Subscriptions } from './subscriptions.js';

/** What the RPC layer remembers between requests. All of it follows the chain, fork switches included. */
export class RpcServices {
  readonly subscriptions: Subscriptions;
  readonly confirmations: Confirmations;
  readonly accounts: AccountIndex;
  readonly #stop: Cancel;

  constructor(node: RpcPorts) {
    this.subscriptions = new Subscriptions(node.chain);
    this.confirmations = new Confirmations(node);
    this.accounts = new AccountIndex(node.chain);
    this.#stop = node.chain.listen((notice: ChainNotice) => {
      this.accounts.follow(notice);
      this.confirmations.follow(notice);
      this.subscriptions.follow(notice);
    });
  }

  close(): void {
    this.#stop();
    this.confirmations.close();
  }
}
