import { setTimeout } from 'node:timers/promises';
import type { CID } from 'multiformats/cid';
import { check } from '../../base/errors.js';
import { sha256Hex } from '../../crypto/hash.js';
import { BLOCK_FILE_ERRORS } from './block-files.js';
import { blockOf } from './content-store.js';

/** A Kubo node, by its HTTP interface: what it is told to keep is there for its whole network. */

export interface IpfsNode {
  /** What tells it from every other one. */
  identity(): Promise<string>;
  /** Waits a while for one that somebody is about to put there. */
  get(cid: CID): Promise<Uint8Array>;
  put(cid: CID, bytes: Uint8Array): Promise<void>;
  /** With all that it leads to, which the node has to have. */
  pin(cid: CID): Promise<void>;
  unpin(cid: CID): Promise<void>;
}

/** The part of the library that is used here; its own types bring a whole network along. */
interface Library {
  create(options: { readonly url: string; readonly timeout: number }): {
    id(options: { readonly signal: AbortSignal }): Promise<{ readonly id: { toString(): string } }>;
    readonly block: {
      get(cid: CID, options: { readonly signal: AbortSignal }): Promise<Uint8Array>;
      put(bytes: Uint8Array, options: { readonly format: string; readonly mhtype: string }): Promise<CID>;
    };
    readonly pin: { add(cid: CID): Promise<CID>; rm(cid: CID): Promise<CID> };
  };
}

const TIMEOUT_MS = 60_000;
/** Longer than contents wait before they are handed over, as short as somebody waits for a download to begin. */
const GET_MS = 5000;
const LOOK_MS = 200;
const LIBRARY = 'kubo-rpc-client';

/** One without a network says at once that it has not got it; others wait by themselves. */
async function patiently<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const signal = AbortSignal.timeout(GET_MS);
  while (!signal.aborted) {
    try {
      return await work(signal);
    } catch {
      await setTimeout(LOOK_MS);
    }
  }
  return undefined;
}

/** Loaded by those alone who have such a node. */
export async function kuboNode(url: string): Promise<IpfsNode> {
  const { create } = (await import(LIBRARY)) as Library;
  const { id, block, pin } = create({ url, timeout: TIMEOUT_MS });
  return {
    identity: async () => String((await id({ signal: AbortSignal.timeout(GET_MS) })).id),
    get: async (cid) => {
      const name = blockOf(cid) ?? '';
      const bytes = await patiently((signal) => block.get(cid, { signal }));
      check(bytes !== undefined, BLOCK_FILE_ERRORS.content_missing, { block: name });
      check(sha256Hex(bytes) === name, BLOCK_FILE_ERRORS.content_damaged, { block: name });
      return bytes;
    },
    put: async (cid, bytes) => {
      const put = await block.put(bytes, { format: 'v0', mhtype: 'sha2-256' });
      const isSame = Buffer.compare(put.multihash.bytes, cid.multihash.bytes) === 0;
      if (!isSame) throw new Error(`it calls the block ${cid} ${put}`);
    },
    pin: async (cid) => {
      await pin.add(cid);
    },
    unpin: async (cid) => {
      try {
        await pin.rm(cid);
      } catch (error) {
        // Somebody else has taken it out.
        if (!/not pinned/.test((error as Error).message)) throw error;
      }
    },
  };
}
