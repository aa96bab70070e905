import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { check } from '../../base/errors.js';
import { guarded, STORAGE_ERRORS } from '../errors.js';
import { nodeFiles } from '../files.js';
import { removeLater } from '../files-later.js';
import type { EntrySource, TransactionPlace } from './id-page.js';
import { type AboutRun, IdRun, TEMPORARY, writeRun } from './id-run.js';
import { MergedRuns } from './merge-runs.js';

export interface BlockPlace {
  readonly number: number;
  readonly id: string;
}

/** So many runs of a level become one of the next. */
const MERGED = 4;
/** Larger ones stay as they are: a merge needs as much room on the disk once more, 28 bytes for each of these. */
const MERGED_ENTRIES_MAX = 2 ** 26;
/** With more of them whoever adds another one waits until some are merged. */
const RUNS_MAX = 64;

const RUN_NAME = /^blocks-\d+-\d+\.ids$/;
const isTemporary = (name: string): boolean =>
  name.endsWith(TEMPORARY) && RUN_NAME.test(name.slice(0, -TEMPORARY.length));
const nameOf = ({ first, last }: Pick<AboutRun, 'first' | 'last'>): string => `blocks-${first}-${last}.ids`;

/**
 * Where transactions of blocks that stay stand: a folder of runs, each with the blocks behind those of the run before. Ids
 * are hashes, so in a tree that is sorted by them every entry changes another page, and LevelDB takes 2 to 3 µs for each.
 * Here it is sorted among some thousands, and then copied once whenever four runs become one.
 *
 * A run is there as a whole or not at all, and what it is made of is removed when it is on the medium. So what lies in the folder
 * after a crash is whole, some of it maybe twice.
 */
export class IdRuns {
  readonly path: string;
  readonly #chainId: string;
  readonly #mergedMax: number;
  /** The oldest first; levels never rise. */
  #runs: IdRun[];
  #merging: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  readonly #closing = new AbortController();

  private constructor(path: string, chainId: string, runs: IdRun[], mergedMax: number) {
    this.path = path;
    this.#chainId = chainId;
    this.#mergedMax = mergedMax;
    this.#runs = runs;
  }

  /** Refuses runs of another chain or of a newer format. The folder is there. */
  static open(path: string, chainId: string, mergedMax = MERGED_ENTRIES_MAX): IdRuns {
    const names = guarded(path, () => readdirSync(path));
    for (const name of names) if (isTemporary(name)) nodeFiles.remove(join(path, name));
    const runs: IdRun[] = [];
    try {
      for (const name of names) if (RUN_NAME.test(name)) runs.push(new IdRun(join(path, name)));
      for (const { about } of runs) {
        const found = about.chainId;
        check(found === chainId, STORAGE_ERRORS.storage_other_chain, { path, found, wanted: chainId });
      }
      const wanted = inARow(runs);
      for (const run of runs) if (!wanted.includes(run)) nodeFiles.remove(run.path);
      for (const run of runs) if (!wanted.includes(run)) run.close();
      const opened = new IdRuns(path, chainId, wanted, mergedMax);
      // What the life before has left to be merged.
      opened.#mergeIfDue();
      return opened;
    } catch (error) {
      for (const run of runs) run.close();
      throw error;
    }
  }

  /** Removes all runs. */
  static clear(path: string): void {
    for (const name of guarded(path, () => readdirSync(path))) {
      if (RUN_NAME.test(name) || isTemporary(name)) nodeFiles.remove(join(path, name));
    }
  }

  /** The last block that is written. */
  get position(): BlockPlace | undefined {
    const about = this.#runs.at(-1)?.about;
    return about === undefined ? undefined : { number: about.last, id: about.lastId };
  }

  /** The first block that is written. */
  get begin(): number | undefined {
    return this.#runs[0]?.about.first;
  }

  find(id: Uint8Array): TransactionPlace | undefined {
    for (let i = this.#runs.length - 1; i >= 0; i--) {
      const found = this.#runs[i]?.find(id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Of the blocks from `first` to `last`, which come behind those that are there; on the medium when it settles. */
  async add(first: number, last: BlockPlace, entries: EntrySource): Promise<void> {
    if (this.#runs.length >= RUNS_MAX) await this.#merging;
    if (this.#failure !== undefined) throw this.#failure.error;
    const begin = this.begin ?? first;
    const about = { level: 0, begin, first, last: last.number, lastId: last.id };
    this.#runs.push(await this.#write(about, entries));
    this.#mergeIfDue();
  }

  #mergeIfDue(): void {
    if (this.#due() === undefined) return;
    this.#merging ??= this.#mergeAll().finally(() => {
      this.#merging = undefined;
    });
  }

  async #write(about: Omit<AboutRun, 'chainId'>, entries: EntrySource): Promise<IdRun> {
    const path = join(this.path, nameOf(about));
    await writeRun(path, { ...about, chainId: this.#chainId }, entries);
    return new IdRun(path);
  }

  /** In the background: nobody waits for it, and a fault of it is told with the next run. */
  async #mergeAll(): Promise<void> {
    try {
      for (let due = this.#due(); due !== undefined; due = this.#due()) await this.#merge(due);
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#failure = { error };
    }
  }

  /** Of the lowest level that has as many the oldest ones: where they begin. */
  #due(): number | undefined {
    for (let end = this.#runs.length; end >= MERGED; ) {
      const level = this.#runs[end - 1]?.about.level;
      const begin = this.#runs.findIndex(({ about }) => about.level === level);
      if (end - begin >= MERGED && this.#entries(begin) <= this.#mergedMax) return begin;
      end = begin;
    }
    return undefined;
  }

  #entries(begin: number): number {
    let sum = 0;
    for (const { entries } of this.#runs.slice(begin, begin + MERGED)) sum += entries;
    return sum;
  }

  async #merge(begin: number): Promise<void> {
    const runs = this.#runs.slice(begin, begin + MERGED);
    const [first, last] = [runs[0]?.about, runs.at(-1)?.about] as [AboutRun, AboutRun];
    const about = { ...last, level: first.level + 1, begin: first.begin, first: first.first };
    const merged = await this.#write(about, new MergedRuns(runs, this.#closing.signal));
    this.#runs.splice(begin, MERGED, merged);
    for (const run of runs) run.close();
    for (const run of runs) await removeLater(run.path);
  }

  /** A merge that is under way is given up. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#merging;
    for (const run of this.#runs) run.close();
  }
}

/**
 * Those that follow one another from the first block on. One whose blocks stand in a longer one was merged by a node that was
 * killed before it could remove it, and those behind a gap are of no use: somebody has removed a file.
 */
function inARow(found: readonly IdRun[]): IdRun[] {
  const sorted = [...found].sort((a, b) => a.about.first - b.about.first || b.about.last - a.about.last);
  const runs: IdRun[] = [];
  let next = sorted[0]?.about.begin;
  for (const run of sorted) {
    if (run.about.first !== next) continue;
    runs.push(run);
    next = run.about.last + 1;
  }
  return runs;
}
