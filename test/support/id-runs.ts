import { createHash } from 'node:crypto';
import { fromHex } from '../../src/base/bytes.js';
import { IdRuns } from '../../src/storage/transaction-index/id-runs.js';
import { WaitingIds } from '../../src/storage/transaction-index/waiting-ids.js';

const CHAIN = 'ab'.repeat(32);

export const hash = (text: string): string => createHash('sha1').update(text).digest('hex');
export const openRuns = (folder: string, mergedMax?: number): IdRuns => IdRuns.open(folder, CHAIN, mergedMax);

/** One run of one block. */
export async function addRun(runs: IdRuns, block: number, ids: readonly string[]): Promise<void> {
  const waiting = new WaitingIds();
  waiting.push(block, ids);
  await runs.add(block, { number: block, id: hash(`block ${block}`) }, waiting.sorted(ids.length));
}

export const idsOf = (block: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => hash(`${block} ${i}`));

export const hasFound = (runs: IdRuns, block: number, count: number): boolean =>
  idsOf(block, count).every((id, position) => {
    const place = runs.find(fromHex(id));
    return place?.block === block && place.position === position;
  });
