import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { storageError } from '../../storage/errors.js';
import type { Terminal } from '../terminal.js';

const CHUNK_CHARS = 256 * 1024;

/** What stands for the standard output where a file may be named. */
const STANDARD_OUTPUT = '-';

/**
 * Writes lines to the file that the command line names, or to the standard output for `-`, and tells of them, `what` with
 * their number.
 */
export async function writeNamed(
  given: string,
  lines: Iterable<string> | AsyncIterable<string>,
  terminal: Terminal,
  what: (count: number) => string,
): Promise<void> {
  if (given === STANDARD_OUTPUT) {
    terminal.err(`${what(await writeOut(lines, terminal))} written\n`);
    return;
  }
  const path = resolve(given);
  terminal.err(`${what(await writeLines(path, lines))} written to ${path}\n`);
}

async function writeOut(lines: Iterable<string> | AsyncIterable<string>, terminal: Terminal): Promise<number> {
  let [chunk, count] = ['', 0];
  for await (const line of lines) {
    chunk += `${line}\n`;
    count++;
    if (chunk.length < CHUNK_CHARS) continue;
    terminal.out(chunk);
    chunk = '';
  }
  if (chunk !== '') terminal.out(chunk);
  return count;
}

/** Until there is room again, or nobody takes anything any more. What was listened for and did not come is let go of. */
async function drained(target: Writable, file: Writable): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([once(target, 'drain', over), once(file, 'close', over)]);
  } finally {
    over.abort();
  }
}

/** Writes lines to a file, gzipped by the name's ending. The name appears with the whole content or not at all. */
async function writeLines(path: string, lines: Iterable<string> | AsyncIterable<string>): Promise<number> {
  const temporary = `${path}.part`;
  const file = createWriteStream(temporary);
  const target = path.endsWith('.gz') ? createGzip() : file;
  if (target !== file) target.pipe(file);
  let failure: unknown;
  // Both ends may fail at any time; the loop below looks.
  file.on('error', (error) => {
    failure = error;
    if (target !== file) target.destroy();
  });
  target.on('error', (error: Error) => {
    failure ??= error;
  });
  let count = 0;
  try {
    let chunk = '';
    for await (const line of lines) {
      chunk += `${line}\n`;
      count++;
      if (chunk.length < CHUNK_CHARS) continue;
      if (failure !== undefined) throw failure;
      if (!target.write(chunk)) await drained(target, file);
      chunk = '';
    }
    target.end(chunk);
    await finished(file);
    if (failure !== undefined) throw failure;
    await rename(temporary, path);
  } catch (error) {
    file.destroy();
    // Why there is no file is what counts: where nothing can be written, nothing can be removed, and nothing is there.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw storageError(failure ?? error, path);
  }
  return count;
}
