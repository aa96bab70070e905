import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type { FromWorker, ToWorker } from './gxclient.js';

/** Runs the installed client in a thread of its own: it prints, and what it starts to watch it never stops watching. */

type Method = (...args: readonly unknown[]) => unknown;
interface ClientModule {
  GXClient: new (wif?: string, account?: string, url?: string) => Record<string, Method>;
}

const { GXClient } = createRequire(import.meta.url)('gxclient') as ClientModule;
const clients = new Map<string, Record<string, Method>>();
const post = (message: FromWorker): void => parentPort?.postMessage(message);

async function run({ id, wif, account, url, method, args, watching }: ToWorker): Promise<void> {
  let client = clients.get(account);
  if (client === undefined) {
    client = new GXClient(wif, account, url);
    clients.set(account, client);
  }
  const listener = (...heard: unknown[]): void => post({ id, kind: 'heard', value: heard });
  try {
    const value = await client[method]?.(...args, ...(watching ? [listener] : []));
    post({ id, kind: 'done', value: watching ? undefined : JSON.parse(JSON.stringify(value ?? null)) });
  } catch (error) {
    post({ id, kind: 'failed', value: error instanceof Error ? error.message : JSON.stringify(error) });
  }
}

parentPort?.on('message', (message: ToWorker) => void run(message));
