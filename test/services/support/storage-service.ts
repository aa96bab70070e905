import { join } from 'node:path';
import type { Test } from 'tap';
import { resolveOptions } from '../../../src/config/load.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import type { Transport } from '../../../src/http/transport.js';
import { systemClock } from '../../../src/node/runtime/clock.js';
import type { RunningService } from '../../../src/services/common/service.js';
import { STORAGE_OPTIONS } from '../../../src/services/storage/options.js';
import { startStorage } from '../../../src/services/storage/storage.js';
import { type Line, lineOf } from '../../support/dev-node.js';
import { MemoryLog } from '../../support/memory-log.js';
import { databaseFor, emptyDatabaseFor } from './databases.js';
import { serviceWorld } from './service-world.js';

export interface StorageInProcess extends RunningService {
  readonly log: MemoryLog;
  readonly dataDir: string;
}

interface Where {
  /** `127.0.0.1:port`. */
  readonly endpoint: string;
  readonly provider: { readonly id: string; readonly wif: string };
}

/** Paid storage in this process, against a node of its own. */
export async function startInProcess(
  t: Test,
  { endpoint, provider }: Where,
  line: Line = {},
  transport?: Transport,
): Promise<StorageInProcess> {
  const log = new MemoryLog();
  // Asking for the folder of a test empties it.
  const dataDir = String(line['data-dir'] ?? join(t.testdir(), 'storage'));
  const isNew = line['data-dir'] === undefined;
  const database = await (isNew ? emptyDatabaseFor : databaseFor)(dataDir);
  const given = {
    'data-dir': dataDir,
    ...(database === undefined ? {} : { database }),
    endpoint: '127.0.0.1:0',
    node: `http://${endpoint}`,
    account: provider.id,
    'stores-per-second': '0',
    ...line,
  };
  const options = resolveOptions(STORAGE_OPTIONS, lineOf(given), new Map());
  const world = serviceWorld(systemClock, log);
  const service = await startStorage(options, PrivateKey.fromWif(provider.wif), world, transport);
  t.teardown(() => service.close());
  return { ...service, log, dataDir };
}
