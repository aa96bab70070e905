import { join } from 'node:path';
import { ChainError, check, defineErrors } from '../../base/errors.js';
import { readStateUpdate } from '../../chain/state-update.js';
import { DebugUpdates } from '../../chain/updates-by-block.js';
import { type Json, type JsonObject, parseJson } from '../../codec/json.js';
import type { Files, OpenFile } from '../../storage/files.js';
import { STORAGE_FOLDERS } from '../../storage/storage.js';

export const DEBUG_FILE_ERRORS = defineErrors({
  debug_updates_corrupt: {
    kind: 'environment',
    text: '${path} line ${line} is damaged (${reason}): the state cannot be rebuilt from the blocks alone. Drop the chain with --resync-blockchain',
  },
});

/** What the debug API has changed beside the blocks; without this no start could build the same state again. */
const FILE = join(STORAGE_FOLDERS.chain, 'debug_updates');

export function dropDebugUpdates(files: Files, dataDir: string): void {
  files.remove(join(dataDir, FILE));
}

export function loadDebugUpdates(files: Files, dataDir: string): DebugUpdates {
  const updates = new DebugUpdates();
  for (const { block, update } of keptDebugUpdates(files, dataDir)) updates.add(block, readStateUpdate(update));
  return updates;
}

export interface KeptUpdate {
  readonly block: string;
  readonly update: Json;
}

/** As they were made. */
export function keptDebugUpdates(files: Files, dataDir: string): KeptUpdate[] {
  const path = join(dataDir, FILE);
  const lines = (files.readText(path) ?? '').split('\n');
  // What stands behind the last line end was cut off while it was written, before anybody was told of it.
  return lines.slice(0, -1).map((line, i) => {
    try {
      const { block, update } = parseJson(line) as JsonObject;
      check(typeof block === 'string' && update !== undefined, DEBUG_FILE_ERRORS.debug_updates_corrupt, {
        path,
        line: i + 1,
        reason: 'a member is missing',
      });
      readStateUpdate(update);
      return { block, update };
    } catch (error) {
      if (!(error instanceof ChainError) || error.row === DEBUG_FILE_ERRORS.debug_updates_corrupt) throw error;
      throw new ChainError(DEBUG_FILE_ERRORS.debug_updates_corrupt, { path, line: i + 1, reason: error.message });
    }
  });
}

const NEWLINE = 0x0a;

/** Forgets all but the first so many. */
export function cutDebugUpdates(files: Files, dataDir: string, count: number): void {
  const path = join(dataDir, FILE);
  const text = files.readText(path);
  if (text === undefined) return;
  const kept = text.split('\n').slice(0, count);
  const file = files.open(path);
  try {
    file.truncate(new TextEncoder().encode(kept.map((line) => `${line}\n`).join('')).length);
    file.sync();
  } finally {
    file.close();
  }
}

/** On the medium when this returns; not in the file when it throws, as far as that can still be written. */
export function keepDebugUpdate(files: Files, dataDir: string, block: string, update: Json): void {
  const file = files.open(join(dataDir, FILE));
  try {
    // A number that JSON of this language cannot hold is a text everywhere in it.
    const text = JSON.stringify({ block, update }, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    const size = file.size();
    const last = new Uint8Array(1);
    if (size > 0) file.read(last, size - 1);
    // A line that was cut off must not swallow this one, nor become one.
    const start = size > 0 && last[0] !== NEWLINE ? endOfLines(file, size) : size;
    file.truncate(start);
    try {
      file.write(new TextEncoder().encode(`${text}\n`), start);
      file.sync();
    } catch (error) {
      cutAgain(file, start);
      throw error;
    }
  } finally {
    file.close();
  }
}

/** Whoever asked is told why the line could not be kept; that it could not be cut either adds nothing. */
function cutAgain(file: OpenFile, start: number): void {
  try {
    file.truncate(start);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
  }
}

function endOfLines(file: OpenFile, size: number): number {
  const bytes = new Uint8Array(size);
  file.read(bytes, 0);
  return bytes.lastIndexOf(NEWLINE) + 1;
}
