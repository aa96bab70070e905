import { type DatabaseConnection, type SqliteDatabase, SqliteDialect, SqliteDriver } from 'kysely';

/** The part of the library that is used here: it brings no types. */
export interface OpenFile extends SqliteDatabase {
  readonly inTransaction: boolean;
  pragma(text: string): unknown;
}

/** A full disk may end a transaction by itself: taking back what is no more would fail, and hide the reason. */
class FileDriver extends SqliteDriver {
  readonly #database: OpenFile;

  constructor(database: OpenFile) {
    super({ database });
    this.#database = database;
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection);
  }
}

export class FileDialect extends SqliteDialect {
  readonly #database: OpenFile;

  constructor(database: OpenFile) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): FileDriver {
    return new FileDriver(this.#database);
  }
}
