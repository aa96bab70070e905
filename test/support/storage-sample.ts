import { openStoredChain } from '../../src/node/chain/stored-chain.js';
import { stateHash } from '../../src/state/state-hash.js';
import type { KeyValue } from '../../src/storage/kv.js';
import { MemoryKv } from '../../src/storage/memory-kv.js';
import { quietLog } from '../crash/quiet-log.js';
import { goldenBlocks, goldenGenesis } from './golden.js';
import { MemoryFiles } from './memory-files.js';

/** What a node keeps of the recorded chain's first blocks; frozen once per format in test/vectors/storage. */
export const SAMPLE_BLOCKS = 40;

export interface StorageSample {
  readonly files: MemoryFiles;
  readonly kv: MemoryKv;
  readonly expected: { readonly head: number; readonly stored: number; readonly stateHash: string };
}

export async function makeSample(): Promise<StorageSample> {
  const files = new MemoryFiles();
  const kv = new MemoryKv();
  const stored = await openStoredChain({
    dataDir: 'data',
    genesis: goldenGenesis(),
    log: quietLog,
    chain: { saveBlocks: 4 },
    storage: { files, openKv: async () => kv },
  });
  for (const block of goldenBlocks()) {
    if (stored.chain.queries.head.number === SAMPLE_BLOCKS) break;
    stored.chain.blocks.push({ block });
    if (stored.chain.queries.head.number % 10 === 0) await stored.storage.flush();
  }
  const hash = stored.chain.snapshots.withHeadState(stateHash);
  await stored.close();
  const head = stored.storage.objects.head?.number ?? 0;
  return { files, kv, expected: { head: SAMPLE_BLOCKS, stored: head, stateHash: hash } };
}

/** One line per entry, `key value` in hex. */
export function entriesToText(kv: MemoryKv): string {
  const lines = [...kv.entries.values()].map(
    ([key, value]) => `${Buffer.from(key).toString('hex')} ${Buffer.from(value).toString('hex')}\n`,
  );
  return lines.sort().join('');
}

export function entriesFromText(text: string): MemoryKv {
  const entries = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): [string, KeyValue] => {
      const [key = '', value = ''] = line.split(' ');
      return [key, [new Uint8Array(Buffer.from(key, 'hex')), new Uint8Array(Buffer.from(value, 'hex'))]];
    });
  return new MemoryKv('sample', entries);
}
