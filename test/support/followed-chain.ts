import type { Clock } from '../../src/base/world.js';
import type { GenesisSource } from '../../src/chain/genesis-source.js';
import { feedLog } from '../../src/node/chain/feed-log.js';
import type { StoredChain } from '../../src/node/chain/stored-chain.js';
import { BlockFeed } from '../../src/plugin/feed.js';
import { FollowerHost } from '../../src/plugin/host.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { MemoryDisk } from './memory-disk.js';
import { MemoryLog } from './memory-log.js';

/** A chain on a disk in memory, and a host for followers of it. */
export class FollowedChain {
  readonly stored: StoredChain;
  readonly feed: BlockFeed;
  readonly host: FollowerHost;
  readonly log = new MemoryLog();

  constructor(stored: StoredChain, clock: Pick<Clock, 'monotonicMs'> = { monotonicMs: () => performance.now() }) {
    this.stored = stored;
    this.feed = new BlockFeed(stored.chain.blocks, feedLog(stored.storage));
    const { objects } = stored.storage;
    this.host = new FollowerHost({
      feed: this.feed,
      clock,
      log: this.log,
      carried: (name, place) => objects.carried(name, place),
    });
  }

  static async open(genesis: GenesisSource, disk = new MemoryDisk(genesis), saveBlocks = 1): Promise<FollowedChain> {
    return new FollowedChain(await disk.open({ saveBlocks }));
  }

  get head(): number {
    return this.stored.chain.blocks.head.number;
  }

  /** Up to block `to` of a chain that begins with `blocks`. */
  push(blocks: readonly SignedBlock[], to = blocks.length): void {
    for (const block of blocks.slice(this.head, to)) this.stored.chain.blocks.push({ block });
  }

  /** All that can no longer be undone is on the disk. */
  async save(): Promise<void> {
    this.stored.chain.blocks.save();
    await this.stored.storage.flush();
  }

  async close(): Promise<void> {
    await this.host.close();
    await this.stored.close();
  }
}
