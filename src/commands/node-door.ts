import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import { join } from 'node:path';
import { ChainError, check, defineErrors, FAMILY, fail } from '../base/errors.js';
import { parseIni } from '../config/load.js';
import { absolute, CONFIG_FILE } from '../node/settings/options.js';
import { nodeFiles } from '../storage/files.js';

export const STATUS_ERRORS = defineErrors({
  node_not_there: {
    kind: 'environment',
    ...FAMILY.invalidArgument,
    text: 'no node answers at ${tried}',
    hint: 'trustnode status asks the node of --data-dir, or the one at --url; is it running, and is its user yours?',
  },
  node_silent: { kind: 'environment', ...FAMILY.invalidArgument, text: '${name} has not answered: ${reason}' },
  node_other: {
    kind: 'environment',
    ...FAMILY.invalidArgument,
    text: 'what answers at ${name} is no trustnode',
  },
});

/** In the data directory of a running node. */
const OPERATOR_SOCKET = 'operator.sock';
/** Ways to a node that is still starting, in the order of how much it says there. */
const ENDPOINTS = ['monitor-endpoint', 'rpc-endpoint'] as const;
const ANSWER_MS = 10_000;

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface Ordered {
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Where a node answers its operator. */
export interface NodeDoor {
  readonly name: string;
  get(path: string): Promise<Answer>;
  /** Undefined where the node does not serve its clients yet. */
  call(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** For what takes the node a while. */
  order(method: string, waitMs: number): Promise<Ordered>;
}

type Address = { readonly socketPath: string } | { readonly host: string; readonly port: number };

function doorAt(name: string, address: Address, send = request): NodeDoor {
  const ask = (method: string, path: string, body?: string, waitMs = ANSWER_MS): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const asked = send({ ...address, method, path, timeout: waitMs }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString('utf8') }),
        );
        response.on('error', ({ message: reason }) =>
          reject(new ChainError(STATUS_ERRORS.node_silent, { name, reason })),
        );
      });
      asked.on('timeout', () => asked.destroy(new Error(`no answer within ${waitMs} ms`)));
      asked.on('error', ({ message: reason }) => reject(new ChainError(STATUS_ERRORS.node_silent, { name, reason })));
      asked.end(body);
    });
  const read = (body: string): Ordered => {
    try {
      return Object(JSON.parse(body)) as Ordered;
    } catch {
      fail(STATUS_ERRORS.node_other, { name });
    }
  };
  return {
    name,
    get: (path) => ask('GET', path),
    order: async (method, waitMs) => {
      const { body } = await ask('POST', '/', JSON.stringify({ id: 1, method, params: [] }), waitMs);
      return read(body);
    },
    call: async (method, params = []) => {
      const { status, body } = await ask('POST', '/', JSON.stringify({ id: 1, method, params }));
      return status === 200 ? read(body).result : undefined;
    },
  };
}

function doorOfUrl(url: string): NodeDoor | undefined {
  const { protocol, hostname, port } = URL.parse(url) ?? {};
  const isTls = protocol === 'https:';
  if ((protocol !== 'http:' && !isTls) || hostname === undefined) return undefined;
  const address = { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || (isTls ? 443 : 80)) };
  return doorAt(url, address, isTls ? requestTls : request);
}

/** What config.ini names, as this machine reaches it. */
function endpointsOf(dataDir: string): string[] {
  const path = join(dataDir, CONFIG_FILE);
  const { given } = parseIni(nodeFiles.readText(path) ?? '', path, () => undefined);
  return ENDPOINTS.flatMap((name) => given.get(name)?.at(-1) ?? [])
    .filter((text) => text !== '')
    .map((text) => `http://${text.replace(/^(0\.0\.0\.0|\[::\])/, '127.0.0.1')}`);
}

/** The first that answers. */
export async function openDoor(where: { readonly url?: string; readonly dataDir: string }): Promise<NodeDoor> {
  const dataDir = absolute(where.dataDir);
  const socketPath = join(dataDir, OPERATOR_SOCKET);
  const doors: (NodeDoor | undefined)[] = [];
  if (where.url !== undefined) doors.push(doorOfUrl(where.url));
  else {
    if (existsSync(socketPath)) doors.push(doorAt(socketPath, { socketPath }));
    doors.push(...endpointsOf(dataDir).map(doorOfUrl));
  }
  for (const door of doors) {
    try {
      await door?.get('/healthz');
      if (door !== undefined) return door;
    } catch {
      // A socket that a killed node has left, a port of nobody: the next one may answer.
    }
  }
  check(false, STATUS_ERRORS.node_not_there, { tried: where.url ?? dataDir });
}
