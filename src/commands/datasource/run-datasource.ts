import { check } from '../../base/errors.js';
import { startDatasource } from '../../services/datasource/datasource.js';
import { DATASOURCE_ERRORS } from '../../services/datasource/errors.js';
import type { DatasourceOptions } from '../../services/datasource/options.js';
import { readKey, runService } from '../service/run-service.js';

const VARIABLE = 'TRUSTNODE_DATASOURCE_KEY';

export async function runDatasource(options: DatasourceOptions): Promise<void> {
  const { account } = options;
  check(account !== undefined, DATASOURCE_ERRORS.datasource_account_needed);
  const key = readKey(options, VARIABLE);
  check(key !== undefined, DATASOURCE_ERRORS.datasource_key_needed, { account, variable: VARIABLE });
  await runService(options, (world) => startDatasource(options, key, world));
}
