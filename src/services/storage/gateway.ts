import type { CID } from 'multiformats/cid';
import { check, fail } from '../../base/errors.js';
import { contentAnswer } from '../../http/answers.js';
import type { Header, HttpAnswer, HttpRequest } from '../../http/handler.js';
import { carOf } from '../content/car.js';
import { blockOf, type ContentStore, parseCid } from '../content/content-store.js';
import { STORAGE_ERRORS } from './errors.js';

/**
 * The trustless gateway of the public specification: blocks as they are, for clients that check each of them by its id. It
 * gives no whole files, and none of its answers has to be believed.
 */

const RAW_TYPE = 'application/vnd.ipld.raw';
const CAR_TYPE = 'application/vnd.ipld.car';
/** An id of which the content is the id itself. */
const IDENTITY = 0;
const IDENTITY_BYTES_MAX = 128;

/** What has this id will never be anything else. */
export const FOR_EVER: readonly Header[] = [
  ['Cache-Control', 'public, max-age=29030400, immutable'],
  ['X-Content-Type-Options', 'nosniff'],
];

export interface GatewayQuery {
  readonly format?: 'raw' | 'car' | undefined;
  readonly 'dag-scope'?: 'block' | 'entity' | 'all' | undefined;
}

function formatOf(request: HttpRequest, query: GatewayQuery): 'raw' | 'car' {
  if (query.format !== undefined) return query.format;
  const accepted = request
    .header('accept')
    .split(',')
    .map((one) => (one.split(';')[0] as string).trim().toLowerCase());
  const wanted = accepted.find((type) => type === RAW_TYPE || type === CAR_TYPE);
  if (wanted === undefined) fail(STORAGE_ERRORS.storage_format);
  return wanted === RAW_TYPE ? 'raw' : 'car';
}

/** The bytes that an id of the identity kind holds itself: clients ask for an empty one to see whether anybody is there. */
function heldById({ multihash }: CID): Uint8Array | undefined {
  return multihash.code === IDENTITY && multihash.size <= IDENTITY_BYTES_MAX ? multihash.digest : undefined;
}

/** The block, if everybody may have it. */
async function blockBytes(store: ContentStore, cid: CID): Promise<Uint8Array> {
  const held = heldById(cid);
  if (held !== undefined) return held;
  const block = blockOf(cid);
  const isThere = block !== undefined && (await store.isReleased(block));
  check(isThere, STORAGE_ERRORS.storage_no_data);
  return store.readBlock(cid);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export async function gatewayAnswer(
  store: ContentStore,
  request: HttpRequest,
  text: string,
  query: GatewayQuery,
): Promise<HttpAnswer> {
  const format = formatOf(request, query);
  const cid = parseCid(text) ?? fail(STORAGE_ERRORS.storage_no_data);
  const name = cid.toString();
  const first = await blockBytes(store, cid);
  const headers: Header[] = [...FOR_EVER, ['X-Ipfs-Path', `/ipfs/${name}`], ['Vary', 'Accept']];
  if (format === 'raw') {
    headers.push(['Content-Disposition', `attachment; filename="${name}.bin"`]);
    const read = (from: number, to: number) => once(first.subarray(from, to));
    return contentAnswer(request, { bytes: first.length, type: RAW_TYPE, tag: `${name}.raw`, read }, headers);
  }
  const isAlone = query['dag-scope'] === 'block' || heldById(cid) !== undefined;
  const scope = isAlone ? 'block' : 'all';
  const tag = `W/"${name}.car.${scope}"`;
  headers.push(['Content-Disposition', `attachment; filename="${name}.car"`], ['ETag', tag]);
  if (
    request
      .header('if-none-match')
      .split(',')
      .some((one) => one.trim() === tag)
  ) {
    return { status: 304, headers, body: '' };
  }
  headers.push(['Content-Type', `${CAR_TYPE}; version=1; order=dfs; dups=n`]);
  const blocks = isAlone ? onlyBlock(cid, first) : store.walk(cid);
  return { status: 200, headers, body: { bytes: undefined, read: () => carOf(cid, blocks) } };
}

async function* onlyBlock(cid: CID, bytes: Uint8Array): AsyncGenerator<{ cid: CID; bytes: Uint8Array }> {
  yield { cid, bytes };
}
