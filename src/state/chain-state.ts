import type { Network } from '../codec/type.js';
import { activeFrom, FORKS, type Fork, type ForkTimes } from '../protocol/forks.js';
import { CORE_ASSET, type Instance, ORIGINAL_CORE_ASSET } from '../protocol/ids.js';
import type { AnyObjectDef } from './define.js';
import type { IdHash } from './id-hash.js';
import { ObjectDatabase } from './object-db.js';
import { chainPropertyObject } from './objects/chain-property.js';
import { type DynamicGlobalPropertyObject, dynamicGlobalPropertyObject } from './objects/dynamic-global-property.js';
import { OBJECTS } from './objects/index.js';
import { PlainKeys } from './plain-keys.js';
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
  private readonly plainKeys: PlainKeys;
  /** Answers for head times between two forks: rules ask far more often than the answers change. */
  private readonly activeForks = {} as Record<Fork, boolean>;
  private answeredFrom = 0;
  private answeredBelow = 0;
  private suspended: readonly Fork[] = [];

  constructor(network: NetworkRules, definitions: readonly AnyObjectDef[] = OBJECTS, hash?: IdHash) {
    super(definitions, hash);
    this.forkTimes = network.forks;
    this.network = { keyPrefix: network.keyPrefix };
    this.dynamic = this.table(dynamicGlobalPropertyObject);
    this.plainKeys = new PlainKeys(this);
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
    const { headTime } = this;
    if (headTime < this.answeredFrom || headTime >= this.answeredBelow) this.refreshForks();
    return this.activeForks[fork];
  }

  plainKey(account: Instance): string | undefined {
    return this.plainKeys.of(account);
  }

  private refreshForks(): void {
    const { headTime } = this;
    this.answeredFrom = Number.NEGATIVE_INFINITY;
    this.answeredBelow = Number.POSITIVE_INFINITY;
    for (const fork of FORK_NAMES) {
      const from = activeFrom(this.forkTimes, fork);
      this.activeForks[fork] = headTime >= from;
      if (headTime >= from) this.answeredFrom = Math.max(this.answeredFrom, from);
      else this.answeredBelow = Math.min(this.answeredBelow, from);
    }
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
