import { GATEWAY_PARTS } from '../../services/gateway/gateway.js';
import type { GatewayOptions } from '../../services/gateway/options.js';
import { moveDatabase } from '../service/move-database.js';
import type { Terminal } from '../terminal.js';

export const moveGateway = (options: GatewayOptions, file: string, terminal: Terminal): Promise<void> =>
  moveDatabase(options, file, GATEWAY_PARTS, terminal);
