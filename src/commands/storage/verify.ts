import { systemClock } from '../../node/runtime/clock.js';
import type { StorageOptions } from '../../services/storage/options.js';
import { openStores } from '../../services/storage/storage.js';
import { EXIT, type Terminal } from '../terminal.js';

/** Looks at every block while the service runs or without it. */
export async function verifyStorage(options: StorageOptions, terminal: Terminal): Promise<void> {
  const { db, content } = await openStores(options, systemClock);
  try {
    let bad = 0;
    const { contents, blocks, unused } = await content.verify(({ cid, why }) => {
      bad++;
      terminal.out(`${cid}: ${why}\n`);
    });
    terminal.err(
      `${contents} contents with ${blocks} blocks; ${bad} are not as they were stored; ${unused} files are unused\n`,
    );
    if (bad > 0) terminal.exitCode = EXIT.refused;
  } finally {
    await db.destroy();
  }
}
