import type { Kysely } from 'kysely';
import { ChainError } from '../../base/errors.js';
import { BlockFiles } from './block-files.js';
import type { ContentTables } from './tables.js';

/**
 * Every block that the database knows, from one folder to another one; how many. What is not as it was stored is told and
 * left out.
 */
export async function copyBlocks(
  db: Kysely<ContentTables>,
  from: string,
  to: string,
  tell: (why: string) => void,
): Promise<number> {
  const rows = await db.selectFrom('content_block').select('block').distinct().orderBy('block').execute();
  const [source, target] = [new BlockFiles(from), new BlockFiles(to)];
  const copied: string[] = [];
  for (const { block } of rows) {
    let bytes: Uint8Array;
    try {
      bytes = await source.read(block);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      tell(error.message);
      continue;
    }
    await target.write(block, bytes);
    copied.push(block);
  }
  await target.sync(copied);
  return copied.length;
}
