import { check } from '../../base/errors.js';
import { STORAGE_ERRORS } from '../../services/storage/errors.js';
import type { StorageOptions } from '../../services/storage/options.js';
import { startStorage } from '../../services/storage/storage.js';
import { readKey, runService } from '../service/run-service.js';

const VARIABLE = 'TRUSTNODE_STORAGE_KEY';

export async function runStorage(options: StorageOptions): Promise<void> {
  const { account } = options;
  check(account !== undefined, STORAGE_ERRORS.storage_account_needed);
  const key = readKey(options, VARIABLE);
  check(key !== undefined, STORAGE_ERRORS.storage_key_needed, { account, variable: VARIABLE });
  await runService(options, (world) => startStorage(options, key, world));
}
