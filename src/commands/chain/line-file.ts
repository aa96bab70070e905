import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { storageError } from '../../storage/errors.js';

const CHUNK_CHARS = 256 * 1024;

/** Writes lines to a file, gzipped by the name's ending. The name appears with the whole content or not at all. */
export async function writeLines(path: string, lines: Iterable<string> | AsyncIterable<string>): Promise<number> {
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
      if (!target.write(chunk)) await Promise.race([once(target, 'drain'), once(file, 'close')]);
      chunk = '';
    }
    target.end(chunk);
    await finished(file);
    if (failure !== undefined) throw failure;
    await rename(temporary, path);
  } catch (error) {
    file.destroy();
    await rm(temporary, { force: true });
    throw storageError(failure ?? error, path);
  }
  return count;
}
