import type { Network } from '../codec/type.js';
import { FORKS, type Fork, type ForkTimes, isActive } from '../protocol/forks.js';
import { CORE_ASSET, ORIGINAL_CORE_ASSET } from '../protocol/ids.js';
import type { AnyObjectDef } from './define.js';
import { ObjectDatabase } from './object-db.js';
import { chainPropertyObject } from './objects/chain-property.js';
import { type DynamicGlobalPropertyObject, dynamicGlobalPropertyObject } from './objects/dynamic-global-property.js';
import { OBJECTS } from './objects/index.js';
import type { Table } from './table.js';
import type { WriteState } from './views.js';

const FORK_NAMES = Object.keys(FORKS) as Fork[];

/** What a state has to know of its network. */
export interface NetworkRules extends Network {
  readonly forks: ForkTimes;
}

/** The object database with what rules ask of the chain as a whole. */
export class ChainState extends ObjectDatabase implements WriteState {
  readonly forkTimes: ForkTimes;
  readonly network: Network;
  private readonly dynamic: Table<DynamicGlobalPropertyObject>;
  /** Answers for one head time: rules ask far more often than the time changes. */
  private readonly activeForks = {} as Record<Fork, boolean>;
  private activeForksTime = -1;
  private suspended: readonly Fork[] = [];

  constructor(network: NetworkRules, definitions: readonly AnyObjectDef[] = OBJECTS) {
    super(definitions);
    this.forkTimes = network.forks;
    this.network = { keyPrefix: network.keyPrefix };
    this.dynamic = this.table(dynamicGlobalPropertyObject);
  }

  /** 0 until genesis has made the object. */
  get headTime(): number {
    return this.dynamic.find(0)?.time ?? 0;
  }

  get headNumber(): number {
    return this.dynamic.find(0)?.head_block_number ?? 0;
  }

  get chainId(): string {
    return this.single(chainPropertyObject).chain_id;
  }

  active(fork: Fork): boolean {
    if (this.headTime !== this.activeForksTime) this.refreshForks();
    return this.activeForks[fork];
  }

  private refreshForks(): void {
    this.activeForksTime = this.headTime;
    for (const fork of FORK_NAMES) this.activeForks[fork] = isActive(this.forkTimes, fork, this.activeForksTime);
    for (const fork of this.suspended) this.activeForks[fork] = false;
  }

  /** Runs `work` as if these forks lay in the future; only a genesis needs it. */
  withoutForks(forks: readonly Fork[], work: () => void): void {
    this.suspended = forks;
    try {
      this.refreshForks();
      work();
    } finally {
      this.suspended = [];
      this.refreshForks();
    }
  }

  get coreAsset(): number {
    return this.active('HF_1008') ? CORE_ASSET : ORIGINAL_CORE_ASSET;
  }
}
