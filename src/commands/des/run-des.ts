import { check } from '../../base/errors.js';
import { startDes } from '../../services/des/des.js';
import { DES_ERRORS } from '../../services/des/errors.js';
import type { DesOptions } from '../../services/des/options.js';
import { readKey, runService } from '../service/run-service.js';

const VARIABLE = 'TRUSTNODE_DES_KEY';

export async function runDes(options: DesOptions): Promise<void> {
  const { account } = options;
  check(account !== undefined, DES_ERRORS.des_account_needed);
  const key = readKey(options, VARIABLE);
  check(key !== undefined, DES_ERRORS.des_key_needed, { account, variable: VARIABLE });
  await runService(options, (world) => startDes(options, key, world));
}
