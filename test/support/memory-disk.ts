import type { Logger } from '../../src/base/world.js';
import type { GenesisSource } from '../../src/chain/genesis-source.js';
import { openStoredChain, type StoredChain } from '../../src/node/chain/stored-chain.js';
import { MemoryKv } from '../../src/storage/memory-kv.js';
import type { StorageStart } from '../../src/storage/storage.js';
import { quietLog } from '../crash/quiet-log.js';
import { forgetWithFolder, MemoryFiles } from './memory-files.js';

export interface HowOpened {
  readonly start?: StorageStart;
  readonly saveBlocks?: number;
  readonly log?: Logger;
}

/** All that a node keeps of a chain, in memory: it can be copied at any instant. */
export class MemoryDisk {
  readonly genesis: GenesisSource;
  readonly files: MemoryFiles;
  readonly kv: MemoryKv;

  constructor(genesis: GenesisSource, files = new MemoryFiles(), kv = new MemoryKv()) {
    this.genesis = genesis;
    this.files = files;
    this.kv = kv;
    forgetWithFolder(files, kv);
  }

  image(): MemoryDisk {
    return new MemoryDisk(this.genesis, this.files.clone(), this.kv.clone());
  }

  open({ start = 'normal', saveBlocks = 3, log = quietLog }: HowOpened = {}): Promise<StoredChain> {
    const storage = { files: this.files, openKv: async () => this.kv };
    return openStoredChain({ dataDir: 'data', genesis: this.genesis, log, start, chain: { saveBlocks }, storage });
  }
}
