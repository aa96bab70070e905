import { check } from '../../base/errors.js';
import { ALARM_TABLES } from '../../services/alarm/tables.js';
import { backUp, restore } from '../../services/common/database.js';
import { CONTENT_TABLES } from '../../services/content/tables.js';
import { DES_TABLES } from '../../services/des/tables.js';
import { EXCHANGE_TABLES } from '../../services/exchange/tables.js';
import { MARKET_ERRORS } from '../../services/market/errors.js';
import { marketFile, openMarket } from '../../services/market/market.js';
import type { MarketOptions } from '../../services/market/options.js';
import { MARKET_TABLES } from '../../services/market/tables.js';
import { PAYMENT_TABLES } from '../../services/payment/tables.js';
import { moveDatabase } from '../service/move-database.js';
import type { Terminal } from '../terminal.js';

export type CopyAction = 'backup' | 'restore' | 'move';

/** The database of market and exchange as one file. */
export async function copyMarket(
  options: MarketOptions,
  action: CopyAction,
  file: string | undefined,
  terminal: Terminal,
): Promise<void> {
  check(file !== undefined, MARKET_ERRORS.market_backup_file, { action });
  if (action === 'restore') {
    await restore(file, marketFile(options));
    terminal.err(`${marketFile(options)} is what ${file} is\n`);
    return;
  }
  if (action === 'move') {
    const parts = [EXCHANGE_TABLES, PAYMENT_TABLES, CONTENT_TABLES, DES_TABLES, ALARM_TABLES, MARKET_TABLES];
    await moveDatabase(options, file, parts, terminal);
    return;
  }
  const from = marketFile(options);
  const db = await openMarket(options);
  try {
    await backUp(db, file);
  } finally {
    await db.destroy();
  }
  terminal.err(`${file} is a copy of ${from}\n`);
}
