import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectPath } from './paths.js';

/** Packages that a test wants and the project does not, each set with a lock file of its own; kept for the next run. */

const CACHE = projectPath('.cache');
const FILES = ['package.json', 'package-lock.json'] as const;
const INSTALL_MS = 900_000;

const run = promisify(execFile);

export class InstalledBeside {
  /** Where they are, with a `node_modules` in it. */
  readonly folder: string;
  readonly #sources: string;
  readonly #what: string;

  /** `sources`: the folder of the lock file; `what`: for people. */
  constructor(sources: string, name: string, what: string) {
    this.#sources = sources;
    this.#what = what;
    const lock = readFileSync(join(sources, 'package-lock.json'));
    this.folder = join(CACHE, `${name}-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`);
  }

  /** False, or why they are not there. Installs them when it is first asked for. */
  async isMissing(): Promise<string | false> {
    if (existsSync(this.folder)) return false;
    mkdirSync(CACHE, { recursive: true });
    const unfinished = mkdtempSync(join(CACHE, 'unfinished-'));
    try {
      for (const name of FILES) copyFileSync(join(this.#sources, name), join(unfinished, name));
      await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: unfinished, timeout: INSTALL_MS });
      renameSync(unfinished, this.folder);
      return false;
    } catch (error) {
      return `${this.#what} could not be installed: ${(error as Error).message.split('\n')[0]}`;
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
}
