import type { PostgresServer } from '../../services/postgres/server.js';

/** Whose each leg was, one instance after another: written by the database itself, whatever the services say. */

export interface OwnerChange {
  readonly signature: string;
  readonly former: string;
  /** Until when the former one had it; milliseconds by the clock of this machine, as all are here. */
  readonly former_until_ms: number;
  readonly owner: string;
  readonly at_ms: number;
}

const LOG = `
  CREATE TABLE owner_log (
    position bigserial PRIMARY KEY, signature text NOT NULL, former text NOT NULL, former_until_ms bigint NOT NULL,
    owner text NOT NULL, at_ms bigint NOT NULL);
  CREATE FUNCTION log_owner() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO owner_log (signature, former, former_until_ms, owner, at_ms) VALUES (
      NEW.signature, OLD.lease_owner, OLD.lease_until_ms, NEW.lease_owner,
      (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
    RETURN NULL;
  END $$;
  CREATE TRIGGER owner_change AFTER UPDATE ON payment FOR EACH ROW
    WHEN (OLD.lease_owner IS DISTINCT FROM NEW.lease_owner) EXECUTE FUNCTION log_owner();`;

/** From now on, in a database with the tables of payments. */
export async function logOwners(server: PostgresServer, database: string): Promise<void> {
  await server.sql(LOG, database);
}

export async function ownerChanges(server: PostgresServer, database: string): Promise<readonly OwnerChange[]> {
  const rows = await server.sql('SELECT * FROM owner_log ORDER BY position', database);
  return rows.map(({ signature, former, former_until_ms, owner, at_ms }) => ({
    signature: String(signature),
    former: String(former),
    former_until_ms: Number(former_until_ms),
    owner: String(owner),
    at_ms: Number(at_ms),
  }));
}

/** Each sentence is a leg that two instances had at the same time. */
export function ownerFaults(changes: readonly OwnerChange[]): string[] {
  return changes
    .filter(({ former_until_ms, at_ms }) => former_until_ms >= at_ms)
    .map(({ signature, former, owner, former_until_ms, at_ms }) => {
      const leftMs = former_until_ms - at_ms;
      return `${signature.slice(0, 16)} went from ${former} to ${owner}, and was that one's for ${leftMs} ms more`;
    });
}
