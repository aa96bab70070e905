import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Content } from '../../../src/http/answers.js';

/** A file; undefined where there is none at the path. */
export async function fileContent(path: string, type: string): Promise<Content | undefined> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (found?.isFile() !== true) return undefined;
  const { size, mtimeMs } = found;
  return {
    bytes: size,
    type,
    tag: `${size.toString(36)}-${Math.round(mtimeMs).toString(36)}`,
    read: (from, to) => createReadStream(path, { start: from, end: to - 1 }),
  };
}
