import type { ChainId } from '../../crypto/digests.js';
import type { Instance } from '../../protocol/ids.js';
import type { Bills } from './bills.js';
import type { Callers } from './callers.js';
import type { Desk } from './calls/desk.js';
import type { Income } from './income.js';
import type { MarketOptions } from './options.js';
import type { Votes } from './votes.js';

export interface Denomination {
  readonly symbol: string;
  readonly precision: number;
}

/** What the calls of the market stand on. */
export interface MarketParts {
  readonly options: MarketOptions;
  /** Of all prices and bills. */
  readonly asset: Denomination;
  readonly chain: { readonly id: ChainId; readonly keyPrefix: string };
  /** `1.3.1` */
  readonly billingAsset: string;
  readonly desk: Desk;
  readonly callers: Callers;
  readonly votes: Votes;
  readonly bills: Bills;
  readonly income: Income;
  readonly logoUrl: (logo: string) => string;
  balanceOf(account: Instance): Promise<bigint>;
}
