import t from 'tap';
import '../../../src/operations/index.js';
import { keepDebugUpdate, loadDebugUpdates } from '../../../src/node/chain/debug-updates-file.js';
import { STORAGE_ERRORS } from '../../../src/storage/errors.js';
import type { Files } from '../../../src/storage/files.js';
import { MemoryFiles } from '../../support/memory-files.js';
import { refused } from '../../support/refused.js';

const update = { id: '1.6.1', _action: 'update', url: 'x' };
const contentOf = (files: MemoryFiles): string[] => [...files.contents.values()].map((bytes) => String(bytes));

t.test('a line that could not be kept is cut again', async (t) => {
  const files = new MemoryFiles();
  keepDebugUpdate(files, 'data', 'aa', update);
  const before = contentOf(files);
  files.room = 10;
  refused(t, STORAGE_ERRORS.storage_disk_full, () => keepDebugUpdate(files, 'data', 'bb', update));
  t.same(contentOf(files), before);
  files.room = Number.POSITIVE_INFINITY;

  // All of it is written, and the medium does not say so.
  const unsure: Files = Object.assign(Object.create(files), {
    open: (path: string) => {
      const sync = () => {
        files.room = 0;
        files.open(path).write(new Uint8Array(1), files.get(path).length);
      };
      return { ...files.open(path), sync };
    },
  });
  refused(t, STORAGE_ERRORS.storage_disk_full, () => keepDebugUpdate(unsure, 'data', 'bb', update));
  t.same(contentOf(files), before);
  files.room = Number.POSITIVE_INFINITY;
  keepDebugUpdate(files, 'data', 'cc', update);
  const loaded = loadDebugUpdates(files, 'data');
  t.same(
    ['aa', 'bb', 'cc'].map((block) => loaded.of(block).length),
    [1, 0, 1],
  );
});
