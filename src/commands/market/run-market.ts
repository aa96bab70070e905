import { startMarket } from '../../services/market/market.js';
import type { MarketOptions } from '../../services/market/options.js';
import { runService } from '../service/run-service.js';

export const runMarket = (options: MarketOptions): Promise<void> =>
  runService(options, (world) => startMarket(options, world));
