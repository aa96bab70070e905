import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openStoredChain } from '../../src/node/chain/stored-chain.js';
import { stateHash } from '../../src/state/state-hash.js';
import type { KeyValue } from '../../src/storage/kv.js';
import { MemoryKv } from '../../src/storage/memory-kv.js';
import { STORAGE_FOLDERS } from '../../src/storage/storage.js';
import { quietLog } from '../crash/quiet-log.js';
import { goldenBlocks, goldenGenesis } from './golden.js';
import { MemoryFiles } from './memory-files.js';
import { projectPath } from './paths.js';

export const FROZEN = projectPath('test', 'vectors', 'storage');
const inLog = (name: string): string => join('data', STORAGE_FOLDERS.blockLog, name);
const inJournal = (name: string): string => join('data', STORAGE_FOLDERS.journal, name);

/** Names of the samples and the files that they are of. */
export const FROZEN_FILES = {
  blocks: inLog('blocks'),
  index: inLog('index'),
  segments: inJournal('segments'),
  'segments-index': inJournal('index'),
} as const;

/** What a node of an earlier version has left. Version 1 had no operation journal. */
export function frozenStorage(version: string): { readonly files: MemoryFiles; readonly kv: MemoryKv } {
  const files = new MemoryFiles();
  for (const [name, path] of Object.entries(FROZEN_FILES)) {
    const sample = join(FROZEN, version, `${name}.gz`);
    if (existsSync(sample)) files.contents.set(path, gunzipSync(readFileSync(sample)));
  }
  const objects = gunzipSync(readFileSync(join(FROZEN, version, 'objects.gz'))).toString('utf8');
  return { files, kv: entriesFromText(objects) };
}

/** What a node keeps of the recorded chain's first blocks; frozen once per format in test/vectors/storage. */
export const SAMPLE_BLOCKS = 40;

export interface StorageSample {
  readonly files: MemoryFiles;
  readonly kv: MemoryKv;
  readonly expected: {
    readonly head: number;
    readonly stored: number;
    readonly stateHash: string;
    /** Applied by all its blocks. */
    readonly operations: number;
  };
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
  const { operations } = stored.storage.journal.head;
  await stored.close();
  const head = stored.storage.objects.head?.number ?? 0;
  return { files, kv, expected: { head: SAMPLE_BLOCKS, stored: head, stateHash: hash, operations } };
}

/** One line per entry, `key value` in hex. */
export function entriesToText(kv: MemoryKv): string {
  const lines = [...kv.entries.values()].map(
    ([key, value]) => `${Buffer.from(key).toString('hex')} ${Buffer.from(value).toString('hex')}\n`,
  );
  return lines.sort().join('');
}

function entriesFromText(text: string): MemoryKv {
  const entries = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): [string, KeyValue] => {
      const [key = '', value = ''] = line.split(' ');
      return [key, [new Uint8Array(Buffer.from(key, 'hex')), new Uint8Array(Buffer.from(value, 'hex'))]];
    });
  return new MemoryKv('sample', entries);
}
