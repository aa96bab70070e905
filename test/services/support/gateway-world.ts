import { join } from 'node:path';
import type { Test } from 'tap';
import { resolveOptions } from '../../../src/config/load.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { publicKeyToText } from '../../../src/crypto/public-key.js';
import type { RunningService } from '../../../src/services/common/service.js';
import { startGateway } from '../../../src/services/gateway/gateway.js';
import { GATEWAY_OPTIONS } from '../../../src/services/gateway/options.js';
import { type Line, lineOf } from '../../support/dev-node.js';
import { MemoryLog } from '../../support/memory-log.js';
import { databaseFor } from './databases.js';
import type { Account } from './des-world.js';
import { MovedClock } from './moved-clock.js';
import { serviceWorld } from './service-world.js';

/** A gateway in this process, and those who come to it. */

export interface TestGateway extends RunningService {
  readonly log: MemoryLog;
  readonly clock: MovedClock;
  readonly dataDir: string;
}

let gateways = 0;

export async function openTestGateway(
  t: Test,
  node: string,
  registrar: Account,
  line: Line = {},
): Promise<TestGateway> {
  const log = new MemoryLog();
  const clock = new MovedClock();
  // Asking for the folder of a test empties it.
  const dataDir = String(line['data-dir'] ?? join(t.testdir(), `gateway-${++gateways}`));
  const database = await databaseFor(dataDir);
  const given = {
    'data-dir': dataDir,
    ...(database === undefined ? {} : { database }),
    endpoint: '127.0.0.1:0',
    node: `http://${node}`,
    account: registrar.id,
    wait: '120',
    ...line,
  };
  const options = resolveOptions(GATEWAY_OPTIONS, lineOf(given), new Map());
  const world = serviceWorld(clock, log);
  const service = await startGateway(options, PrivateKey.fromWif(registrar.wif), world);
  t.teardown(() => service.close());
  return { ...service, log, clock, dataDir };
}

export const publicKeyOf = (seed: string): string => publicKeyToText(PrivateKey.fromSeed(seed).publicKey, 'GXC');

export interface GatewayAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly code?: string;
    readonly msg?: string;
    readonly txid?: string;
    readonly account?: { readonly id: string; readonly name: string };
    readonly operations?: readonly [number, Readonly<Record<string, unknown>>][];
    readonly signatures?: readonly string[];
  };
}

export interface Asked {
  readonly account?: object;
  readonly more?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
}

/** Making one takes longer than all the rest of a request. */
const keyOf = (name: string, account: object | undefined): string | undefined =>
  account !== undefined && 'active_key' in account ? undefined : publicKeyOf(name);

/** As a program of anybody would ask for it. */
export async function register(
  url: string,
  name: string,
  { account, more = {}, headers = {}, path = '/account/register' }: Asked = {},
): Promise<GatewayAnswer> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ account: { name, active_key: keyOf(name, account), ...account }, ...more }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as GatewayAnswer['body'] };
}
