import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { ChainError } from '../../src/base/errors.js';
import { guarded, STORAGE_ERRORS, storageError } from '../../src/storage/errors.js';
import { nodeFiles } from '../../src/storage/files.js';
import { makeFolderLater } from '../../src/storage/files-later.js';
import { readOnlyFiles } from '../../src/storage/read-only-files.js';
import { refused, refusedLater } from '../support/refused.js';

t.test('what the system says becomes a row of the table', (t) => {
  const system = (code: string): Error => Object.assign(new Error(`${code}: something, write`), { code });
  const nested = (text: string): Error => new Error('Database failed to open', { cause: new Error(text) });
  const cases: [Error, keyof typeof STORAGE_ERRORS][] = [
    [system('ENOSPC'), 'storage_disk_full'],
    [system('EDQUOT'), 'storage_disk_full'],
    [system('EFBIG'), 'storage_file_limit'],
    [nested('IO error: data/000005.log: File too large'), 'storage_file_limit'],
    [system('EACCES'), 'storage_access_denied'],
    [system('EPERM'), 'storage_access_denied'],
    [system('EROFS'), 'storage_access_denied'],
    [system('ENOENT'), 'storage_missing'],
    [system('EIO'), 'storage_io'],
    [system('EMFILE'), 'storage_too_many_files'],
    [system('ENFILE'), 'storage_too_many_files'],
    [nested('IO error: data/000005.ldb: Too many open files'), 'storage_too_many_files'],
    [nested('IO error: data/000005.log: No space left on device'), 'storage_disk_full'],
    [nested('IO error: data/LOCK: Permission denied'), 'storage_access_denied'],
    [nested('IO error: lock data/LOCK: already held by process'), 'storage_in_use'],
    [nested('Corruption: checksum mismatch'), 'database_damaged'],
    [nested('Corruption: 3 missing files; e.g.: data/000005.ldb'), 'database_damaged'],
    [nested('IO error: data/MANIFEST-000002: No such file or directory'), 'database_damaged'],
    [nested('IO error: data/000005.ldb: Invalid argument'), 'database_damaged'],
    [nested('Invalid argument: data: does not exist (create_if_missing is false)'), 'database_damaged'],
    [nested('IO error: data/000005.ldb: Input/output error'), 'storage_io'],
  ];
  for (const [error, key] of cases) {
    const row = storageError(error, 'data');
    t.equal(row.key, key, error.message);
    t.match(row.message, /data/);
    t.notMatch(row.message, /\$\{/);
  }
  const ours = new ChainError(STORAGE_ERRORS.storage_io, { path: 'x', reason: 'y' });
  t.equal(storageError(ours, 'data'), ours, 'what has its row keeps it');
  refused(t, STORAGE_ERRORS.storage_disk_full, () =>
    guarded('data', () => {
      throw system('ENOSPC');
    }),
  );
  t.end();
});

t.test('the reason names the code of the system once, and those of all causes', async (t) => {
  const reason = (error: unknown): unknown => storageError(error, 'data').data.reason;
  const coded = (code: string, text: string, cause?: Error): Error =>
    Object.assign(new Error(text, { cause }), { code });
  t.equal(reason(coded('EIO', 'EIO: i/o error, read')), 'EIO: i/o error, read');
  t.equal(reason(coded('EIO', 'read failed')), 'EIO read failed');
  const nested = coded('LEVEL_DATABASE_NOT_OPEN', 'Database failed to open', coded('LEVEL_IO_ERROR', 'IO error: x'));
  t.equal(reason(nested), 'LEVEL_DATABASE_NOT_OPEN Database failed to open: LEVEL_IO_ERROR IO error: x');
  t.equal(reason('a text'), 'a text');
  const readOnly = coded(
    'LEVEL_DATABASE_NOT_OPEN',
    'Database failed to open',
    coded('LEVEL_IO_ERROR', 'IO error: data/LOCK: Read-only file system'),
  );
  t.equal(reason(readOnly), 'the file system is read-only (EROFS)');
  t.equal(
    reason(coded('ENOTDIR', 'ENOTDIR: not a directory, scandir')),
    'a file is where a folder should be (ENOTDIR)',
  );
});

t.test(
  'where the system takes no folder, none is tried for ever',
  { skip: existsSync('/proc/self') ? false : 'there is no /proc' },
  async (t) => {
    const path = '/proc/trustnode/of/nobody';
    refused(t, STORAGE_ERRORS.storage_no_folder, () => nodeFiles.makeFolder(path));
    await refusedLater(t, STORAGE_ERRORS.storage_no_folder, makeFolderLater(path));
  },
);

t.test('files on a real disk', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-files-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'a', 'b');
  nodeFiles.makeFolder(path);
  const file = nodeFiles.open(join(path, 'file'));
  file.write(Uint8Array.of(1, 2, 3, 4), 2);
  t.equal(file.size(), 6);
  const into = new Uint8Array(10);
  t.equal(file.read(into, 1), 5, 'as much as there is');
  t.strictSame([...into.subarray(0, 5)], [0, 1, 2, 3, 4]);
  file.truncate(3);
  t.equal(file.size(), 3);
  file.sync();
  file.close();
  nodeFiles.writeText(join(path, 'text'), 'hello');
  t.equal(nodeFiles.readText(join(path, 'text')), 'hello');
  t.equal(nodeFiles.readText(join(path, 'nothing')), undefined);

  const overlaid = readOnlyFiles.open(join(path, 'file'));
  overlaid.write(Uint8Array.of(9, 9), 2);
  overlaid.truncate(4);
  t.equal(overlaid.read(into, 0), 4);
  t.strictSame([...into.subarray(0, 4)], [0, 0, 9, 9], 'changes are seen by whoever made them');
  overlaid.close();
  const again = nodeFiles.open(join(path, 'file'));
  t.equal(again.size(), 3, 'and by nobody else');
  again.close();
  refused(t, STORAGE_ERRORS.storage_access_denied, () => readOnlyFiles.remove(path));

  writeFileSync(join(folder, 'occupied'), '');
  refused(
    t,
    STORAGE_ERRORS.storage_io,
    () => nodeFiles.open(join(folder, 'occupied', 'x')),
    'a file where a folder should be',
  );
  mkdirSync(join(folder, 'dir'));
  refused(t, STORAGE_ERRORS.storage_io, () => nodeFiles.open(join(folder, 'dir')), 'a folder where a file should be');
  nodeFiles.remove(path);
  t.notOk(nodeFiles.exists(path));
  nodeFiles.remove(path);
  t.end();
});
