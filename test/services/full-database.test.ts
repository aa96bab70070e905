import { join } from 'node:path';
import { sql } from 'kysely';
import t from 'tap';
import { toldOfTrouble } from '../../src/services/chain/errors.js';
import { openDatabase, transact } from '../../src/services/common/database.js';
import { DatabaseFailure } from '../../src/services/common/database-errors.js';

/** SQLite ends a transaction by itself where the disk is full. */

t.test('a full disk is what is told, and when there is room again it goes on', async (t) => {
  const db = await openDatabase<{ kept: { text: string } }>(join(t.testdir(), 'full.db'), []);
  t.teardown(() => db.destroy());
  await sql`CREATE TABLE kept (text TEXT)`.execute(db);
  const fill = (): Promise<void> =>
    transact(db, async (trx) => {
      for (let i = 0; i < 20; i++)
        await trx
          .insertInto('kept')
          .values({ text: 'x'.repeat(4000) })
          .execute();
    });
  // As many pages as a small disk has.
  await sql`PRAGMA max_page_count = 10`.execute(db);
  await t.rejects(fill(), { code: 'SQLITE_FULL', message: /full/ });
  await fill().catch((error: unknown) => t.equal(toldOfTrouble(error), 'the disk of the database is full'));
  await sql`PRAGMA max_page_count = 1000`.execute(db);
  await fill();
  t.equal((await db.selectFrom('kept').selectAll().execute()).length, 20, 'nothing of what did not fit');
  const ofServer = new DatabaseFailure(Object.assign(new Error('no space left'), { code: '53100' }));
  t.equal(toldOfTrouble(ofServer), 'the disk of the database is full');
});
