import { check } from '../../base/errors.js';
import { CONTENT_TABLES } from '../../services/content/tables.js';
import { PAYMENT_TABLES } from '../../services/payment/tables.js';
import { backUpStorage, restoreStorage } from '../../services/storage/copies.js';
import { STORAGE_ERRORS } from '../../services/storage/errors.js';
import type { StorageOptions } from '../../services/storage/options.js';
import { moveDatabase } from '../service/move-database.js';
import { EXIT, type Terminal } from '../terminal.js';

export type CopyAction = 'backup' | 'restore' | 'move';

/** All that paid storage keeps, as a folder of its own. */
export async function copyStorage(
  options: StorageOptions,
  action: CopyAction,
  folder: string | undefined,
  terminal: Terminal,
): Promise<void> {
  check(folder !== undefined, STORAGE_ERRORS.storage_copy_folder, { action });
  if (action === 'move') {
    await moveDatabase(options, folder, [CONTENT_TABLES, PAYMENT_TABLES], terminal);
    return;
  }
  let bad = 0;
  const tell = (why: string): void => {
    bad++;
    terminal.out(`${why}\n`);
  };
  const copied = await (action === 'backup' ? backUpStorage : restoreStorage)(options, folder, tell);
  const [from, to] = action === 'backup' ? [options['data-dir'], folder] : [folder, options['data-dir']];
  terminal.err(`${to} has the database of ${from} and ${copied} blocks; ${bad} could not be copied\n`);
  if (bad > 0) terminal.exitCode = EXIT.refused;
}
