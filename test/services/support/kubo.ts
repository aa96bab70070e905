import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { decode } from '@ipld/dag-pb';
import { base58btc } from 'multiformats/bases/base58';
import { CID } from 'multiformats/cid';
import type { Test } from 'tap';
import { sha256 } from '../../../src/crypto/hash.js';

/**
 * The calls of a Kubo node that are used, written from its public description, for machines without one. A real one takes
 * its place with TRUSTNODE_TEST_IPFS_API=http://127.0.0.1:5001.
 */

export interface Kubo {
  readonly url: string;
  /** While it is away every call fails. */
  isAway: boolean;
  /** It has other bytes than it should. */
  lies: boolean;
  /** Undefined: it has no such block. */
  block(cid: string): Promise<Buffer | undefined>;
  isPinned(cid: string): Promise<boolean>;
}

const DIGEST_AT = 2;
const hashOf = (cid: CID): string => Buffer.from(cid.multihash.digest).toString('hex');

/** The file in a form of one part. */
function filePart(request: IncomingMessage, body: Buffer): Buffer {
  const [, boundary = ''] = /boundary="?([^";]+)/.exec(request.headers['content-type'] ?? '') ?? [];
  const from = body.indexOf('\r\n\r\n') + 4;
  return body.subarray(from, body.lastIndexOf(`\r\n--${boundary}`));
}

class Blocks {
  /** An id of the kind that is a key itself. */
  readonly node = base58btc.baseEncode(Buffer.concat([Buffer.from([0, 0x24, 8, 1, 0x12, 0x20]), randomBytes(32)]));
  readonly #blocks = new Map<string, Buffer>();
  readonly pinned = new Set<string>();

  put(bytes: Buffer): CID {
    const digest = sha256(bytes);
    this.#blocks.set(Buffer.from(digest).toString('hex'), bytes);
    return CID.decode(Buffer.concat([Buffer.of(0x12, 0x20), digest]).subarray(0, DIGEST_AT + 32));
  }

  get(cid: string): Buffer | undefined {
    return this.#blocks.get(hashOf(CID.parse(cid)));
  }

  /** It would ask its network for what it has not, and has none. */
  hasAll(cid: CID): boolean {
    const bytes = this.#blocks.get(hashOf(cid));
    return bytes !== undefined && decode(bytes).Links.every(({ Hash }) => this.hasAll(Hash));
  }
}

const fails = (Message: string): [number, object] => [500, { Message, Code: 0, Type: 'error' }];

function answerTo(blocks: Blocks, { pathname: path, searchParams }: URL, file: Buffer): [number, object | Buffer] {
  const arg = searchParams.get('arg') ?? '';
  if (path === '/api/v0/id') return [200, { ID: blocks.node }];
  if (path === '/api/v0/block/put') return [200, { Key: String(blocks.put(file)), Size: file.length }];
  if (path === '/api/v0/block/get') {
    const bytes = blocks.get(arg);
    return bytes === undefined ? fails('block was not found locally (offline): ipld: could not find') : [200, bytes];
  }
  if (path === '/api/v0/pin/add') {
    if (!blocks.hasAll(CID.parse(arg))) return fails('pin: block was not found locally (offline)');
    blocks.pinned.add(arg);
    return [200, { Pins: [arg] }];
  }
  if (path === '/api/v0/pin/rm')
    return blocks.pinned.delete(arg) ? [200, { Pins: [arg] }] : fails('not pinned or pinned indirectly');
  if (path === '/api/v0/pin/ls') {
    return blocks.pinned.has(arg)
      ? [200, { Keys: { [arg]: { Type: 'recursive' } } }]
      : fails(`path '${arg}' is not pinned`);
  }
  return [404, {}];
}

export async function startKubo(t: Test): Promise<Kubo> {
  const real = process.env.TRUSTNODE_TEST_IPFS_API;
  const blocks = new Blocks();
  const target = real === undefined ? undefined : new URL(real);
  const kubo = { isAway: false, lies: false };
  const server = createServer((request, answer) => {
    void buffer(request).then(async (body) => {
      if (kubo.isAway) return answer.destroy();
      const url = new URL(request.url ?? '/', 'http://localhost');
      if (target !== undefined) {
        const headers = { 'Content-Type': request.headers['content-type'] ?? 'text/plain' };
        const given = body.length === 0 ? {} : { body, headers };
        const found = await fetch(`${target.origin}${url.pathname}${url.search}`, { method: 'POST', ...given });
        answer.writeHead(found.status, { 'Content-Type': found.headers.get('content-type') ?? 'application/json' });
        return answer.end(Buffer.from(await found.arrayBuffer()));
      }
      const file = body.length === 0 ? body : filePart(request, body);
      const [status, value] = answerTo(blocks, url, file);
      answer.writeHead(status, { 'Content-Type': 'application/json' });
      if (!Buffer.isBuffer(value)) return answer.end(JSON.stringify(value));
      return answer.end(kubo.lies ? Buffer.alloc(value.length) : value);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const call = (path: string) => fetch(`${url}/api/v0/${path}`, { method: 'POST' });
  return Object.assign(kubo, {
    url,
    block: async (cid: string) => {
      const found = await call(`block/get?arg=${cid}&offline=true`);
      return found.status === 200 ? Buffer.from(await found.arrayBuffer()) : undefined;
    },
    isPinned: async (cid: string) => (await call(`pin/ls?arg=${cid}&type=recursive`)).status === 200,
  });
}
