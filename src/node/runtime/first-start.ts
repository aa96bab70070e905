import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FILE_HEADER_BYTES } from '../../storage/block-record.js';

const BLOCK_LOG = join('blockchain', 'block_log', 'blocks');

/** What was in a data directory before a start, so that one that fails leaves it as it was. */
export class FirstStart {
  readonly #dataDir: string;
  /** Undefined when there was no such folder. */
  readonly #names: ReadonlySet<string> | undefined;
  /** What lies in it may not be seen, so nothing can be told to be new; whoever reads from it says why. */
  readonly #isHidden: boolean;
  /** The first folder on the way to it that was not there. */
  readonly #made: string;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    const isThere = isFolder(dataDir);
    const names = isThere ? namesIn(dataDir) : undefined;
    this.#names = names === undefined ? undefined : new Set(names);
    this.#isHidden = isThere && names === undefined;
    this.#made = firstMissing(dataDir);
  }

  /** Blocks are never removed, nor what `kept` names: neither can be made again by another start. */
  undo(kept: readonly string[] = []): void {
    if (this.#isHidden || this.#hasBlocks() || !isFolder(this.#dataDir)) return;
    const stays = kept.map((path) => path.slice(this.#dataDir.length + 1).split('/')[0]);
    const names = readdirSync(this.#dataDir).filter((name) => !(this.#names?.has(name) ?? false));
    const gone = names.filter((name) => !stays.includes(name));
    for (const name of gone) rmSync(join(this.#dataDir, name), { recursive: true, force: true });
    if (this.#names === undefined && gone.length === names.length) rmSync(this.#made, { recursive: true, force: true });
  }

  #hasBlocks(): boolean {
    if (this.#names?.has('blockchain') === true) return true;
    const path = join(this.#dataDir, BLOCK_LOG);
    return existsSync(path) && statSync(path).size > FILE_HEADER_BYTES;
  }
}

/** False as well where the way to it leads nowhere or is closed: whoever reads from it says why. */
const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

function namesIn(path: string): readonly string[] | undefined {
  try {
    return readdirSync(path);
  } catch {
    return undefined;
  }
}

/** The folder itself, or the first on the way to it that is not there. */
export function firstMissing(path: string): string {
  const above = dirname(path);
  return above === path || existsSync(above) ? path : firstMissing(above);
}
