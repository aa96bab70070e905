import { check } from '../../base/errors.js';
import { GATEWAY_ERRORS } from '../../services/gateway/errors.js';
import { startGateway } from '../../services/gateway/gateway.js';
import type { GatewayOptions } from '../../services/gateway/options.js';
import { readKey, runService } from '../service/run-service.js';

const VARIABLE = 'TRUSTNODE_GATEWAY_KEY';

export async function runGateway(options: GatewayOptions): Promise<void> {
  const { account } = options;
  check(account !== undefined, GATEWAY_ERRORS.gateway_account_needed);
  const key = readKey(options, VARIABLE);
  check(key !== undefined, GATEWAY_ERRORS.gateway_key_needed, { account, variable: VARIABLE });
  await runService(options, (world) => startGateway(options, key, world));
}
