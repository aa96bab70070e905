import * as fs from 'node:fs';
import { guarded } from './errors.js';
import type { Files, OpenFile } from './files.js';

/** Changes stay in memory and are lost: what a reader repairs for itself does not touch somebody else's files. */
function openOverlaid(path: string): OpenFile {
  const descriptor = fs.existsSync(path) ? guarded(path, () => fs.openSync(path, 'r')) : undefined;
  let size = descriptor === undefined ? 0 : guarded(path, () => fs.fstatSync(descriptor).size);
  const patches: { readonly offset: number; readonly bytes: Uint8Array }[] = [];
  return {
    path,
    size: () => size,
    read(into, offset) {
      const wanted = Math.max(0, Math.min(into.length, size - offset));
      let done = 0;
      guarded(path, () => {
        while (descriptor !== undefined && done < wanted) {
          const count = fs.readSync(descriptor, into, done, wanted - done, offset + done);
          if (count === 0) break;
          done += count;
        }
      });
      if (done < wanted) into.fill(0, done, wanted);
      for (const patch of patches) {
        const from = Math.max(offset, patch.offset);
        const to = Math.min(offset + wanted, patch.offset + patch.bytes.length);
        if (from < to) into.set(patch.bytes.subarray(from - patch.offset, to - patch.offset), from - offset);
      }
      return wanted;
    },
    write(bytes, offset) {
      patches.push({ offset, bytes: bytes.slice() });
      size = Math.max(size, offset + bytes.length);
    },
    truncate(to) {
      size = to;
    },
    sync: () => undefined,
    syncLater: async () => undefined,
    close: () => guarded(path, () => (descriptor === undefined ? undefined : fs.closeSync(descriptor))),
  };
}

const refuse = (path: string): never =>
  guarded(path, () => {
    throw Object.assign(new Error('EROFS: opened for reading'), { code: 'EROFS' });
  });

export const readOnlyFiles: Files = {
  open: openOverlaid,
  exists: (path) => fs.existsSync(path),
  makeFolder: () => undefined,
  remove: refuse,
  rename: refuse,
  readText: (path) => guarded(path, () => (fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : undefined)),
  writeText: refuse,
};
