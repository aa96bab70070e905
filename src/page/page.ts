import type { Chain } from './chain.js';
import type { Market, Settings, User } from './market.js';

/** What views stand on, and what they are. */

export interface Page {
  readonly settings: Settings;
  readonly market: Market;
  /** Undefined where the operator has named no node. */
  readonly chain: Chain | undefined;
  readonly user: User | undefined;
  /** Signs in, or out. The key is kept by this page alone, until it is closed or left. */
  enter(user: User | undefined): void;
  /** `#/products` */
  go(target: string): void;
  /** The same view once more. */
  again(): Promise<void>;
}

export interface Shown {
  readonly title: string;
  readonly body: readonly Node[];
}

/** `words` are what stands behind the view's name; `left` tells when something else is shown. */
export type View = (page: Page, words: readonly string[], left: AbortSignal) => Promise<Shown>;
