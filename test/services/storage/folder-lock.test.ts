import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { holdFolder } from '../../../src/services/common/folder-lock.js';

/** No library that needs a compiler is asked for: storage with PostgreSQL is installed without one. */

t.test('held by one, and free again', async (t) => {
  const folder = join(t.testdir(), 'not', 'there', 'yet');
  const letGo = await holdFolder('storage', folder);
  await t.rejects(holdFolder('storage', folder), {
    key: 'folder_taken',
    message: `the data directory ${folder} is that of another storage that is alive`,
  });
  const elsewhere = await holdFolder('storage', `${folder}2`);
  await letGo();
  const again = await holdFolder('storage', folder);
  await Promise.all([again(), elsewhere()]);
});

t.test('where nothing can be written', async (t) => {
  const folder = t.testdir();
  writeFileSync(join(folder, 'file'), '');
  await t.rejects(holdFolder('storage', join(folder, 'file')), { key: 'database_file', message: /folder\.lock/ });
  writeFileSync(join(folder, 'folder.lock'), 'something else');
  await t.rejects(holdFolder('storage', folder), { key: 'database_file', message: /folder\.lock/ });
});
