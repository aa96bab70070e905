import { gunzipSync, gzipSync } from 'node:zlib';
import { fromHex, toHex } from '../../base/bytes.js';
import { ChainError, check, defineErrors, fail } from '../../base/errors.js';
import { BlockFacts } from '../../chain/facts.js';
import { decodeTrusted, encode } from '../../codec/binary.js';
import { array } from '../../codec/containers.js';
import { type Json, type JsonObject, parseJson } from '../../codec/json.js';
import { NULL_BLOCK_ID } from '../../crypto/digests.js';
import { sha256Hex } from '../../crypto/hash.js';
import { signedBlock } from '../../protocol/block.js';
import { type ProcessedTransaction, processedTransaction } from '../../protocol/transaction.js';

/**
 * Format 1 of a dumped development chain: base64 of gzip of two lines, the SHA-256 of the second one, which is JSON. The
 * state is in it as what made it: all blocks, and what was changed beside them. So whoever follows the chain that loads it
 * hears of everything, and has its histories too.
 */
const FORMAT = 1;
const MARK = 'trustnode dev state';
/** More is no chain that somebody has made by hand. */
const UNPACKED_BYTES_MAX = 1 << 30;
const SUM_CHARS = 64;

export const STATE_DUMP_ERRORS = defineErrors({
  dev_state_unreadable: {
    text: 'this is no dumped state of a development chain: ${reason}',
    hint: 'give the whole text that dev_dumpState answers with, or that --dump-state has written',
  },
  dev_state_newer: {
    text: 'this state was dumped in format ${found}, and this program reads formats up to ${known}',
  },
});

/** A change that was made beside the blocks, as the node's own file has it. */
export interface DumpedUpdate {
  readonly block: string;
  readonly update: Json;
}

/** The block before the first one that a chain has: of a fork the one of its snapshot, otherwise the genesis. */
export interface ChainBase {
  readonly number: number;
  readonly id: string;
}

export interface StateDump {
  readonly chainId: string;
  readonly base: ChainBase;
  readonly stateHash: string;
  /** What the clock said, in seconds. */
  readonly now: number;
  /** From the one after the base on. */
  readonly blocks: readonly BlockFacts[];
  readonly updates: readonly DumpedUpdate[];
  /** What waited for a block. */
  readonly waiting: readonly ProcessedTransaction[];
}

export interface DumpSource extends Omit<StateDump, 'blocks'> {
  /** Packed. */
  readonly blocks: readonly Uint8Array[];
}

export function packDump({ chainId, base, stateHash, now, blocks, updates, waiting }: DumpSource): string {
  const body = {
    what: MARK,
    format: FORMAT,
    chain_id: chainId,
    base: { number: base.number, id: base.id },
    state_hash: stateHash,
    now,
    blocks: blocks.map(toHex),
    updates,
    waiting: toHex(encode(array(processedTransaction), [...waiting])),
  };
  // A number that JSON of this language cannot hold is a text everywhere in it.
  const text = JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  return gzipSync(`${sha256Hex(Buffer.from(text))}\n${text}`).toString('base64');
}

export function readDump(text: string): StateDump {
  const body = bodyOf(text);
  const { format } = body;
  check(body.what === MARK && typeof format === 'number', STATE_DUMP_ERRORS.dev_state_unreadable, {
    reason: 'it says that it is something else',
  });
  check(format <= FORMAT, STATE_DUMP_ERRORS.dev_state_newer, { found: format, known: FORMAT });
  return {
    chainId: String(body.chain_id),
    base: (body.base ?? { number: 0, id: NULL_BLOCK_ID }) as unknown as ChainBase,
    stateHash: String(body.state_hash),
    now: Number(body.now),
    blocks: (body.blocks as string[]).map((hex) => new BlockFacts(decodeTrusted(signedBlock, fromHex(hex)))),
    updates: body.updates as unknown as DumpedUpdate[],
    waiting: decodeTrusted(array(processedTransaction), fromHex(String(body.waiting))),
  };
}

/** Checked by its sum: what stands in it is what a node has written. */
function bodyOf(text: string): JsonObject {
  let unpacked: Buffer;
  try {
    unpacked = gunzipSync(Buffer.from(text.trim(), 'base64'), { maxOutputLength: UNPACKED_BYTES_MAX });
  } catch (error) {
    fail(STATE_DUMP_ERRORS.dev_state_unreadable, { reason: (error as Error).message });
  }
  const [sum, body] = [unpacked.toString('latin1', 0, SUM_CHARS), unpacked.subarray(SUM_CHARS + 1)];
  check(sum === sha256Hex(body), STATE_DUMP_ERRORS.dev_state_unreadable, { reason: 'its sum differs' });
  try {
    return parseJson(body.toString('utf8')) as JsonObject;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    fail(STATE_DUMP_ERRORS.dev_state_unreadable, { reason: error.message });
  }
}
