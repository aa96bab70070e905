import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

/** How programs end that are run by hand: never in silence, and without a process or a folder that they have made. */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** What was just killed may write a last file. */
const REMOVE_TRIES = 10;

const started = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of started) child.kill('SIGKILL');
});

/** It does not outlive this process. */
export function endWithUs(child: ChildProcess): void {
  started.add(child);
  child.once('exit', () => started.delete(child));
}

/** A signal alone would end this process without a word to what it has started. A second one ends it at once. */
export function exitOnSignals(): void {
  for (const signal of SIGNALS) process.once(signal, () => process.exit(128 + constants.signals[signal]));
}

/** Temporary folders from now on, those of children too, are within one that goes with this process. */
export function keepTemporaryFoldersTogether(): void {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-run-'));
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: REMOVE_TRIES }));
}
