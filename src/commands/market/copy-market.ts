import { check } from '../../base/errors.js';
import { backUp, restore } from '../../services/common/database.js';
import { MARKET_ERRORS } from '../../services/market/errors.js';
import { marketFile, openMarket } from '../../services/market/market.js';
import type { MarketOptions } from '../../services/market/options.js';
import type { Terminal } from '../terminal.js';

/** The database of market and exchange as one file. */
export async function copyMarket(
  options: MarketOptions,
  action: 'backup' | 'restore',
  file: string | undefined,
  terminal: Terminal,
): Promise<void> {
  check(file !== undefined, MARKET_ERRORS.market_backup_file, { action });
  if (action === 'restore') {
    await restore(file, marketFile(options));
    terminal.err(`${marketFile(options)} is what ${file} is\n`);
    return;
  }
  const db = await openMarket(options);
  try {
    await backUp(db, file);
  } finally {
    await db.destroy();
  }
  terminal.err(`${file} is a copy of ${marketFile(options)}\n`);
}
